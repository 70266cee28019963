"""Select a part of a dataset: ``--isel`` and ``--sel``, ``--vars`` and ``--exclude``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING

from ncz.commands.options import OptionError, UnknownName, hint_for, is_named
from ncz.errors import Notice, Notify, counted, did_you_mean, ignore_notice, list_names, option
from ncz.model.axes import is_longitude
from ncz.model.data import MemoryArray, Values, read_all
from ncz.model.grid import Box, whole
from ncz.model.links import dimensions_named, links, references, with_references
from ncz.model.positions import followed_subset
from ncz.model.sources import MappedSource
from ncz.model.subset import Indices
from ncz.model.tree import (
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_variable,
    join,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.text.times import Times


@record(kw_only=True)
class Subset:
    """The parts of a dataset to use, as spelled on the command line.

    `isel` selects by index ("time=0:10:2"), `sel` by the values of coordinates ("lat=40:60"), and
    with `nearest` a single value may lie between two of them. `vars` and `exclude` are globs of
    variables; what these need, such as coordinates, is kept too.
    """

    isel: tuple[str, ...] = ()
    sel: tuple[str, ...] = ()
    nearest: bool = False
    vars: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @property
    def selects(self) -> bool:
        """Whether it is not the whole dataset."""
        return bool(self.isel or self.sel or self.vars or self.exclude)

    @property
    def cuts(self) -> bool:
        """Whether dimensions become shorter."""
        return bool(self.isel or self.sel)


def selected(dataset: Dataset, requested: Subset | None, notify: Notify = ignore_notice) -> Dataset:
    """Return the part of a dataset that `requested` selects, without reading its data.

    Raises
    ------
    OptionError
        If an option is not valid, names a dimension, a variable or a value that does not exist, or
        selects nothing.
    """
    if requested is None:
        return dataset
    if requested.vars or requested.exclude:
        dataset = with_variables(dataset, requested.vars, requested.exclude, notify)
    if not requested.cuts:
        return dataset
    cuts: dict[str, _Cut] = {}
    for text, name, value in _parts(requested.isel, option("isel")):
        for fqn, dimension in _dimensions(dataset, name):
            _add(cuts, fqn, _by_index(value, dimension.size, text), text)
    for text, name, value in _parts(requested.sel, option("sel")):
        for fqn, _ in _dimensions(dataset, name):
            _add(cuts, fqn, _by_value(dataset, fqn, value, text, requested.nearest, notify), text)
    followed = followed_subset(dataset, {fqn: cut.indices for fqn, cut in cuts.items()})
    for fqn, before, after, because in followed.also_cut:
        notify(
            Notice(
                "dimension-also-cut",
                f"{fqn} is cut too, to {after} of {before}, as {because} refers to what is cut",
            )
        )
    return _turned(
        followed.dataset, {fqn: cut.turns for fqn, cut in cuts.items() if any(cut.turns)}
    )


@record
class _Cut:
    """The indices to keep of a dimension.

    `turns` has how often 360 degrees are added to the longitude at each of them; empty for never.
    """

    indices: Indices
    turns: tuple[int, ...] = ()


_NEXT = re.compile(r",(?=[^,=]+=)")


def _parts(texts: Sequence[str], option: str) -> list[tuple[str, str, str]]:
    """Return each ``DIM=SELECTION`` of options that may have several, with its name and value."""
    found = []
    for text in texts:
        name, sign, values = text.partition("=")
        first, *more = _NEXT.split(values)
        for one in (f"{name}{sign}{first}", *more):
            name, sign, value = one.partition("=")
            if not (name and sign and value):
                raise OptionError(f"{option} {one!r} is not DIMENSION=SELECTION")
            found.append((one, name, value))
    return found


def _dimensions(dataset: Dataset, name: str) -> list[tuple[str, Dimension]]:
    """Return the dimensions that a name means: one FQN, or that name in any group."""
    known = dimensions_by_fqn(dataset.root)
    found = [
        (fqn, d) for fqn, d in known.items() if (fqn == name if "/" in name else d.name == name)
    ]
    if not found:
        names = list_names(sorted({d.name for d in known.values()})) or "none"
        raise UnknownName(
            f"no dimension is named {name!r}",
            hint=did_you_mean(
                name, [d.name for d in known.values()], f"the dimensions are {names}"
            ),
        )
    return found


def _add(cuts: dict[str, _Cut], fqn: str, cut: _Cut, text: str) -> None:
    if fqn in cuts:
        raise OptionError(f"{text!r} selects from a dimension that is already selected from")
    cuts[fqn] = cut


def _by_index(value: str, size: int, text: str) -> _Cut:
    """Return the indices of a Python slice, which may run backwards, or of one index."""
    parts = value.split(":")
    try:
        numbers = [int(part) if part else None for part in parts]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3:
        raise OptionError(f"{text!r} is not an index or a slice", hint="write time=0:10:2")
    if len(numbers) == 1:
        (index,) = numbers
        assert index is not None
        if not -size <= index < size:
            raise OptionError(f"{text!r}: the dimension has {counted(size, 'index')}")
        return _Cut((range(index % size, index % size + 1),))
    if len(numbers) == 3 and numbers[2] == 0:
        raise OptionError(f"{text!r}: the step cannot be 0")
    indices = range(size)[slice(*numbers)]
    if size and not indices:
        raise OptionError(f"{text!r} selects nothing: the dimension has {counted(size, 'index')}")
    return _Cut((indices,))


# Selection by the values of a coordinate variable.


def _by_value(
    dataset: Dataset, fqn: str, value: str, text: str, nearest: bool, notify: Notify
) -> _Cut:
    """Return the indices whose coordinates are within limits, both included, or equal a value."""
    import numpy as np

    group, variable = _coordinate(dataset, fqn, text)
    assert variable.data is not None
    stored = read_all(variable.data)
    if not variable.has_numbers:
        return _by_name(_names(stored), fqn, value, text)
    is_ascending = bool(np.all(stored[1:] > stored[:-1]))
    if not (is_ascending or np.all(stored[1:] < stored[:-1])):
        raise OptionError(
            f"{text!r}: the coordinate {fqn} is neither ascending nor descending",
            hint=f"select by index: {option('isel')}",
        )
    if not stored.size:
        raise OptionError(f"{text!r} selects nothing: the coordinate {fqn} has no values")
    ends = _ends(value)
    limits, times = _limits(group, variable, ends, text)
    first = limits[0]
    axis = _Axis(
        fqn=fqn, text=text, stored=stored, times=times, is_ascending=is_ascending,
        circle=_circle(variable, stored),
    )  # fmt: skip
    if ends == (value, value) and first is not None:
        if nearest:
            return axis.nearest(first)
        if times is None:
            return axis.equal(first)
    return axis.within(limits, notify)


def _names(stored: Values) -> list[str]:
    """Return the names that strings are, or rows of chars without the padding at their ends."""
    if stored.dtype.kind == "S":
        return [row.tobytes().rstrip(b"\0 ").decode("utf-8", "surrogateescape") for row in stored]
    return [text or "" for text in stored.tolist()]


def _by_name(names: list[str], fqn: str, value: str, text: str) -> _Cut:
    """Return the indices of a name, or those from a name to another that follows it."""
    found = tuple(range(at, at + 1) for at, name in enumerate(names) if name == value)
    if found:
        return _Cut(found)
    ends = {"", *names}
    for at, sign in enumerate(value):
        first, last = value[:at], value[at + 1 :]
        if sign not in ":/" or first not in ends or last not in ends:
            continue
        begin = names.index(first) if first else 0
        end = len(names) - names[::-1].index(last) if last else len(names)
        if begin < end:
            return _Cut((range(begin, end),))
        raise OptionError(f"{text!r} selects nothing: {first!r} comes after {last!r}")
    hint = did_you_mean(value, names, f"its coordinates are {list_names(names)}")
    raise OptionError(f"{text!r}: no coordinate of {fqn} has this name", hint=hint)


_CIRCLE = 360


def _circle(variable: Variable, stored: Values) -> float | None:
    """Return the slack in which two longitudes are equal; None for another coordinate."""
    import numpy as np

    is_packed = any(variable.attribute(name) for name in ("scale_factor", "add_offset"))
    if is_packed or not is_longitude(variable) or not np.all(np.isfinite(stored)):
        return None
    slack = _CIRCLE * float(np.finfo(stored.dtype if stored.dtype.kind == "f" else "f8").eps)
    return slack if float(stored.max()) - float(stored.min()) <= _CIRCLE + slack else None


@record(kw_only=True)
class _Axis:
    """The coordinates of a dimension, of which some are selected.

    `circle` is the slack in which two longitudes are equal; None for another coordinate.
    """

    fqn: str
    text: str
    stored: Values
    times: Times | None
    is_ascending: bool
    circle: float | None

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest coordinate."""
        ends = self.stored[0].item(), self.stored[-1].item()
        return min(ends), max(ends)

    def equal(self, value: float) -> _Cut:
        """Return the index of the coordinate that equals a value in the coordinate's type."""
        import numpy as np

        wanted = self.stored.dtype.type(value) if self.stored.dtype.kind == "f" else value
        at = np.flatnonzero(self.stored == wanted)
        if not at.size and self.circle is not None:
            turns = np.round((value - self.stored.astype("f8")) / _CIRCLE).astype(int)
            at = np.flatnonzero(abs(self.stored + _CIRCLE * turns - value) <= self.circle)
            if at.size:
                return _Cut((range(int(at[0]), int(at[0]) + 1),), (int(turns[at[0]]),))
        if not at.size:
            raise OptionError(
                f"{self.text!r}: no coordinate has this value",
                hint=f"give limits, such as lat=40:60, or add {option('nearest', True)}",
            )
        return _Cut((range(int(at[0]), int(at[0]) + 1),))

    def nearest(self, value: float) -> _Cut:
        """Return the index of the coordinate that is nearest; of two, the larger one."""
        import numpy as np

        is_exact = isinstance(value, int) and self.stored.dtype.kind == "i"
        numbers = self.stored.astype("i8" if is_exact else "f8")
        turns = np.zeros(numbers.shape, int)
        if self.circle is not None:
            turns = np.round((value - numbers) / _CIRCLE).astype(int)
            numbers = numbers + _CIRCLE * turns
        distance = abs(numbers - value)
        among = np.flatnonzero(distance == distance.min())
        at = int(among[np.argmax(numbers[among])])
        return _Cut((range(at, at + 1),), (int(turns[at]),))

    def within(self, limits: _Limits, notify: Notify) -> _Cut:
        """Return the indices between two limits."""
        import numpy as np

        first, last, begin, end = limits
        low, high = first, last
        if first is not None and last is not None and first > last:
            low, high = last, first
            if self.circle is not None:  # from the western limit eastwards to the other
                low, high = first - _CIRCLE * math.ceil((first - last) / _CIRCLE), last
        lowest, highest = self.ends
        if (
            self.circle is not None
            and low is not None
            and high is not None
            and (low < lowest or high > max(lowest + _CIRCLE, highest))
        ):
            return self._around(low, high, notify)
        mask = np.ones(self.stored.shape, bool)
        if low is not None:
            mask &= self.stored >= low
        if high is not None:
            mask &= self.stored <= high
        at = np.flatnonzero(mask)
        if not at.size:
            raise self._nothing()
        if self.times is None:
            begin, end = low, high
        self._check_limits(begin, end, self.stored[at], notify)
        return _Cut((range(int(at[0]), int(at[-1]) + 1),))

    def _around(self, low: float, high: float, notify: Notify) -> _Cut:
        """Return the indices of longitudes between two limits, whatever turn they are in."""
        import numpy as np

        assert self.circle is not None
        numbers = self.stored.astype("f8")
        turns = np.ceil((low - self.circle - numbers) / _CIRCLE).astype(int)
        shifted = numbers + _CIRCLE * turns
        order = np.argsort(shifted, kind="stable")
        order = order[shifted[order] <= high + self.circle]
        if not order.size:
            raise self._nothing()
        # The first and the last meridian of a grid may be the same.
        is_new = np.append(True, np.diff(shifted[order]) > self.circle)
        order = order[is_new]
        self._check_limits(low, high, shifted[order], notify)
        if not self.is_ascending:
            order = order[::-1]
        breaks = np.flatnonzero(np.diff(order) != 1) + 1
        runs = tuple(range(int(r[0]), int(r[-1]) + 1) for r in np.split(order, breaks))
        return _Cut(runs, tuple(turns[order].tolist()))

    def _nothing(self) -> OptionError:
        begin, end = map(self._label, self.ends)
        return OptionError(
            f"{self.text!r} selects nothing: {self.fqn} has no coordinate within the limits",
            hint=f"its coordinates are from {begin} to {end}",
        )

    def _check_limits(
        self, low: float | None, high: float | None, found: Values, notify: Notify
    ) -> None:
        """Notify of a limit that lies a step of the coordinate or more beyond what is found."""
        import numpy as np

        numbers = self.stored.astype("f8")
        step = float(abs(np.diff(numbers)).max()) if numbers.size > 1 else math.inf
        lowest, highest = self.ends
        if self.circle is not None and highest - lowest + step >= _CIRCLE - self.circle:
            return  # a whole circle has no ends
        begin, end = found.min().item(), found.max().item()
        ends = []
        if low is not None and begin - low >= step:
            ends.append(f"begins at {self._label(begin)}")
        if high is not None and high - end >= step:
            ends.append(f"ends at {self._label(end)}")
        if ends:
            notify(
                Notice(
                    "limit-outside",
                    f"{self.text!r}: the coordinate {self.fqn} {' and '.join(ends)}",
                )
            )

    def _label(self, number: float) -> str:
        date = None if self.times is None else self.times.format(number)
        return date or str(self.stored.dtype.type(number))


