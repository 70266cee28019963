"""Units and a type of times that represent the times of all joined datasets."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ncz.commands.joining.conversion import converter
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.forms import VariableForm
from ncz.commands.joining.numbers import Numbers, numbers_of
from ncz.model.data import Values, read_all
from ncz.model.links import links
from ncz.model.packing import Packing
from ncz.model.tree import Dataset, Group, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.text.time_units import parse_times, reference_date

if TYPE_CHECKING:
    from ncz.model.data import ChunkSource
    from ncz.text.times import Times

_WORDS = ("days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds")

_MOST_READ = 1 << 22
"""Limit of the times that are read to find common units; more keep the first units."""


@record
class _Choice:
    """Units, and a type for each variable, that may contain all times."""

    times: Times
    units: str
    types: Mapping[str, Atomic]


class _StoredTimes:
    """The times of a variable in one dataset, which are read once."""

    def __init__(self, fqn: str, numbers: Numbers, data: ChunkSource) -> None:
        self.fqn = fqn
        self.numbers = numbers
        self.data = data

    @cached_property
    def values(self) -> Values:
        """The stored numbers."""
        return read_all(self.data)

    def fits(self, choice: _Choice, form: Numbers) -> bool:
        """Return whether the times can be represented after changing the form."""
        nc_type = choice.types[self.fqn]
        packing = form.packing if nc_type is form.type else Packing(has_nat=True)
        wanted = replace(form, type=nc_type, packing=packing, times=choice.times)
        convert = converter(self.numbers, wanted)
        try:
            if convert is not None:
                convert(self.values)
        except JoinError:
            return False
        return True


def refine_times(
    forms: Mapping[str, VariableForm], moved: Collection[str], datasets: Sequence[Dataset]
) -> list[str]:
    """Give forms of times other units or another type, if they cannot represent all times.

    Parameters
    ----------
    forms
        The forms of all variables; some of them are changed.
    moved
        The FQNs of the variables whose times are converted.
    datasets
        All datasets.

    Returns
    -------
    list of str
        The FQNs of the variables whose forms were changed.
    """
    changed = []
    stored = _stored_times(forms, datasets)
    for fqns in _coordinates_with_bounds(datasets[0].root, forms):
        own = [each for fqn in sorted(fqns) for each in stored.get(fqn, ())]
        size = sum(math.prod(each.data.grid.shape) for each in own)
        if not fqns & {*moved} or size > _MOST_READ:
            continue
        choice = next((c for c in _choices(forms, fqns, own) if _holds_all(c, forms, own)), None)
        for fqn in sorted(fqns) if choice is not None else ():
            numbers = forms[fqn].numbers
            assert numbers is not None
            assert choice is not None
            if (numbers.times, numbers.type) != (choice.times, choice.types[fqn]):
                forms[fqn].hold_times(choice.times, choice.units, choice.types[fqn])
                changed.append(fqn)
    return changed


def _stored_times(
    forms: Mapping[str, VariableForm], datasets: Sequence[Dataset]
) -> dict[str, list[_StoredTimes]]:
    """Return the joined times of all datasets by their FQN."""
    found: dict[str, list[_StoredTimes]] = {}
    for dataset in datasets:
        numbers = numbers_of(dataset.root)
        for fqn, variable in variables_by_fqn(dataset.root):
            is_time = fqn in numbers and numbers[fqn].times is not None
            if is_time and forms[fqn].kind.is_joined and variable.data is not None:
                found.setdefault(fqn, []).append(_StoredTimes(fqn, numbers[fqn], variable.data))
    return found


def _coordinates_with_bounds(
    root: Group, forms: Mapping[str, VariableForm]
) -> Iterator[frozenset[str]]:
    """Yield the FQNs of each variable of joined times and its bounds, which have its units."""
    times = {
        fqn
        for fqn, form in forms.items()
        if form.kind.is_joined and form.numbers is not None and form.numbers.times is not None
    }
    bounds: dict[str, str] = {}
    for link in links(root):
        if link.meaning == "bounds" and link.target in times and link.source in times:
            bounds.setdefault(link.target, link.source)
    for fqn in sorted(times - bounds.keys()):
        yield frozenset({fqn, *(each for each, owner in bounds.items() if owner == fqn)})


def _choices(
    forms: Mapping[str, VariableForm], fqns: frozenset[str], stored: Sequence[_StoredTimes]
) -> Iterator[_Choice]:
    """Yield the units and types of the forms, those units as double, and then finer units."""
    owner = next(iter(sorted(fqns, key=lambda f: not forms[f].variable.text("units"))))
    form = forms[owner]
    assert form.numbers is not None
    times, units = form.numbers.times, form.variable.text("units")
    assert times is not None
    now = {f: numbers.type for f in fqns if (numbers := forms[f].numbers) is not None}
    yield _Choice(times, units, now)
    if any(each.numbers.type.is_floating for each in stored):
        yield _Choice(times, units, dict.fromkeys(fqns, Atomic.DOUBLE))
    if times.in_months:
        return
    for word in _WORDS:
        finer = f"{word} since {reference_date(units)}"
        found = parse_times(finer, times.calendar, times.separator)
        if found is not None and found.step <= times.step:
            if form.numbers.type.size <= Atomic.INT.size:  # which every kind of file has
                yield _Choice(found, finer, dict.fromkeys(fqns, Atomic.INT))
            yield _Choice(found, finer, dict.fromkeys(fqns, Atomic.INT64))


def _holds_all(
    choice: _Choice, forms: Mapping[str, VariableForm], stored: Sequence[_StoredTimes]
) -> bool:
    for each in stored:
        form = forms[each.fqn].numbers
        assert form is not None
        if not each.fits(choice, form):
            return False
    return True
