"""Attributes of variables on OPeNDAP servers: additions of servers, and values of other types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.model.tree import Attribute
from ncz.model.types import Atomic, NcType
from ncz.record import replace

CHUNK_SIZES = "_ChunkSizes"
"""The attribute that names the chunks of a netCDF-4 file on a server."""

_OF_SERVERS = frozenset(
    {
        CHUNK_SIZES, "_NCProperties", "_DAP4_Checksum_CRC32", "_DAP4_Little_Endian", "_dap4.ce",
        "_edu.ucar.maps", "_edu.ucar.isunlimited", "_edu.ucar.orig_name", "_edu.ucar.opaque.size",
    }
)  # fmt: skip


def without_those_of_servers(attributes: Iterable[Attribute]) -> Iterator[Attribute]:
    """Yield attributes, except the ones that servers add about storage and transfer."""
    return (attribute for attribute in attributes if attribute.name not in _OF_SERVERS)


def chunk_sizes(attributes: Iterable[Attribute], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the chunk shape that a server names; None if it names none that fits."""
    found = next((a.values for a in attributes if a.name == CHUNK_SIZES), ())
    is_valid = len(found) == len(shape) and all(isinstance(n, int) and n > 0 for n in found)
    return tuple(found) if shape and is_valid else None


def fit_attributes(attributes: Iterable[Attribute], nc_type: NcType) -> tuple[Attribute, ...]:
    """Return the attributes of a variable, with a mask that has the type of the variable."""
    return tuple(
        _fit_mask(attribute, nc_type) if attribute.name == "_FillValue" else attribute
        for attribute in attributes
    )


def _fit_mask(mask: Attribute, nc_type: NcType) -> Attribute:
    """Return a mask in another type, if that has the value."""
    if mask.type == nc_type or not isinstance(nc_type, Atomic) or len(mask.values) != 1:
        return mask
    value = mask.values[0]
    if nc_type is Atomic.STRING and isinstance(value, str):
        return replace(mask, type=nc_type)
    if isinstance(value, str) or nc_type in (Atomic.STRING, Atomic.CHAR):
        return mask
    if nc_type.is_floating:
        return replace(mask, type=nc_type, values=(float(value),))
    least, most = nc_type.limits
    if value == value // 1 and least <= value <= most:
        return replace(mask, type=nc_type, values=(int(value),))
    return mask


def with_signed_bytes(attributes: Iterable[Attribute]) -> Iterator[Attribute]:
    """Yield attributes; unsigned bytes become signed ones of the same bits."""
    for attribute in attributes:
        if attribute.type is Atomic.UBYTE:
            values = tuple((value + 128) % 256 - 128 for value in attribute.values)
            yield replace(attribute, type=Atomic.BYTE, values=values)
        else:
            yield attribute
