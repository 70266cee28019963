"""The header of a file of a classic format, as bytes."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from ncz.formats.netcdf.write_classic.layout import ClassicArray
from ncz.model.tree import Attribute, Dataset, Dimension
from ncz.model.types import Atomic

_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12

TYPE_CODES = {
    Atomic.BYTE: 1,
    Atomic.CHAR: 2,
    Atomic.SHORT: 3,
    Atomic.INT: 4,
    Atomic.FLOAT: 5,
    Atomic.DOUBLE: 6,
    Atomic.UBYTE: 7,
    Atomic.USHORT: 8,
    Atomic.UINT: 9,
    Atomic.INT64: 10,
    Atomic.UINT64: 11,
}
"""The numbers of the types (``nc_type``)."""

_FORMATS = {
    Atomic.BYTE: "b", Atomic.SHORT: "h", Atomic.INT: "i", Atomic.FLOAT: "f", Atomic.DOUBLE: "d",
    Atomic.UBYTE: "B", Atomic.USHORT: "H", Atomic.UINT: "I", Atomic.INT64: "q",
    Atomic.UINT64: "Q",
}  # fmt: skip


class Header:
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
                self._list(_DIMENSIONS, [self._dimension(d) for d in root.dimensions]),
                self._attributes(root.attributes),
                self._list(_VARIABLES, [self._variable(a, numbers, begins) for a in arrays]),
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
        return self.number(len(data)) + _padded(data)

    def _dimension(self, dimension: Dimension) -> bytes:
        return self._name(dimension.name) + self.number(
            0 if dimension.unlimited else dimension.size
        )

    def _attributes(self, attributes: Sequence[Attribute]) -> bytes:
        return self._list(_ATTRIBUTES, [self._attribute(attribute) for attribute in attributes])

    def _attribute(self, attribute: Attribute) -> bytes:
        assert isinstance(attribute.type, Atomic)
        if attribute.type is Atomic.CHAR:
            data = "".join(attribute.values).encode("utf-8", "surrogateescape")
            count = len(data)
        else:
            count = len(attribute.values)
            data = struct.pack(f">{count}{_FORMATS[attribute.type]}", *attribute.values)
        code = struct.pack(">i", TYPE_CODES[attribute.type])
        return self._name(attribute.name) + code + self.number(count) + _padded(data)

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


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
