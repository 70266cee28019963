"""Chunkspecs: lengths of chunks or shards by dimension, or of one variable, as nccopy's -c.

As in nccopy, ``//`` is the same as ``/``, which shells of Windows take for a path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import SupportsIndex

from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.variable_names import hint_for, is_named, variables_of_names
from ncz.errors import option, quantity
from ncz.model.tree import (
    Group,
    StorageClass,
    Variable,
    base_name,
    dimensions_by_fqn,
    variables_by_fqn,
)
from ncz.record import field, record

_LENGTH = r"[0-9]{1,18}"
_DIMENSION_LENGTH = re.compile(rf"(.*)/(|{_LENGTH}|-1|all)|([^/]+)=({_LENGTH}|-1|all)")
"""A length as nccopy writes it, or as xarray's users do."""

_NAMED = rf"[^/=,: ]+[:=](?:{_LENGTH}|-1)"
"""The same for one of several dimensions."""

_WHOLE = ("", "-1", "all")
"""The lengths that mean a whole dimension."""

WHOLE = 0
"""The length that means a whole dimension."""

_STORAGE_CLASSES: dict[str, StorageClass] = {
    name: name for name in ("contiguous", "compact", "chunked")
}


CHUNKS = option("chunks")
_SIZE = option("chunk_size", "10MB")


@record
class ChunkSpec:
    """Lengths of chunks or shards, by dimension or of one variable; without both, whole variables.

    `lengths` without a variable apply to all variables with as many dimensions.

    `by_dimension` and `lengths` have `WHOLE` for a whole dimension. `storage_class` is the
    requested class of HDF5: variables without chunks are contiguous.
    """

    by_dimension: Mapping[str, int] = field(default_factory=dict)
    variable: str | None = None
    lengths: tuple[int, ...] = ()
    storage_class: StorageClass = "chunked"

    def __str__(self) -> str:
        """Return the text that `parse_chunkspec` parses."""
        if self.variable is not None:
            is_plain = self.lengths or self.storage_class != "chunked"
            lengths = ",".join(map(str, self.lengths))
            return f"{self.variable}:{lengths or (self.storage_class if is_plain else '')}"
        if not self.by_dimension:
            return ",".join(map(str, self.lengths)) or "/"
        parts = (f"{name}/{length or ''}" for name, length in self.by_dimension.items())
        return ",".join(parts)

    def check(self, root: Group, option: str = CHUNKS) -> None:
        """Raise `OptionError` if it names a variable or a dimension that does not exist."""
        if self.variable is not None:
            variables_of_names(root, (self.variable,))
        elif self.lengths and len(self.lengths) not in {
            len(variable.dimensions) for _, variable in variables_by_fqn(root)
        }:
            raise OptionError(
                f"{option} {str(self)!r}: no variable has {len(self.lengths)} dimensions",
                hint="write dim/length,dim/length,...",
            )
        known = dimensions_by_fqn(root)
        for dimension in self.by_dimension:
            if not any(_names_dimension(dimension, fqn) for fqn in known):
                raise UnknownName(
                    f"{option} {str(self)!r}: no dimension is named {dimension!r}",
                    hint=hint_for(dimension, known),
                )

    def lengths_of(
        self, fqn: str, variable: Variable, option: str = CHUNKS
    ) -> tuple[int | None, ...] | None:
        """Return the length along each dimension of a variable, None for a dimension without one.

        Returns None for a variable that the chunkspec does not apply to. Raises `OptionError`.
        """
        rank = len(variable.dimensions)
        if self.variable is not None:
            if not is_named(fqn, self.variable):
                return None
            if self.lengths and len(self.lengths) != rank:
                raise OptionError(
                    f"{option} gives {len(self.lengths)} lengths for {fqn}, which has"
                    f" {quantity(rank, 'dimension')}"
                )
            return self.lengths or (WHOLE,) * rank
        if self.lengths:
            return self.lengths if len(self.lengths) == rank else None
        if not self.by_dimension:
            return (WHOLE,) * rank
        if variable.dimensions == (fqn,):
            return None  # a coordinate in many chunks would be slow to read
        found = tuple(
            next((n for name, n in self.by_dimension.items() if _names_dimension(name, fqn)), None)
            for fqn in variable.dimensions
        )
        return None if all(length is None for length in found) else found

    def chunks(
        self,
        fqn: str,
        variable: Variable,
        shape: tuple[int, ...],
        chunks: tuple[int, ...] | None,
        grows: tuple[bool, ...],
    ) -> tuple[int, ...] | None:
        """Return the new chunk shape of a variable whose present one is `chunks`.

        Along an unlimited dimension, one that `grows`, a chunk may exceed the present length.
        """
        lengths = self.lengths_of(fqn, variable)
        if lengths is None:
            return chunks
        whole = tuple(max(1, n) for n in shape)
        is_exact = self.variable is not None
        return tuple(
            old if n is None else full if n == WHOLE else n if grow or is_exact else min(n, full)
            for n, old, full, grow in zip(lengths, chunks or whole, whole, grows, strict=True)
        )


