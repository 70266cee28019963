"""One variable of xarray as a variable of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from ncz.errors import LossError, Notice, Notify
from ncz.formats.netcdf.strings import chars_of, longest_text
from ncz.formats.xarray.attributes import TYPES, attributes_of, typed_values
from ncz.formats.xarray.codecs import filters_of
from ncz.formats.xarray.values import XarrayValues
from ncz.model.flat_blocks import row_chunks
from ncz.model.grid import Shape
from ncz.model.quantization import ATTRIBUTES, Quantization
from ncz.model.tree import Attribute, Dimension, Endianness, Storage, Variable, join
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Value
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.xarray.coders import EncodedVariable


class VariableReader:
    """The conversion of one encoded variable."""

    def __init__(
        self,
        encoded: EncodedVariable,
        fqn: str,
        group: str,
        known: Mapping[str, str],
        dimensions: dict[str, Dimension],
        notify: Notify,
    ) -> None:
        self.encoded = encoded
        self.fqn = fqn
        self.group = group
        self.known = known
        self.dimensions = dimensions
        self.notify = notify
        self.encoding = encoded.head.encoding
        self.dtype: np.dtype[Any] = encoded.head.dtype
        self.type = self._type()

    def _type(self) -> NcType:
        kind, size = self.dtype.kind, self.dtype.itemsize
        metadata: Mapping[str, Any] = self.dtype.metadata or {}
        if kind in "iu" and isinstance(metadata.get("enum"), Mapping):
            name = str(metadata.get("enum_name") or f"{self.fqn.rpartition('/')[2]}_t")
            members = tuple((str(k), int(v)) for k, v in metadata["enum"].items())
            return Enumeration(name=join(self.group, name), base=TYPES[kind, size], members=members)
        if kind in "OUT":
            return Atomic.STRING
        if kind == "S":
            return Atomic.CHAR
        if kind == "c" and size in (8, 16):
            part = Atomic.FLOAT if size == 8 else Atomic.DOUBLE
            fields = tuple(Field(name=name, type=part) for name in ("r", "i"))
            return Compound(name=f"{self.fqn}_t", fields=fields)
        if (kind, size) not in TYPES:
            raise LossError(
                f"values of the dtype {self.dtype} cannot be stored",
                self.fqn,
                "convert the variable with astype, or leave it out with drop_vars",
            )
        return TYPES[kind, size]

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
            attributes=attributes_of(self.encoded.head.attrs, self.fqn, self.type),
            storage=self._storage(shape, length),
            data=data.rechunk(data.natural or row_chunks(shape)),
        )
        if self.type is Atomic.STRING and self.encoding.get("dtype") == "S1":
            return self._as_chars(result)
        return result

    def _as_chars(self, variable: Variable) -> Variable:
        """Return a variable of strings as one of char, as the encoding requires."""
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
        """Return the storage of the variable, from the encodings of all engines of xarray."""
        encoding = self.encoding
        order = self.dtype.byteorder
        endianness: Endianness | None = "big" if order == ">" else None
        if encoding.get("endian") in ("little", "big"):
            endianness = encoding["endian"]
        quantize = None
        digits = encoding.get("significant_digits")
        algorithm = encoding.get("quantize_mode", "BitGroom")  # as in netCDF4
        if algorithm in ATTRIBUTES and digits:
            quantize = Quantization(algorithm=algorithm, digits=int(digits))
        fill: Value = None
        if encoding.get("fill_value") is not None and isinstance(self.type, Atomic):
            fill = typed_values(encoding["fill_value"], self.type, self.fqn, "fill_value")[0]
        chunks = _chunks(encoding, shape, length, self._grows())
        shards = _lengths(encoding.get("shards"), shape, length)
        if chunks is not None and self._replaces(chunks, shards, shape, length):
            chunks = shards = None
        return Storage(
            chunks=chunks,
            shards=shards,
            endianness=endianness,
            filters=filters_of(encoding, fixed_size(self.type), self.fqn),
            fill=fill,
            quantize=quantize,
        )

    def _replaces(
        self, chunks: Shape, shards: Shape | None, shape: Shape, length: int | None
    ) -> bool:
        """Return whether the chunks of Dask replace the chunks of the file or store that was read.

        As in `Dataset.to_zarr`, chunks of a netCDF file are always replaced, and chunks of a store
        stay if chunks of Dask are made of whole ones, which a notice says. Chunks that the encoding
        got afterwards stay, too.
        """
        values = self.encoded.values
        if values.chunks is None:
            return False
        preferred = self.encoding.get("preferred_chunks") or {}
        opened = tuple(preferred.get(dim) for dim in values.dims)
        rank, unit = len(values.dims), shards or chunks
        dask = _natural_chunks(values, self.encoding, length)
        if opened not in (chunks[:rank], unit[:rank]) or dask is None:
            return False
        sizes = [*zip(dask, unit, shape, strict=True)]
        if all(own == min(n, size) for own, n, size in sizes):
            return False
        has_whole = all(own % n == 0 or own >= size for own, n, size in sizes)
        if "chunks" not in self.encoding or not has_whole:
            return True
        lengths = {str(dim): n for dim, n in zip(values.dims, dask, strict=False)}
        self.notify(
            Notice(
                "dask-chunks-ignored",
                f"the chunks stay {_shape(unit[:rank])}, not {_shape(dask[:rank])} as in Dask",
                self.fqn,
                f"use chunks={lengths}",
            )
        )
        return False

    def _grows(self) -> bool:
        names = {str(dim) for dim in self.encoded.values.dims}
        return any(d.unlimited for d in self.dimensions.values() if d.name in names)


def _shape(lengths: Shape) -> str:
    return "x".join(map(str, lengths))


def _natural_chunks(
    variable: xarray.Variable, encoding: Mapping[str, Any], length: int | None
) -> Shape | None:
    """Return the blocks that make computing or reading values cheapest."""
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
    """Return the lengths of chunks or shards that fit the axes, also the axis of chars."""
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
    """Return the chunk shape of the encoding.

    As in `Dataset.to_netcdf`, the encoding of a file is not used for a part of its variable.
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
