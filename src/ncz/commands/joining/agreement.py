"""The common form that all joined datasets are converted to."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.commands.joining.attributes import (
    KEPT,
    MEANING,
    OF_ATTRIBUTES,
    OF_PACKED,
    OF_TIMES,
    CommonAttributes,
    format_values,
    mask_attribute,
    owned_attributes,
)
from ncz.commands.joining.equivalence import are_same_units, names_fewer_coordinates
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.finer_times import refine_times
from ncz.commands.joining.forms import PACKING_HINT, JoinKind, VariableForm
from ncz.commands.joining.numbers import numbers_of
from ncz.commands.joining.options import JoinOptions
from ncz.commands.joining.packing import PACKED_TYPES, packing_for, range_of, with_headroom
from ncz.errors import Callbacks, Notice, Notify, either, list_names, option
from ncz.model.packing import PACKING
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    each_group,
    each_variable,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison, value_differences
from ncz.transfer.difference import Difference
from ncz.transfer.tolerance import Tolerance

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


class Agreement:
    """The common parts of datasets that are joined: the form of each joined variable.

    Datasets are added first, which finds their differences. Then `conform` returns each of
    them in the common form. Only their metadata are kept.

    Parameters
    ----------
    first
        The first dataset, which the others must agree with.
    name
        Its path or URL, for messages.
    along
        The FQNs of the dimensions along which the datasets are joined.
    options
        What to do about differences.
    pool
        The threads that compare values; its memory is the limit.
    is_fixed
        Whether the first dataset has the form and the others are appended to it.
    keeps_types
        Whether the result refers to stored numbers, so that they cannot get another type.
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
        keeps_types: bool = False,
    ) -> None:
        if options.repack is not None and options.repack not in PACKED_TYPES:
            raise JoinError(
                f"values cannot be packed as {options.repack}",
                option("repack"),
                f"the types are {', '.join(PACKED_TYPES)}",
            )
        self._first = first
        self._name = name
        self._along = frozenset(along)
        self._options = options
        self._pool = pool
        self._is_fixed = is_fixed
        numbers = numbers_of(first.root)
        self._forms = {
            fqn: VariableForm(
                fqn,
                variable,
                numbers.get(fqn),
                JoinKind(
                    is_joined=bool(self._along & {*variable.dimensions}),
                    is_fixed=is_fixed,
                    keeps_types=keeps_types,
                ),
                options,
                name,
            )
            for fqn, variable in variables_by_fqn(first.root)
        }
        self._refined: set[str] = set()
        """The variables of times that have other units or another type than the first dataset."""
        self._inexact: dict[str, dict[str, float]] = {}
        """The largest difference of values that are taken for equal, by FQN and source."""
        self._groups: dict[str, list[str]] = {}
        self._histories: dict[str, list[str]] = {}
        self._combined = {
            fqn: CommonAttributes(attributes) for fqn, attributes in owned_attributes(first.root)
        }

    @property
    def variables(self) -> Mapping[str, Variable]:
        """The variables in the common form, with the data of the first dataset."""
        return {fqn: form.variable for fqn, form in self._forms.items()}

    @property
    def unpacked_variables(self) -> Collection[str]:
        """The FQNs of the variables whose packing differs."""
        return {fqn for fqn, form in self._forms.items() if form.is_unpacked}

    @property
    def converted_times(self) -> Collection[str]:
        """The FQNs of the variables whose times are converted."""
        return {fqn for fqn, form in self._forms.items() if form.moved}

    def add(self, other: Dataset, name: str) -> None:
        """Find the differences of another dataset; raise `JoinError` for the first invalid one."""
        theirs = dict(variables_by_fqn(other.root))
        numbers = numbers_of(other.root)
        for fqn, form in self._forms.items():
            rank = len(form.variable.dimensions)
            if fqn in theirs and len(theirs[fqn].dimensions) != rank:
                raise JoinError(f"the number of dimensions of {fqn} differs", name)
        pairs = {
            fqn: form.match(theirs[fqn], numbers.get(fqn), name)
            for fqn, form in self._forms.items()
            if fqn in theirs
        }
        ours = each_variable(self._first, lambda fqn, v: pairs[fqn][0] if fqn in pairs else v)
        matched = each_variable(other, lambda fqn, v: pairs[fqn][1] if fqn in pairs else v)
        is_typed = _is_typed(self._first) and _is_typed(other)
        for difference in differences(
            _without_length(ours, self._along),
            _without_length(matched, self._along),
            self._pool,
            with_data=frozenset(),
            typed=is_typed,
        ):
            self._judge(difference, name)
        for fqn, (own, found) in pairs.items():
            if not is_typed:
                self._check_type(fqn, own, found, name)
            if not self._forms[fqn].kind.is_joined:
                self._compare(fqn, own, found, name)
        for fqn, attributes in owned_attributes(other.root):
            self._combined[fqn].add(attributes)

    def _compare(self, fqn: str, ours: Variable, theirs: Variable, name: str) -> None:
        """Raise `JoinError` if the values of a variable that is not joined differ."""
        lengths = dimensions_by_fqn(self._first.root)
        shape = shape_of(ours, lengths)
        tolerance = Tolerance(absolute=self._options.tolerance or 0)

        def compare(how: ValueComparison) -> list[Difference]:
            return [*value_differences(ours, theirs, fqn, shape, self._pool, how)]

        first, *rest = compare(ValueComparison(tolerance=tolerance, limit=1, raw=True)) or (None,)
        if first is not None:
            largest = rest[-1].largest if rest else None
            hint = (
                self._concat_hint(first)
                or _tolerance_hint(first, largest)
                or f"leave it out with {option('exclude', fqn.removeprefix('/'))}"
            )
            raise JoinError(f"{fqn}: {first.message} (compared with {self._name})", name, hint)
        if not tolerance.is_exact:
            exact = compare(ValueComparison(limit=1, raw=True))
            if exact and exact[-1].largest:
                self._inexact.setdefault(fqn, {})[name] = exact[-1].largest

    def _judge(self, difference: Difference, name: str) -> None:
        """Raise `JoinError` for a difference, unless the options permit it."""
        rule = self._options.attributes
        form = self._forms.get(difference.fqn)
        dimensions = () if form is None else [*map(base_name, form.variable.dimensions)]
        is_named = names_fewer_coordinates(difference, dimensions)
        if difference.kind == "dimension-order" or is_named:
            return
        if difference.kind not in OF_ATTRIBUTES:
            where = f"{difference.fqn}: " if difference.is_of_variable else ""
            more = f" (compared with {self._name})"
            ours, theirs = difference.expected, difference.found
            if isinstance(ours, Dimension) and isinstance(theirs, Dimension):
                more = f": its length is {theirs.size}, but {ours.size} in {self._name}"
            hint = None
            if difference.kind in ("extra-variable", "missing-variable"):
                hint = f"leave it out with {option('exclude', difference.fqn.removeprefix('/'))}"
            raise JoinError(f"{where}{difference.message}{more}", name, hint)
        is_group = difference.fqn not in self._forms
        if (is_group or difference.name == "history") and rule != "identical":
            if rule is None and difference.kind != "missing-attribute":
                kept = self._groups if is_group else self._histories
                kept.setdefault(difference.fqn, []).append(name)
            return
        is_meaning = difference.name in MEANING and not are_same_units(difference)
        if not is_group and rule not in (None, "identical") and not is_meaning:
            return
        rules = either("--attributes first, agreeing or none", 'attributes="first"')
        hint = f"use {rules}"
        if difference.name in PACKING:
            hint = PACKING_HINT if form is not None and form.kind.is_joined else None
        elif is_meaning and difference.name in OF_TIMES:
            hint = "convert the values of one of them first"
        raise JoinError(self._attribute_message(difference), name, hint)

    def _concat_hint(self, difference: Difference) -> str | None:
        """Return a hint for sources that should be merged, but contain parts of one variable."""
        axes = self._forms[difference.fqn].variable.dimensions
        if self._along or not axes:
            return None
        name = base_name(axes[0])
        return f"to join the sources along {name}, use {option('concat', name)}"

    def _attribute_message(self, difference: Difference) -> str:
        name = f"attribute {difference.name} of {difference.fqn}"
        if difference.kind == "attribute-type":
            name = f"the type of {name}"
        found, expected = (
            "missing" if v is None else format_values(v)
            for v in (difference.found, difference.expected)
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

    def repack(
        self, datasets: Sequence[Dataset], names: Sequence[str], callbacks: Callbacks
    ) -> None:
        """Choose the packing of variables whose packing differs, from the range of their values.

        All their values are read once. A notice states the largest change of a value.
        """
        if self._options.repack is None or self._is_fixed or not self.unpacked_variables:
            return
        atomic = Atomic(self._options.repack)
        known = [dict(variables_by_fqn(dataset.root)) for dataset in datasets]
        numbers = [numbers_of(dataset.root) for dataset in datasets]
        callbacks.progress.expect(
            sum(_count(variables[fqn]) for variables in known for fqn in self.unpacked_variables),
            "values",
        )
        for fqn in sorted(self.unpacked_variables):
            found = [
                range_of(fqn, variables[fqn], own[fqn], name, self._pool, callbacks.progress)
                for variables, own, name in zip(known, numbers, names, strict=True)
            ]
            low, high = with_headroom(
                min(low for low, _ in found),
                max(high for _, high in found),
                self._options.headroom or 0,
            )
            scale, offset, bound = packing_for(low, high, atomic)
            double = Atomic.DOUBLE
            self._forms[fqn].pack_as(
                atomic,
                [
                    mask_attribute(atomic),
                    Attribute(name="scale_factor", type=double, values=(scale,)),
                    Attribute(name="add_offset", type=double, values=(offset,)),
                ],
            )
            callbacks.notify(
                Notice(
                    "packing-changed",
                    f"{fqn} is packed again as {atomic.word}, from {low:g} to {high:g}; its values"
                    f" change by at most {bound:.3g}",
                )
            )

    def refine_times(self, datasets: Sequence[Dataset]) -> None:
        """Choose units and a type for times that represent the times of all datasets.

        The values of times that are converted are read.
        """
        moved = {f for f, form in self._forms.items() if form.moved and form.kind.is_joined}
        if moved and not self._is_fixed:
            self._refined |= {*refine_times(self._forms, moved, datasets)}

    def report(self, notify: Notify) -> None:
        """Report conversions, and attributes of groups that differ."""
        which = "the store" if self._is_fixed else "the first source"
        for notice in (
            *self._attributes_that_differ(which),
            *self._time_notices(),
            *self._packing_notices(),
            *self._type_notices(),
            *self._mask_notices(which),
            *self._values_that_differ(which),
        ):
            notify(notice)

    def _attributes_that_differ(self, which: str) -> Iterator[Notice]:
        for fqn, names in self._groups.items():
            yield Notice(
                "attributes-differ",
                f"the attributes of group {fqn} differ from the attributes of {which}, which are"
                " kept",
                list_names([*dict.fromkeys(names)]),
            )
        sources = dict.fromkeys(name for names in self._histories.values() for name in names)
        if sources:
            yield Notice(
                "attributes-differ",
                f"the history of {list_names([*self._histories])} differs from the history of"
                f" {which}, which is kept",
                list_names([*sources]),
            )

    def _time_notices(self) -> Iterator[Notice]:
        fqns_by_sources: dict[tuple[str, ...], list[str]] = {}
        for fqn, form in self._forms.items() if self._along else ():
            if form.moved and form.variable.text("units"):  # others follow their coordinate
                fqns_by_sources.setdefault(tuple(form.moved), []).append(fqn)
        for sources, fqns in fqns_by_sources.items():
            units = self._forms[fqns[0]].variable.text("units")
            refined = [fqn for fqn in fqns if fqn in self._refined]
            text = f"the times of {list_names(fqns)} are converted to {units!r}"
            if refined:
                word = _word(self._forms[refined[0]].variable)
                text += f" as {word}, which represents the times of all sources"
            yield Notice("times-converted", text, list_names(sources))

    def _packing_notices(self) -> Iterator[Notice]:
        unpacked = {f: self._forms[f].numbers for f in self.unpacked_variables}
        packed = {f: n for f, n in unpacked.items() if n is not None and n.is_packed}
        plain = sorted(unpacked.keys() - packed.keys())
        if plain and (self._is_fixed or not self._options.repack):
            yield Notice(
                "packing-changed",
                f"values with different packing are joined as unpacked values: {list_names(plain)}",
            )
        for fqn, numbers in sorted(packed.items()) if self._is_fixed else ():
            yield Notice(
                "packing-changed",
                f"{fqn} is packed again as in the store; values change by at most"
                f" {abs(numbers.factors[0]) / 2 * 1.001:.3g}",
            )

    def _type_notices(self) -> Iterator[Notice]:
        for fqn, form in self._forms.items():
            if not form.types:
                continue
            words = list_names([*dict.fromkeys(each.word for each in form.types.values())])
            ours, now = _word(form.original), _word(form.variable)
            text = f"{fqn} is {words}, and {ours} in {self._name}; it is joined as {now}"
            if not form.kind.is_joined:
                text = f"{fqn} is {words}, and {ours} in {self._name}, whose values are kept"
            yield Notice("types-converted", text, list_names([*form.types]))

    def _mask_notices(self, which: str) -> Iterator[Notice]:
        if self._options.attributes is not None:
            return
        fqns_by_sources: dict[tuple[str, ...], list[str]] = {}
        for fqn, form in self._forms.items():
            if form.masked:
                fqns_by_sources.setdefault(tuple(form.masked), []).append(fqn)
        for sources, fqns in fqns_by_sources.items():
            yield from mask_notices(fqns, which, sources)

    def _values_that_differ(self, which: str) -> Iterator[Notice]:
        for fqn, largest in self._inexact.items():
            yield Notice(
                "values-differ",
                f"the values of {fqn} differ by at most {max(largest.values()):.3g} from the values"
                f" of {which}, which are kept",
                list_names([*largest]),
            )

    def conform(self, dataset: Dataset, name: str) -> Dataset:
        """Return a dataset that was added, or the first one, in the common form."""
        numbers = numbers_of(dataset.root)
        return each_variable(
            dataset, lambda fqn, v: self._forms[fqn].conform(v, numbers.get(fqn), name)
        )

    def attributes(self, fqn: str) -> tuple[Attribute, ...]:
        """Return the attributes of a joined variable or group."""
        form = self._forms.get(fqn)
        combined = self._combined[fqn]
        own = combined.first if form is None else form.variable.attributes
        rule = self._options.attributes
        if rule == "none":
            return tuple(a for a in own if form is not None and a.name in KEPT)
        if rule != "agreeing":
            return own
        fixed: tuple[str, ...] = ()
        if form is not None:
            fixed = (*MEANING, *(OF_PACKED if form.is_unpacked else ()))
        return combined.agreeing_attributes(own, fixed)

    def with_attributes(self, dataset: Dataset) -> Dataset:
        """Return a joined dataset with the attributes of its variables and groups."""
        whole = each_variable(dataset, lambda f, v: replace(v, attributes=self.attributes(f)))
        return each_group(whole, lambda f, g: replace(g, attributes=self.attributes(f or "/")))


def mask_notices(fqns: Sequence[str], which: str, sources: Sequence[str]) -> Iterator[Notice]:
    """Yield a notice if variables of some sources get the masks of another."""
    if fqns:
        text = f"missing data of {list_names(fqns)} get the mask of {which}"
        yield Notice("masks-converted", text, list_names(sources))


def differ_in_values(
    first: Dataset, other: Dataset, fqns: Sequence[str], options: JoinOptions, pool: ThreadPool
) -> set[str]:
    """Return which variables have other values in two datasets, or cannot be compared."""
    ours, theirs = (dict(variables_by_fqn(each.root)) for each in (first, other))
    own, found = numbers_of(first.root), numbers_of(other.root)
    lengths, others = dimensions_by_fqn(first.root), dimensions_by_fqn(other.root)
    how = ValueComparison(tolerance=Tolerance(absolute=options.tolerance or 0), limit=1, raw=True)
    differing = set()
    for fqn in fqns:
        if fqn not in theirs or shape_of(theirs[fqn], others) != shape_of(ours[fqn], lengths):
            continue
        kind = JoinKind(is_joined=False)
        form = VariableForm(fqn, ours[fqn], own.get(fqn), kind, options, "")
        try:
            pair = form.match(theirs[fqn], found.get(fqn), "")
            shape = shape_of(ours[fqn], lengths)
            differ = next(iter(value_differences(*pair, fqn, shape, pool, how)), None) is not None
        except JoinError:
            differ = True
        if differ:
            differing.add(fqn)
    return differing


def _count(variable: Variable) -> int:
    """Return the number of values of a variable."""
    return 0 if variable.data is None else math.prod(variable.data.grid.shape)


def _word(variable: Variable) -> str:
    return str(getattr(variable.type, "word", variable.type))


def _is_typed(dataset: Dataset) -> bool:
    """Return whether a dataset knows its types and dimensions, unlike pure Zarr."""
    return not dataset.provenance.is_unannotated_zarr


def _tolerance_hint(difference: Difference, largest: float | None) -> str | None:
    """Return which tolerance lets values pass that differ little."""
    if largest is None or not isinstance(difference.expected, float) or largest <= 0:
        return None
    if largest > _LITTLE * max(1.0, abs(difference.expected)):
        return None
    tolerance = float(f"1e{math.ceil(math.log10(largest)) + 1}")  # others may differ by more
    value = f"{tolerance:.0e}"
    return f"use {either(f'--tolerance {value}', f'tolerance={value}')} to take them for equal"


_LITTLE = 1e-4
"""The largest relative difference that makes ncz propose a tolerance."""


def _without_length(dataset: Dataset, along: Collection[str]) -> Dataset:
    """Return a dataset without lengths of the dimensions to join along.

    Whether a dimension is unlimited makes no difference.
    """
    return each_dimension(
        dataset, lambda fqn, d: Dimension(name=d.name, size=0 if fqn in along else d.size)
    )
