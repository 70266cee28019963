"""The engine "ncz" of xarray: an entry point of the group ``xarray.backends``.

xarray uses it only if it is asked to, by ``engine="ncz"``. Paths and URLs are those of `ncz.open`.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from errno import ENOENT
from typing import Any

import numpy as np
import xarray
from xarray.backends import (
    AbstractDataStore,
    BackendArray,
    BackendEntrypoint,
    StoreBackendEntrypoint,
)
from xarray.core import indexing

from ncz.api.arguments import Path
from ncz.api.dataset import Dataset, Group, NameMissing, Variable, name_missing, typed_attributes
from ncz.api.dataset import open as open_dataset
from ncz.codec.catalogue import is_kind
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.codecs_v3 import print_chain
from ncz.formats.zarr.native_times import NativeTime
from ncz.formats.zarr.user_types import is_complex_type
from ncz.model.filters import DEFLATE, FLETCHER32, SHUFFLE, to_hdf5
from ncz.model.grid import IrregularGrid
from ncz.model.types import Atomic, Compound, Enumeration, readable_text

TEXT = np.dtype("O", metadata={"element_type": str})
"""The dtype of strings of any length, as the engines of xarray have it."""

# How a variable is stored, as xarray's encodings describe it.
#
# `to_netcdf` and `to_zarr` take from an encoding what they know, so that a dataset that is read and
# written again keeps its chunks, its data types and its deflate level.


def encoding_of(variable: Variable) -> dict[str, Any]:
    """Return the encoding of a variable: dtype, chunks, compression, shape and source."""
    encoding: dict[str, Any] = {
        "source": variable.filepath(),
        "original_shape": variable.shape,
        **_dtype(variable),
        **_chunks(variable),
        **_compression(variable),
    }
    if variable.codecs:
        encoding["codecs"] = variable.codecs
    data = variable.record.data
    if isinstance(data, ZarrArray):
        encoding["shards"] = variable.shards
        if data.keys.marked:  # Zarr V3, in which the mask is an attribute
            encoding["fill_value"] = fill_of(variable)
        encoding.update(_zarr_codecs(data))
        if data.type is Atomic.STRING and length_of_bytes(variable) is None and data.item_size:
            encoding.pop("filters", None)  # without them, to_zarr adds the one that text needs
    return encoding


def _zarr_codecs(data: ZarrArray) -> dict[str, Any]:
    """Return the filters and compressors as the engine for Zarr names them, which needs zarr."""
    chain = data.layout.inner_codecs
    try:
        if not data.keys.marked:
            import numcodecs

            codecs = [numcodecs.get_codec(codec.to_json()) for codec in chain]
            count = len(chain) - (bool(chain) and is_kind(chain[-1].to_json(), "compressor"))
            return {"filters": (*codecs[:count],), "compressors": (*codecs[count:],)}
        from zarr.abc.codec import ArrayArrayCodec, BytesBytesCodec
        from zarr.registry import get_codec_class

        documents = print_chain(
            data.layout.order, chain, None, endian="<", item_size=data.item_size
        )
        instances = [get_codec_class(one["name"]).from_dict(one) for one in documents]
    except (ImportError, ValueError, KeyError):  # a codec of ncz that the others do not have
        return {}
    kinds = {"filters": ArrayArrayCodec, "compressors": BytesBytesCodec}
    return {
        name: tuple(c for c in instances if isinstance(c, kind)) for name, kind in kinds.items()
    }


def _dtype(variable: Variable) -> dict[str, Any]:
    nc_type = variable.record.type
    if length_of_bytes(variable) is not None or native_time_of(variable) is not None:
        return {}
    if nc_type is Atomic.STRING and isinstance(variable.record.data, ZarrArray):
        return {"dtype": TEXT}
    if nc_type is Atomic.STRING:  # as netCDF4: xarray reads all values to find their length
        return {"dtype": str}
    if isinstance(nc_type, Enumeration):
        metadata = {
            "enum": dict(nc_type.members),
            "enum_name": nc_type.name.rpartition("/")[2],
        }
        return {"dtype": np.dtype(variable.dtype, metadata=metadata)}
    return {"dtype": variable.dtype} if isinstance(nc_type, Atomic) else {}


def _chunks(variable: Variable) -> dict[str, Any]:
    """Return the chunks as xarray's engines for Zarr and for netCDF files name them."""
    chunks: tuple[Any, ...] | None = variable.chunks
    grid = None if variable.record.data is None else variable.record.data.grid
    if isinstance(grid, IrregularGrid):
        lengths = tuple(
            tuple(b - a for a, b in itertools.pairwise(borders)) for borders in grid.borders
        )
        return {"preferred_chunks": dict(zip(variable.dims, lengths, strict=True))}
    if chunks is None:
        return {"contiguous": True} if variable.ndim else {}
    encoding: dict[str, Any] = {
        "chunks": chunks,
        "chunksizes": chunks,
        "contiguous": False,
        "preferred_chunks": dict(zip(variable.dims, chunks, strict=True)),
    }
    if variable.shards is not None:
        encoding["shards"] = variable.shards
    return encoding


