"""User-defined types in netCDF-4 files: datatypes of HDF5 that are committed, as netcdf-c has them.

Values are packed, without the padding that a compiler adds to structures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError
from ncz.formats.netcdf.write_hdf5.extra import load_h5py
from ncz.formats.netcdf.write_hdf5.text import encoded, fixed_text, string_type
from ncz.model.tree import base_name
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen
from ncz.model.user_types.arrays import pack
from ncz.model.user_types.sizes import fixed_size
from ncz.record import field, record

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.model.types import UserType


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

    def write_attribute(
        self, target: Any, name: str, values: Sequence[Value], nc_type: UserType
    ) -> None:
        """Write an attribute of a user-defined type to an HDF5 group or dataset."""
        h5py = load_h5py()
        kind = self.of(nc_type)
        count = len(values)
        space = h5py.h5s.create_simple((count,)) if count else h5py.h5s.create(h5py.h5s.NULL)
        made = h5py.h5a.create(target, encoded(name), kind, space)
        if count:
            try:
                made.write(pack(values, nc_type, kind.dtype), kind if fixed_size(nc_type) else None)
            except TypeError as error:  # h5py converts no vlens of structures within structures
                raise FormatError(
                    f"h5py cannot convert attribute {name}: {error}", hint="write Zarr instead"
                ) from error


def objects(values: Values, nc_type: UserType, kind: Any) -> Values:
    """Return values of variable size in the form that h5py writes to a datatype."""
    return pack(values.reshape(-1).tolist(), nc_type, kind.dtype).reshape(values.shape)


def _atomic(nc_type: Atomic) -> Any:
    import numpy as np

    if nc_type is Atomic.STRING:
        return string_type()
    if nc_type is Atomic.CHAR:
        return fixed_text(1)
    return load_h5py().h5t.py_create(np.dtype(nc_type.dtype).newbyteorder("<"))
