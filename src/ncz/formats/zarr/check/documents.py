"""Rules of metadata documents: of other readers, and of netcdf-c."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from ncz.codec.catalogue import codec_of
from ncz.errors import NczError, Progress
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.documents.attributes import is_annotation
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS
from ncz.formats.zarr.documents.notes import PROPERTIES, V2, find_note
from ncz.formats.zarr.json import Json, parse_document
from ncz.model.filters import with_integers
from ncz.model.json_text import Real, print_json
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON

_ONE_BYTE = re.compile(r"[<>]([iub]1)")

_TEXT = (">S1", "<U1", "|J0")

_SIX_DIGITS = re.compile(r"-?(?:0\.0*)?([1-9][0-9]*\.?[0-9]*)(?:e[-+][0-9]+)?")

_REWRITE = "write a copy with ncz copy, which writes it correctly"


def read_documents(
    zmap: Zmap, keys: list[str], progress: Progress
) -> tuple[dict[str, Json], list[Finding]]:
    """Parse documents; return the JSON objects, and the errors in the others."""
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
    """Yield the errors in documents that can be parsed."""
    properties = str((documents.get(ZATTRS) or {}).get(PROPERTIES))
    by_netcdf_c = "netcdf=" in properties and "ncz=" not in properties
    for key, document in documents.items():
        name = key.rpartition("/")[2]
        if name == ZARRAY:
            yield from _check_array(key, document)
        elif name == ZATTRS:
            yield from _check_attributes(key, document, by_netcdf_c)
        elif name == ZARR_JSON and document.get("node_type") == "array":
            yield from _check_array_v3(key, document)


def _strictness(key: str, data: bytes) -> Iterator[Finding]:
    """Yield the reasons why strict parsers refuse or misread a document."""
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
    """Return the shuffle filters of a `.zarray` with elements of no bytes."""
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


def _check_array_v3(key: str, document: Mapping[str, Json]) -> Iterator[Finding]:
    if document.get("fill_value") is None:
        yield finding(
            "fill-value-type",
            key,
            "Zarr V3 requires a fill_value; zarr-python 3 does not open the array without one",
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
