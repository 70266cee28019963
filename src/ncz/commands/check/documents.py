"""Rules of metadata documents: those of other readers, of netcdf-c, and of consolidation."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ncz.codec.catalogue import codec_id, codec_of, is_object_codec, with_integers
from ncz.commands.check.finding import CODES, Finding, finding
from ncz.errors import (
    CONSOLIDATE,
    FormatError,
    NczError,
    Notice,
    Notify,
    Progress,
    ignore_notice,
    list_names,
    option,
)
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.attributes import is_annotation
from ncz.formats.zarr.audience import readers_named
from ncz.formats.zarr.chunk_forms import refused_forms
from ncz.formats.zarr.contents import Contents, contents_of
from ncz.formats.zarr.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.fill_values import is_null_fill
from ncz.formats.zarr.forms import Form
from ncz.formats.zarr.hierarchy import ArrayNode, GroupNode, Root
from ncz.formats.zarr.json import Json, parse_document
from ncz.formats.zarr.meaning import means_same
from ncz.formats.zarr.notes import PROPERTIES, V2, find_note
from ncz.formats.zarr.part import part_of
from ncz.formats.zarr.reader import no_store, open_dataset
from ncz.formats.zarr.readers import READERS, WIDESPREAD, Feature, Reader
from ncz.formats.zarr.versions import find_root
from ncz.model.json_text import Real, is_strict, print_json
from ncz.model.tree import Dataset, Variable, each_variable, walk
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

_ONE_BYTE = re.compile(r"[<>]([iub]1)")
_TEXT = (">S1", "<U1", "|J0")
_SIX_DIGITS = re.compile(r"-?(?:0\.0*)?([1-9][0-9]*\.?[0-9]*)(?:e[-+][0-9]+)?")
_REWRITE = "write a copy with ncz copy, which writes it correctly"


def read_documents(
    zmap: Zmap, keys: list[str], progress: Progress
) -> tuple[dict[str, Json], list[Finding]]:
    """Parse documents; return those that are JSON objects, and what is wrong with the others."""
    documents: dict[str, Json] = {}
    findings: list[Finding] = []
    progress.expect(len(keys), "documents")
    for key in keys:
        progress.advance(f"/{key}", 1, 0)
        try:
            data = zmap.get(key)
            if data is None:
                continue
            documents[key] = parse_document(data, zmap.where(key))
        except NczError as error:
            findings.append(finding("document-damaged", key, error.message, error.hint))
        else:
            findings.extend(_strictness(key, data))
    return documents, findings


def check_documents(documents: Mapping[str, Json]) -> Iterator[Finding]:
    """Yield what is wrong in documents that can be parsed."""
    properties = str((documents.get(ZATTRS) or {}).get(PROPERTIES))
    by_netcdf_c = "netcdf=" in properties and "ncz=" not in properties
    for key, document in documents.items():
        name = key.rpartition("/")[2]
        if name == ZARRAY:
            yield from _check_array(key, document)
        elif name == ZATTRS:
            yield from _check_attributes(key, document, by_netcdf_c)


def _strictness(key: str, data: bytes) -> Iterator[Finding]:
    """Yield why strict parsers refuse a document, or read it otherwise."""
    not_finite: list[str] = []
    repeated: list[str] = []

    def members(pairs: list[tuple[str, Json]]) -> Json:
        found = dict(pairs)
        if len(found) < len(pairs):
            counts = Counter(name for name, _ in pairs)
            repeated.extend(name for name, count in counts.items() if count > 1)
        return found

    try:
        json.loads(
            data.decode("utf-8"), parse_constant=not_finite.append, object_pairs_hook=members
        )
    except (ValueError, RecursionError) as error:
        reason = "it is not valid UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        yield finding(
            "document-not-strict", key, f"strict JSON parsers refuse it: {reason}", _REWRITE
        )
        return
    if repeated:
        yield finding(
            "document-not-strict",
            key,
            f"the member {repeated[0]!r} is given more than once; the last one is used",
            _REWRITE,
        )
    if not_finite:
        yield finding(
            "document-not-finite",
            key,
            f"{not_finite[0]} is not valid JSON; xarray and zarr-python read it, tensorstore and"
            " zarrita do not",
        )


def zero_element_sizes(document: Mapping[str, Json]) -> list[dict[str, Json]]:
    """Return the filters of a `.zarray` for shuffle that say that elements have no bytes."""
    filters = [*(document.get("filters") or ()), document.get("compressor")]
    return [
        f
        for f in filters
        if isinstance(f, dict) and with_integers(f).get(codec_of(f).item_size_parameter or "") == 0
    ]


def ordered_byte(document: Mapping[str, Json]) -> str | None:
    """Return the dtype without its byte order if it is of one byte and has one."""
    dtype = document.get("dtype")
    match = _ONE_BYTE.fullmatch(dtype) if isinstance(dtype, str) else None
    return f"|{match[1]}" if match else None


def unquoted_texts(document: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield the attributes that NCZarr notes as text and that are numbers, and their text."""
    note = find_note(V2.types, (document,))
    types = note.get("types") if isinstance(note, dict) else None
    for name, dtype in types.items() if isinstance(types, dict) else ():
        value = document.get(name)
        if dtype in _TEXT and isinstance(value, int | float) and not is_annotation(name):
            yield name, print_json(value)


