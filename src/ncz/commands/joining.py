"""How datasets join: one rule for ``copy --concat``, ``copy --append`` and ``aggregate``.

The first dataset gives the form: an `Agreement` finds what the others do not agree on, and converts
what can be converted. `arranged` finds the order of all values along the dimension. Nothing of a
variable is read but what a coordinate, or the range of packed values, needs.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.fields import JoinOptions
from ncz.commands.ordering import Arrangement, JoinError, arranged, arranged_data, axis_part
from ncz.errors import SHOW_NAMES, Notice, Notify, did_you_mean, either, list_names, option
from ncz.model.data import ChunkSource, Values, dtype_of, read_box
from ncz.model.filters import Filter
from ncz.model.grid import slabs
from ncz.model.sources import ConvertedSource, converted_source
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Storage,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    each_group,
    each_variable,
    join,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Value
from ncz.record import record, replace
from ncz.text.time_conversion import convert_times
from ncz.text.times import Times
from ncz.transfer.compare import differences
from ncz.transfer.difference import Difference
from ncz.transfer.joined import CompletedValues

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool

# What the stored numbers of a variable stand for: masks, packing, and the units of times.

_MASKS = ("_FillValue", "missing_value")
_PACKING = ("scale_factor", "add_offset", "_Unsigned")
_OF_PACKED = (*_MASKS, *_PACKING, "valid_min", "valid_max", "valid_range", "actual_range")
"""Attributes that hold packed numbers, or say how they are packed."""

_OF_TIMES = ("units", "calendar")
_MEANING = (*_MASKS, *_PACKING, *_OF_TIMES)
"""Attributes without which numbers mean something else; no option lets them differ."""

_KEPT = (
    *_MEANING, *_OF_PACKED, "bounds", "climatology", "coordinates", "grid_mapping", "cell_measures",
    "ancillary_variables", "formula_terms", "flag_values", "flag_masks", "flag_meanings",
)  # fmt: skip
"""Attributes that stay if all others are left out: what they say is part of the data."""


@record(kw_only=True)
class Numbers:
    """What the stored numbers of a variable stand for.

    `masks` are the values that mark missing data, `packing` the factor and the offset.
    """

    type: Atomic
    masks: tuple[Value, ...] = ()
    packing: tuple[float, float] | None = None
    is_unsigned: bool = False
    times: Times | None = None
    unpacked_type: Atomic = Atomic.DOUBLE

    @property
    def packed_as(self) -> tuple[object, ...]:
        """What must be equal so that equal numbers are equal values."""
        packing = None if self.packing == (1.0, 0.0) else self.packing
        return packing, self.is_unsigned

    @property
    def mask_set(self) -> frozenset[str]:
        """The masks, of which NaN is equal to itself."""
        return frozenset(map(repr, self.masks))

    @property
    def fill(self) -> Value:
        """The value that stands for missing data; None if there is none."""
        if self.masks:
            return self.masks[0]
        return math.nan if self.type.is_floating else None


def numbers_of(root: Group) -> dict[str, Numbers]:
    """Return what the numbers of each variable stand for, by FQN; texts are left out."""
    from ncz.text.time_variables import find_times

    found = {}
    for path, group in walk(root):
        times = find_times(group, " ")
        for variable in group.variables:
            if isinstance(variable.type, Atomic) and variable.type.kind in "iuf":
                found[join(path, variable.name)] = _numbers(
                    variable, variable.type, times.get(variable.name)
                )
    return found


def _numbers(variable: Variable, nc_type: Atomic, times: Times | None) -> Numbers:
    masks = [v for name in _MASKS for v in _values(variable, name) if not isinstance(v, str)]
    factors = [variable.attribute(name) for name in ("scale_factor", "add_offset")]
    present = [a for a in factors if a is not None and _number_of(a) is not None]
    packing = None
    if present:
        scale, offset = (None if a is None else _number_of(a) for a in factors)
        packing = (1.0 if scale is None else scale, 0.0 if offset is None else offset)
    is_unsigned = "".join(map(str, _values(variable, "_Unsigned"))).lower() == "true"
    if present:
        is_single = all(a.type is Atomic.FLOAT for a in present) and nc_type.size <= 2
    else:
        is_single = nc_type is Atomic.FLOAT or nc_type.size <= 2
    return Numbers(
        type=nc_type,
        masks=tuple({repr(v): v for v in masks}.values()),
        packing=packing,
        is_unsigned=is_unsigned and nc_type.kind == "i",
        times=times,
        unpacked_type=Atomic.FLOAT if is_single else Atomic.DOUBLE,
    )


def _number_of(attribute: Attribute) -> float | None:
    """Return the only value of an attribute; None if it is not one number."""
    values = attribute.values
    return float(values[0]) if len(values) == 1 and not isinstance(values[0], str) else None


def _values(variable: Variable, name: str) -> tuple[Value, ...]:
    attribute = variable.attribute(name)
    return () if attribute is None else attribute.values


def converter(ours: Numbers, theirs: Numbers) -> Callable[[Values], Values] | None:
    """Return a function that converts stored numbers to those of another variable.

    The function raises `JoinError`, without a location, for a value that the other cannot hold.
    Returns None if equal numbers mean the same.
    """
    is_moved = ours.times is not None and theirs.times is not None and ours.times != theirs.times
    is_packed = ours.packed_as != theirs.packed_as
    is_same = ours.type == theirs.type and ours.mask_set == theirs.mask_set
    if is_same and not (is_moved or is_packed):
        return None
    dtype = dtype_of(theirs.type)

    def change(values: Values) -> Values:
        import numpy as np

        missing = _missing(values, ours)
        present = values if missing is None else values[~missing]
        if ours.times is not None and theirs.times is not None:
            try:
                numbers = convert_times(present, ours.times, theirs.times, dtype)
            except ValueError as error:
                raise JoinError(str(error)) from None
        elif is_packed or ours.type != theirs.type:
            numbers = _packed(_unpacked(present, ours), theirs)
        else:
            numbers = present
        for mask in theirs.masks:
            if mask == mask and mask not in ours.masks and np.any(numbers == mask):
                raise JoinError(f"the value {mask!r} would become missing data")
        if missing is None:
            return numbers
        if theirs.fill is None:
            raise JoinError("it has missing data, and the first source has no _FillValue")
        result = np.full(values.shape, theirs.fill, dtype)
        result[~missing] = numbers
        return result

    return change


def _missing(values: Values, numbers: Numbers) -> Values | None:
    """Return which values are missing; None if none is."""
    import numpy as np

    found = np.zeros(values.shape, bool)
    if values.dtype.kind == "f":
        found |= np.isnan(values)
    for mask in numbers.masks:
        if mask == mask:
            found |= values == mask
    return found if found.any() else None


def _unpacked(values: Values, numbers: Numbers) -> Values:
    """Return unpacked values as double."""
    if numbers.is_unsigned:
        values = values.view(f"u{values.dtype.itemsize}")
    scale, offset = numbers.packing or (1.0, 0.0)
    return values.astype("f8") * scale + offset


def _packed(values: Values, numbers: Numbers) -> Values:
    """Return doubles as they are stored."""
    import numpy as np

    dtype = np.dtype(numbers.type.dtype)
    if numbers.packing is not None:
        values = (values - numbers.packing[1]) / numbers.packing[0]
    if dtype.kind == "f":
        found = values.astype(dtype)
        if np.any(np.isinf(found) & np.isfinite(values)):
            raise JoinError(f"a value is too large for the type {numbers.type.word}")
        return found
    rounded = np.rint(values)
    stored = np.dtype(f"u{dtype.itemsize}") if numbers.is_unsigned else dtype
    limits = np.iinfo(stored)
    low, high = rounded.min(initial=0), rounded.max(initial=0)
    if not (low >= limits.min and high <= limits.max):
        worst = high if high > limits.max else low
        scale, offset = numbers.packing or (1.0, 0.0)
        raise JoinError(
            f"the value {worst * scale + offset:g} cannot be packed as {numbers.type.word} with"
            f" scale_factor {scale:g} and add_offset {offset:g}"
        )
    return rounded.astype(stored).view(dtype)


# What datasets that are joined agree on.

_OF_ATTRIBUTES = ("attribute", "attribute-type", "missing-attribute", "extra-attribute")

_PACKING_HINT = f"use {option('unpack', True)} or {option('repack', 'short')}"

_REPACKED = ("byte", "ubyte", "short", "ushort", "int", "uint")
"""Types in which values can be packed."""


class Agreement:
    """What datasets that are joined have in common: the form of each joined variable.

    Datasets are added first, which finds what they do not agree on. Then `conform` returns each of
    them in the common form. Only their metadata are kept.

    Parameters
    ----------
    first
        The first dataset, with which the others must agree.
    name
        Its path or URL, for messages.
    along
        The FQNs of the dimensions along which the datasets are joined.
    options
        What to do about differences.
    pool
        The threads that compare values; its memory is the limit.
    is_fixed
        Whether the form is that of the first dataset, to which the others are appended.
    """

    def __init__(
        self,
        first: Dataset,
        name: str,
        along: Collection[str],
        options: JoinOptions,
        pool: ThreadPool,
        *,
        is_fixed: bool = False,
    ) -> None:
        self._first = first
        self._name = name
        self._along = frozenset(along)
        self._options = options
        self._pool = pool
        self._is_fixed = is_fixed
        self._numbers = numbers_of(first.root)
        self._originals = dict(variables_by_fqn(first.root))
        self.variables = dict(self._originals)
        """The variables in the common form, with the data of the first dataset."""
        self.unpacked: set[str] = set()
        """The variables whose packing differs."""
        self._moved: dict[str, list[str]] = {}
        self._groups: dict[str, list[str]] = {}
        self._histories: dict[str, list[str]] = {}
        self._combined = {
            fqn: _Combined(attributes) for fqn, attributes in owned_attributes(first.root)
        }
        if options.repack is not None and options.repack not in _REPACKED:
            raise JoinError(
                f"values cannot be packed as {options.repack}",
                option("repack"),
                f"the types are {', '.join(_REPACKED)}",
            )

    @property
    def converted(self) -> Collection[str]:
        """The FQNs of the variables whose times are converted."""
        return self._moved.keys()

    def add(self, other: Dataset, name: str) -> None:
        """Find what another dataset does not agree on; raise `JoinError` at the first of it."""
        theirs = dict(variables_by_fqn(other.root))
        numbers = numbers_of(other.root)
        for fqn, ours in self.variables.items():
            if fqn in theirs and len(theirs[fqn].dimensions) != len(ours.dimensions):
                raise JoinError(f"the number of dimensions of {fqn} differs", name)
        adjusted = each_variable(
            other, lambda fqn, variable: self._adjusted(fqn, variable, numbers.get(fqn), name)
        )
        is_typed = _is_typed(self._first) and _is_typed(other)
        rest = {fqn for fqn, v in self.variables.items() if not self._along & {*v.dimensions}}
        form = each_variable(self._first, lambda fqn, _: self.variables[fqn])
        for difference in differences(
            _without_length(form, self._along),
            _without_length(adjusted, self._along),
            self._pool,
            with_data=frozenset(rest),
            typed=is_typed,
        ):
            self._judge(difference, name)
        if not is_typed:
            theirs = dict(variables_by_fqn(adjusted.root))
            for fqn, ours in self.variables.items():
                self._check_type(fqn, ours, theirs[fqn], name)
        for fqn, attributes in owned_attributes(other.root):
            self._combined[fqn].add(attributes)

    def _adjusted(
        self, fqn: str, variable: Variable, numbers: Numbers | None, name: str
    ) -> Variable:
        """Return a variable of another dataset with what can be converted as in the first."""
        ours = self._numbers.get(fqn)
        if ours is None or numbers is None:
            return variable
        names: set[str] = set()
        is_packed = ours.packed_as != (None, False) or ours.packed_as != numbers.packed_as
        if ours.times is not None and numbers.times is not None and not is_packed:
            self._check_calendars(fqn, ours.times, numbers.times, name)
            names |= {*_OF_TIMES}
            if ours.times != numbers.times or ours.type != numbers.type:
                self._moved.setdefault(fqn, []).append(name)
        elif self._is_joined(variable) and self._differ_in_packing(fqn, ours, numbers):
            self._unpack(fqn, variable, numbers, name)
            ours = self._numbers[fqn]
            names |= {*_OF_PACKED}
        is_typed = bool(names) or ours.type == numbers.type  # a mask alone converts no type
        if ours.mask_set != numbers.mask_set and is_typed and not names & {*_MASKS}:
            is_asked = self._options.attributes not in (None, "identical")
            if is_asked or {*ours.mask_set, *numbers.mask_set} == {"nan"}:
                names |= {*_MASKS}
        if not names:
            return variable
        form = self.variables[fqn]
        attributes = [a for a in variable.attributes if a.name not in names]
        attributes += [a for a in form.attributes if a.name in names]
        changed = replace(variable, type=form.type, attributes=tuple(attributes))
        return replace(changed, data=self._converted(fqn, variable, numbers, name))

    def _check_calendars(self, fqn: str, ours: Times, theirs: Times, name: str) -> None:
        from ncz.text.time_conversion import are_convertible

        if not are_convertible(theirs, ours):
            one, other = (t.origin.calendar for t in (theirs, ours))
            what = f"the calendar {one}, but {other}"
            if one == other:
                what = "months or years from a date, but other units"
            raise JoinError(
                f"the times of {fqn} are in {what} in {self._name}",
                name,
                "such times cannot be converted exactly",
            )

    def _is_joined(self, variable: Variable) -> bool:
        return bool(self._along & {*variable.dimensions})

    def _differ_in_packing(self, fqn: str, ours: Numbers, theirs: Numbers) -> bool:
        return fqn in self.unpacked or ours.packed_as != theirs.packed_as

    def _unpack(self, fqn: str, variable: Variable, numbers: Numbers, name: str) -> None:
        """Let the common form of a variable be unpacked, because its packing differs."""
        ours, form = self._numbers[fqn], self.variables[fqn]
        if not (self._options.unpack or self._options.repack):
            pairs = [(n, _values(variable, n), _values(form, n)) for n in _PACKING]
            differ = [pair for pair in pairs if repr(pair[1]) != repr(pair[2])]
            if not differ:  # _Unsigned of unsigned integers means nothing
                self._check_type(fqn, form, variable, name)
            which, found, expected = differ[0]
            raise JoinError(
                f"attribute {which} of {fqn} is {_format(found) or 'missing'}, but"
                f" {_format(expected) or 'missing'} in {self._name}",
                name,
                _PACKING_HINT,
            )
        self.unpacked.add(fqn)
        if self._is_fixed:
            if ours.packing is not None and self._options.repack != ours.type.word:
                raise JoinError(
                    f"{fqn} is packed as {ours.type.word} in {self._name}, which stays",
                    name,
                    f"use {option('repack', ours.type.word)}",
                )
            return
        types = {ours.unpacked_type, numbers.unpacked_type}
        atomic = Atomic.DOUBLE if Atomic.DOUBLE in types else Atomic.FLOAT
        self._set_form(fqn, atomic, [_mask(atomic)])

    def _set_form(self, fqn: str, atomic: Atomic, attributes: list[Attribute]) -> None:
        """Give a variable another type, with these attributes instead of those of its packing."""
        form = self._originals[fqn]
        attributes += [a for a in form.attributes if a.name not in _OF_PACKED]
        form = replace(
            form,
            type=atomic,
            attributes=tuple(attributes),
            storage=_storage_as(form.storage, atomic),
        )
        self.variables[fqn] = form
        self._numbers[fqn] = _numbers(form, atomic, None)

    def _judge(self, difference: Difference, name: str) -> None:
        """Raise `JoinError` for a difference, unless the options permit it."""
        rule = self._options.attributes
        if difference.kind == "dimension-order" or _names_fewer_coordinates(difference):
            return
        if difference.kind not in _OF_ATTRIBUTES:
            where = f"{difference.fqn}: " if difference.is_of_variable else ""
            more = f" (compared with {self._name})"
            ours, theirs = difference.expected, difference.found
            if isinstance(ours, Dimension) and isinstance(theirs, Dimension):
                more = f": its length is {theirs.size}, but {ours.size} in {self._name}"
            raise JoinError(f"{where}{difference}{more}", name, self._concat_hint(difference))
        is_group = difference.fqn not in self.variables
        if (is_group or difference.name == "history") and rule != "identical":
            if rule is None and difference.kind != "missing-attribute":
                kept = self._groups if is_group else self._histories
                kept.setdefault(difference.fqn, []).append(name)
            return
        is_meaning = difference.name in _MEANING and not _are_same_units(difference)
        if not is_group and rule not in (None, "identical") and not is_meaning:
            return
        rules = either("--attributes first, agreeing or none", 'attributes="first"')
        hint: str | None = f"use {rules}"
        if difference.name in _PACKING:
            is_joined = difference.fqn in self.variables and self._is_joined(
                self.variables[difference.fqn]
            )
            hint = _PACKING_HINT if is_joined else None
        elif is_meaning and difference.name in _OF_TIMES:
            hint = "convert the values of one of them first"
        raise JoinError(self._attribute_message(difference), name, hint)

    def _concat_hint(self, difference: Difference) -> str | None:
        """Return how to join sources that were to be merged, but hold parts of one variable."""
        if self._along or difference.kind != "value":
            return None
        axes = self.variables[difference.fqn].dimensions
        if not axes:
            return None
        name = axes[0].rpartition("/")[2]
        return f"to join the sources along {name}, use {option('concat', name)}"

    def _attribute_message(self, difference: Difference) -> str:
        name = f"attribute {difference.name} of {difference.fqn}"
        if difference.kind == "attribute-type":
            name = f"the type of {name}"
        found, expected = (
            "missing" if v is None else _format(v) for v in (difference.found, difference.expected)
        )
        return f"{name} is {found}, but {expected} in {self._name}"

    def _check_type(self, fqn: str, ours: Variable, theirs: Variable, name: str) -> None:
        """Raise `JoinError` if a variable of pure Zarr has another type or other dimensions."""
        if ours.type != theirs.type:
            raise JoinError(
                f"the type of {fqn} is {_word(theirs)}, but {_word(ours)} in {self._name}", name
            )
        dimensions = [tuple(map(base_name, v.dimensions)) for v in (ours, theirs)]
        if dimensions[0] != dimensions[1]:
            raise JoinError(
                f"the dimensions of {fqn} are {dimensions[1]}, but {dimensions[0]} in {self._name}",
                name,
            )

    def repack(self, datasets: Sequence[Dataset], names: Sequence[str], notify: Notify) -> None:
        """Choose the packing of variables whose packing differs, from the range of their values.

        All their values are read. A notice states how much a value can change.
        """
        if self._options.repack is None or self._is_fixed:
            return
        atomic = Atomic(self._options.repack)
        for fqn in sorted(self.unpacked):
            low, high = math.inf, -math.inf
            for dataset, name in zip(datasets, names, strict=True):
                variable = dict(variables_by_fqn(dataset.root))[fqn]
                low, high = _range(fqn, variable, numbers_of(dataset.root)[fqn], name, low, high)
            scale, offset, bound = _packing_for(low, high, atomic)
            double = Atomic.DOUBLE
            self._set_form(
                fqn,
                atomic,
                [
                    _mask(atomic),
                    Attribute(name="scale_factor", type=double, values=(scale,)),
                    Attribute(name="add_offset", type=double, values=(offset,)),
                ],
            )
            notify(
                Notice(
                    "packing-changed",
                    f"{fqn} is packed again as {atomic.word}, from {low:g} to {high:g}; its values"
                    f" change by at most {bound:.3g}",
                )
            )

    def report(self, notify: Notify) -> None:
        """Report what was converted, and which attributes of groups differ."""
        which = "the store" if self._is_fixed else "the first source"
        for fqn, names in self._groups.items():
            them = list(dict.fromkeys(names))
            notify(
                Notice(
                    "attributes-differ",
                    f"the attributes of group {fqn} differ from those of {which}, which are kept",
                    list_names(them),
                )
            )
        sources_with = {name: None for names in self._histories.values() for name in names}
        if sources_with:
            text = (
                f"the history of {list_names(list(self._histories))} differs from that of {which}"
            )
            notify(
                Notice(
                    "attributes-differ", f"{text}, which is kept", list_names(list(sources_with))
                )
            )
        sources_by_names: dict[tuple[str, ...], list[str]] = {}
        for fqn, sources in self._moved.items() if self._along else ():
            if _values(self._originals[fqn], "units"):  # others follow their coordinate
                sources_by_names.setdefault(tuple(sources), []).append(fqn)
        for where, fqns in sources_by_names.items():
            units = "".join(map(str, _values(self._originals[fqns[0]], "units")))
            notify(
                Notice(
                    "times-converted",
                    f"the times of {list_names(fqns)} are converted to {units!r}",
                    list_names(where),
                )
            )
        packed = [fqn for fqn in self.unpacked if self._numbers[fqn].packing is not None]
        plain = (
            self.unpacked.difference(packed) if self._is_fixed or not self._options.repack else ()
        )
        if plain:
            notify(
                Notice(
                    "packing-changed",
                    "values with different packing are joined as unpacked values:"
                    f" {list_names(sorted(plain))}",
                )
            )
        for fqn in sorted(packed) if self._is_fixed else ():
            scale = (self._numbers[fqn].packing or (1.0, 0.0))[0]
            notify(
                Notice(
                    "packing-changed",
                    f"{fqn} is packed again as in the store; values change by at most"
                    f" {abs(scale) / 2 * 1.001:.3g}",
                )
            )

    def conform(self, dataset: Dataset, name: str) -> Dataset:
        """Return a dataset that was added, or the first one, in the common form."""
        numbers = numbers_of(dataset.root)

        def conformed(fqn: str, variable: Variable) -> Variable:
            form = self.variables[fqn]
            own = numbers.get(fqn)
            data = variable.data if own is None else self._converted(fqn, variable, own, name)
            if data is variable.data and variable.type == form.type:
                return replace(variable, attributes=form.attributes)
            return replace(form, data=data)

        return each_variable(dataset, conformed)

    def _converted(
        self, fqn: str, variable: Variable, numbers: Numbers, name: str
    ) -> ChunkSource | None:
        """Return the data of a variable as the numbers of the common form."""
        form = self._numbers[fqn]
        if variable.data is None or fqn not in {*self._moved, *self.unpacked} | self._masked(
            fqn, numbers
        ):
            return variable.data
        convert = converter(numbers, form)
        if convert is None:
            return variable.data

        def change(values: Values) -> Values:
            assert convert is not None
            try:
                return convert(values)
            except JoinError as error:
                raise JoinError(f"{fqn}: {error.message}", name, error.hint) from None

        return converted_source(variable.data, form.type, change)

    def _masked(self, fqn: str, numbers: Numbers) -> set[str]:
        """Return the variable if its mask is not that of the first dataset."""
        ours, theirs = self._numbers[fqn].mask_set, numbers.mask_set
        return {fqn} if ours != theirs and {*ours, *theirs} != {"nan"} else set()

    def attributes(self, fqn: str) -> tuple[Attribute, ...]:
        """Return the attributes of a joined variable or group."""
        form = self.variables.get(fqn)
        combined = self._combined[fqn]
        own = combined.first if form is None else form.attributes
        rule = self._options.attributes
        if rule == "none":
            return tuple(a for a in own if form is not None and a.name in _KEPT)
        if rule != "agreeing":
            return own
        fixed = () if form is None else (*_MEANING, *(_OF_PACKED if fqn in self.unpacked else ()))
        attributes = tuple(a for a in own if a.name in fixed or a.name not in combined.dropped)
        names = {a.name for a in own}
        extra = combined.found.values()
        return (
            *attributes,
            *(a for a in extra if a.name not in {*fixed, *names, *combined.dropped}),
        )

    def with_attributes(self, dataset: Dataset) -> Dataset:
        """Return a joined dataset with the attributes of its variables and groups."""
        whole = each_variable(dataset, lambda f, v: replace(v, attributes=self.attributes(f)))
        return each_group(whole, lambda f, g: replace(g, attributes=self.attributes(f or "/")))


class _Combined:
    """The attributes of all datasets: those found, and the names of those that differ."""

    def __init__(self, attributes: tuple[Attribute, ...]) -> None:
        self.first = attributes
        self.found = {a.name: a for a in attributes}
        self.dropped: set[str] = set()

    def add(self, attributes: tuple[Attribute, ...]) -> None:
        """Add the attributes of another dataset."""
        for attribute in attributes:
            known = self.found.setdefault(attribute.name, attribute)
            if repr(known.values) != repr(attribute.values):
                self.dropped.add(attribute.name)


def owned_attributes(root: Group) -> Iterator[tuple[str, tuple[Attribute, ...]]]:
    """Yield the attributes of every group, after its FQN or "/", and of every variable."""
    for path, group in walk(root):
        yield path or "/", group.attributes
    for fqn, variable in variables_by_fqn(root):
        yield fqn, variable.attributes


def _mask(nc_type: Atomic) -> Attribute:
    return Attribute(name="_FillValue", type=nc_type, values=(nc_type.default_fill,))


def _word(variable: Variable) -> str:
    return str(getattr(variable.type, "word", variable.type))


def _format(values: object) -> str:
    if isinstance(values, tuple):
        return ", ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in values)
    return str(values)


def _is_typed(dataset: Dataset) -> bool:
    """Return whether a dataset knows its types and dimensions, unlike pure Zarr."""
    provenance = dataset.provenance
    return provenance.zarr_format is None or bool(provenance.superblock) or provenance.annotated


def _names_fewer_coordinates(difference: Difference) -> bool:
    """Return whether the first dataset names more coordinates of a variable, as xarray does."""
    if difference.name != "coordinates" or difference.kind not in (
        "attribute",
        "missing-attribute",
    ):
        return False
    ours, theirs = (
        {*"".join(map(str, values)).split()} if isinstance(values, tuple) else set[str]()
        for values in (difference.expected, difference.found)
    )
    return theirs <= ours


_DEGREES = re.compile(r"degrees?_?(n|e)(?:orth|ast)?", re.IGNORECASE)


def _are_same_units(difference: Difference) -> bool:
    """Return whether two texts are the same units."""
    if difference.name != "units" or difference.kind != "attribute":
        return False
    texts = [
        "".join(map(str, v)).strip() if isinstance(v, tuple) else ""
        for v in (difference.expected, difference.found)
    ]
    degrees = [_DEGREES.fullmatch(text) for text in texts]
    if degrees[0] is not None and degrees[1] is not None:
        return degrees[0][1].lower() == degrees[1][1].lower()
    from ncz.formats.aggregation.source import Units, UnitsError
    from ncz.formats.aggregation.source import converter as units_converter

    try:
        return units_converter(Units(texts[1]), Units(texts[0])) is None
    except UnitsError:
        return False


def _storage_as(storage: Storage, atomic: Atomic) -> Storage:
    """Return how a variable is stored that gets another type."""

    def resized(one: Filter) -> Filter:
        members = dict(one.configuration)
        for name in ("elementsize", "typesize"):
            if name in members:
                members[name] = atomic.size
        return Filter(tuple(members.items()))

    filters = None if storage.filters is None else tuple(map(resized, storage.filters))
    return replace(
        storage, filters=filters, fill=None, quantize=None, string_length=None, hdf5_filters=None
    )


def _without_length(dataset: Dataset, along: Collection[str]) -> Dataset:
    """Return a dataset in which the dimensions to join along have no length.

    Whether a dimension is unlimited makes no difference.
    """
    return each_dimension(
        dataset, lambda fqn, d: Dimension(name=d.name, size=0 if fqn in along else d.size)
    )


# Choose how values are packed.

_SLAB = 1 << 20
"""Elements that are read at a time."""


def _range(
    fqn: str, variable: Variable, numbers: Numbers, name: str, low: float, high: float
) -> tuple[float, float]:
    """Return the least and the largest of some limits and the values of a variable, unpacked."""
    for values in _slabs(variable.data):
        missing = _missing(values, numbers)
        present = _unpacked(values if missing is None else values[~missing], numbers)
        if present.size:
            low, high = min(low, float(present.min())), max(high, float(present.max()))
    if math.inf in (high, -low) and low <= high:
        raise JoinError(f"{fqn}: infinite values cannot be packed", name)
    return low, high


def _slabs(source: ChunkSource | None) -> Iterator[Values]:
    """Yield all values of a source, in slabs of bounded size."""
    if source is not None:
        for box in slabs(source.grid, _SLAB):
            yield read_box(source, box)


def _packing_for(low: float, high: float, atomic: Atomic) -> tuple[float, float, float]:
    """Return the factor and the offset for a range, and how much a value can change at most.

    The default fill value of the type, which is at one end of its range, stands for missing data.
    """
    if low > high:  # all values are missing
        return 1.0, 0.0, 0.0
    first, last = atomic.limits
    steps = last - first - 1 if atomic.kind == "u" else 2 * last - 2
    scale = (high / steps - low / steps) or 1.0
    offset = low if atomic.kind == "u" else low / 2 + high / 2
    return scale, offset, scale / 2 * 1.001 + 4 * math.ulp(max(abs(low), abs(high)))


def check_values(dataset: Dataset, fqns: Iterable[str]) -> None:
    """Convert all values of some variables once; raise `JoinError` for one that does not fit."""
    variables = dict(variables_by_fqn(dataset.root))
    for fqn in fqns:
        if isinstance(variables[fqn].data, ConvertedSource):
            for _ in _slabs(variables[fqn].data):
                pass


# Join datasets along a dimension.


def concatenated(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    dimension: str,
    options: JoinOptions,
    pool: ThreadPool,
    notify: Notify,
) -> Dataset:
    """Join datasets along a dimension.

    Parameters
    ----------
    datasets
        The datasets, in order.
    names
        Their paths or URLs, for messages.
    dimension
        The name or the FQN of the dimension.
    options
        What to do about differences.
    pool
        The threads that compare values; its memory is the limit.
    notify
        Receives a notice of what is converted, and of attributes of groups that differ.

    Returns
    -------
    Dataset
        The joined dataset. Variables without the dimension are those of the first dataset.

    Raises
    ------
    JoinError
        If the dimension does not exist, or something differs that cannot be joined.
    """
    along = dimension_named(datasets[0], dimension, names[0])
    return Joining.of(datasets, names, {along}, options, pool, notify).dataset


@record(kw_only=True)
class Joining:
    """Datasets in one form, and the order of their values along some dimensions.

    Attributes
    ----------
    datasets
        The datasets in the common form.
    names
        Their paths or URLs, for messages.
    agreement
        What they have in common.
    arrangements
        The order along each dimension, by its FQN.
    """

    datasets: tuple[Dataset, ...]
    names: tuple[str, ...]
    agreement: Agreement
    arrangements: Mapping[str, Arrangement]

    @staticmethod
    def of(
        datasets: Sequence[Dataset],
        names: Sequence[str],
        along: Collection[str],
        options: JoinOptions,
        pool: ThreadPool,
        notify: Notify,
        *,
        is_fixed: bool = False,
    ) -> Joining:
        """Find how datasets join along dimensions; the parameters are those of `Agreement`.

        Raises `JoinError` if something differs that cannot be joined.
        """
        agreement = Agreement(datasets[0], names[0], along, options, pool, is_fixed=is_fixed)
        for other, name in zip(datasets[1:], names[1:], strict=True):
            agreement.add(other, name)
        agreement.repack(datasets, names, notify)
        agreement.report(notify)
        alike = [agreement.conform(d, name) for d, name in zip(datasets, names, strict=True)]
        numbers = numbers_of(alike[0].root)
        arrangements = {}
        for axis in sorted(along):
            parts = [axis_part(d, axis, n, options) for d, n in zip(alike, names, strict=True)]
            times = numbers[axis].times if axis in numbers else None
            arrangements[axis] = arranged(parts, axis, options, notify, times=times)
        return Joining(
            datasets=tuple(alike),
            names=tuple(names),
            agreement=agreement,
            arrangements=arrangements,
        )

    @property
    def dataset(self) -> Dataset:
        """The joined dataset."""
        whole = arranged_dataset(self.datasets, self.names, self.arrangements)
        return self.agreement.with_attributes(whole)


def arranged_dataset(
    datasets: Sequence[Dataset], names: Sequence[str], arrangements: Mapping[str, Arrangement]
) -> Dataset:
    """Return datasets of one form as one; variables without the dimensions are the first's.

    Raises `JoinError` if a variable cannot be joined; `names` are those of the datasets.
    """
    variables = [dict(variables_by_fqn(dataset.root)) for dataset in datasets]

    def joined(fqn: str, variable: Variable) -> Variable:
        axes = [i for i, name in enumerate(variable.dimensions) if name in arrangements]
        if not axes:
            return variable
        parts: list[ChunkSource] = []
        for known, name in zip(variables, names, strict=True):
            data = known[fqn].data
            if data is None or len(axes) != 1:
                raise JoinError(f"{fqn} cannot be joined", name)
            parts.append(data)
        found = arrangements[variable.dimensions[axes[0]]]
        return replace(variable, data=arranged_data(parts, axes[0], found))

    def lengthened(fqn: str, dimension: Dimension) -> Dimension:
        found = arrangements.get(fqn)
        return dimension if found is None else replace(dimension, size=found.length)

    return each_dimension(each_variable(datasets[0], joined), lengthened)


def dimension_named(dataset: Dataset, dimension: str, name: str) -> str:
    """Return the FQN of the dimension that a name or an FQN means.

    Raises `JoinError` if it does not exist, or several have the name; `name` is the dataset's.
    """
    found = [fqn for fqn in dimensions_by_fqn(dataset.root) if _is_named(fqn, dimension)]
    if len(found) > 1:
        raise JoinError(
            f"the dimension {dimension} is ambiguous", name, f"give its full name: {found[0]}"
        )
    if not found:
        known = [base_name(fqn) for fqn in dimensions_by_fqn(dataset.root)]
        raise JoinError(
            f"the dimension {dimension} does not exist",
            name,
            did_you_mean(dimension, known, f"see {SHOW_NAMES}"),
        )
    return found[0]


def _is_named(fqn: str, dimension: str) -> bool:
    return dimension in (fqn, base_name(fqn))


# Merge datasets: each has other variables over the same dimensions.


def merged(
    datasets: Sequence[Dataset],
    names: Sequence[str],
    options: JoinOptions,
    pool: ThreadPool,
    notify: Notify,
) -> Dataset:
    """Return one dataset with the groups, dimensions and variables of several.

    Parameters
    ----------
    datasets
        The datasets; what several have is that of the first of them.
    names
        Their paths or URLs, for messages.
    options
        What to do about attributes that differ.
    pool
        The threads that compare values; its memory is the limit.
    notify
        Receives a notice of attributes of groups that differ.

    Raises
    ------
    JoinError
        If a dimension, a type or a variable of several datasets is not the same in all of them.
    """
    result = datasets[0]
    for number, (other, name) in enumerate(zip(datasets[1:], names[1:], strict=True), 1):
        label = list_names(names[:number], 2)
        _check_dimensions(result, other, label, name)
        result, other = _completed(result, other)
        ours, theirs = _common(result, other), _common(other, result)
        agreement = Agreement(ours, label, (), options, pool)
        agreement.add(theirs, name)
        agreement.report(notify)
        known = {fqn for fqn, _ in variables_by_fqn(ours.root)}
        combined = each_variable(
            result,
            lambda fqn, v: (
                replace(v, attributes=agreement.attributes(fqn)) if fqn in known else v  # noqa: B023
            ),
        )
        root = _merged_group(combined.root, other.root, "", agreement, name)
        result = _with_common_times(replace(result, root=root), other, known)
    return result


def _check_dimensions(ours: Dataset, theirs: Dataset, label: str, name: str) -> None:
    known = dimensions_by_fqn(ours.root)
    for fqn, dimension in dimensions_by_fqn(theirs.root).items():
        if fqn in known and known[fqn].size != dimension.size:
            raise JoinError(
                f"dimension {fqn} has the length {dimension.size}, but {known[fqn].size} in"
                f" {label}",
                name,
                f"to join the sources along it, use {option('concat', dimension.name)}",
            )


def _completed(ours: Dataset, theirs: Dataset) -> tuple[Dataset, Dataset]:
    """Return two datasets whose common variables have what is missing in one from the other.

    What neither misses stays as it is, so that conflicts are found.
    """
    mine, others = dict(variables_by_fqn(ours.root)), dict(variables_by_fqn(theirs.root))
    known, found = numbers_of(ours.root), numbers_of(theirs.root)
    for fqn in (mine.keys() & others.keys()) & (known.keys() & found.keys()):
        numbers, first, second = known[fqn], mine[fqn].data, others[fqn].data
        if first is None or second is None or first.grid.shape != second.grid.shape:
            continue
        can_miss = bool(numbers.masks) or numbers.type.is_floating
        is_alike = converter(found[fqn], numbers) is None
        if can_miss and is_alike and _miss_other_values(first, second, numbers):
            missing = functools.partial(_missing, numbers=numbers)
            mine[fqn] = replace(mine[fqn], data=CompletedValues(first, second, missing))
            others[fqn] = replace(others[fqn], data=CompletedValues(second, first, missing))
    return (
        each_variable(ours, lambda fqn, _: mine[fqn]),
        each_variable(theirs, lambda fqn, _: others[fqn]),
    )


def _miss_other_values(ours: ChunkSource, theirs: ChunkSource, numbers: Numbers) -> bool:
    """Return whether a value is missing in one of two arrays of one shape, but not in the other."""
    import numpy as np

    for box in slabs(ours.grid, _SLAB):
        one, other = (_missing(read_box(source, box), numbers) for source in (ours, theirs))
        if one is None and other is None:
            continue
        if one is None or other is None or not np.array_equal(one, other):
            return True
    return False


def _common(dataset: Dataset, other: Dataset) -> Dataset:
    """Return the groups, dimensions, types and variables that another dataset has too."""
    groups = dict(walk(other.root))

    def kept(group: Group, path: str) -> Group:
        match = groups[path]
        names = [
            {each.name for each in some}
            for some in (match.dimensions, match.types, match.variables, match.groups)
        ]
        return replace(
            group,
            dimensions=tuple(d for d in group.dimensions if d.name in names[0]),
            types=tuple(t for t in group.types if t.name in names[1]),
            variables=tuple(v for v in group.variables if v.name in names[2]),
            groups=tuple(kept(g, join(path, g.name)) for g in group.groups if g.name in names[3]),
        )

    return replace(dataset, root=kept(dataset.root, ""))


def _merged_group(ours: Group, theirs: Group, path: str, agreement: Agreement, name: str) -> Group:
    def more(mine: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
        known = {each.name for each in mine}
        return (*mine, *(each for each in others if each.name not in known))

    types = {each.name: each for each in ours.types}
    for each in theirs.types:
        if types.get(each.name, each) != each:
            raise JoinError(f"the type {each.name} differs", name)
    inner = {each.name: each for each in theirs.groups}
    groups = [
        _merged_group(each, inner[each.name], join(path, each.name), agreement, name)
        if each.name in inner
        else each
        for each in ours.groups
    ]
    variables = more(ours.variables, theirs.variables)
    clash = {v.name for v in variables} & {g.name for g in (*groups, *theirs.groups)}
    if clash:
        raise JoinError(f"{join(path, min(clash))} is a group here and a variable there", name)
    return replace(
        ours,
        dimensions=more(ours.dimensions, theirs.dimensions),
        types=more(ours.types, theirs.types),
        attributes=agreement.attributes(path or "/"),
        variables=variables,
        groups=more(groups, theirs.groups),
    )


def _with_common_times(result: Dataset, other: Dataset, known: Collection[str]) -> Dataset:
    """Return a merged dataset in which bounds without units have those of their coordinate.

    The coordinate may be that of another dataset, with other units.
    """
    now, before = numbers_of(result.root), numbers_of(other.root)

    def converted(fqn: str, variable: Variable) -> Variable:
        if fqn in known or fqn not in before or variable.data is None:
            return variable
        convert = converter(before[fqn], replace(before[fqn], times=now[fqn].times))
        if convert is None:
            return variable
        return replace(variable, data=converted_source(variable.data, variable.type, convert))

    return each_variable(result, converted)
