"""User-defined types in netCDF-4 files: datatypes of HDF5 that are committed, as netcdf-c has them.

Values are packed, without the padding that a compiler adds to structures.
"""

from __future__ import annotations

from typing import Any

from ncz.formats.netcdf.write_hdf5.extra import load_h5py
from ncz.formats.netcdf.write_hdf5.text import encoded, fixed_text, string_type
from ncz.model.tree import base_name
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.record import field, record


@record
class Datatypes:
    """The HDF5 datatypes of netCDF types; those that are committed by the FQN of the type."""

    committed: dict[str, Any] = field(default_factory=dict)

    def commit(self, group: Any, user_type: UserType) -> None:
        """Create a type in a group (an identifier of h5py's)."""
        made = self._make(user_type)
        made.commit(group, encoded(base_name(user_type.name)))
        self.committed[user_type.name] = made

    def of(self, nc_type: NcType) -> Any:
        """Return the datatype of a type."""
        if isinstance(nc_type, Atomic):
            return _atomic(nc_type)
        return self.committed.get(nc_type.name) or self._make(nc_type)

    def _make(self, user_type: UserType) -> Any:
        h5t = load_h5py().h5t
        match user_type:
            case Opaque(size=size):
                return h5t.create(h5t.OPAQUE, size)
            case Vlen(base=base):
                return h5t.vlen_create(self.of(base))
            case Enumeration(base=base, members=members):
                made = h5t.enum_create(self.of(base))
                for label, number in members:
                    made.enum_insert(encoded(label), number)
                return made
            case Compound(fields=fields):
                parts = [(part.name, self._of_field(part)) for part in fields]
                made = h5t.create(h5t.COMPOUND, sum(kind.get_size() for _, kind in parts))
                offset = 0
                for name, kind in parts:
                    made.insert(encoded(name), offset, kind)
                    offset += kind.get_size()
                return made

    def _of_field(self, part: Field) -> Any:
        kind = self.of(part.type)
        return load_h5py().h5t.array_create(kind, part.shape) if part.shape else kind


def _atomic(nc_type: Atomic) -> Any:
    import numpy as np

    if nc_type is Atomic.STRING:
        return string_type()
    if nc_type is Atomic.CHAR:
        return fixed_text(1)
    return load_h5py().h5t.py_create(np.dtype(nc_type.dtype).newbyteorder("<"))