def _coordinate(dataset: Dataset, fqn: str, text: str) -> tuple[Group, Variable]:
    """Return the coordinate variable of a dimension, and its group."""
    for path, group in walk(dataset.root):
        for variable in group.variables:
            is_char = variable.type is Atomic.CHAR
            own, rest = variable.dimensions[:1], variable.dimensions[1:]
            if (
                join(path, variable.name) == fqn
                and own == (fqn,)
                and len(rest) <= is_char  # the length of the texts
                and (variable.has_numbers or is_char or variable.type is Atomic.STRING)
                and variable.data is not None
            ):
                return group, variable
    raise OptionError(
        f"{text!r}: the dimension has no coordinate variable of numbers or texts",
        hint=f"select by index: {option('isel')}",
    )


def _ends(value: str) -> tuple[str, str]:
    """Return the two limits of a selection, which are equal if it is one value.

    A slash separates them, or a colon. Times of day have colons too.
    """
    from ncz.text.date_limits import is_date

    if "/" in value:
        first, _, last = value.partition("/")
        return first, last
    if ":" not in value or is_date(value):
        return value, value
    splits = [(value[:at], value[at + 1 :]) for at in range(len(value)) if value[at] == ":"]
    for ends in splits:
        if all(not end or _number(end) is not None or is_date(end) for end in ends):
            return ends
    return splits[0]


