"""Datasets, trees and arrays of xarray as datasets, whose values are computed when they are read.

The coders of xarray turn its objects into variables as the CF conventions describe them: times as
numbers, packed numbers, masks. Most of them need no value to find types and attributes, so that
values are computed and encoded a block at a time, whether they are in Dask or still in a file.
"""

from __future__ import annotations

import contextlib
import json
import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from operator import gt
from typing import Any

import numpy as np
import xarray
from xarray import conventions

from ncz.codec.catalogue import is_object_codec
from ncz.errors import FormatError, LossError, UrlError, ignore_notice
from ncz.formats.kinds import GivenDataset
from ncz.formats.netcdf.target import chars_of, longest_text
from ncz.formats.zarr.attributes import read_attribute
from ncz.formats.zarr.codecs_v3 import filter_of
from ncz.model.data import ChunkSource, Values
from ncz.model.filters import ATTRIBUTES, Filter, Quantization, make_filter
from ncz.model.grid import Box, ChunkGrid, Index, Shape
from ncz.model.sources import row_chunks
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Endianness,
    Group,
    Provenance,
    Storage,
    Variable,
    join,
    text_of,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, UserType, Value
from ncz.model.user_types import fixed_size
from ncz.record import field, record, replace
from ncz.zmap.location import Location, parse_location


def given_dataset(source: xarray.Dataset | xarray.DataTree | xarray.DataArray) -> GivenDataset:
    """Return an object of xarray as the source of a command.

    Parameters
    ----------
    given
        The object, which must not change until the command has ended.
    """
    tree = _tree_of(source)

    @contextlib.contextmanager
    def opened(like: Dataset | None) -> Iterator[Dataset]:
        yield read_xarray(tree if like is None else _encoded_like(tree, like))

    name = f"xarray.{type(source).__name__}"
    return GivenDataset(name=name, open=opened, locations=tuple(_locations(tree)))


def _tree_of(source: xarray.Dataset | xarray.DataTree | xarray.DataArray) -> xarray.DataTree:
    if isinstance(source, xarray.DataTree):
        return source
    if isinstance(source, xarray.DataArray):  # named as `DataArray.to_netcdf` does
        named = source.name is not None and source.name not in (*source.coords, *source.dims)
        source = source.to_dataset(name=source.name if named else "__xarray_dataarray_variable__")
    return xarray.DataTree(source)


_PACKING = ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "_Unsigned")
"""Attributes that say how numbers and times are encoded."""


def _encoded_like(tree: xarray.DataTree, like: Dataset) -> xarray.DataTree:
    """Return the tree with encodings by which its numbers and times become those of a dataset."""
    known = dict(variables_by_fqn(like.root))
    tree = tree.copy()
    for node in tree.subtree:
        for name, variable in node.to_dataset(inherit=False).variables.items():
            stored = known.get(f"{node.path.rstrip('/')}/{name}")
            if stored is None or not isinstance(stored.type, Atomic) or stored.type.kind in "OS":
                continue
            encoding = {
                each.name: text_of(each) or each.values[0]
                for each in stored.attributes
                if each.name in _PACKING and each.values
            }
            if variable.dtype.kind not in "mMO":  # the units of numbers are an attribute
                encoding.pop("units", None)
                encoding.pop("calendar", None)
            encoding_left = {k: v for k, v in variable.encoding.items() if k not in _PACKING}
            encoding.setdefault("_FillValue", None)
            encoding["dtype"] = np.dtype(stored.type.dtype)
            node[name].variable.encoding = {**encoding_left, **encoding}
    return tree


def _locations(tree: xarray.DataTree) -> Iterator[Location]:
    """Yield the places from which values may still have to be read."""
    found = set()
    for node in tree.subtree:
        for owner in (node, *node.variables.values()):
            source = owner.encoding.get("source")
            if isinstance(source, str):
                found.add(source)
    for source in sorted(found):
        with contextlib.suppress(UrlError):
            yield parse_location(source)