def _names_dimension(name: str, fqn: str) -> bool:
    return fqn == name or fqn == f"/{name}" or base_name(fqn) == name


def parse_chunkspec(spec: str, option: str = CHUNKS) -> ChunkSpec:
    """Parse ``dim/length,dim/,...``, ``var:length,...``, ``var:contiguous``, or ``/`` for all.

    ``1,5,6`` is a shape, for the variables with three dimensions. Raises `OptionError`, which names
    the `option`.
    """
    if spec in ("/", "//", "all", "none", "contiguous"):
        return ChunkSpec(storage_class="contiguous")
    if spec[:1] == "{":  # as in Python and JSON
        spec = re.sub(r"[{}\"'\s]", "", spec.replace("null", "-1").replace("None", "-1"))
        spec = spec.replace(":", "/")
    if re.fullmatch(rf"{_NAMED}(?:, *{_NAMED})+", spec):  # several dimensions, as in xarray
        spec = spec.replace(":", "/").replace(" ", "")
    shape_of_one = re.fullmatch(rf"([^/=,:]+)=({_LENGTH}(?:,{_LENGTH})+)", spec)
    if shape_of_one is not None:
        spec = f"{shape_of_one[1]}:{shape_of_one[2]}"
    name, colon, tail = spec.rpartition(":")
    tail = tail.strip()
    if colon and tail.lower() in _STORAGE_CLASSES:
        return ChunkSpec(variable=name, storage_class=_STORAGE_CLASSES[tail.lower()])
    if colon and re.fullmatch(rf"(?:{_LENGTH})?(?:,(?:{_LENGTH})?)*", tail):
        lengths = tuple(_checked_length(int(n), option, spec) for n in tail.split(",") if n)
        storage_class: StorageClass = "chunked" if lengths else "contiguous"
        return ChunkSpec(variable=name, lengths=lengths, storage_class=storage_class)
    if shape := re.fullmatch(rf"[(\[]?({_LENGTH}(?:[,x] *{_LENGTH})+)[)\]]?", spec.strip()):
        numbers = re.findall(_LENGTH, shape[1])
        return ChunkSpec(lengths=tuple(_checked_length(int(n), option, spec) for n in numbers))
    by_dimension: dict[str, int] = {}
    for part in spec.split(","):
        match = _DIMENSION_LENGTH.fullmatch(part)
        if match is None:
            raise OptionError(
                f"{option} {spec!r} is not a valid chunkspec",
                hint="write dim/length,dim/,..., var:length,... or var:contiguous; or give the size"
                f" of a chunk, {_SIZE}",
            )
        dimension, length = match[3] or match[1], match[4] or match[2]
        is_whole = length in _WHOLE
        by_dimension[dimension] = WHOLE if is_whole else _checked_length(int(length), option, spec)
    return ChunkSpec(by_dimension)


ChunkLengths = str | Mapping[str, int | None] | Sequence[str | ChunkSpec] | Sequence[int]
"""The lengths of chunks as texts, by dimension, as chunkspecs, or as a shape."""


def chunkspecs_of(lengths: ChunkLengths) -> tuple[ChunkSpec, ...]:
    """Return the lengths of chunks from texts or a mapping. Raises `OptionError`."""
    if isinstance(lengths, Mapping):
        return (chunkspec_of(lengths),) if lengths else ()
    if lengths and all(isinstance(one, int) for one in lengths):  # a shape, as in zarr-python
        return (parse_chunkspec(",".join(map(str, lengths))),)
    return tuple(
        parse_chunkspec(str(one)) if isinstance(one, (str, int)) else one
        for one in ((lengths,) if isinstance(lengths, str) else lengths)
    )


def chunkspec_of(lengths: Mapping[str, int | None], option: str = CHUNKS) -> ChunkSpec:
    """Return the chunkspec of lengths by dimension; -1 and None mean a whole dimension.

    Raises `OptionError` if a length is not valid.
    """
    return ChunkSpec(
        {
            name: WHOLE
            if length in (-1, None)
            else _checked_length(length, option, f"{name}/{length}")
            for name, length in lengths.items()
        }
    )


def _checked_length(length: object, option: str, spec: str) -> int:
    """Return the length of a chunk. Raises `OptionError` if it is not one."""
    if not isinstance(length, SupportsIndex) or not 0 < length.__index__() < 2**31:
        raise OptionError(f"{option} {spec!r}: {length} is not a valid chunk length")
    return length.__index__()