_Limits = tuple[float | None, float | None, float | None, float | None]
"""The first and the last value; and the end of the first period and the start of the last one.

The latter are other numbers for dates only, which name periods. None is an end that is left out.
"""


def _limits(
    group: Group, variable: Variable, ends: tuple[str, str], text: str
) -> tuple[_Limits, Times | None]:
    """Return the limits as numbers, and the times of the coordinate if they are dates."""
    from ncz.text.date_limits import is_date, is_year, parse_limits
    from ncz.text.time_variables import find_times

    numbers = _number(ends[0]), _number(ends[1])
    limits = [(n, end) for n, end in zip(numbers, ends, strict=True) if end]
    are_numbers = all(n is not None for n, _ in limits)
    if are_numbers and not all(is_year(end) for _, end in limits):
        return (*numbers, *numbers), None
    times = find_times(group, " ").get(variable.name)
    if are_numbers and (times is None or times.in_months):
        return (*numbers, *numbers), None
    if times is None:
        dates = [end for n, end in limits if n is None or is_year(end)]
        if not all(map(is_date, dates)):
            raise OptionError(f"{text!r}: the limits must be numbers")
        raise OptionError(f"{text!r}: {_no_dates(variable)}", hint="write numbers as limits")
    wrong = [end for end in ends if end and not is_date(end)]
    if wrong:
        raise OptionError(f"{text!r}: {wrong[0]!r} is not a date")
    try:
        earliest, latest = parse_limits(times, ends)
        start_of_last, end_of_first = parse_limits(times, (ends[1], ends[0]))
    except ValueError as error:
        raise OptionError(f"{text!r}: {error}") from None
    is_whole = isinstance(variable.type, Atomic) and variable.type.is_integer
    low, start = (
        _as_number(n, math.ceil if is_whole else float) for n in (earliest, start_of_last)
    )
    high, end = (_as_number(n, math.floor if is_whole else float) for n in (latest, end_of_first))
    if low is not None and high is not None and low > high:
        return (start, end, high, low), times
    return (low, high, end, start), times


