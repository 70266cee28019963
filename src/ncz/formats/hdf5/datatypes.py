"""User-defined types in netCDF-4 files: committed datatypes of HDF5, as in netcdf-c.

Values are packed, without the padding that a compiler adds to structures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ncz.errors import FormatError
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.text_types import encode_name, fixed_text, string_type
from ncz.model.tree import base_name
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.record import field, record


@record
class Datatypes:
    """The HDF5 datatypes of netCDF types; committed ones by the FQN of the type."""

    committed: dict[str, Any] = field(default_factory=dict)

    def commit(self, group: Any, user_type: UserType) -> None:
        """Create a type in a group (an identifier of h5py's). Raises `FormatError`."""
        h5py, name = load_h5py(), encode_name(base_name(user_type.name))
        # h5py cannot commit a type without the time, but its oldest form and copies lack the time.
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_fapl_core(1 << 12, False)
        access.set_libver_bounds(h5py.h5f.LIBVER_EARLIEST, h5py.h5f.LIBVER_LATEST)
        old = h5py.h5f.create(b"type", fapl=access)
        try:
            self._make(user_type).commit(old, b"type")
            h5py.h5f.flush(old)
            h5py.h5o.copy(old, b"type", group, name)
        except KeyError as error:
            reason = f"HDF5 cannot create the type: {error.args[0]}"
            hint = "a type with its names can have 64 kB; write a Zarr store, which has no limit"
            raise FormatError(reason, user_type.name, hint) from None
        finally:
            old.close()
        self.committed[user_type.name] = h5py.h5t.open(group, name)

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
                datatype = h5t.enum_create(self.of(base))
                is_large = any(number >= 2**63 for _, number in members)
                for place, (label, number) in enumerate(members):
                    datatype.enum_insert(encode_name(label), place if is_large else number)
                if not is_large:
                    return datatype
                # h5py does not take these numbers. They are the end of an encoded type.
                numbers = b"".join(number.to_bytes(8, "little") for _, number in members)
                return h5t.decode(datatype.encode()[: -len(numbers)] + numbers)
            case Compound(fields=fields):
                parts = [(part.name, self._of_field(part)) for part in fields]
                datatype = h5t.create(h5t.COMPOUND, sum(kind.get_size() for _, kind in parts))
                offset = 0
                for name, kind in parts:
                    datatype.insert(encode_name(name), offset, kind)
                    offset += kind.get_size()
                return datatype

    def _of_field(self, part: Field) -> Any:
        kind = self.of(part.type)
        return load_h5py().h5t.array_create(kind, part.shape) if part.shape else kind


def _atomic(nc_type: Atomic) -> Any:
    if nc_type is Atomic.STRING:
        return string_type()
    if nc_type is Atomic.CHAR:
        return fixed_text(1)
    return load_h5py().h5t.py_create(np.dtype(nc_type.dtype).newbyteorder("<"))