def _check_array(key: str, document: Mapping[str, Json]) -> Iterator[Finding]:
    if zero_element_sizes(document):
        yield finding(
            "elementsize-zero",
            key,
            "the filter shuffle has the elementsize 0, as netcdf-c writes it; zarr-python reads"
            " wrong values",
            _REWRITE,
        )
    dtype = ordered_byte(document)
    if dtype is not None:
        yield finding(
            "dtype-byte-order",
            key,
            f"the dtype {document['dtype']} of one byte has a byte order; zarr-python 3 does not"
            " open it",
            _REWRITE,
        )


def _check_attributes(
    key: str, document: Mapping[str, Json], by_netcdf_c: bool
) -> Iterator[Finding]:
    for name, text in unquoted_texts(document):
        yield finding(
            "attribute-not-text",
            key,
            f"the text attribute {name} is stored as the number {text}",
            _REWRITE,
        )
    rounded = [n for n, value in document.items() if by_netcdf_c and _has_six_digits(value)]
    if rounded:
        yield finding(
            "attribute-six-digits",
            key,
            f"numbers have six digits, and may have been rounded by netcdf-c: {', '.join(rounded)}",
            "compare them with the source of the data",
        )


def _has_six_digits(value: Json) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(
        isinstance(v, Real)
        and (match := _SIX_DIGITS.fullmatch(v.text)) is not None
        and len(match[1].replace(".", "")) == 6
        for v in values
    )


# Consolidated metadata compared with every document of a store.

_ADVICE = f"run {CONSOLIDATE}"
_COPIED = (ZGROUP, ZARRAY, ZATTRS)


def has_own_documents(documents: Mapping[str, Json]) -> bool:
    """Return whether a store has documents besides consolidated ones.

    In Zarr V3, the root's own document has those of all other nodes.
    """
    names = (*_COPIED, ZARR_JSON)
    own = {key for key in documents if key.rpartition("/")[2] in names}
    root = documents.get(ZARR_JSON) or {}
    consolidated = root.get("consolidated_metadata")
    nodes = consolidated.get("metadata") if isinstance(consolidated, dict) else None
    return bool(own - {ZARR_JSON} if nodes else own)