def _compression(variable: Variable) -> dict[str, Any]:
    """Return the filters of HDF5 as netCDF4 names them."""
    storage = variable.record.storage
    filters = storage.filters or ()
    by_number = {same.id: same for codec in filters if (same := to_hdf5(codec)) is not None}
    if storage.hdf5_filters is not None:
        by_number = {same.id: same for same in storage.hdf5_filters}
    deflate = by_number.get(DEFLATE)
    encoding: dict[str, Any] = {"shuffle": SHUFFLE in by_number}
    encoding["fletcher32"] = FLETCHER32 in by_number
    if _LZF in by_number:  # as h5netcdf names it; netCDF4 has no name for it
        return encoding | {"compression": "lzf", "compression_opts": None}
    encoding["zlib"] = deflate is not None
    encoding["complevel"] = deflate.parameters[0] if deflate is not None else 0
    if isinstance(variable.record.data, ZarrArray):  # `to_netcdf` writes no more without plugins
        return encoding
    for number, name in _PLUGINS.items():
        hdf5_filter = by_number.get(number)
        encoding[name] = hdf5_filter is not None
        if hdf5_filter is not None and hdf5_filter.parameters:
            encoding["complevel"] = hdf5_filter.parameters[0]
    blosc, szip = by_number.get(_BLOSC), by_number.get(_SZIP)
    encoding["blosc"] = encoding["szip"] = False
    if blosc is not None and len(blosc.parameters) > _BLOSC_CODE:
        *_, encoding["complevel"], shuffle, code = blosc.parameters[: _BLOSC_CODE + 1]
        name = _BLOSC_NAMES[code] if code < len(_BLOSC_NAMES) else "blosc"
        encoding["blosc"] = {"compressor": name, "shuffle": shuffle}
    if szip is not None and len(szip.parameters) > 1:
        mask, pixels, *_ = szip.parameters
        coding = "nn" if mask & _NEAREST_NEIGHBOUR else "ec"
        encoding["szip"] = {"coding": coding, "pixels_per_block": pixels}
    return encoding


_PLUGINS = {307: "bzip2", 32015: "zstd"}
_SZIP, _LZF, _BLOSC = 4, 32000, 32001
_NEAREST_NEIGHBOUR = 32
"""The bit of szip's options for the nearest-neighbour coding."""
_BLOSC_CODE = 6
"""The position of the compressor in the parameters of Blosc, after the level and the shuffle."""
_BLOSC_NAMES = (
    "blosc_lz", "blosc_lz4", "blosc_lz4hc", "blosc_snappy", "blosc_zlib", "blosc_zstd",
)  # fmt: skip


# A group of an open dataset as a data store of xarray, whose values are read lazily.


class LazyArray(BackendArray):  # type: ignore[misc]
    """The values of a variable, read when they are indexed; can be pickled."""

    __slots__ = ("dtype", "shape", "variable")

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        self.shape = variable.shape
        self.dtype = variable.dtype
        length = length_of_bytes(variable)
        if length is not None:
            self.dtype = np.dtype(f"S{length}")
        elif variable.record.type is Atomic.STRING:
            self.dtype = TEXT
        elif is_complex(variable):
            self.dtype = np.dtype(f"c{self.dtype.itemsize}")
        elif (time := native_time_of(variable)) is not None:
            self.dtype = np.dtype(time.dtype)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._read
        )

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        """Return selected values, which another thread reads; for ``Dataset.load_async``."""
        import asyncio

        return await asyncio.to_thread(self.__getitem__, key)

    def _read(self, key: tuple[Any, ...]) -> Any:
        values = self.variable[(*key, ...)]  # an array, also for one element
        if self.dtype.kind == "S" and self.dtype != values.dtype:
            flat = [text.encode("utf-8", "surrogateescape") for text in values.ravel()]
            return np.array(flat, self.dtype).reshape(values.shape)
        if self.dtype.kind == "O" and self.variable.record.type is Atomic.STRING:
            flat = [readable_text(text) for text in values.ravel()]
            return np.array([*flat, None], "O")[:-1].reshape(values.shape)
        if self.dtype.kind in "mM":
            return native_times(self.variable, values)
        if self.dtype.kind == "c":  # a compound of two floats
            return np.ascontiguousarray(values).view(self.dtype).reshape(values.shape)
        return values


