"""Parts of a store that other programs do not read; see `ncz.formats.zarr.readers.programs`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ncz.codec.catalogue import codec_id, codec_of, is_object_codec
from ncz.errors import list_names, option
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.arrays.array import MOST_ASKED_FOR
from ncz.formats.zarr.check.contents import StoreContents
from ncz.formats.zarr.documents.document_v2 import ZARRAY
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.readers.audience import readers_named
from ncz.formats.zarr.readers.chunk_forms import refused_chunks, refused_forms
from ncz.formats.zarr.readers.contents import Contents, contents_of
from ncz.formats.zarr.readers.forms import Form
from ncz.formats.zarr.readers.programs import READERS, WIDESPREAD, Feature, Reader
from ncz.formats.zarr.types.fill_values import is_null_fill
from ncz.model.json_text import is_strict
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.zmap.key import ZARR_JSON, join_key
from ncz.zmap.local.zip import ZipZmap


def check_readers(
    read: StoreContents, documents: Mapping[str, Json], names: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding for each program and each feature that it does not read.

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
    reader: Reader, read: StoreContents, features: Mapping[Feature, str]
) -> Iterator[Finding]:
    copy = f"write a copy with ncz copy {option('audience', reader.name)}"
    for feature, key in features.items():
        if feature in reader.unread | reader.unavoidable:
            is_unopened = feature in reader.unopened or feature[0] == "format"
            what = "does not open" if is_unopened else "misreads"
            yield finding(
                "reader-unopened" if is_unopened else "reader-misread",
                key,
                f"{reader.title} {what} {Contents().words([feature])}",
                None if feature in reader.unavoidable else copy,
            )
            if feature[0] == "format":
                return
    for what, keys in _undecoded_codecs(reader, read).items():
        others = f": {list_names([f'/{key}' for key in keys])}" if len(keys) > 1 else ""
        text = f"{reader.title} does not decode chunks of {what}{others}"
        yield finding("reader-unopened", keys[0], text, copy)


def _undecoded_codecs(reader: Reader, read: StoreContents) -> dict[str, list[str]]:
    """Return the codecs that a reader does not decode, and the keys of their arrays."""
    known = reader.codecs_v2 if read.zarr_format == 2 else reader.codecs_v3
    found: dict[str, list[str]] = {}
    for key, array in read.arrays.items():
        layout, data = array.document.layout, read.data(key)
        dtype = None if data is None else data.encoding.dtype
        whats: list[str] = refused_forms(refused_chunks([reader], read.zarr_format), layout, dtype)
        for codec in (*layout.codecs, *layout.inner_codecs) if known is not None else ():
            configuration = codec.to_json()
            name = codec_id(configuration)
            # a string has a feature
            if known is not None and name not in known and not is_object_codec(configuration):
                whats.append(f"the codec {name}")
        for what in dict.fromkeys(whats):
            found.setdefault(what, []).append(key)
    return found


def _features(read: StoreContents, documents: Mapping[str, Json]) -> dict[Feature, str]:
    """Return the features of a store that matter to readers, each with the key of an example."""
    is_nczarr = bool(read.dataset.provenance.superblock)
    flavour = "nczarr" if is_nczarr else "zarr"
    features: dict[Feature, str] = {("format", f"{flavour}-v{read.zarr_format}"): ""}
    for key, document in documents.items():
        attributes = document if read.zarr_format == 2 else document.get("attributes")
        if not is_strict(attributes):
            features.setdefault(("number", f"bare-v{read.zarr_format}"), key)
    for key, variable in read.variables.items():
        v2, v3 = documents.get(join_key(key, ZARRAY)), documents.get(join_key(key, ZARR_JSON))
        document = v2 if read.zarr_format == 2 else v3
        if document is None:
            continue
        if not variable.dimensions:
            features.setdefault(("scalar", "[1]" if document.get("shape") else "[]"), key)
        form = _form_v2 if read.zarr_format == 2 else _form_v3
        feature = form(document, variable.type, is_nczarr)
        if feature is not None:
            features.setdefault(feature, key)
        if is_nczarr and _has_text_fill(document):
            features.setdefault(("filled", "text"), key)
        if _is_masked(read, key, variable):
            features.setdefault(("fill", "masked"), key)
    contents = contents_of(read.dataset, zipped=False)
    whole = Form(flavour="nczarr" if is_nczarr else "zarr", zarr_format=read.zarr_format)
    for feature in contents.features(whole):
        subject = feature[0]
        if subject == "vlen" and read.zarr_format == 2:
            continue  # the document has the storage of vlens
        if subject in ("masked", "enum", "void", "vlen", "lengths", "hidden", "names"):
            names = (contents.examples.get(n) for n in _EXAMPLES.get(subject, (subject,)))
            key = next(filter(None, names), "").strip("/")
            attributes = documents.get(join_key(key, ZARR_JSON), {}).get("attributes")
            if subject != "masked" or "_FillValue" in (attributes or ()):
                features.setdefault(feature, key)
        elif feature == ("number", "text"):
            features[feature] = contents.examples[subject].rpartition(":")[0]
    if isinstance(read.zmap, ZipZmap):
        features["zip", "folder" if read.zmap.prefix else "root"] = ""
    return features


_EXAMPLES = {"masked": ("masked", "masked-char"), "vlen": ("vlen", "object")}
"""The place of the example of a feature in `Contents`, if it is not its subject."""


def _has_text_fill(document: Mapping[str, Json]) -> bool:
    """Return whether the fill value of text of a fixed length in Zarr V2 is the text itself."""
    dtype, fill = document.get("dtype"), document.get("fill_value")
    return (
        isinstance(dtype, str) and dtype.startswith("|S") and isinstance(fill, str) and fill != ""
    )


def _is_masked(read: StoreContents, key: str, variable: Variable) -> bool:
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
    return grid.size <= MOST_ASKED_FOR and any(data.stored_size(i) is None for i in grid.indices())


def _form_v2(document: Mapping[str, Json], nc_type: object, is_nczarr: bool) -> Feature | None:
    dtype = str(document.get("dtype"))
    if dtype in (">S1", "|S1") and nc_type is Atomic.CHAR:
        return "char", dtype
    kind = dtype.lstrip("<>|=")[:1]
    if kind == "O" and not isinstance(nc_type, Atomic):
        codecs = [c for c in document.get("filters") or () if isinstance(c, dict)]
        return "vlen", "array" if any(codec_of(c).objects == "arrays" for c in codecs) else "text"
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
