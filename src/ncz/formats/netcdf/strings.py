"""Variables of strings as char.

In kinds of files without strings, a variable gets one more dimension, as long as its longest
string in UTF-8, as xarray writes it. Texts of one byte, ``|S1`` in pure Zarr, are char in every
kind of file: xarray writes them for char and reads them as char, joined along their last
dimension.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.errors import Notice, Notify, named_notice
from ncz.formats.netcdf.losses import loss_notice
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import ChunkGrid, Grid, Index, IrregularGrid
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.sparse_source import chunks_of
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Variable,
    each_variable,
    join,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record, replace

_ENCODING = "_Encoding"
_MASK = "_FillValue"


def strings_as_chars(dataset: Dataset, kind: NetcdfKind) -> tuple[Dataset, tuple[Notice, ...]]:
    """Return a dataset without groups whose string variables are char, and the losses.

    All strings are read, to find the longest of each variable.
    """
    root = dataset.root
    if not any(variable.type is Atomic.STRING for variable in root.variables):
        return dataset, ()
    dimensions = {dimension.name: dimension for dimension in root.dimensions}
    variables: list[Variable] = []
    changed: list[str] = []
    for variable in root.variables:
        if variable.type is Atomic.STRING:
            changed.append(join("", variable.name))
            length = 1 if variable.data is None else longest_text(variable.data)
            name = _name_of(length, dimensions)
            dimensions[name] = Dimension(name=name, size=length)
            variable = chars_of(variable, join("", name), length)
        variables.append(variable)
    new = replace(root, dimensions=tuple(dimensions.values()), variables=tuple(variables))
    return replace(dataset, root=new), (
        loss_notice("string-as-char", "strings become char", kind, changed),
    )


def without_encodings(dataset: Dataset, notify: Notify) -> Dataset:
    """Return a dataset of pure Zarr whose strings do not name UTF-8 as the encoding of their bytes.

    xarray writes ``_Encoding`` for bytes of a fixed length, and opens no strings that have it.
    """
    if not dataset.provenance.is_pure_zarr:
        return dataset
    found = [fqn for fqn, variable in variables_by_fqn(dataset.root) if _names_utf_8(variable)]
    text = f"{_ENCODING} is left out, because strings of netCDF are UTF-8"
    for notice in named_notice("attribute-left-out", text, found):
        notify(notice)
    return each_variable(dataset, lambda _, v: _without_encoding(v) if _names_utf_8(v) else v)


def _names_utf_8(variable: Variable) -> bool:
    encoding = variable.text(_ENCODING).lower().replace("_", "-")
    return variable.type is Atomic.STRING and encoding in ("utf-8", "utf8", "ascii")


def _without_encoding(variable: Variable) -> Variable:
    attributes = tuple(a for a in variable.attributes if a.name != _ENCODING)
    return replace(variable, attributes=attributes)


def bytes_as_chars(dataset: Dataset) -> Dataset:
    """Return a dataset whose texts of one byte in pure Zarr are char."""
    if not dataset.provenance.is_pure_zarr:
        return dataset
    return each_variable(dataset, lambda _, v: _bytes_as_char(v) if v.holds_bytes else v)


def _bytes_as_char(variable: Variable) -> Variable:
    attributes = (
        replace(a, type=Atomic.CHAR, values=(_text(a.values[0]) or "\0",), original=None)
        if a.name == _MASK
        else a
        for a in variable.attributes
    )
    return replace(
        variable,
        type=Atomic.CHAR,
        attributes=tuple(attributes),
        data=None if variable.data is None else BytesAsChars(variable.data),
        storage=replace(variable.storage, fill=None, string_length=None),
    )


def _name_of(length: int, known: dict[str, Dimension]) -> str:
    """Return the name of a dimension of that length, which may exist."""
    name = f"string{length}"
    while name in known and (known[name].size != length or known[name].unlimited):
        name += "_"
    return name


def chars_of(variable: Variable, dimension: str, length: int) -> Variable:
    """Return a variable of strings as one of char, with one more dimension of that length."""
    storage = variable.storage
    attributes = [a for a in variable.attributes if a.name != _MASK]  # char has single bytes
    if all(attribute.name != _ENCODING for attribute in attributes):
        attributes.append(Attribute(name=_ENCODING, type=Atomic.CHAR, values=("utf-8",)))
    return replace(
        variable,
        type=Atomic.CHAR,
        dimensions=(*variable.dimensions, dimension),
        attributes=tuple(attributes),
        data=None if variable.data is None else StringsAsChars(variable.data, length),
        storage=replace(
            storage,
            chunks=None if storage.chunks is None else (*storage.chunks, length),
            shards=None,
            fill=None,
            string_length=None,
        ),
    )


def _encode(values: Sequence[str | None]) -> list[bytes]:
    return [(value or "").encode("utf-8", "surrogateescape") for value in values]


def longest_text(source: ChunkSource) -> int:
    """Return the bytes of the longest string; at least 1."""
    longest = len(_encode([_text(source.fill)])[0])
    for values in chunks_of(source):
        texts = _encode(values.reshape(-1).tolist())
        longest = max(longest, max(map(len, texts), default=0))
    return max(1, longest)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


@record
class BytesAsChars(ChunkSource):
    """A `ncz.model.data.ChunkSource` of texts of one byte; an empty one is NUL."""

    source: ChunkSource

    type = Atomic.CHAR

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        return self.source.grid

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return None

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values:
        """Return the bytes of a chunk; the fill value if it is missing."""
        shape = self.grid.box(index).shape
        values = self.source.chunk(index)
        if values is None:
            return np.full(shape, _encode([_text(self.source.fill)])[0], "S1")
        return np.array(_encode(values.reshape(-1).tolist()), "S1").reshape(shape)


@record
class StringsAsChars(ChunkSource):
    """A `ncz.model.data.ChunkSource` of the bytes of strings, padded with NUL to `length`."""

    source: ChunkSource
    length: int

    type = Atomic.CHAR

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks, with the bytes of a string as the last axis."""
        grid = self.source.grid
        if isinstance(grid, IrregularGrid):
            return IrregularGrid((*grid.borders, (0, self.length)))
        return ChunkGrid((*grid.shape, self.length), (*grid.chunks, self.length))

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return None

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values:
        """Return the bytes of a chunk's strings; missing strings are the fill value."""
        shape = self.grid.box(index).shape
        values = self.source.chunk(index[:-1])
        if values is None:
            texts = _encode([_text(self.source.fill)]) * int(np.prod(shape[:-1], dtype=np.int64))
        else:
            texts = _encode(values.reshape(-1).tolist())
        return np.array(texts, f"S{self.length}").view("S1").reshape(shape)
