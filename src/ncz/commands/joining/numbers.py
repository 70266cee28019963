"""The meaning of the stored numbers of a variable, and their conversion to another's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.model.data import Values
from ncz.model.packing import Packing, packing_of
from ncz.model.tree import Group, Variable, join, walk
from ncz.model.types import NOT_A_TIME, Atomic, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.text.times import Times


@record(kw_only=True)
class Numbers:
    """The meaning of the stored numbers of a variable.

    Attributes
    ----------
    type
        The type of the stored numbers.
    packing
        The masks, the factor and the offset, and the signs.
    times
        The units of times; None if the numbers are not times.
    is_bool
        Whether the numbers 0 and 1 are truth values of xarray.
    """

    type: Atomic
    packing: Packing = Packing()
    times: Times | None = None
    is_bool: bool = False

    @property
    def factors(self) -> tuple[float, float]:
        """The factor and the offset; 1 and 0 of numbers that are not packed."""
        scale, offset = self.packing.scale, self.packing.offset
        return 1.0 if scale is None else scale, 0.0 if offset is None else offset

    @property
    def is_packed(self) -> bool:
        """Whether a factor or an offset changes the numbers."""
        return self.factors != (1.0, 0.0)

    @property
    def read_as(self) -> Atomic:
        """The type with the signs that ``_Unsigned`` gives the numbers."""
        if self.packing.unsigned is True and self.type.kind == "i":
            return _OF_KIND["u", self.type.size]
        if self.packing.unsigned is False and self.type.kind == "u":
            return _OF_KIND["i", self.type.size]
        return self.type

    @property
    def mask_set(self) -> frozenset[str]:
        """The masks; NaN is equal to itself."""
        masks = {repr(mask) for mask in self.packing.masks}
        return frozenset(masks | ({repr(NOT_A_TIME)} if self._has_not_a_time else set()))

    @property
    def _has_not_a_time(self) -> bool:
        return self.packing.has_nat and self.type is Atomic.INT64

    @property
    def fill(self) -> Value:
        """The number that marks missing data; None if none exists."""
        for mask in self.packing.masks:
            if self.type.is_floating or self._has(mask):
                return mask if self.type.is_floating else int(mask)
        if self._has_not_a_time:
            return NOT_A_TIME
        return math.nan if self.type.is_floating else None

    def _has(self, number: float) -> bool:
        low, high = self.type.limits
        return number == number // 1 and low <= number <= high

    @property
    def unpacked_type(self) -> Atomic:
        """The type that represents the unpacked numbers."""
        single = self.packing.factor_type is Atomic.FLOAT and self.type.size <= 2
        if not self.packing.is_packed:
            single = self.type is Atomic.FLOAT or self.type.size <= 2
        return Atomic.FLOAT if single else Atomic.DOUBLE

    def differ_in_times(self, other: Numbers) -> bool:
        """Return whether both are times, in other units."""
        return None not in (self.times, other.times) and self.times != other.times

    def missing(self, values: Values) -> Values | None:
        """Return which numbers are missing data; None if none is."""
        found = self.packing.is_missing(values)
        return found if found.any() else None

    def unpack(self, values: Values) -> Values:
        """Return numbers that are not missing, unpacked as double."""
        scale, offset = self.factors
        return self.packing.to_signed(values).astype("f8") * scale + offset


_OF_KIND = {(each.kind, each.size): each for each in Atomic if each.kind in "iuf"}


def numbers_of(root: Group) -> dict[str, Numbers]:
    """Return the meaning of the numbers of each variable, by FQN; texts are left out."""
    from ncz.text.time_variables import find_times

    found = {}
    for path, group in walk(root):
        times = find_times(group, " ")
        for variable in group.variables:
            numbers = numbers_in(variable, times.get(variable.name))
            if numbers is not None:
                found[join(path, variable.name)] = numbers
    return found


def numbers_in(variable: Variable, times: Times | None) -> Numbers | None:
    """Return the meaning of the numbers of a variable; None if it has no numbers."""
    nc_type = variable.type
    if not isinstance(nc_type, Atomic) or nc_type.kind not in "iuf":
        return None
    is_bool = variable.text("dtype") == "bool" and nc_type.size == 1
    return Numbers(type=nc_type, packing=packing_of(variable), times=times, is_bool=is_bool)


def common_type(one: Atomic, other: Atomic) -> Atomic | None:
    """Return the smallest type that represents the numbers of two types; None if none exists.

    It is a double for 64-bit integers with floating-point numbers, as in numpy.
    """
    if one is other:
        return one
    if one.is_floating or other.is_floating:
        sizes = [each.size if each.is_floating else 2 * each.size for each in (one, other)]
        return Atomic.FLOAT if max(sizes) <= 4 else Atomic.DOUBLE
    low = min(one.limits[0], other.limits[0])
    high = max(one.limits[1], other.limits[1])
    for atomic in sorted(_OF_KIND.values(), key=lambda each: (each.size, each.kind)):
        if not atomic.is_floating and atomic.limits[0] <= low and high <= atomic.limits[1]:
            return atomic
    return None