def read_xarray(tree: xarray.DataTree) -> Dataset:
    """Return a tree of xarray as a dataset.

    Raises
    ------
    LossError
        If a variable or an attribute cannot be stored.
    """
    return Dataset(
        name="xarray", root=_Reading().group(tree, "", {}), provenance=Provenance(is_object=True)
    )


class _Reading:
    """The conversion of one tree; it collects the types that its variables have."""

    def group(self, node: xarray.DataTree, path: str, above: Mapping[str, str]) -> Group:
        """Return a group and those below it; `above` has the FQNs of inherited dimensions."""
        dataset = node.to_dataset(inherit=not path)
        _check_names(dataset.variables, path, "variable")
        _check_names(dataset.sizes, path, "dimension")
        unlimited = dataset.encoding.get("unlimited_dims") or ()
        unlimited = {unlimited} if isinstance(unlimited, str) else set(unlimited)
        dimensions = {
            str(name): Dimension(name=str(name), size=size, unlimited=name in unlimited)
            for name, size in dataset.sizes.items()
            if name not in above
        }
        known = {**above, **{name: join(path, name) for name in dimensions}}
        types: dict[str, UserType] = {}
        encoded, attributes = _encoded(dataset, path)
        variables = []
        for name, one in encoded.items():
            reading = _VariableReading(one, join(path, name), path, known, dimensions)
            variables.append(reading.variable())
            if isinstance(reading.type, Enumeration | Compound):
                _declare(types, reading.type, reading.fqn)
        return Group(
            name=path.rpartition("/")[2],
            types=tuple(types.values()),
            dimensions=tuple(dimensions.values()),
            variables=tuple(variables),
            attributes=_attributes(attributes, path or "/"),
            groups=tuple(
                self.group(child, join(path, name), known) for name, child in node.children.items()
            ),
        )


def _check_names(names: Mapping[Any, object], path: str, what: str) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise LossError(
                f"the name of a {what} must be a text that is not empty, not {name!r}",
                path or "/",
                "rename it with Dataset.rename",
            )


def _declare(types: dict[str, UserType], found: UserType, fqn: str) -> None:
    if types.setdefault(found.name, found) != found:
        raise LossError(
            f"another variable has an enum of the name {found.name} with other members",
            fqn,
            "choose another name in encoding['dtype'].metadata['enum_name']",
        )


# The coders of xarray, applied to as few values as they need.


@record
class _Encoded:
    """A variable of xarray that is encoded.

    `head` has the attributes, the encoding and the dtype of encoded values. `values` are not
    encoded yet if `encode` is True.
    """

    head: xarray.Variable
    values: xarray.Variable
    encode: bool


def _encoded(dataset: xarray.Dataset, path: str) -> tuple[dict[str, _Encoded], dict[str, Any]]:
    """Return the encoded variables of a group by name, and its attributes."""
    location = path or "/"
    try:
        variables, attributes = conventions.encode_dataset_coordinates(dataset)
        prepared = {
            name: _prepared(variable, join(path, str(name))) for name, variable in variables.items()
        }
        heads, attributes = conventions.cf_encoder(
            {name: head for name, (head, _) in prepared.items()}, attributes
        )
    except (ValueError, TypeError, NotImplementedError, OverflowError) as error:
        if isinstance(error, LossError):
            raise
        message = " ".join(str(error).split())
        raise LossError(f"xarray cannot encode a variable: {message}", location) from error
    found = {}
    for name, (_, values) in prepared.items():
        head = heads[name]
        found[str(name)] = _Encoded(head, head if values is None else values, values is not None)
    return found, dict(attributes)


