"""What other programs do not read of a store, by the table of `ncz.formats.zarr.readers`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ncz.codec.catalogue import codec_id, is_object_codec
from ncz.commands.check.finding import Finding, finding
from ncz.commands.check.reading import ReadStore
from ncz.formats.zarr.audience import Contents, Form, contents_of, readers_named
from ncz.formats.zarr.document.v2 import ARRAY
from ncz.formats.zarr.element.fill import is_null_fill
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.mapping.attributes import is_strict
from ncz.formats.zarr.readers import READERS, WIDESPREAD, Feature, Reader
from ncz.model.tree import Variable
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
                f"{reader.title} {what} {Contents().words([feature])}",
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
                    f"{reader.title} does not decode chunks of the codec {name}",
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
        if _is_masked(read, key, variable):
            features.setdefault(("fill", "masked"), key)
    contents = contents_of(read.dataset, zipped=False)  # see `check_archive`
    whole = Form(flavour="nczarr" if is_nczarr else "zarr", zarr_format=read.zarr_format)
    for feature in contents.features(whole):
        subject = feature[0]
        if subject in ("masked", "void", "vlen"):
            names = (contents.examples.get(n) for n in _EXAMPLES.get(subject, (subject,)))
            features.setdefault(feature, next(filter(None, names), "").strip("/"))
    return features


_EXAMPLES = {"masked": ("masked", "masked-char"), "vlen": ("vlen", "object")}
"""Where `Contents` has the example of a feature, if not by its subject."""


def _is_masked(read: ReadStore, key: str, variable: Variable) -> bool:
    """Return whether xarray masks elements that were never written, as the dataset does not."""
    data, nc_type = read.data(key), variable.type
    is_v2 = read.zarr_format == 2 and read.dataset.provenance.superblock
    if data is None or not is_v2 or variable.mask is not None or not isinstance(nc_type, Atomic):
        return False
    if read.arrays[key].document.no_fill or is_null_fill(data.fill, data.encoding):
        return False
    grid = data.layout.grid
    if data.is_listed:
        return len(set(data.present())) < grid.size
    return grid.size <= _FEW and any(data.stored_size(i) is None for i in grid.indices())


_FEW = 16
"""Number of chunks up to which each is looked for, if they cannot be listed."""


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
