"""The common form of one variable of datasets that are joined: its type, masks, packing and times.

The form comes from the first dataset. It gets another type if the others have numbers that the type
cannot represent, a mask if only others have one, and no packing if that differs and the user wants
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.commands.joining.attributes import (
    OF_PACKED,
    OF_TIMES,
    RANGE,
    format_values,
    mask_attribute,
    of_type,
    values_of,
)
from ncz.commands.joining.conversion import converter
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers, common_type, numbers_in
from ncz.commands.joining.options import JoinOptions
from ncz.commands.joining.packing import storage_as
from ncz.errors import option
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values, dtype_of
from ncz.model.mapped_source import converted_source
from ncz.model.packing import MASKS, PACKING
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic, NcType
from ncz.record import record, replace
from ncz.text.time_conversion import are_convertible, convert_times

if TYPE_CHECKING:
    from ncz.text.times import Times

PACKING_HINT = f"use {option('unpack', True)} or {option('repack', 'short')}"


@record(kw_only=True)
class JoinKind:
    """The kind of join of the variable.

    Attributes
    ----------
    is_joined
        Whether the variable becomes longer; otherwise the first dataset's is taken.
    is_fixed
        Whether the form cannot change, because the others are appended to the first dataset.
    keeps_types
        Whether stored numbers cannot be converted to another type, because the result refers to
        them.
    """

    is_joined: bool
    is_fixed: bool = False
    keeps_types: bool = False


class VariableForm:
    """The form of one variable, and the conversions of the others to it.

    Parameters
    ----------
    fqn
        The FQN of the variable.
    variable
        The variable of the first dataset.
    numbers
        The meaning of its numbers; None without numbers.
    kind
        The kind of join.
    options
        What to do about differences.
    first
        The path or URL of the first dataset, for messages.
    """

    def __init__(
        self,
        fqn: str,
        variable: Variable,
        numbers: Numbers | None,
        kind: JoinKind,
        options: JoinOptions,
        first: str,
    ) -> None:
        self.fqn = fqn
        self.original = variable
        self.variable = variable
        """The variable in the common form, with the data of the first dataset."""
        self.numbers = numbers
        self.kind = kind
        self.moved: list[str] = []
        """The sources whose times are converted."""
        self.masked: list[str] = []
        """The sources whose masks are replaced."""
        self.types: dict[str, Atomic] = {}
        """The types that are converted, by the source that has them."""
        self.is_unpacked = False
        """Whether the packing differs, so that values are unpacked."""
        self._options = options
        self._first = first

    @property
    def keeps_masks(self) -> bool:
        """Whether masks that differ are an error."""
        return self._options.attributes == "identical"

    def match(
        self, variable: Variable, numbers: Numbers | None, name: str
    ) -> tuple[Variable, Variable]:
        """Return the form and the variable of another dataset, normalised for comparison.

        Convertible properties are as in the form. Raises `JoinError` for other differences.
        """
        if self.numbers is None or numbers is None:
            return self.variable, variable
        if self._differ_in_packing(numbers):
            if not self.kind.is_joined:
                return self.variable, variable
            self._unpack(variable, numbers, name)
            names = {*OF_PACKED, *self._match_times(numbers, name)}
        else:
            names = {*PACKING, *self._match_times(numbers, name)}
            is_typed = bool(names & {*OF_TIMES}) or self._match_types(numbers, name)
            if not is_typed and not self._are_comparable(numbers):
                return self.variable, variable
            names |= self._match_masks(variable, numbers, name)
        if self.kind.is_joined and self._options.attributes is None:
            names |= self._match_range(variable, numbers)
        form = self.variable
        attributes = [a for a in variable.attributes if a.name not in names]
        attributes += [a for a in form.attributes if a.name in names]
        if not self.kind.is_joined and self.numbers.type is not numbers.type:
            return self._comparable(variable, numbers, attributes, name)
        data = self.convert(variable, numbers, name)
        return form, replace(variable, type=form.type, attributes=tuple(attributes), data=data)

    def _match_times(self, numbers: Numbers, name: str) -> frozenset[str]:
        """Return the attributes of times if both are times, which are converted."""
        assert self.numbers is not None
        ours, theirs = self.numbers.times, numbers.times
        if ours is None or theirs is None:
            return frozenset()
        if not are_convertible(theirs, ours):
            what = f"the calendar {theirs.calendar}, but {ours.calendar}"
            if ours.calendar == theirs.calendar:
                what = "months or years from a date, but other units"
            raise JoinError(
                f"the times of {self.fqn} are in {what} in {self._first}",
                name,
                "such times cannot be converted exactly",
            )
        if ours != theirs or self.numbers.type is not numbers.type:
            self.moved.append(name)
        return frozenset(OF_TIMES)

    def hold_times(self, times: Times, units: str, nc_type: Atomic) -> None:
        """Let the form have times in other units and of another type.

        Bounds without units have their coordinate's units.
        """
        form = self.variable
        attributes = tuple(
            replace(a, type=Atomic.CHAR, values=(units,), original=None) if a.name == "units" else a
            for a in self._recast(nc_type).attributes
        )
        self._set(replace(form, attributes=attributes), nc_type, times)

    def _differ_in_packing(self, numbers: Numbers) -> bool:
        ours = self.numbers
        assert ours is not None
        is_packed = ours.is_packed or numbers.is_packed
        differ = ours.factors != numbers.factors or (is_packed and ours.differ_in_times(numbers))
        return self.is_unpacked or differ

    def _unpack(self, variable: Variable, numbers: Numbers, name: str) -> None:
        """Let the common form be unpacked, because the packing differs."""
        ours, form = self.numbers, self.variable
        assert ours is not None
        if not (self._options.unpack or self._options.repack):
            pairs = [(n, values_of(variable, n), values_of(form, n)) for n in (*PACKING, *OF_TIMES)]
            which, found, expected = next(p for p in pairs if repr(p[1]) != repr(p[2]))
            raise JoinError(
                f"attribute {which} of {self.fqn} is {format_values(found) or 'missing'}, but"
                f" {format_values(expected) or 'missing'} in {self._first}",
                name,
                PACKING_HINT,
            )
        self.is_unpacked = True
        if self.kind.is_fixed:
            if ours.is_packed and self._options.repack != ours.type.word:
                raise JoinError(
                    f"{self.fqn} is packed as {ours.type.word} in {self._first}, which stays",
                    name,
                    f"use {option('repack', ours.type.word)}",
                )
            return
        types = {ours.unpacked_type, numbers.unpacked_type}
        atomic = Atomic.DOUBLE if Atomic.DOUBLE in types or ours.times else Atomic.FLOAT
        self.pack_as(atomic, [mask_attribute(atomic)])

    def pack_as(self, atomic: Atomic, attributes: list[Attribute]) -> None:
        """Give the variable a type, with these attributes instead of its packing's."""
        form = self.original
        attributes += [a for a in form.attributes if a.name not in OF_PACKED]
        self._set(replace(form, attributes=tuple(attributes), type=self.variable.type), atomic)

    def _match_types(self, numbers: Numbers, name: str) -> bool:
        """Return whether the form contains the numbers; it is changed to do so if it can be."""
        ours = self.numbers
        assert ours is not None
        if (ours.type, ours.read_as) == (numbers.type, numbers.read_as):
            return True
        if ours.is_bool and numbers.is_bool:
            return True
        if self.kind.keeps_types or not self.kind.is_joined:
            return False
        wanted = common_type(ours.read_as, numbers.read_as)
        if wanted is None or (self.kind.is_fixed and wanted is not ours.read_as):
            return False
        self.types[name] = numbers.type
        if wanted is not ours.read_as:
            self._set(self._recast(wanted), wanted)
        return True

    def _recast(self, nc_type: Atomic) -> Variable:
        """Return the form whose attributes are of another type, which has the same numbers."""
        ours, form = self.numbers, self.variable
        assert ours is not None
        attributes = tuple(
            of_type(a, ours.type, ours.read_as, nc_type)
            for a in form.attributes
            if a.name != "_Unsigned"
        )
        return replace(form, attributes=attributes)

    def _are_comparable(self, numbers: Numbers) -> bool:
        """Return whether the values of a variable that is not joined can be compared."""
        ours = self.numbers
        assert ours is not None
        is_joined = self.kind.is_joined or self.kind.keeps_types
        return not is_joined and common_type(ours.read_as, numbers.read_as) is not None

    def _comparable(
        self, variable: Variable, numbers: Numbers, attributes: list[Attribute], name: str
    ) -> tuple[Variable, Variable]:
        """Return the form and another variable, with values to be compared in one type.

        Floats and doubles are the same if they are equal as floats.
        """
        ours = self.numbers
        assert ours is not None
        wanted = common_type(ours.read_as, numbers.read_as)
        if ours.type.is_floating and numbers.type.is_floating:
            wanted = Atomic.FLOAT
        assert wanted is not None
        self.types[name] = numbers.type
        found = []
        for one, own in ((self.variable, ours), (variable, numbers)):
            change = _as_type(own, wanted)
            data = one.data and converted_source(one.data, wanted, change)
            found.append(replace(one, type=wanted, data=data))
        kept = [of_type(a, numbers.type, numbers.read_as, ours.type) for a in attributes]
        return (
            replace(found[0], attributes=self.variable.attributes),
            replace(found[1], attributes=tuple(kept)),
        )

    def _match_masks(self, variable: Variable, numbers: Numbers, name: str) -> set[str]:
        """Return the attributes of masks, unless masks that differ are an error."""
        ours = self.numbers
        assert ours is not None
        if ours.mask_set == numbers.mask_set or {*ours.mask_set, *numbers.mask_set} == {"nan"}:
            return {*MASKS}
        if self._options.attributes == "identical":
            return set()
        can_adopt = self.kind.is_joined and not self.kind.is_fixed
        if ours.fill is None and can_adopt and numbers.fill is not None:
            self._adopt(variable, numbers)
        self.masked.append(name)
        return {*MASKS}

    def _adopt(self, variable: Variable, numbers: Numbers) -> None:
        """Give the form, whose numbers have no masks, the masks of another variable."""
        ours, form = self.numbers, self.variable
        assert ours is not None
        masks = [
            of_type(a, numbers.type, numbers.read_as, ours.type)
            for a in variable.attributes
            if a.name in MASKS
        ]
        attributes = (*(a for a in form.attributes if a.name not in MASKS), *masks)
        self._set(replace(form, attributes=attributes), ours.type)

    def _match_range(self, variable: Variable, numbers: Numbers) -> set[str]:
        """Widen the range of the form by the range of another variable, if both have one."""
        ours, theirs = (_range_of(one) for one in (self.variable, variable))
        assert self.numbers is not None
        if ours is None or theirs is None or ours == theirs:
            return set()
        if self.numbers.differ_in_times(numbers):
            try:
                theirs = _in_units(theirs, numbers, self.numbers)
            except ValueError:
                return set()
        low, high = min(ours[0], theirs[0]), max(ours[1], theirs[1])
        attributes = tuple(
            replace(a, values=(low, high), type=_type_of((low, high), a), original=None)
            if a.name == RANGE
            else a
            for a in self.variable.attributes
        )
        self.variable = replace(self.variable, attributes=attributes)
        return {RANGE}

    def _set(self, form: Variable, nc_type: Atomic, times: Times | None = None) -> None:
        assert self.numbers is not None
        if nc_type is not form.type:
            form = replace(form, type=nc_type, storage=storage_as(form.storage, nc_type))
        self.variable = form
        self.numbers = numbers_in(form, times or self.numbers.times)

    def convert(self, variable: Variable, numbers: Numbers, name: str) -> ChunkSource | None:
        """Return the data of a variable as the numbers of the form."""
        assert self.numbers is not None
        convert = None if variable.data is None else converter(numbers, self.numbers)
        if variable.data is None or convert is None:
            return variable.data

        def change(values: Values) -> Values:
            assert convert is not None
            try:
                return convert(values)
            except JoinError as error:
                hint = error.hint
                if hint is None and self.kind.is_fixed:
                    hint = f"join with {option('concat')} to a new store"
                raise JoinError(f"{self.fqn}: {error.message}", name, hint) from None

        return converted_source(variable.data, self.numbers.type, change)

    def conform(self, variable: Variable, numbers: Numbers | None, name: str) -> Variable:
        """Return a variable that was matched, or the first dataset's, in the form."""
        form = self.variable
        if numbers is None or self.numbers is None or not self.kind.is_joined:
            return replace(variable, attributes=form.attributes)
        data = self.convert(variable, numbers, name)
        if data is variable.data and variable.type == form.type:
            return replace(variable, attributes=form.attributes)
        return replace(form, data=data)