def _prepared(variable: xarray.Variable, fqn: str) -> tuple[xarray.Variable, Any]:
    """Return what the coders are applied to at once, and the values that are encoded later.

    Without such values, the coders get all: times, whose units follow from them, and of which Dask
    encodes a chunk at a time.
    """
    from xarray.core.common import contains_cftime_datetimes

    variable = variable.copy(deep=False)
    if variable.dtype.kind in "mM" or (
        variable.dtype.kind == "O" and contains_cftime_datetimes(variable)
    ):
        conventions.ensure_not_multiindex(variable, name=fqn.rpartition("/")[2])
        return (variable if variable.chunks is not None else variable.load()), None
    if variable.dtype.kind in "OUT" and variable.encoding.get("dtype") != "S1":
        variable.encoding.pop("dtype", None)  # how strings are stored follows from the target
    if variable.dtype.kind == "O" and variable.chunks is None and variable._in_memory:
        variable = variable.copy(data=_plain_objects(variable.to_numpy(), fqn))
    if variable.dtype.kind in "OT":  # text, which `_texts` checks when it is read
        stand_in = np.full((1,) * variable.ndim, "", "U1")
    else:
        stand_in = np.zeros((1,) * variable.ndim, variable.dtype)
    conventions.ensure_not_multiindex(variable, name=fqn.rpartition("/")[2])
    head = xarray.Variable(variable.dims, stand_in, variable.attrs, variable.encoding)
    return head, variable


def _plain_objects(values: Values, fqn: str) -> Values:
    """Return objects as text, bytes or numbers. Missing ones become empty, or NaN."""
    missing = _missing(values)
    kinds = set(map(type, values[~missing].ravel().tolist()))
    result = values.copy()
    if all(issubclass(kind, str) for kind in kinds):
        result[missing] = ""
        return result
    if all(issubclass(kind, bytes) for kind in kinds):
        result[missing] = b""
        return result.astype("S")
    result[missing] = math.nan
    with contextlib.suppress(ValueError, TypeError):
        numbers = np.array(result.tolist())
        if numbers.shape == values.shape and numbers.dtype.kind in "biuf":
            return numbers
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise LossError(
        f"objects of type {names} cannot be stored",
        fqn,
        "convert them with astype, or leave the variable out with drop_vars",
    )


def _missing(values: Values) -> Values:
    """Return which objects stand for no value: None, NaN and those of pandas."""
    flat = xarray.Variable(("i",), values.reshape(-1))
    return np.reshape(flat.isnull().to_numpy(), values.shape)


def _texts(values: Values, fqn: str) -> Values:
    """Return an array of `str`, in which missing ones are empty."""
    values = values.astype(object)
    missing = _missing(values)
    if missing.any():
        values[missing] = ""
    for kind in set(map(type, values.ravel().tolist())):
        if not issubclass(kind, str):
            raise LossError(
                f"an object of type {kind.__name__} is not text",
                fqn,
                "convert the variable with astype, such as astype('S10') for bytes",
            )
    return values


# One variable.

_TYPES = {
    ("b", 1): Atomic.BYTE, ("i", 1): Atomic.BYTE, ("i", 2): Atomic.SHORT, ("i", 4): Atomic.INT,
    ("i", 8): Atomic.INT64, ("u", 1): Atomic.UBYTE, ("u", 2): Atomic.USHORT, ("u", 4): Atomic.UINT,
    ("u", 8): Atomic.UINT64, ("f", 2): Atomic.FLOAT, ("f", 4): Atomic.FLOAT,
    ("f", 8): Atomic.DOUBLE,
}  # fmt: skip