def check_consolidated(
    documents: Mapping[str, Json], zarr_format: int, damaged: set[str]
) -> Iterator[Finding]:
    """Yield how consolidated metadata differ from the documents of the store.

    Parameters
    ----------
    documents
        All documents by key.
    zarr_format
        The version of Zarr.
    damaged
        The keys of documents that cannot be parsed, which are not compared.
    """
    if zarr_format == 2:
        whole = documents.get(ZMETADATA)
        if ZMETADATA in damaged:
            yield finding("consolidated-damaged", ZMETADATA, "it cannot be parsed", _ADVICE)
        if whole is None:
            return
        is_valid = whole.get("zarr_consolidated_format") == 1
        copies, place = whole.get("metadata"), ZMETADATA
    else:
        found = documents.get(ZARR_JSON, {}).get("consolidated_metadata")
        if found is None:
            return
        is_valid = isinstance(found, dict) and found.get("kind", "inline") == "inline"
        copies, place = found.get("metadata") if is_valid else None, ZARR_JSON
    if not is_valid or not isinstance(copies, dict):
        yield finding("consolidated-damaged", place, "not valid consolidated metadata", _ADVICE)
        return
    copied = {
        join_key(key, *([ZARR_JSON] if zarr_format == 3 else [])): value
        for key, value in copies.items()
    }
    own = _COPIED if zarr_format == 2 else (ZARR_JSON,)
    own_keys = {k for k in documents if k.rpartition("/")[2] in own}
    if zarr_format == 3:
        own_keys.discard(ZARR_JSON)
    for key in sorted((own_keys | copied.keys()) - damaged):
        if means_same(copied.get(key), documents.get(key), key.rpartition("/")[2]):
            continue
        if key not in copied:
            what = "missing in the consolidated metadata"
        elif key not in own_keys:
            what = "consolidated, but missing in the store"
        else:
            what = "different in the consolidated metadata"
        yield finding("consolidated-stale", key, what, _ADVICE)


# What the reader of stores reports, as findings.

_PLACE = r": line [0-9]+ column [0-9]+$"


@record(kw_only=True)
class ReadStore:
    """A store that could be read, by the keys of its nodes.

    `arrays` and `groups` are those that the reader found, and `variables` the arrays whose data
    type it could read.
    """

    zmap: Zmap
    dataset: Dataset
    root: GroupNode
    arrays: dict[str, ArrayNode]
    groups: dict[str, GroupNode]
    variables: dict[str, Variable]

    def data(self, key: str) -> ZarrArray | None:
        """Return the data of the array at `key`; None if its data type cannot be read."""
        variable = self.variables.get(key)
        data = None if variable is None else variable.data
        return data if isinstance(data, ZarrArray) else None

    @property
    def zarr_format(self) -> int:
        """The version of Zarr."""
        return self.dataset.provenance.zarr_format or 2


def read_store(
    zmap: Zmap, location: Location, consolidated: bool | None
) -> tuple[ReadStore | None, list[Finding]]:
    """Read the metadata of a store, and return what the reader reported.

    Returns None for the store if its root cannot be read.
    """
    notices: list[Notice] = []
    try:
        found = find_root(zmap, location.modes, consolidated, ignore_notice)
        if found is None:
            raise no_store(zmap)
        dataset = _dataset(zmap, found, location, consolidated, notices.append)
        superblock = dataset.provenance.superblock or 0
        root = found.metadata.load(location.dataset_name(), superblock, ignore_notice)
    except FormatError as error:
        where = finding("store-unreadable", key_in(zmap, error.location), error.message, error.hint)
        return None, [*_findings(zmap, notices), where]
    arrays: dict[str, ArrayNode] = {}
    groups: dict[str, GroupNode] = {}
    _collect(root, arrays, groups)
    variables = {
        variable.data.key: variable
        for _, group in walk(dataset.root)
        for variable in group.variables
        if isinstance(variable.data, ZarrArray)
    }
    read = ReadStore(
        zmap=zmap, dataset=dataset, root=root, arrays=arrays, groups=groups, variables=variables
    )
    return read, _findings(zmap, notices)


