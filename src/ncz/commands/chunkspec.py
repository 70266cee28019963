"""Chunkspecs: lengths of chunks or shards by dimension, or of one variable, as nccopy's -c.

As there, ``//`` is the same as ``/``: shells of Windows take the latter for a path.
"""

from __future__ import annotations

import re

from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.variable_names import hint_for, is_named, named
from ncz.errors import counted, option
from ncz.model.tree import Group, StorageClass, Variable, base_name, dimensions_by_fqn
from ncz.record import record

_DIMENSION_LENGTH = re.compile(r"(.*)/(\d*)|([^/]+)=(\d+)")
"""A length as nccopy writes it, or as xarray's users do."""

WHOLE = 0
"""The length that stands for a whole dimension."""

_STORAGE_CLASSES: dict[str, StorageClass] = {
    name: name for name in ("contiguous", "compact", "chunked")
}


CHUNKS = option("chunks")


@record
class Chunkspec:
    """One chunkspec; without lengths and variable, it means whole variables.

    `option` is the option that has it, as messages name it. `storage_class` is the class of HDF5
    that it asks for: variables without chunks are contiguous.
    """

    option: str
    lengths: dict[str, int]
    variable: str | None = None
    of_variable: tuple[int, ...] = ()
    storage_class: StorageClass = "chunked"

    @staticmethod
    def parse(spec: str, root: Group, option: str = CHUNKS) -> Chunkspec:
        """Parse ``dim/length,dim/,...``, ``var:length,...``, ``var:contiguous`` or ``/``.

        Raises `OptionError`.
        """
        if spec in ("/", "//"):
            return Chunkspec(option, {}, storage_class="contiguous")
        name, colon, tail = spec.rpartition(":")
        tail = tail.strip()
        if colon and tail.lower() in _STORAGE_CLASSES:
            named(root, (name,))
            return Chunkspec(option, {}, name, storage_class=_STORAGE_CLASSES[tail.lower()])
        if colon and re.fullmatch(r"[\d,]*", tail):
            named(root, (name,))
            numbers = [n for n in tail.split(",") if n]
            lengths = tuple(_length(n, option, spec) for n in numbers)
            storage_class: StorageClass = "chunked" if lengths else "contiguous"
            return Chunkspec(option, {}, name, lengths, storage_class)
        known = dimensions_by_fqn(root)
        by_dimension: dict[str, int] = {}
        for part in spec.split(","):
            match = _DIMENSION_LENGTH.fullmatch(part)
            if match is None:
                raise OptionError(
                    f"{option} {spec!r} is not a valid chunkspec",
                    hint="write dim/length,dim/,..., var:length,... or var:contiguous",
                )
            dimension, length = match[3] or match[1], match[4] or match[2]
            if not any(_names_dimension(dimension, fqn) for fqn in known):
                raise UnknownName(
                    f"{option} {spec!r}: no dimension is named {dimension!r}",
                    hint=hint_for(dimension, known),
                )
            by_dimension[dimension] = _length(length, option, spec) if length else WHOLE
        return Chunkspec(option, by_dimension)

    def lengths_of(self, fqn: str, variable: Variable) -> tuple[int | None, ...] | None:
        """Return the length along each dimension of a variable, None where it is not given.

        Returns None for a variable that the chunkspec does not mean. Raises `OptionError`.
        """
        rank = len(variable.dimensions)
        if self.variable is not None:
            if not is_named(fqn, self.variable):
                return None
            if self.of_variable and len(self.of_variable) != rank:
                raise OptionError(
                    f"{self.option} gives {len(self.of_variable)} lengths for {fqn}, which has"
                    f" {counted(rank, 'dimension')}"
                )
            return self.of_variable or (WHOLE,) * rank
        if not self.lengths:
            return (WHOLE,) * rank
        if variable.dimensions == (fqn,):
            return None  # a coordinate in many chunks would be slow to read
        found = tuple(
            next((n for name, n in self.lengths.items() if _names_dimension(name, fqn)), None)
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


def _length(text: str, option: str, spec: str) -> int:
    if not 0 < int(text) < 2**31:
        raise OptionError(f"{option} {spec!r}: {text} is not a valid chunk length")
    return int(text)