class _VariableReading:
    """The conversion of one encoded variable."""

    def __init__(
        self,
        encoded: _Encoded,
        fqn: str,
        group: str,
        known: Mapping[str, str],
        dimensions: dict[str, Dimension],
    ) -> None:
        self.encoded = encoded
        self.fqn = fqn
        self.group = group
        self.known = known
        self.dimensions = dimensions
        self.encoding = encoded.head.encoding
        self.dtype: np.dtype[Any] = encoded.head.dtype
        self.type = self._type()

    def _type(self) -> NcType:
        kind, size = self.dtype.kind, self.dtype.itemsize
        metadata: Mapping[str, Any] = self.dtype.metadata or {}
        if kind in "iu" and isinstance(metadata.get("enum"), Mapping):
            name = str(metadata.get("enum_name") or f"{self.fqn.rpartition('/')[2]}_t")
            members = tuple((str(k), int(v)) for k, v in metadata["enum"].items())
            return Enumeration(
                name=join(self.group, name), base=_TYPES[kind, size], members=members
            )
        if kind in "OUT":
            return Atomic.STRING
        if kind == "S":
            return Atomic.CHAR
        if kind == "c" and size in (8, 16):
            part = Atomic.FLOAT if size == 8 else Atomic.DOUBLE
            fields = tuple(Field(name=name, type=part) for name in ("r", "i"))
            return Compound(name=f"{self.fqn}_t", fields=fields)
        if (kind, size) not in _TYPES:
            raise LossError(
                f"values of the dtype {self.dtype} cannot be stored",
                self.fqn,
                "convert the variable with astype, or leave it out with drop_vars",
            )
        return _TYPES[kind, size]

    def variable(self) -> Variable:
        """Return the variable, whose values are computed when they are read."""
        name = self.fqn.rpartition("/")[2]
        values = self.encoded.values
        is_text = self.type is Atomic.CHAR  # of several bytes: one more dimension
        length = max(1, self.dtype.itemsize) if is_text else None
        dimensions = tuple(self.known[str(dim)] for dim in values.dims)
        if length is not None:
            dimensions = (*dimensions, self._char_dimension(length))
        shape = values.shape if length is None else (*values.shape, length)
        data = XarrayValues(
            variable=values,
            encodes=self.encoded.encode,
            type=self.type,
            fqn=self.fqn,
            shape=shape,
            natural=_natural_chunks(values, self.encoding, length),
        )
        result = Variable(
            name=name,
            type=self.type,
            dimensions=dimensions,
            attributes=_attributes(self.encoded.head.attrs, self.fqn, self.type),
            storage=self._storage(shape, length),
            data=data.rechunked(data.natural or row_chunks(shape)),
        )
        if self.type is Atomic.STRING and self.encoding.get("dtype") == "S1":
            return self._as_chars(result)
        return result

    def _as_chars(self, variable: Variable) -> Variable:
        """Return a variable of strings as one of char, which the encoding asks for."""
        assert variable.data is not None
        length = longest_text(variable.data)
        encoding_attribute = Attribute(
            name="_Encoding",
            type=Atomic.CHAR,
            values=(str(self.encoding.get("_Encoding", "utf-8")),),
        )
        attributes = (
            *(a for a in variable.attributes if a.name != encoding_attribute.name),
            encoding_attribute,
        )
        variable = replace(variable, attributes=attributes)
        return chars_of(variable, self._char_dimension(length), length)

    def _char_dimension(self, length: int) -> str:
        """Return the FQN of the dimension of the bytes of a text, which is added if need be."""
        name = str(self.encoding.get("char_dim_name") or f"string{length}")
        while (
            name in self.known
            or self.dimensions.get(name, Dimension(name=name, size=length)).size != length
        ):
            name += "_"
        self.dimensions.setdefault(name, Dimension(name=name, size=length))
        return join(self.group, name)

    def _storage(self, shape: Shape, length: int | None) -> Storage:
        """Return how the variable is to be stored, from the encodings of all engines of xarray."""
        encoding = self.encoding
        order = self.dtype.byteorder
        endianness: Endianness | None = "big" if order == ">" else None
        if encoding.get("endian") in ("little", "big"):
            endianness = encoding["endian"]
        quantize = None
        digits = encoding.get("significant_digits")
        if encoding.get("quantize_mode") in ATTRIBUTES and digits:
            quantize = Quantization(algorithm=encoding["quantize_mode"], digits=int(digits))
        fill: Value = None
        if encoding.get("fill_value") is not None and isinstance(self.type, Atomic):
            fill = _typed(encoding["fill_value"], self.type, self.fqn, "fill_value")[0]
        return Storage(
            chunks=_chunks(encoding, shape, length, self._grows()),
            shards=_lengths(encoding.get("shards"), shape, length),
            endianness=endianness,
            filters=_filters(encoding, fixed_size(self.type), self.fqn),
            fill=fill,
            quantize=quantize,
        )

    def _grows(self) -> bool:
        names = {str(dim) for dim in self.encoded.values.dims}
        return any(d.unlimited for d in self.dimensions.values() if d.name in names)