def _dataset(
    zmap: Zmap, root: Root, location: Location, consolidated: bool | None, notify: Notify
) -> Dataset:
    """Return the dataset of a store, or of a group of one with what the groups above note.

    The keys of its arrays are those in `zmap`.
    """
    read = partial(
        open_dataset,
        name=location.dataset_name(),
        modes=location.modes,
        consolidated=consolidated,
        notify=notify,
    )
    part = None if "zarr" in location.modes else part_of(root, location)
    if part is None:
        return read(zmap)

    def in_group(_: str, variable: Variable) -> Variable:
        data = variable.data
        if not isinstance(data, ZarrArray):
            return variable
        key = data.key.removeprefix(part.key).removeprefix("/")
        return replace(variable, data=replace(data, zmap=zmap, key=key))

    with contextlib.closing(open_zmap(part.store)) as store:
        return each_variable(read(store, within=part.key), in_group)


def key_in(zmap: Zmap, location: str | None) -> str:
    """Return the key that a message's location names; "" if it names none."""
    start = f"{zmap.url}: /"
    if location is None or not location.startswith(start):
        return ""
    return re.sub(_PLACE, "", location[len(start) :])


def _findings(zmap: Zmap, notices: list[Notice]) -> list[Finding]:
    found = []
    for notice in notices:
        if notice.code in CODES:
            is_harmless = notice.code == "stray-document" and not notice.lost
            found.append(
                finding(
                    notice.code,
                    key_in(zmap, notice.location),
                    notice.message,
                    notice.hint,
                    severity="note" if is_harmless else None,
                )
            )
    return found


def _collect(group: GroupNode, arrays: dict[str, ArrayNode], groups: dict[str, GroupNode]) -> None:
    is_array = len(group.arrays) == 1 and group.arrays[0].key == group.key
    if not is_array:
        groups[group.key] = group
    arrays.update((array.key, array) for array in group.arrays)
    for child in group.groups:
        _collect(child, arrays, groups)


# What other programs do not read of a store, by the table of `ncz.formats.zarr.readers`.


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
    copy = f"write a copy with ncz copy {option('audience', reader.name)}"
    for feature, key in features.items():
        if feature in reader.unread | reader.unavoidable:
            is_unopened = feature in reader.unopened or feature[0] == "format"
            what = "does not open" if is_unopened else "does not read correctly"
            yield finding(
                "reader-unopened" if is_unopened else "reader-misread",
                key,
                f"{reader.title} {what} {Contents().words([feature])}",
                None if feature in reader.unavoidable else copy,
            )
            if feature[0] == "format":
                return
    for what, keys in _undecoded(reader, read).items():
        others = f": {list_names([f'/{key}' for key in keys])}" if len(keys) > 1 else ""
        text = f"{reader.title} does not decode chunks of {what}{others}"
        yield finding("reader-unopened", keys[0], text, copy)


def _undecoded(reader: Reader, read: ReadStore) -> dict[str, list[str]]:
    """Return what a reader does not decode of chunks, and the keys of the arrays that have it."""
    known = reader.codecs_v2 if read.zarr_format == 2 else reader.codecs_v3
    found: dict[str, list[str]] = {}
    for key, array in read.arrays.items():
        layout, data = array.document.layout, read.data(key)
        dtype = None if data is None else data.encoding.dtype
        whats: list[str] = refused_forms(layout, dtype, reader, read.zarr_format)
        for codec in (*layout.codecs, *layout.inner_codecs) if known is not None else ():
            configuration = codec.to_json()
            name = codec_id(configuration)
            # a string has a feature
            if known is not None and name not in known and not is_object_codec(configuration):
                whats.append(f"the codec {name}")
        for what in dict.fromkeys(whats):
            found.setdefault(what, []).append(key)
    return found


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
            continue  # the document says how vlens are stored
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
"""Where `Contents` has the example of a feature, if not by its subject."""


def _has_text_fill(document: Mapping[str, Json]) -> bool:
    """Return whether the fill value of text of a fixed length in Zarr V2 is the text itself."""
    dtype, fill = document.get("dtype"), document.get("fill_value")
    return (
        isinstance(dtype, str) and dtype.startswith("|S") and isinstance(fill, str) and fill != ""
    )


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
