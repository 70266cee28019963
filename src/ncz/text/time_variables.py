"""Variables with times: ``units`` like ``UNIT since DATE``, and their bounds.

The variable that the attribute ``bounds`` or ``climatology`` names has the times of the variable
that names it (CF Conventions, sections 4.4 and 7.1).
"""

from __future__ import annotations

from ncz.errors import Notice, Notify, ignore_notice
from ncz.model.tree import Group, Variable
from ncz.text.time_units import parse_times
from ncz.text.times import Times


def find_times(group: Group, separator: str, notify: Notify = ignore_notice) -> dict[str, Times]:
    """Return the times of a group's variables by name, for variables that are times."""
    times_by_name: dict[str, Times] = {}
    for variable in group.variables:
        if not variable.has_numbers:
            continue
        units = variable.text("units")
        try:
            times = times_of(variable, separator)
        except ValueError as error:
            notify(
                Notice(
                    "time-units-ignored",
                    f"the units {units!r} are not a valid time: {error}",
                    location=variable.name,
                    hint="numbers are printed instead of dates",
                )
            )
            continue
        if times is not None:
            times_by_name[variable.name] = times
    variables = {variable.name: variable for variable in group.variables}
    for variable in group.variables:
        for name in ("bounds", "climatology"):
            bounds = variables.get(variable.text(name))
            if variable.name in times_by_name and bounds is not None and _is_number(bounds):
                times_by_name.setdefault(bounds.name, times_by_name[variable.name])
    return times_by_name


def times_of(variable: Variable, separator: str) -> Times | None:
    """Return the times of a variable by its own attributes; None if it is not a time.

    Raises `ValueError` if its units or its calendar cannot be read.
    """
    return parse_times(variable.text("units"), variable.text("calendar"), separator)


def _is_number(variable: Variable) -> bool:
    return variable.has_numbers and variable.attribute("units") is None