def length_of_bytes(variable: Variable) -> int | None:
    """Return the length of elements that are bytes: char, or ``|S5`` in pure Zarr; else None.

    xarray joins single bytes to strings along a dimension of characters, as its own engines let it
    do, and decodes bytes by the attribute ``_Encoding``.
    """
    data = variable.record.data
    if variable.record.type is Atomic.CHAR:
        return 1
    if variable.record.type is not Atomic.STRING or not isinstance(data, ZarrArray):
        return None
    is_pure = not variable._handle.dataset.provenance.superblock
    is_bytes = str(data.encoding.dtype).startswith("|S") and (is_pure or data.item_size == 1)
    return data.item_size if is_bytes else None


def is_complex(variable: Variable) -> bool:
    """Return whether values are complex numbers, as numpy names their parts in Zarr, or HDF5."""
    nc_type = variable.record.type
    if isinstance(variable.record.data, ZarrArray):
        return is_complex_type(nc_type)
    if not isinstance(nc_type, Compound) or [field.name for field in nc_type.fields] != ["r", "i"]:
        return False
    real, imaginary = nc_type.fields
    is_float = real.type in (Atomic.FLOAT, Atomic.DOUBLE)
    return is_float and real.type is imaginary.type and not (real.shape or imaginary.shape)


def native_time_of(variable: Variable) -> NativeTime | None:
    """Return what the elements of datetime64 or timedelta64 in Zarr count; None for others.

    xarray's engine for Zarr gives them to programs as they are, whatever their unit.
    """
    data = variable.record.data
    return data.encoding.time if isinstance(data, ZarrArray) else None


def native_times(variable: Variable, numbers: Any) -> Any:
    """Return the native elements that stand for numbers of a variable."""
    time = native_time_of(variable)
    assert time is not None
    return time.elements(numbers, variable.name).astype("i8").view(time.dtype)


def fill_of(variable: Variable) -> Any:
    """Return the value of chunks that are missing, as Zarr has it; None if it is undefined."""
    fill = variable.fill_value
    data = variable.record.data
    if fill is None or native_time_of(variable) is None or not isinstance(data, ZarrArray):
        return fill
    if not data.has_fill:
        return None
    return native_times(variable, np.array([fill], "i8"))[0]


class GroupStore(AbstractDataStore):  # type: ignore[misc]
    """The variables and attributes of one group.

    `close` is called when xarray closes the store.
    """

    __slots__ = ("_close", "_group")

    def __init__(self, group: Group, close: Callable[[], None] | None = None) -> None:
        self._group = group
        self._close = close

    def get_variables(self) -> dict[str, xarray.Variable]:
        """Return the variables, not yet decoded."""
        return {name: self._variable(v) for name, v in self._group.variables.items()}

    def _variable(self, variable: Variable) -> xarray.Variable:
        record = variable.record
        own = record.attributes
        if native_time_of(variable) is not None:  # without what says this of numbers
            own = tuple(a for a in own if a.original is not None)
        attributes = typed_attributes(own)
        if native_time_of(variable) is not None and isinstance(record.data, ZarrArray):
            fill = None if record.data.keys.marked else fill_of(variable)  # Zarr V2 has the mask so
            attributes |= {} if fill is None else {"_FillValue": fill}
        mask = attributes.get("_FillValue")
        # A mask of chars is bytes, which no string equals.
        is_other = record.type is Atomic.STRING and any(
            each.name == "_FillValue" and each.type is Atomic.CHAR for each in record.attributes
        )
        if isinstance(mask, str) and (is_other or length_of_bytes(variable) is not None):
            attributes["_FillValue"] = np.bytes_(mask.encode("utf-8", "surrogateescape"))
        values = LazyArray(variable)
        if values.dtype.kind == "c" and mask is not None:
            attributes["_FillValue"] = np.asarray(mask).view(values.dtype)[()]
        encoding = encoding_of(variable)
        # xarray raises for a mask of a type without masks, and decodes nothing but bytes as text.
        nc_type = variable.record.type
        has_mask = isinstance(nc_type, Atomic | Enumeration) or values.dtype.kind == "c"
        if not has_mask and "_FillValue" in attributes:
            encoding["_FillValue"] = attributes.pop("_FillValue")
        if values.dtype.kind == "S" and "_Encoding" in attributes:
            encoding["dtype"] = np.dtype("S1")  # bytes, whatever the length of the text
        elif "_Encoding" in attributes:
            encoding["_Encoding"] = attributes.pop("_Encoding")
        data = indexing.LazilyIndexedArray(values)
        return xarray.Variable(variable.dims, data, attributes, encoding)

    def get_attrs(self) -> dict[str, Any]:
        """Return the attributes of the group."""
        return typed_attributes(self._group.group_record.attributes)

    def get_dimensions(self) -> dict[str, int]:
        """Return the lengths of the dimensions."""
        return self._group.dims

    def get_encoding(self) -> dict[str, Any]:
        """Return where the dataset is, and which of its dimensions are unlimited."""
        unlimited = {name for v in self._group.variables.values() for name in v.unlimited_dims}
        return {"source": self._group.filepath(), "unlimited_dims": unlimited}

    def close(self) -> None:
        """Close the dataset if it was opened for this store."""
        if self._close is not None:
            self._close()


