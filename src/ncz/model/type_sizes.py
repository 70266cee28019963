"""The bytes of a value of any type."""

from __future__ import annotations

import math

from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, Vlen


def fixed_size(nc_type: NcType) -> int:
    """Return the bytes of one value, packed; 0 if values differ in size or have references."""
    match nc_type:
        case Atomic():
            return nc_type.size
        case Opaque(size=size):
            return size
        case Enumeration(base=base):
            return base.size
        case Vlen():
            return 0
        case Compound(fields=fields):
            sizes = [math.prod(field.shape) * fixed_size(field.type) for field in fields]
            return sum(sizes) if all(sizes) else 0
