"""A variable of an open dataset, read by indexing like a numpy array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.api.array.indexing import masked, select
from ncz.api.array.values import fill_scalar, filled, numpy_dtype
from ncz.api.dataset.attributes import plain_attributes
from ncz.api.dataset.handle import Handle
from ncz.api.options import speaks_python
from ncz.model.slabs import fill_of_unwritten
from ncz.model.tree import Variable as VariableRecord
from ncz.model.tree import base_name

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike

    from ncz.model.data import Values


class Variable:
    """A variable of an open dataset; it keeps the dataset open.

    ``variable[0:10, ..., ::2]`` reads these values, and no chunk that they do not touch. Values are
    as stored: neither scaled nor masked.
    """

    def __init__(self, handle: Handle, record: VariableRecord, path: str) -> None:
        self._handle = handle
        self._record = record
        self._path = path

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
        return self._record

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions."""
        return tuple(base_name(fqn) for fqn in self._record.dimensions)

    @cached_property
    def attrs(self) -> dict[str, Any]:
        """The attributes as plain Python values: `str`, `int`, `float`, and lists of them.

        They cannot be changed. Their types are in ``record.attributes``.
        """
        return plain_attributes(self._record.attributes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each dimension."""
        return tuple(self._handle.dimensions[fqn].size for fqn in self._record.dimensions)

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
        """Bytes of all values in memory, without those of strings."""
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

    @property
    def fill_value(self) -> Any:
        """The value of elements that were never written; None if it is undefined.

        The value that marks missing data, if there is one, is ``attrs["_FillValue"]``.
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
            variable's shape selects elements, in one dimension.

        Returns
        -------
        ndarray or scalar
            A new array, or one element if every axis has an integer.

        Raises
        ------
        IndexError
            If the index does not fit the shape.
        CodecError
            If a chunk is damaged.
        ZmapError
            If the dataset is closed, or the storage fails.
        """
        from ncz.api.array.reading import read_positions

        self._handle.check_open()
        mask = masked(index, self.shape)
        if mask is not None:
            lists, chosen = mask
            return self[lists][chosen]
        selection = select(index, self.shape)
        data = self._record.data
        if data is None:
            record = self._record
            values = filled(selection.shape, record.type, fill_of_unwritten(record))
        else:
            try:
                values = read_positions(
                    data,
                    selection.positions,
                    self._handle.threads,
                    is_remote=self._handle.is_remote,
                )
            except Exception:
                self._handle.check_open()  # another thread may have closed it meanwhile
                raise
        viewed = values[(*selection.view, ...)]
        return viewed[()] if selection.is_scalar else viewed

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Values:
        """Read all values, for `numpy.asarray`."""
        import numpy as np

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
        return _restore, (self._handle, self._path)

    def __repr__(self) -> str:
        from ncz.api.dataset.text_repr import variable_text

        return variable_text(self)

    def _repr_html_(self) -> str:
        from ncz.api.dataset.html_repr import variable_html

        return variable_html(self)

    @property
    def sizes(self) -> Mapping[str, int]:
        """The length of each dimension by name."""
        return dict(zip(self.dims, self.shape, strict=True))

    @property
    def source(self) -> str:
        """The path or URL of the dataset, without secrets."""
        return self._handle.location.display

    @property
    def unlimited_dims(self) -> frozenset[str]:
        """The names of its unlimited dimensions."""
        known = self._handle.dimensions
        return frozenset(base_name(f) for f in self._record.dimensions if known[f].unlimited)


def _restore(handle: Handle, path: str) -> Variable:
    from ncz.model.tree import variables_by_fqn

    return Variable(handle, dict(variables_by_fqn(handle.dataset.root))[path], path)
