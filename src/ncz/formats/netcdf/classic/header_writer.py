"""The header of a new file of a classic format, as bytes."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.formats.netcdf.classic.header import ATTRIBUTE, DIMENSION, LETTERS, TYPES, VARIABLE
from ncz.model.tree import Attribute, Dataset, Dimension
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.formats.netcdf.classic.layout import ClassicArray


TYPE_CODES = {nc_type: number for number, nc_type in TYPES.items()}
"""The numbers of the types (``nc_type``)."""


class HeaderWriter:
    """The parts of a header, for one version of the format: 1, 2 or 5."""

    def __init__(self, version: int) -> None:
        self.version = version
        self._number = ">q" if version == 5 else ">I"
        self._offset = ">I" if version == 1 else ">q"

    def encode(
        self,
        dataset: Dataset,
        arrays: Sequence[ClassicArray],
        begins: Mapping[str, int],
        records: int,
    ) -> bytes:
        """Return the header.

        Parameters
        ----------
        dataset
            What to write.
        arrays
            Its variables.
        begins
            The offset of the values of each variable, by its FQN.
        records
            Number of records.
        """
        root = dataset.root
        numbers = {f"/{d.name}": number for number, d in enumerate(root.dimensions)}
        return b"".join(
            [
                b"CDF" + bytes([self.version]),
                self.number(records),
                self._list(DIMENSION, [self._dimension(d) for d in root.dimensions]),
                self._attributes(root.attributes),
                self._list(VARIABLE, [self._variable(a, numbers, begins) for a in arrays]),
            ]
        )

    def number(self, value: int) -> bytes:
        """Return a number that is not negative."""
        return struct.pack(self._number, value)

    def _list(self, tag: int, parts: Sequence[bytes]) -> bytes:
        tag_of = tag if parts else 0
        return b"".join([struct.pack(">i", tag_of), self.number(len(parts)), *parts])

    def _name(self, name: str) -> bytes:
        data = name.encode("utf-8", "surrogateescape")
        return self.number(len(data)) + _pad(data)

    def _dimension(self, dimension: Dimension) -> bytes:
        return self._name(dimension.name) + self.number(
            0 if dimension.unlimited else dimension.size
        )

    def _attributes(self, attributes: Sequence[Attribute]) -> bytes:
        return self._list(ATTRIBUTE, [self._attribute(attribute) for attribute in attributes])

    def _attribute(self, attribute: Attribute) -> bytes:
        assert isinstance(attribute.type, Atomic)
        if attribute.type is Atomic.CHAR:
            data = "".join(attribute.values).encode("utf-8", "surrogateescape")
            count = len(data)
        else:
            count = len(attribute.values)
            data = struct.pack(f">{count}{LETTERS[attribute.type]}", *attribute.values)
        code = struct.pack(">i", TYPE_CODES[attribute.type])
        return self._name(attribute.name) + code + self.number(count) + _pad(data)

    def _variable(
        self, array: ClassicArray, numbers: Mapping[str, int], begins: Mapping[str, int]
    ) -> bytes:
        variable = array.variable
        # A size that is too large is not used by readers, who compute it.
        largest = 2**63 - 1 if self.version == 5 else 2**32 - 1
        return b"".join(
            [
                self._name(variable.name),
                self.number(len(variable.dimensions)),
                *(self.number(numbers[fqn]) for fqn in variable.dimensions),
                self._attributes(variable.attributes),
                struct.pack(">i", TYPE_CODES[array.type]),
                self.number(min(array.padded_size, largest)),
                struct.pack(self._offset, begins[array.fqn]),
            ]
        )


def _pad(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
