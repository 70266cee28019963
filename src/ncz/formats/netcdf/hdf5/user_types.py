"""The user-defined types of a netCDF-4 file: its committed datatypes.

As in netCDF-C, a datatype is that of the first committed one that equals it, because the types of
fields and of items do not say where they are declared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import Notice, Notify
from ncz.formats.netcdf.hdf5.types import read_type
from ncz.formats.netcdf.hdf5.walk import GroupNode, address_of
from ncz.model.tree import parent
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, UserType, Vlen
from ncz.model.user_types.limits import TypeLimits
from ncz.record import field, record

if TYPE_CHECKING:
    from h5py.h5t import TypeID


_LARGEST_MEMBER = 2**63 - 1


@record
class CommittedTypes:
    """The types of a file, in the order of their declaration."""

    types: list[tuple[TypeID, UserType]] = field(default_factory=list)

    def of_group(self, fqn: str) -> tuple[UserType, ...]:
        """Return the types that a group declares."""
        return tuple(made for _, made in self.types if parent(made.name) == fqn)

    def find(self, datatype: TypeID) -> UserType | None:
        """Return the type of a datatype; None if the file does not declare it."""
        equal = [(known, made) for known, made in self.types if datatype.equal(known)]
        if len(equal) > 1 and datatype.committed():
            address = address_of(datatype)
            equal.sort(key=lambda pair: address_of(pair[0]) != address)
        return equal[0][1] if equal else None


def read_types(root: GroupNode, url: str, notify: Notify) -> CommittedTypes:
    """Return the types of a file; one that netCDF does not have is left out, with a notice."""
    found = CommittedTypes()
    limits = TypeLimits()
    for group in root.walk():
        for node in group.types:
            made = _read(node.id, node.fqn, found)
            fault = "netCDF has no such type" if made is None else limits.fault(made)
            if made is None or fault is not None:
                text = f"type {node.fqn}: {fault}; the type is left out"
                notify(Notice("type-left-out", text, f"{url}: {node.fqn}", lost=True))
            else:
                found.types.append((node.id, made))
    return found


def _read(datatype: TypeID, fqn: str, known: CommittedTypes) -> UserType | None:
    from h5py import h5t

    kind = datatype.get_class()
    if kind == h5t.OPAQUE:
        return Opaque(name=fqn, size=datatype.get_size())
    if kind == h5t.VLEN:
        base = _inner(datatype.get_super(), known)
        return None if base is None else Vlen(name=fqn, base=base)
    if kind == h5t.ENUM:
        return _read_enumeration(datatype, fqn)
    if kind == h5t.COMPOUND:
        fields = [_read_field(datatype, n, known) for n in range(datatype.get_nmembers())]
        whole = tuple(part for part in fields if part is not None)
        return Compound(name=fqn, fields=whole) if whole and len(whole) == len(fields) else None
    return None


def _read_enumeration(datatype: TypeID, fqn: str) -> Enumeration | None:
    base = read_type(datatype.get_super())
    if base is None or not isinstance(base.type, Atomic) or not base.type.is_integer:
        return None
    members = []
    for number in range(datatype.get_nmembers()):
        value = int(datatype.get_member_value(number))
        if base.type is Atomic.UINT64 and value >= _LARGEST_MEMBER:
            return None  # h5py does not tell larger values from this one
        members.append((_text(datatype.get_member_name(number)), value))
    return Enumeration(name=fqn, base=base.type, members=tuple(members)) if members else None


def _read_field(datatype: TypeID, number: int, known: CommittedTypes) -> Field | None:
    from h5py import h5t

    shape: tuple[int, ...] = ()
    inner = datatype.get_member_type(number)
    if inner.get_class() == h5t.ARRAY:
        shape, inner = tuple(inner.get_array_dims()), inner.get_super()
    nc_type = _inner(inner, known)
    if nc_type is None:
        return None
    return Field(name=_text(datatype.get_member_name(number)), type=nc_type, shape=shape)


def _inner(datatype: TypeID, known: CommittedTypes) -> NcType | None:
    made = known.find(datatype)
    if made is not None:
        return made
    plain = read_type(datatype)
    return None if plain is None or plain.length is not None else plain.type


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
