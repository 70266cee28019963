"""Limits of types, which could exhaust the memory or the stack of a reader."""

from __future__ import annotations

import math

from ncz.model.types import Compound, NcType, Opaque, UserType, Vlen
from ncz.record import field, record

_MAX_DEPTH = 50
"""Levels of types within types."""
_MAX_SIZE = 1 << 24
"""Bytes of an opaque value, and elements of a compound, of all its array fields."""
_MAX_FIELDS = 1 << 14
"""Fields of a compound, including fields of nested compounds."""


@record
class _Measure:
    """The size of a type. A vlen is one element, because its values can be empty."""

    depth: int = 0
    elements: int = 1
    fields: int = 1


@record
class TypeLimits:
    """Checks the types of one dataset, each after the types that it consists of.

    The facts of a type are kept by its FQN. Without this, the time would grow exponentially with
    the depth of types.
    """

    _measures: dict[str, _Measure] = field(default_factory=dict)

    def fault(self, user_type: UserType) -> str | None:
        """Return a short reason that a type cannot be used; None if it can."""
        measure = self._measure(user_type)
        self._measures[user_type.name] = measure
        if measure.depth > _MAX_DEPTH:
            return "types are nested too deeply"
        if measure.elements > _MAX_SIZE:
            kind = "opaque" if isinstance(user_type, Opaque) else "compound"
            return f"this {kind} type is too large"
        if measure.fields > _MAX_FIELDS:
            return f"this compound type has more than {_MAX_FIELDS} fields"
        return None

    def _measure(self, user_type: UserType) -> _Measure:
        match user_type:
            case Opaque(size=size):
                return _Measure(elements=size)
            case Vlen(base=base):
                return _Measure(depth=1 + self._measure_of(base).depth)
            case Compound(fields=fields):
                parts = [(self._measure_of(part.type), math.prod(part.shape)) for part in fields]
                return _Measure(
                    depth=1 + max(measure.depth for measure, _ in parts),
                    elements=sum(count * measure.elements for measure, count in parts),
                    fields=sum(measure.fields for measure, _ in parts),
                )
            case _:
                return _Measure()

    def _measure_of(self, nc_type: NcType) -> _Measure:
        return self._measures.get(getattr(nc_type, "name", ""), _Measure())
