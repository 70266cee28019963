"""Chunkspecs: lengths of chunks or shards by dimension, or of one variable, as nccopy's -c."""

from __future__ import annotations

import re

from ncz.commands.names import OptionError, hint_for, is_named, named
from ncz.model.tree import Group, Variable, base_name, dimensions_by_fqn
from ncz.record import record

_DIMENSION_LENGTH = re.compile(r"(.*)/(\d*)")

WHOLE = 0
"""The length that stands for a whole dimension."""


@record
class Chunkspec:
    """One chunkspec; without lengths and variable, it means whole variables.

    `option` is the option that has it, as messages name it.
    """

    option: str
    lengths: dict[str, int]
    variable: str | None = None
    of_variable: tuple[int, ...] = ()

    @staticmethod
    def parse(spec: str, root: Group, option: str = "-c") -> Chunkspec:
        """Parse ``dim/length,dim/,...``, ``var:length,...`` or ``/``. Raises `OptionError`."""
        if spec == "/":
            return Chunkspec(option, {})
        name, colon, tail = spec.rpartition(":")
        if colon and re.fullmatch(r"[\d,]*", tail):
            named(root, (name,))
            numbers = [n for n in tail.split(",") if n]
            lengths = tuple(_length(n, option, spec) for n in numbers)
            return Chunkspec(option, {}, name, lengths)
        known = dimensions_by_fqn(root)
        by_dimension: dict[str, int] = {}
        for part in spec.split(","):
            match = _DIMENSION_LENGTH.fullmatch(part)
            if match is None:
                raise OptionError(
                    f"{option} {spec!r} is not a valid chunkspec",
                    hint="write dim/length,dim/,... or var:length,...",
                )
            if not any(_names_dimension(match[1], fqn) for fqn in known):
                raise OptionError(
                    f"{option} {spec!r}: no dimension is named {match[1]!r}",
                    hint=hint_for(match[1], known),
                )
            by_dimension[match[1]] = _length(match[2], option, spec) if match[2] else WHOLE
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
                    f" {rank} dimensions"
                )
            return self.of_variable or (WHOLE,) * rank
        if not self.lengths:
            return (WHOLE,) * rank
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
