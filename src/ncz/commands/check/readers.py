"""What other programs do not read of a store, by the table of `ncz.formats.zarr.readers`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ncz.codec.catalogue import codec_id, is_object_codec
from ncz.commands.check.finding import Finding, finding
from ncz.commands.check.reading import ReadStore
from ncz.formats.zarr.audience import Contents, readers_named
from ncz.formats.zarr.document.v2 import ARRAY
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.mapping.attributes import is_strict
from ncz.formats.zarr.readers import READERS, WIDESPREAD, Feature, Reader
from ncz.model.types import Atomic
from ncz.zmap.key import ZARR_JSON, join_key


def check_readers(
    read: ReadStore, documents: Mapping[str, Json], names: Sequence[str]
) -> Iterator[Finding]:
    """Yield what programs do not read: one finding for each program and feature.

    Findings for the programs in `names` have the severity of their code; without `names`,
    widespread programs are checked, and the findings are notes.

    Raises
    ------
    AudienceError
        For a name that is not known.
    """
    readers = readers_named(names) if names else tuple(READERS[name] for name in WIDESPREAD)
    features = _features(read, documents)
    for reader in readers:
        for found in _of_reader(reader, read, features):
            yield (
                found
                if names
                else finding(found.code, found.key, found.message, found.advice, severity="note")
            )


def _of_reader(
    reader: Reader, read: ReadStore, features: Mapping[Feature, str]
) -> Iterator[Finding]:
    advice = f"write a copy with ncz copy --for {reader.name}"
    for feature, key in features.items():
        if feature in reader.unread:
            is_unopened = feature in reader.unopened or feature[0] == "format"
            what = "does not open" if is_unopened else "does not read correctly"
            yield finding(
                "reader-unopened" if is_unopened else "reader-misread",
                key,
                f"{reader.name} {what} {Contents().words([feature])}",
                advice,
            )
            if feature[0] == "format":
                return
    known = reader.codecs_v2 if read.zarr_format == 2 else reader.codecs_v3
    told: set[str] = set()
    for key, array in read.arrays.items() if known is not None else ():
        layout = array.document.layout
        for codec in (*layout.codecs, *layout.inner_codecs):
            configuration = codec.to_json()
            name = codec_id(configuration)
            is_missing = known is not None and name not in known and name not in told
            if is_missing and not is_object_codec(configuration):  # a string has a feature
                told.add(name)
                yield finding(
                    "reader-unopened",
                    key,
                    f"{reader.name} does not decode chunks of the codec {name}",
                    advice,
                )


def _features(read: ReadStore, documents: Mapping[str, Json]) -> dict[Feature, str]:
    """Return the features of a store that matter to readers, each with the key of an example."""
    is_nczarr = bool(read.dataset.provenance.superblock)
    flavour = "nczarr" if is_nczarr else "zarr"
    features: dict[Feature, str] = {("format", f"{flavour}-v{read.zarr_format}"): ""}
    for key, document in documents.items():
        attributes = document if read.zarr_format == 2 else document.get("attributes")
        if not is_strict(attributes):
            features.setdefault(("number", f"bare-v{read.zarr_format}"), key)
    for key, variable in read.variables.items():
        v2, v3 = documents.get(join_key(key, ARRAY)), documents.get(join_key(key, ZARR_JSON))
        document = v2 if read.zarr_format == 2 else v3
        if document is None:
            continue
        if not variable.dimensions:
            features.setdefault(("scalar", "[1]" if document.get("shape") else "[]"), key)
        form = _form_v2 if read.zarr_format == 2 else _form_v3
        feature = form(document, variable.type, is_nczarr)
        if feature is not None:
            features.setdefault(feature, key)
    return features


def _form_v2(document: Mapping[str, Json], nc_type: object, is_nczarr: bool) -> Feature | None:
    dtype = str(document.get("dtype"))
    if dtype in (">S1", "|S1") and nc_type is Atomic.CHAR:
        return "char", dtype
    kind = dtype.lstrip("<>|=")[:1]
    if kind == "O" and nc_type is Atomic.STRING:
        return "string", "vlen"
    if kind == "S" and nc_type is Atomic.STRING:
        return ("string", "fixed") if is_nczarr else ("bytes", "fixed")
    return ("bytes", "unicode") if kind == "U" and nc_type is Atomic.STRING else None


def _form_v3(document: Mapping[str, Json], nc_type: object, _: bool) -> Feature | None:
    data_type = document.get("data_type")
    name = data_type.get("name") if isinstance(data_type, dict) else data_type
    if name == "string":
        return "string", "string"
    if nc_type is Atomic.CHAR:
        return ("char", "uint8") if name == "uint8" else ("char", "bytes")
    return ("bytes", "v3") if name in ("null_terminated_bytes", "fixed_length_utf32") else None