def _natural_chunks(
    variable: xarray.Variable, encoding: Mapping[str, Any], length: int | None
) -> Shape | None:
    """Return the blocks in which values are computed or read at the least cost."""
    last = () if length is None else (length,)
    if variable.chunks is not None:
        return (*(max(1, *axis) if len(axis) > 1 else max(1, axis[0]) for axis in variable.chunks),
                *last)  # fmt: skip
    if variable._in_memory:
        return None
    preferred = encoding.get("preferred_chunks") or {}
    found = [preferred.get(dim) for dim in variable.dims]
    if not all(isinstance(n, int) and n > 0 for n in found):
        return None
    sizes = zip(found, variable.shape, strict=True)
    return (*(max(1, min(n, size)) for n, size in sizes if n), *last)


def _lengths(lengths: Any, shape: Shape, length: int | None) -> Shape | None:
    """Return the lengths of chunks or shards that fit the axes, with that of the chars of texts."""
    if not isinstance(lengths, Sequence) or not all(
        isinstance(n, int | np.integer) for n in lengths
    ):
        return None
    chunk_lengths = tuple(int(n) for n in lengths)
    if length is not None and len(chunk_lengths) == len(shape) - 1:
        chunk_lengths = (*chunk_lengths, length)
    fits = len(chunk_lengths) == len(shape) and all(n > 0 for n in chunk_lengths)
    return chunk_lengths if fits and chunk_lengths else None


def _chunks(
    encoding: Mapping[str, Any], shape: Shape, length: int | None, grows: bool
) -> Shape | None:
    """Return the chunk shape that the encoding asks for.

    As in `Dataset.to_netcdf`, that of a file is not used for a part of its variable.
    """
    chunk_shape = _lengths(encoding.get("chunks"), shape, length)
    if chunk_shape is None:
        chunk_shape = _lengths(encoding.get("chunksizes"), shape, length)
        original = encoding.get("original_shape")
        is_part = original is not None and tuple(original) not in (shape, shape[:-1])
        if chunk_shape is not None and is_part and not grows:
            return None
    if chunk_shape is None or grows:
        return chunk_shape
    return tuple(min(n, max(1, size)) for n, size in zip(chunk_shape, shape, strict=True))


# Codecs, as the engines of xarray describe them.

_LEVEL = 4
"""The level of zlib by default, as in netCDF4."""


def _filters(encoding: Mapping[str, Any], item_size: int, fqn: str) -> tuple[Filter, ...] | None:
    """Return the filters and the compressor that an encoding asks for; None if it has none."""
    try:
        if "codecs" in encoding:
            return _of_zarr(encoding["codecs"], fqn)
        configured = [encoding[name] for name in ("filters", "compressor", "compressors")
                 if name in encoding and encoding[name] != "auto"]  # fmt: skip
        if configured:
            return tuple(codec for one in configured for codec in _of_zarr(one, fqn))
        return _of_netcdf(encoding, item_size)
    except (TypeError, ValueError, AttributeError) as error:
        raise LossError(f"its codecs are not known: {error}", fqn) from error


def _of_zarr(value: Any, fqn: str) -> tuple[Filter, ...]:
    """Return codecs of zarr-python, of numcodecs, or as numcodecs configures them."""
    if value is None:
        return ()
    codecs = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    filters = []
    for codec in codecs:
        if hasattr(codec, "get_config"):
            codec = codec.get_config()
        elif hasattr(codec, "to_dict"):
            codec = codec.to_dict()
        # Members of enumerations are written as their values.
        document = json.loads(json.dumps(codec, default=lambda each: each.value))
        if "id" in document:
            filters.append(Filter.from_json(document))
        elif document["name"] != "transpose":
            filters.append(filter_of(document["name"], document.get("configuration", {}), fqn))
    return tuple(codec for codec in filters if not is_object_codec(codec.to_json()))