def _as_number(limit: Fraction | None, convert: Callable[[Fraction], float]) -> float | None:
    """Return a limit as a number of the coordinate's type, so that it is compared exactly."""
    return None if limit is None else convert(limit)


def _no_dates(variable: Variable) -> str:
    """Return why dates cannot be limits of a coordinate."""
    from ncz.text.time_variables import times_of

    try:
        times_of(variable, " ")
    except ValueError as error:
        return f"the times of {variable.name} cannot be read: {error}"
    units = variable.text("units")
    found = f"with the units {units!r}" if units else "without units"
    return f"{variable.name} has numbers {found}, and no dates"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _turned(dataset: Dataset, turns: Mapping[str, tuple[int, ...]]) -> Dataset:
    """Add whole turns to longitudes and their bounds, so that they ascend or descend."""
    if not turns:
        return dataset
    bounds = {
        link.target: link.source
        for link in links(dataset.root)
        if link.meaning == "bounds" and link.source in turns
    }

    def turned(fqn: str, variable: Variable) -> Variable:
        longitude = fqn if fqn in turns else bounds.get(fqn)
        if longitude is None or variable.data is None or longitude not in variable.dimensions:
            return variable
        axis = variable.dimensions.index(longitude)
        change = _adding(turns[longitude], axis, fqn)
        if fqn == longitude:
            values = change(read_all(variable.data), whole(variable.data.grid.shape))
            return replace(
                variable,
                data=MemoryArray(values, variable.type, fill=variable.data.fill),
                attributes=tuple(a for a in variable.attributes if a.name not in _RANGES),
            )
        return replace(variable, data=MappedSource(variable.data, change))

    return each_variable(dataset, turned)