def _range_of(variable: Variable) -> tuple[float, float] | None:
    """Return the least and the largest value that an attribute states; None if none does."""
    values = values_of(variable, RANGE)
    if len(values) != 2 or not all(isinstance(v, (int, float)) and v == v for v in values):
        return None
    return min(values), max(values)


def _in_units(limits: tuple[float, float], theirs: Numbers, ours: Numbers) -> tuple[float, float]:
    """Return limits of times in the units of others. Raises ValueError if they do not fit."""
    assert ours.times is not None
    assert theirs.times is not None
    low, high = convert_times(np.array(limits, "f8"), theirs.times, ours.times, "f8").tolist()
    return low, high


def _type_of(values: tuple[float, float], attribute: Attribute) -> NcType:
    """Return the type of an attribute; a double if it cannot have the values."""
    nc_type = attribute.type
    is_whole = isinstance(nc_type, Atomic) and nc_type.is_integer
    return Atomic.DOUBLE if is_whole and any(v != v // 1 for v in values) else nc_type


def _as_type(numbers: Numbers, nc_type: Atomic) -> Callable[[Values], Values]:
    """Return a function that gives stored numbers the nearest ones of another type."""
    missing_value = math.nan if nc_type.is_floating else nc_type.default_fill

    def change(values: Values) -> Values:
        with np.errstate(over="ignore"):
            result: Values = numbers.packing.to_signed(values).astype(dtype_of(nc_type))
        missing = numbers.missing(values)
        if missing is not None:
            result = result.copy()
            result[missing] = missing_value
        return result

    return change
