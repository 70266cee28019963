"""Convert the Zarr V3 document `zarr.json` to checked records, and back.

Source: the Zarr core specification version 3, "Metadata". `codecs_v3`, `data_types_v3`,
`fill_values_v3` and `rectilinear` interpret its members.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

from ncz.codec.catalogue import codec_of
from ncz.errors import FormatError
from ncz.formats.zarr.documents.codecs_v3 import print_chain, read_chain
from ncz.formats.zarr.documents.document import (
    ArrayDocument,
    axis_lengths,
    check_rank,
    check_required,
    check_version,
    chunk_lengths,
)
from ncz.formats.zarr.documents.extensions_v3 import check_members, read_extension
from ncz.formats.zarr.documents.rectilinear import expand_lengths, print_lengths, read_lengths
from ncz.formats.zarr.json import Json, from_base64, show_json
from ncz.formats.zarr.types.data_types_v3 import data_type_of, dtype_of, is_struct, order_of
from ncz.formats.zarr.types.dtypes import Encoding, read_encoding
from ncz.formats.zarr.types.fill_values import read_fill, write_fill
from ncz.formats.zarr.types.fill_values_v3 import fill_to_v2, fill_to_v3
from ncz.model.chunks import ChunkLayout
from ncz.model.types import Atomic, Compound, NcType, Value
from ncz.record import record, replace
from ncz.zmap.key import ChunkKeys, named_keys

_KNOWN = frozenset(
    {
        "zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding",
        "fill_value", "codecs", "attributes", "dimension_names", "storage_transformers",
        "consolidated_metadata",
    }
)  # fmt: skip
_REQUIRED = ("shape", "data_type", "chunk_grid", "chunk_key_encoding", "codecs")


@record(kw_only=True)
class ArrayDocumentV3(ArrayDocument):
    """A checked `zarr.json` of an array, with `dtype` and `fill_value` as Zarr V2 spells them."""

    layout: ChunkLayout
    dtype: Json
    fill_value: Json
    dimension_names: Json = None
    keys: ChunkKeys = ChunkKeys("/", marked=True)
    is_struct: bool = False
    """Whether the data type is the extension ``struct``."""
    data_type: Json = None
    """The data type in the document."""
    lacks_fill: bool = False
    raw_fill: Json = None
    """The value of missing chunks in the document."""

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.layout.rank

    @property
    def fill_is_mask(self) -> bool:
        """False: readers of V3 mask only the attribute ``_FillValue``."""
        return False

    def as_scalar(self) -> ArrayDocumentV3:
        """Return the document itself: V3 has arrays of shape []."""
        return self

    def encoding(self, *, nczarr: bool, alias: str | None, type_name: str) -> Encoding:
        """Return the storage of elements. Raises `FormatError` for an unsupported data type."""
        if nczarr and alias in ("char", "json") and self.dtype == "|u1":
            return Encoding(type=Atomic.CHAR, dtype="|S1", stored_dtype="S1", item_size=1)
        dtype = self.dtype
        if nczarr and alias == "string" and str(dtype).startswith("|V"):
            dtype = f"|S{str(dtype)[2:]}"
        codecs = self.layout.inner_codecs
        encoding = read_encoding(
            dtype, nczarr=False, alias=alias, codecs=codecs, type_name=type_name
        )
        return replace(encoding, is_struct=True) if self.is_struct else encoding

    def fill(self, encoding: Encoding) -> Value:
        """Return the value of missing chunks, or None. Raises `FormatError`."""
        value = self.fill_value
        if encoding.type is Atomic.CHAR and isinstance(value, int):
            value = chr(value) if 0 < value < 256 else ""
        return read_fill(value, encoding)

    def read_fill_attribute(self, value: Json, nc_type: NcType) -> Json:
        """Return the JSON of the attribute ``_FillValue`` as Zarr V2 spells it.

        xarray writes the eight little-endian bytes of a floating-point number in base64, and two
        such texts for a complex number; NCZarr writes the number of a char.
        """
        if nc_type is Atomic.CHAR and type(value) is int and 0 <= value < 256:
            return chr(value)
        if isinstance(nc_type, Atomic) and nc_type.is_floating and isinstance(value, str):
            return _double_of(value)
        if isinstance(nc_type, Compound) and isinstance(value, list) and len(value) == 2:
            parts = [_double_of(part) if isinstance(part, str) else part for part in value]
            if all(isinstance(part, float) for part in parts):
                return [parts]
        return value


def _double_of(text: str) -> float | str:
    """Return the double whose eight bytes a string contains in base64; other strings unchanged."""
    data = from_base64(text)
    return text if data is None or len(data) != 8 else float(struct.unpack("<d", data)[0])


def check_node(document: Mapping[str, Json], location: str) -> str:
    """Return the node's type, "array" or "group".

    Raises `FormatError` for a document that is not a node, or has an extension that a reader must
    understand and ncz does not.
    """
    check_version(document, 3, location)
    kind = document.get("node_type")
    if kind not in ("array", "group"):
        raise FormatError(f'node_type must be "array" or "group", not {show_json(kind)}', location)
    for name, value in document.items():
        optional = isinstance(value, dict) and value.get("must_understand") is False
        if name not in _KNOWN and not optional:
            raise FormatError(
                f"the extension {name!r} is not supported, and readers must understand it", location
            )
    transformers = document.get("storage_transformers")
    if transformers:
        raise FormatError(
            f"storage_transformers {show_json(transformers)} are not supported", location
        )
    return str(kind)


def attributes_of(document: Mapping[str, Json], location: str) -> Mapping[str, Json]:
    """Return the `attributes` of a node. Raises `FormatError` if they are not an object."""
    attributes = document.get("attributes")
    if attributes is None:
        return {}
    if not isinstance(attributes, dict):
        raise FormatError(f"attributes must be an object, not {show_json(attributes)}", location)
    return attributes


def read_array(document: Mapping[str, Json], location: str) -> ArrayDocumentV3:
    """Check a `zarr.json` of an array.

    Parameters
    ----------
    document
        The JSON object; `check_node` has found that it is an array.
    location
        Where it is, for messages.

    Raises
    ------
    FormatError
        Names the member that is wrong.
    """
    check_required(document, _REQUIRED, location)
    shape = axis_lengths(document["shape"], "shape", location)
    chunks, lengths = _chunks(document, shape, location)
    # An inner chunk divides all chunks if it divides their greatest common divisor.
    common = chunks if lengths is None else tuple(math.gcd(*axis) or 1 for axis in lengths)
    try:
        little = dtype_of(document["data_type"], "<")
        chain = read_chain(document["codecs"], common, location, dtype=little)
        dtype = dtype_of(document["data_type"], chain.endian)
        stored_fill = document.get("fill_value")  # which betas of zarr-python leave out
        fill_value = None if stored_fill is None else fill_to_v2(stored_fill, dtype)
    except FormatError as error:
        raise FormatError(error.message, location, error.hint) from error
    layout = ChunkLayout(
        shape=shape,
        chunks=chunks,
        order=chain.order,
        codecs=chain.filters,
        shard=chain.shard,
        lengths=lengths,
        first_codecs=chain.first,
    )
    return ArrayDocumentV3(
        layout=layout,
        dtype=dtype,
        fill_value=fill_value,
        dimension_names=_dimension_names(document, len(shape), location),
        keys=_keys(document, location),
        is_struct=is_struct(document["data_type"]),
        data_type=document["data_type"],
        raw_fill=stored_fill,
        lacks_fill="fill_value" not in document,
    )


def _chunks(
    document: Mapping[str, Json], shape: tuple[int, ...], location: str
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...] | None]:
    """Return the shape of the longest chunk, and the lengths of all if they differ."""
    grid, configuration = _name_and_configuration(document, "chunk_grid", location)
    if grid == "regular":
        check_members(configuration, ("chunk_shape",), "chunk_grid", location)
        chunks = axis_lengths(configuration.get("chunk_shape"), "chunk_shape", location)
        check_rank(chunks, shape, location)
        return chunk_lengths(shape, chunks, "chunk_shape has", location), None
    if grid != "rectilinear":
        raise FormatError(f"chunk_grid {grid!r} is not supported", location)
    check_members(configuration, ("kind", "chunk_shapes"), "chunk_grid", location)
    lengths = configuration.get("chunk_shapes")
    if configuration.get("kind") != "inline" or not isinstance(lengths, list):
        raise FormatError("chunk_grid 'rectilinear' must have inline chunk_shapes", location)
    check_rank(lengths, shape, location)
    axes = [read_lengths(n, total, location) for n, total in zip(lengths, shape, strict=True)]
    longest = tuple(max((n for n, _ in runs), default=1) for runs in axes)
    if all(len(runs) < 2 for runs in axes):
        return longest, None
    return longest, tuple(expand_lengths(runs, location) for runs in axes)


def _dimension_names(document: Mapping[str, Json], rank: int, location: str) -> Json:
    names = document.get("dimension_names")
    if names is None:
        return None
    if not isinstance(names, list) or not all(n is None or isinstance(n, str) for n in names):
        raise FormatError(
            f"dimension_names must be a list of names, not {show_json(names)}", location
        )
    if len(names) != rank:
        raise FormatError(f"dimension_names has {len(names)} names for {rank} dimensions", location)
    return names


def _keys(document: Mapping[str, Json], location: str) -> ChunkKeys:
    name, configuration = _name_and_configuration(document, "chunk_key_encoding", location)
    if name not in ("default", "v2"):
        raise FormatError(f"chunk_key_encoding {name!r} is not supported", location)
    check_members(configuration, ("separator",), "chunk_key_encoding", location)
    separator = configuration.get("separator")
    if "separator" in configuration and separator not in ("/", "."):
        raise FormatError(f'separator must be "." or "/", not {show_json(separator)}', location)
    return named_keys(name, separator)


def _name_and_configuration(
    document: Mapping[str, Json], member: str, location: str
) -> tuple[str, dict[str, Json]]:
    value = document.get(member)
    name_and_configuration = read_extension(value, member, location)
    if name_and_configuration is None:
        raise FormatError(f'{member} must have a "name", not {show_json(value)}', location)
    return name_and_configuration


def print_array(
    layout: ChunkLayout,
    encoding: Encoding,
    fill: Value,
    *,
    keys: ChunkKeys,
    attributes: Mapping[str, Json],
    dimension_names: list[Json] | None,
) -> dict[str, Json]:
    """Return the `zarr.json` of an array.

    Raises `FormatError` if V3 has no data type for the elements, or no name for a codec.
    """
    is_char = encoding.type is Atomic.CHAR and encoding.dtype == "|u1"
    is_bytes = any(codec_of(f.to_json()).objects == "bytes" for f in layout.inner_codecs)
    fill_value: Json
    if is_char:
        fill_value = ord(fill) if isinstance(fill, str) and fill else 0
    elif encoding.is_struct:
        fill_value = _print_fields(fill, encoding)
    else:
        fill_value = fill_to_v3(write_fill(fill, encoding), encoding.dtype, encoding.item_size)
    document: dict[str, Json] = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(layout.shape),
        "data_type": data_type_of(encoding.dtype, is_bytes=is_bytes, is_struct=encoding.is_struct),
        "chunk_grid": print_grid(layout),
        "chunk_key_encoding": {
            "name": "default" if keys.marked else "v2",
            "configuration": {"separator": keys.separator},
        },
        "fill_value": fill_value,
        "codecs": print_chain(
            layout, endian=order_of(encoding.dtype), item_size=encoding.item_size
        ),
        "attributes": dict(attributes),
    }
    if dimension_names is not None:
        document["dimension_names"] = dimension_names
    document["storage_transformers"] = []
    return document


def print_grid(layout: ChunkLayout) -> Json:
    """Return the `chunk_grid`: regular, or rectilinear if the chunks have different lengths."""
    if layout.lengths is None:
        return {"name": "regular", "configuration": {"chunk_shape": list(layout.chunks)}}
    shapes = [print_lengths(lengths) for lengths in layout.lengths]
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": shapes}}


def _print_fields(fill: Value, encoding: Encoding) -> Json:
    """Return the fill value of a ``struct``: an object with a value per field; None is zero."""
    values = {}
    parts = [None] * len(encoding.dtype) if fill is None else fill
    for part, (name, dtype, *_) in zip(parts, encoding.dtype, strict=True):
        field = read_encoding(dtype, nczarr=False, type_name=name)
        if isinstance(dtype, list):
            values[name] = _print_fields(part, field)
        else:
            values[name] = fill_to_v3(write_fill(part, field, padded=False), dtype, field.item_size)
    return values


def print_group(attributes: Mapping[str, Json]) -> dict[str, Json]:
    """Return the `zarr.json` of a group."""
    return {"zarr_format": 3, "node_type": "group", "attributes": dict(attributes)}