class NczBackendEntrypoint(BackendEntrypoint):  # type: ignore[misc]
    """Opens everything that ncz reads."""

    description = "Open Zarr, NCZarr, netCDF files and reference sets using ncz in Xarray"
    supports_groups = True
    open_dataset_parameters = (
        "filename_or_obj", "mask_and_scale", "decode_times", "concat_characters", "decode_coords",
        "drop_variables", "use_cftime", "decode_timedelta", "group", "consolidated",
    )  # fmt: skip

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Return False: xarray's own engines open what they did before ncz was installed."""
        return False

    def open_dataset(
        self,
        filename_or_obj: Path | Group,
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        consolidated: bool | None = None,
        **decoding: Any,
    ) -> xarray.Dataset:
        """Open the variables of one group.

        Parameters
        ----------
        filename_or_obj
            A path or a URL, as for `ncz.open`, or an open group, which stays open.
        drop_variables
            Names of variables that are left out.
        group
            The group; by default the root.
        consolidated
            Whether to use consolidated metadata, as for `ncz.open`.
        **decoding
            How xarray decodes values, as for `xarray.open_dataset`.
        """
        with _opened(filename_or_obj, consolidated) as dataset:
            store = GroupStore(_group(dataset, group), _close_of(dataset, filename_or_obj))
            return _decoded(store, drop_variables, decoding)

    def open_groups_as_dict(
        self,
        filename_or_obj: Path | Group,
        *,
        drop_variables: str | Iterable[str] | None = None,
        group: str | None = None,
        consolidated: bool | None = None,
        **decoding: Any,
    ) -> dict[str, xarray.Dataset]:
        """Open a group and all groups below it, by their paths from it."""
        with _opened(filename_or_obj, consolidated) as dataset:
            top = _group(dataset, group)
            close = _close_of(dataset, filename_or_obj)
            return {
                path: _decoded(GroupStore(each, close), drop_variables, decoding)
                for path, each in _walk(top, "/")
            }

    def open_datatree(self, filename_or_obj: Path | Group, **options: Any) -> xarray.DataTree:
        """Open a group and all groups below it as a tree; options are those of `open_dataset`."""
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        tree = xarray.DataTree.from_dict(groups)
        tree.set_close(groups["/"].close)
        return tree


@contextlib.contextmanager
def _opened(source: Path | Group, consolidated: bool | None) -> Iterator[Group]:
    """Open a dataset, and close it again if it cannot be shown in xarray."""
    if isinstance(source, Group):
        yield source
        return
    dataset = open_dataset(source, consolidated=consolidated)
    try:
        yield dataset
    except BaseException:
        dataset.close()
        raise


def _close_of(dataset: Group, source: Path | Group) -> Callable[[], None] | None:
    """Return what closes a dataset that the engine has opened itself, and None for others."""
    return dataset.close if isinstance(dataset, Dataset) and dataset is not source else None


def _group(dataset: Group, path: str | None) -> Group:
    if not isinstance(path, str | None):
        raise ValueError(f"a group must be a string, not {path!r}")
    if path is None or not path.strip("/"):
        return dataset
    member = dataset.get(path)
    if isinstance(member, Group):
        return member
    place = dataset.filepath()
    if member is not None:
        raise GroupMissing(f"{path!r} is a variable, not a group", place)
    missing = name_missing(path, dataset, place)
    raise GroupMissing(missing.message, place, missing.hint)


class GroupMissing(NameMissing, FileNotFoundError):
    """A group that does not exist: an `OSError`, as for the engine netcdf4."""

    errno = ENOENT


def _walk(group: Group, path: str) -> Iterable[tuple[str, Group]]:
    yield path, group
    for name, below in group.groups.items():
        yield from _walk(below, f"{path.rstrip('/')}/{name}")


def _decoded(
    store: GroupStore, drop_variables: str | Iterable[str] | None, decoding: dict[str, Any]
) -> xarray.Dataset:
    decoded = StoreBackendEntrypoint().open_dataset(
        store, drop_variables=drop_variables, **decoding
    )
    result: xarray.Dataset = decoded
    return result