def _of_netcdf(encoding: Mapping[str, Any], item_size: int) -> tuple[Filter, ...] | None:
    """Return codecs for the keywords of netCDF4 and h5netcdf."""
    name = encoding.get("compression")
    flags = ("zlib", "bzip2", "zstd")
    name = name or next((each for each in flags if encoding.get(each)), None)
    blosc = encoding.get("blosc")
    if not name and isinstance(blosc, Mapping):
        name = blosc.get("compressor")
    options = encoding.get("compression_opts")
    level = encoding.get("complevel", options if isinstance(options, int) else None)
    filters = []
    if encoding.get("shuffle") and name:
        filters.append(make_filter("shuffle", elementsize=item_size))
    if name in ("zlib", "gzip", "lzf"):
        filters.append(make_filter("zlib", level=_LEVEL if level is None else int(level)))
    elif name == "bzip2":
        filters.append(make_filter("bz2", level=9 if level is None else int(level)))
    elif name == "zstd":
        filters.append(make_filter("zstd", level=_LEVEL if level is None else int(level)))
    elif str(name).startswith("blosc_"):
        shuffle = int(encoding.get("blosc_shuffle", 1))
        cname = str(name).removeprefix("blosc_")
        speed = _LEVEL if level is None else int(level)
        filters = [make_filter("blosc", cname=cname, clevel=speed, shuffle=shuffle, blocksize=0)]
    if encoding.get("fletcher32"):
        filters.append(make_filter("fletcher32"))
    return tuple(filters) or None


# Attributes.


def _attributes(
    values: Mapping[Any, Any], where: str, nc_type: NcType | None = None
) -> tuple[Attribute, ...]:
    attributes = []
    for name, value in values.items():
        if not isinstance(name, str) or not name:
            raise LossError(
                f"the name of an attribute must be a text that is not empty, not {name!r}", where
            )
        attributes.append(_attribute(name, value, where, nc_type))
    return tuple(attributes)


def _attribute(name: str, value: Any, where: str, nc_type: NcType | None) -> Attribute:
    """Return an attribute; one that only JSON can say is kept as JSON for pure Zarr."""
    if name == "_FillValue" and nc_type is not None:
        mask = nc_type.base if isinstance(nc_type, Enumeration) else nc_type
        if isinstance(mask, Atomic):
            return Attribute(name=name, type=nc_type, values=_typed(value, mask, where, name))
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return Attribute(name=name, type=Atomic.CHAR, values=(str(value),) if value else ())
    if isinstance(value, list | tuple) and any(isinstance(each, np.generic) for each in value):
        with contextlib.suppress(ValueError):
            value = np.array(value)
    if isinstance(value, np.ndarray | np.generic):
        kind, size = value.dtype.kind, value.dtype.itemsize
        if kind in "iuf" and (kind, size) in _TYPES and value.ndim < 2:
            nc_type = _TYPES[kind, size]
            return Attribute(name=name, type=nc_type, values=_typed(value, nc_type, where, name))
        value = value.tolist()
    try:
        plain = json.loads(json.dumps(value, default=_plain))
    except (TypeError, ValueError):
        raise LossError(
            f"the value of the attribute {name} cannot be stored: it is of type"
            f" {type(value).__name__}",
            where,
            "use text, numbers, or lists of them",
        ) from None
    return read_attribute(name, plain, notify=ignore_notice)