_RANGES = ("actual_range", "valid_max", "valid_min", "valid_range")
"""Attributes that no longer hold for longitudes in another turn."""


def _adding(turns: tuple[int, ...], axis: int, fqn: str) -> Callable[[Values, Box], Values]:
    def change(values: Values, box: Box) -> Values:
        import numpy as np

        added = _CIRCLE * np.array(turns[box.start[axis] : box.stop[axis]])
        exact = values.astype("f8" if values.dtype.kind == "f" else "i8") + added.reshape(
            -1, *(1 for _ in values.shape[axis + 1 :])
        )
        changed: Values = exact.astype(values.dtype)
        if values.dtype.kind != "f" and not np.array_equal(changed, exact):
            raise OptionError(
                f"{fqn}: the longitudes do not fit their type {values.dtype} in another turn",
                hint=f"select by index: {option('isel')}",
            )
        return changed

    return change


# Selection of variables by globs.


def with_variables(
    dataset: Dataset, globs: Sequence[str], excluded: Sequence[str], notify: Notify
) -> Dataset:
    """Return a dataset with some variables, and all those that they need.

    Parameters
    ----------
    dataset
        The dataset.
    globs, excluded
        Globs of variables: "t2m" and "ta*" in any group, "/g/t*" in one. By default all are
        chosen, and none excluded.
    notify
        Receives a notice of variables that are excluded by name, but kept because others need them.

    Raises
    ------
    OptionError
        If a glob matches nothing, or no variable remains.
    """
    root = dataset.root
    wanted = _matching(root, globs, option("vars")) if globs else _all(root)
    unwanted = _matching(root, excluded, option("exclude"))
    needed = references(root)
    variables = with_references(wanted - unwanted, needed)
    if not variables:
        raise OptionError(f"{option('exclude')} leaves no variable")
    named = {f for f in variables & unwanted if any(is_named(f, n) for n in excluded)}
    if named:
        users = sorted(f for f in variables if named & needed[f])
        notify(
            Notice(
                "variable-kept",
                f"{list_names(sorted(named))} stays, because others need it: {list_names(users)}",
                hint="choose the variables without what they need with -V",
            )
        )
    return replace(dataset, root=only_variables(root, variables))


