"""The variable with the coordinates that a selection by value refers to.

It is the coordinate variable of the dimension, or an auxiliary coordinate over it: one that
attributes name as such (CF Conventions, chapter 5), or one of dates, as ``XTIME`` and ``Times`` of
WRF are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ncz.commands.coordinate_roles import dimension_by_role
from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.subsets.date_parts import DATE_PARTS
from ncz.commands.subsets.limits import are_numbers, may_be_dates
from ncz.commands.subsets.spelling import text_of
from ncz.commands.variable_names import is_named
from ncz.errors import did_you_mean, either, list_names, option, quantity
from ncz.model.links import links
from ncz.model.selection import Between, ByValue
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.text.time_variables import times_of

_LONGEST = 1 << 27
"""Values of the longest coordinate that is read."""


@record(kw_only=True)
class Coordinate:
    """A variable whose values select indices of a dimension.

    `dimension` and `fqn` are the FQNs of the dimension and of the variable, and `group` is the
    variable's group. `is_auxiliary` is true if it is not the coordinate variable of the dimension.
    `part` is the part of dates that is compared, such as "month"; "" for whole values.
    """

    dimension: str
    fqn: str
    group: Group
    variable: Variable
    is_auxiliary: bool
    part: str = ""


def coordinates_named(dataset: Dataset, name: str, value: ByValue, text: str) -> list[Coordinate]:
    """Return the coordinates that a name means: of a dimension, or of a variable over one.

    Parameters
    ----------
    dataset
        The dataset.
    name
        An FQN, or the name of dimensions or variables in any group.
    value
        The selected value.
    text
        The whole selection, for messages.

    Raises
    ------
    OptionError
        If nothing has the name, or no coordinate of a dimension fits the value.
    """
    known = dimensions_by_fqn(dataset.root)
    fqns = [fqn for fqn, d in known.items() if name in (fqn, d.name)]
    if fqns:
        return [_of_dimension(dataset, fqn, value, text) for fqn in fqns]
    candidates = [*_candidates(dataset)]
    found = [each for each in candidates if is_named(each.fqn, name)]
    if found:
        return found
    whole, _, part = name.rpartition(".")
    if whole and part in DATE_PARTS:
        date = Between("2000", None, "2000:")
        return [replace(c, part=part) for c in coordinates_named(dataset, whole, date, text)]
    if name in DATE_PARTS and dimension_by_role(dataset, "time") != name and not whole:
        return coordinates_named(dataset, f"time.{name}", value, text)
    variables = dict(variables_by_fqn(dataset.root))
    others = [fqn for fqn in variables if is_named(fqn, name)]
    if others:
        rank = len(variables[others[0]].dimensions)
        raise OptionError(
            f"{text!r}: {others[0]} has {quantity(rank, 'dimension')}, and a coordinate has one",
            hint=f"select by index: {option('isel')}",
        )
    other = dimension_by_role(dataset, name)
    if other is not None:
        return coordinates_named(dataset, other, value, text)
    names = list_names(sorted({d.name for d in known.values()})) or "none"
    raise UnknownName(
        f"no dimension or coordinate is named {name!r}",
        hint=did_you_mean(
            name,
            [*(d.name for d in known.values()), *(base_name(each.fqn) for each in candidates)],
            f"the dimensions are {names}",
        ),
    )


def _candidates(dataset: Dataset) -> Iterator[Coordinate]:
    """Yield all variables of numbers or texts along one dimension."""
    lengths = dimensions_by_fqn(dataset.root)
    for path, group in walk(dataset.root):
        for variable in group.variables:
            is_char = variable.type is Atomic.CHAR
            own, rest = variable.dimensions[:1], variable.dimensions[1:]
            if (
                own
                and len(rest) <= is_char  # the length of the texts
                and (variable.has_numbers or is_char or variable.type is Atomic.STRING)
                and variable.data is not None
                and math.prod(shape_of(variable, lengths)) <= _LONGEST
            ):
                fqn = join(path, variable.name)
                yield Coordinate(
                    dimension=own[0],
                    fqn=fqn,
                    group=group,
                    variable=variable,
                    is_auxiliary=own[0] != fqn,
                )


def _of_dimension(dataset: Dataset, fqn: str, value: ByValue, text: str) -> Coordinate:
    """Return the coordinates of a dimension: its coordinate variable, or the only other one."""
    along = [each for each in _candidates(dataset) if each.dimension == fqn]
    for each in along:
        if not each.is_auxiliary:
            return each
    named = {link.target for link in links(dataset.root) if link.meaning == "coordinates"}
    fitting = [each for each in along if _fits(each, value)]
    auxiliary = [
        each
        for each in fitting
        if each.fqn in named or _is_id(each.variable) or each.variable.name == base_name(fqn)
    ]
    if not auxiliary and may_be_dates(value):
        with_times = [each for each in fitting if _has_times(each.variable)]
        auxiliary = with_times or [each for each in fitting if not each.variable.has_numbers]
    if len(auxiliary) == 1:
        return auxiliary[0]
    if len(auxiliary) > 1:
        first = base_name(auxiliary[0].fqn)
        raise OptionError(
            f"{text!r}: the dimension has several coordinates:"
            f" {list_names([each.fqn for each in auxiliary])}",
            hint=f"name one of them: {option('sel', f'{first}={text_of(value)}')}",
        )
    has_step = isinstance(value, Between) and value.step != 1
    index = either(f"--isel {text}", "isel") if has_step else option("isel")
    raise OptionError(
        f"{text!r}: the dimension has no coordinate variable of numbers or texts",
        hint=f"select by index: {index}",
    )


def _fits(coordinate: Coordinate, value: ByValue) -> bool:
    """Return whether a coordinate can have a value: dates select among times and texts."""
    variable = coordinate.variable
    return not variable.has_numbers or are_numbers(value) or _has_times(variable)


def _is_id(variable: Variable) -> bool:
    """Return whether a variable has the names of stations, profiles or trajectories."""
    return not variable.has_numbers and variable.text("cf_role").endswith("_id")


def _has_times(variable: Variable) -> bool:
    try:
        return variable.has_numbers and times_of(variable, " ") is not None
    except ValueError:
        return False
