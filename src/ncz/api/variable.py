"""A variable of an open dataset, read by indexing like a numpy array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.api.array_operators import ElementOperators
from ncz.api.attributes import typed_attributes
from ncz.api.handle import Handle
from ncz.api.indexing import divide_mask, positional, select
from ncz.api.member import Member
from ncz.api.values import fill_scalar, full_array, numpy_dtype
from ncz.api.variable_names import OF_VARIABLES
from ncz.api.xarray_members import OF_ARRAYS
from ncz.commands.functions import speaks_python
from ncz.errors import Notice
from ncz.late import numpy as np
from ncz.model.packing import MASKS, PACKING
from ncz.model.slabs import unwritten_fill
from ncz.model.tree import Variable as VariableRecord
from ncz.model.tree import base_name, variables_by_fqn
from ncz.model.types import Atomic
from ncz.text.sizes import format_size
from ncz.views import notebook

if TYPE_CHECKING:
    import xarray
    from numpy.typing import DTypeLike

    from ncz.model.data import Values
    from ncz.model.packing import Packing


class Variable(ElementOperators, Member):
    """A variable of an open dataset; it keeps the dataset open.

    ``variable[0:10, ..., ::2]`` reads these values, and no chunk that they do not touch. Values are
    as stored: neither scaled nor masked, unless the dataset was opened with ``unpack=True``. A
    notice reports this once for each variable whose values are packed or contain missing data.

    Examples
    --------
    >>> latitude = ncz.open("weather.zarr")["lat"]
    >>> latitude[1:].tolist()
    [52.5, 55.0]
    >>> latitude.attrs["units"]
    'degrees_north'
    """

    _record: VariableRecord
    _names_of_xarray = OF_ARRAYS
    _names_of_libraries = OF_VARIABLES

    @property
    def name(self) -> str:
        """The name, without its group."""
        return self._record.name

    @property
    def path(self) -> str:
        """The name with its groups: ``/group/name``."""
        return self._path

    @property
    def record(self) -> VariableRecord:
        """The record that the commands of ncz use: the netCDF type, filters and storage."""
        self._refresh()
        return self._record

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(base_name(fqn) for fqn in self.record.dimensions)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return tuple(self._handle.dimensions[fqn].size for fqn in self.record.dimensions)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values, in native byte order; object for strings."""
        return numpy_dtype(self._record.type)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._record.dimensions)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all values in memory, without the bytes of strings."""
        return self.size * self.dtype.itemsize

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Elements of a chunk along each dimension; None if the data are not in chunks."""
        return self._record.storage.chunks

    @property
    def shards(self) -> tuple[int, ...] | None:
        """Elements of a shard along each dimension; None if there are no shards."""
        return self._record.storage.shards

    @property
    def codecs(self) -> tuple[dict[str, Any], ...]:
        """The filters and the compressor as numcodecs configures them, in order of encoding."""
        return tuple(codec.to_json() for codec in self._record.storage.filters or ())

    @cached_property
    def _packing(self) -> Packing | None:
        """The rules that mask and unpack the values; None if no attribute has any."""
        names = {each.name for each in self._record.attributes}
        if self.dtype.kind not in "iuf" or names.isdisjoint((*PACKING, *MASKS)):
            return None
        from ncz.model.packing import packing_of

        return packing_of(self._record)

    @property
    def fill_value(self) -> Any:
        """The value of elements that were never written; None if it is undefined.

        The value that marks missing data, if any, is ``attrs["_FillValue"]``.
        """
        return fill_scalar(self._record.storage.fill, self._record.type)

    @speaks_python
    def __getitem__(self, index: Any) -> Any:
        """Read values.

        Parameters
        ----------
        index
            Integers, slices with any step, an ellipsis, and None for a new axis, as in numpy. A
            list of integers or booleans selects along its own axis. An array of booleans of the
            variable's shape selects elements, in one dimension. A mapping has the index of each
            dimension: ``{"time": 0}``.

        Returns
        -------
        ndarray or scalar
            A new array, or one element if every axis has an integer.

        Raises
        ------
        IndexError
            If the index does not fit the shape.
        LargeReadError
            If the values need more memory than is free. It is a `MemoryError`.
        CodecError
            If a chunk is damaged.
        ZmapError
            If the dataset is closed, or the storage fails.
        """
        self._handle.check_open()
        self._refresh()
        values = self.stored(positional(index, self.dims))
        self._report_stored(values)
        return values

    def _report_stored(self, values: Any) -> None:
        """Report once that values are as stored, if xarray would unpack or mask them."""
        told = self._handle.told
        if told is None or self._path in told:
            return
        packing = self._packing
        if packing is None:
            told.add(self._path)
            return
        is_packed = (packing.scale or 1, packing.offset or 0, packing.unsigned) != (1, 0, None)
        if not is_packed and not packing.is_masked(np.asarray(values)).any():
            return
        told.add(self._path)
        text, place = "values are as stored", f"{self.filepath()}: {self._path}"
        if is_packed:
            hint = "open it with unpack=True to unpack them, or with unpack=False"
            notice = Notice("packed-as-stored", text, place, hint)
        else:
            hint = "use ncz.open_dataset to mask missing data, or open it with unpack=False"
            notice = Notice("missing-as-stored", text, place, hint)
        self._handle.notify(notice)

    def stored(self, index: Any) -> Any:
        """Read values as ``variable[index]`` does, without a notice that they are as stored.

        Parameters
        ----------
        index
            As in ``variable[index]``.

        Returns
        -------
        ndarray or scalar
            The values.

        Raises
        ------
        IndexError
            If the index does not fit the shape.

        Examples
        --------
        >>> ncz.open("weather.zarr")["lat"].stored(slice(1, None)).tolist()
        [52.5, 55.0]
        """
        from ncz.api.large_reads import refuse_large
        from ncz.api.partial_read import read_positions

        self._handle.check_open()
        self._refresh()
        mask = divide_mask(index, self.shape)
        if mask is not None:
            lists, chosen = mask
            return self.stored(lists)[chosen]
        selection = select(index, self.shape)
        refuse_large(selection.shape, self._record.type, self.path)
        data = self._record.data
        if data is None:
            record = self._record
            values = full_array(selection.shape, record.type, unwritten_fill(record))
        else:
            try:
                values = read_positions(
                    data,
                    selection.positions,
                    self._handle.threads,
                    is_remote=self._handle.is_remote,
                )
            except Exception:
                self._handle.check_open()  # another thread may have closed it
                raise
        if self._handle.is_unpacked and values.dtype.kind == "f":
            from ncz.model.packing import packing_of

            values[packing_of(self._record).is_missing(values)] = np.nan
        viewed = values[(*selection.view, ...)]
        return viewed[()] if selection.is_scalar else viewed

    @speaks_python
    def __setitem__(self, index: Any, values: Any) -> None:
        """Write values into the store: all of them, or none.

        The dataset must have been opened with ``ncz.open(url, "r+")``. Each assignment is a
        separate change that writes the affected chunks again, so one assignment of a whole block
        costs less than many of single elements.

        Parameters
        ----------
        index
            As in ``variable[index]``. Values right behind the end of an unlimited dimension make it
            longer, as with netCDF4.
        values
            The values as stored, which are broadcast as in numpy.

        Raises
        ------
        TypeError
            If the dataset was opened to read, or an element cannot represent a value.
        IndexError
            If the index does not fit the shape.
        NczError
            If the store cannot be changed.
        """
        from ncz.api.assignment import assign
        from ncz.api.growth import is_appended

        self._handle.check_open()
        self._refresh()
        if is_appended(self, index, values):
            return
        mask = divide_mask(index, self.shape)
        if mask is not None:
            index, chosen = mask
            block = np.asarray(self.stored(index))
            block[chosen] = values
            values = block
        assign(self._handle, self.path, self._record, self.shape, index, values)

    def to_xarray(self, **options: Any) -> xarray.DataArray:
        """Return the variable with its coordinates as an `xarray.DataArray`, read lazily.

        Parameters
        ----------
        **options
            As for `xarray.open_dataset`: ``chunks={}`` for Dask, ``decode_times=False``, ...

        Returns
        -------
        xarray.DataArray
            The variable as xarray shows it: unpacked and masked, with dates.

        Raises
        ------
        ImportError
            If xarray is not installed.

        Examples
        --------
        >>> ncz.open("weather.zarr")["temperature"].to_xarray().sel(lat=50).dims
        ('time', 'lon')
        """
        import xarray

        array: xarray.DataArray = xarray.open_dataset(self, engine="ncz", **options)[self.name]
        return array

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Values:
        """Read all values, for `numpy.asarray`."""
        if copy is False:
            raise ValueError("the values must be read from the dataset; copy=False is not possible")
        values = np.asarray(self[...])
        return values if dtype is None else values.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError(f"the variable {self.path} is a scalar, which has no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __reduce__(self) -> tuple[Any, tuple[Handle, str]]:
        return _restore_variable, (self._handle, self._path)

    def __repr__(self) -> str:
        return "\n".join(notebook.variable_lines(describe_variable(self)))

    def _repr_html_(self) -> str:
        return notebook.variable_html(describe_variable(self))

    @property
    def sizes(self) -> Mapping[str, int]:
        """The length of each dimension by name."""
        return dict(zip(self.dims, self.shape, strict=True))

    @property
    def unlimited_dims(self) -> frozenset[str]:
        """The names of its unlimited dimensions."""
        dimensions = self._handle.dimensions
        return frozenset(base_name(f) for f in self._record.dimensions if dimensions[f].unlimited)


def _restore_variable(handle: Handle, path: str) -> Variable:
    return Variable(handle, dict(variables_by_fqn(handle.dataset.root))[path], path)


def describe_variable(variable: Variable) -> notebook.VariableDescription:
    """Describe a variable, for a notebook."""
    storage = []
    if variable.chunks is not None and variable.ndim:
        storage.append(("Chunks", str(variable.chunks)))
    if variable.shards is not None:
        storage.append(("Shards", str(variable.shards)))
    attributes = typed_attributes(variable.record.attributes)
    packing = [attributes.get(name) for name in ("scale_factor", "add_offset")]
    if any(each is not None for each in packing):
        scale, offset = (
            other if each is None else each for each, other in zip(packing, (1, 0), strict=True)
        )
        factors = f"value * {notebook.value_text(scale)} + {notebook.value_text(offset)}"
        storage.append(("Packed", f"{factors}; ncz.open(..., unpack=True)"))
    storage.append(("Codecs", notebook.codecs_text(variable.codecs)))
    if variable.fill_value is not None:
        storage.append(("Fill value", notebook.value_text(variable.fill_value)))
    pairs = zip(variable.dims, variable.shape, strict=True)
    return notebook.VariableDescription(
        name=variable.name,
        path=variable.path,
        shape=f"({', '.join(f'{name}: {size}' for name, size in pairs)})",
        type=_type_text(variable),
        size=format_size(variable.nbytes),
        storage=tuple(storage),
        attributes=notebook.attribute_rows(attributes),
    )


def _type_text(variable: Variable) -> str:
    """Return the name of the type: the dtype, or the netCDF type if it has no dtype."""
    nc_type = variable.record.type
    if isinstance(nc_type, Atomic):
        return nc_type.word if nc_type in (Atomic.CHAR, Atomic.STRING) else str(variable.dtype)
    return f"{type(nc_type).__name__.lower()} {nc_type.name.rpartition('/')[2]}"