def _all(root: Group) -> frozenset[str]:
    return frozenset(fqn for fqn, _ in variables_by_fqn(root))


def _matching(root: Group, globs: Sequence[str], option: str) -> frozenset[str]:
    """Return the FQNs that globs match; each must match one."""
    fqns = _all(root)
    found: set[str] = set()
    for glob in globs:
        matches = {f for f in fqns if is_named(f, glob) or _matches(f, glob)}
        if not matches:
            raise UnknownName(
                f"{option}: no variable matches {glob!r}", hint=hint_for(glob, sorted(fqns))
            )
        found |= matches
    return frozenset(found)


def _matches(fqn: str, glob: str) -> bool:
    if "/" not in glob:
        return fnmatchcase(base_name(fqn), glob)
    ours, theirs = fqn.split("/"), f"/{glob.lstrip('/')}".split("/")
    return len(ours) == len(theirs) and all(map(fnmatchcase, ours, theirs))


def only_variables(root: Group, paths: frozenset[str]) -> Group:
    """Return the group with the chosen variables, and the groups and dimensions they need."""

    def trimmed(group: Group, fqn: str) -> Group:
        groups = [trimmed(g, join(fqn, g.name)) for g in group.groups]
        return replace(
            group,
            variables=tuple(v for v in group.variables if join(fqn, v.name) in paths),
            groups=tuple(g for g in groups if any(inner.variables for _, inner in walk(g))),
            dimensions=tuple(d for d in group.dimensions if join(fqn, d.name) in used),
        )

    named = dimensions_named(root)
    used = {
        d
        for fqn, v in variables_by_fqn(root)
        if fqn in paths
        for d in (*v.dimensions, *named.get(fqn, ()))
    }
    return trimmed(root, "")


def notice_of_left(root: Group, copied: Group, with_values: frozenset[str]) -> Notice | None:
    """Return one notice of what a copy of some variables leaves; None if it leaves nothing.

    Parameters
    ----------
    root
        The root group with all variables.
    copied
        The one with those that are copied.
    with_values
        The FQNs of those whose values are copied.
    """
    needed = references(root)
    copied_paths = _all(copied)
    missing = {other for fqn in copied_paths for other in needed[fqn]} - copied_paths
    empty = {other for fqn in with_values for other in needed[fqn]} & copied_paths - with_values
    parts = [
        f"{what} {list_names(sorted(names))}"
        for what, names in (("leaves out", missing), ("has no values of", empty))
        if names
    ]
    if not parts:
        return None
    return Notice(
        "references-left-out",
        f"the copy {' and '.join(parts)}, which other variables refer to",
        hint=f"use {option('vars')} to copy variables with what they refer to",
    )