def _plain(value: Any) -> Any:
    """Return values of numpy within lists and dictionaries as those of Python."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biufU":
        return value.tolist()
    raise TypeError(type(value).__name__)


def _typed(value: Any, nc_type: Atomic, where: str, name: str) -> tuple[Value, ...]:
    """Return the values of an attribute of a type."""
    array = np.atleast_1d(np.asarray(value)).ravel()
    if nc_type in (Atomic.CHAR, Atomic.STRING):
        texts = [each.decode("latin-1" if nc_type is Atomic.CHAR else "utf-8")
                 if isinstance(each, bytes) else str(each) for each in array.tolist()]  # fmt: skip
        return tuple(texts) if nc_type is Atomic.STRING else ("".join(texts) or "\0",)
    converted = array.astype(nc_type.dtype)
    if nc_type.is_integer and not np.array_equal(converted, array):
        raise LossError(
            f"{name} {value!r} is not a value of its type {nc_type.word}",
            where,
            f"change {name} in its encoding",
        )
    return tuple(converted.tolist())


# Values, computed and encoded a block at a time.

_BLOCK = 32 << 20
"""Bytes of the values that are computed at a time, if chunks are not longer."""

_MOST = 256 << 20
"""Bytes of the values that are computed at a time, unless a chunk of the target has more."""

_TEXT = 64
"""Bytes of a text, about."""


@record
class XarrayValues(ChunkSource):
    """The values of a variable of xarray.

    `natural` is the shape of the blocks that are computed or read at the least cost, and `chunks`
    that of the blocks in which values are given. The last block is kept.
    """

    variable: xarray.Variable
    encodes: bool
    type: NcType
    fqn: str
    shape: Shape
    natural: Shape | None
    chunks: Shape | None = None
    last: dict[Index, Values] = field(default_factory=dict, compare=False, repr=False)
    lock: Any = field(default_factory=threading.Lock, compare=False, repr=False)

    fill = None

    @property
    def grid(self) -> ChunkGrid:
        """The shape, and the blocks."""
        return ChunkGrid(self.shape, self.chunks or tuple(max(1, n) for n in self.shape))

    def preferred_chunks(self) -> Shape | None:
        """Return the shape of the chunks of Dask, or of the file that is read."""
        return self.natural

    def rechunked(self, chunks: Shape) -> XarrayValues:
        """Return the same values in blocks of whole chunks of that shape, and of natural blocks."""
        natural = self.natural or chunks
        block = [c if c >= n else -(-n // c) * c for c, n in zip(chunks, natural, strict=True)]
        item = max(1, fixed_size(self.type)) if self.type is not Atomic.STRING else _TEXT
        while item * math.prod(block) > _MOST and any(map(gt, block, chunks)):
            # Chunks of Dask that cross long chunks of the target are computed more than once.
            axis = max(range(len(block)), key=lambda i: block[i] // chunks[i])
            block[axis] = -(-block[axis] // chunks[axis] // 2) * chunks[axis]
        for axis in reversed(range(len(block))):
            most = max(1, _BLOCK // max(1, item * math.prod(block)))
            needed = -(-self.shape[axis] // block[axis])
            block[axis] *= max(1, min(most, needed))
        return replace(self, chunks=tuple(block), last={}, lock=threading.Lock())

    def chunk(self, index: Index) -> Values:
        """Return the values of a block."""
        with self.lock:
            if index not in self.last:
                self.last.clear()  # before the next one is computed
                self.last[index] = self._values(self.grid.box(index))
            return self.last[index]

    def _values(self, box: Box) -> Values:
        """Compute and encode the values of a block."""
        rank = self.variable.ndim
        block = self.variable[box.slices[:rank]].compute()
        if self.encodes:
            kind = block.dtype.kind
            if kind in "OT":
                block = block.copy(data=_texts(block.to_numpy(), self.fqn))
            elif kind != "U":
                block = _encoded_block(block, self.fqn)
        values: Values = block.to_numpy()
        if self.type is Atomic.STRING:
            return values.astype(object)
        if self.type is Atomic.CHAR:
            length = self.shape[-1]
            flat = np.ascontiguousarray(values, f"S{length}").reshape(-1)
            return flat.view("S1").reshape(box.shape)
        if isinstance(self.type, Atomic):
            return values.astype(self.type.dtype, copy=False)
        result = np.empty(values.size, object)
        if isinstance(self.type, Enumeration):
            result[:] = values.ravel().tolist()
        else:
            result[:] = [(each.real, each.imag) for each in values.ravel().tolist()]
        return result.reshape(values.shape)


def _encoded_block(block: xarray.Variable, fqn: str) -> xarray.Variable:
    try:
        return conventions.encode_cf_variable(block, name=fqn.rpartition("/")[2])
    except (ValueError, TypeError, OverflowError) as error:
        message = " ".join(str(error).split())
        raise FormatError(f"xarray cannot encode the values: {message}", fqn) from error
