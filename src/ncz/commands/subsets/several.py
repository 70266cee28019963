"""Parts of several datasets that are joined or merged: selections before and after.

Parts to leave out need not be the same in all. A selection along the joined dimension is
a part of the joined dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.subsets.coordinates import coordinates_named
from ncz.commands.subsets.selection import dimensions_named, select_part
from ncz.commands.subsets.spelling import text_of
from ncz.commands.subsets.variables import has_match, only_variables, with_variables
from ncz.errors import Notice, Notify, option
from ncz.model.selection import ByValue, Index, Selection
from ncz.model.tree import Dataset, base_name, variables_by_fqn
from ncz.record import record, replace


@record
class _Choice:
    """The selections of one name, by index or by value."""

    name: str
    index: Index | None = None
    value: ByValue | None = None

    def dimensions(self, dataset: Dataset) -> frozenset[str]:
        """Return the FQNs of the dimensions that it selects from; none if it names nothing.

        Raises `OptionError` for a name without coordinates.
        """
        try:
            if self.value is None:
                return frozenset(fqn for fqn, _ in dimensions_named(dataset, self.name))
            text = f"{self.name}={text_of(self.value)}"
            found = coordinates_named(dataset, self.name, self.value, text)
            return frozenset(coordinate.dimension for coordinate in found)
        except UnknownName:
            return frozenset()


def select_from_each(
    datasets: Sequence[Dataset], requested: Selection, along: Collection[str], notify: Notify
) -> tuple[list[Dataset], Selection | None]:
    """Return the part of each dataset, and the selection from the joined one.

    Parameters
    ----------
    datasets
        The datasets; some may have only some of the names.
    requested
        The part.
    along
        The FQNs of the dimensions along which they are joined.
    notify
        Receives notices, each of them once.

    Raises
    ------
    OptionError
        If an option is not valid, or no dataset has a name.
    """
    told: set[Notice] = set()

    def tell(notice: Notice) -> None:
        if notice not in told:
            told.add(notice)
            notify(notice)

    if requested.vars or requested.exclude:
        datasets = _with_variables(datasets, requested, along, tell)
    choices = [_Choice(name, index=index) for name, index in requested.by_index.items()]
    choices += [_Choice(name, value=value) for name, value in requested.by_value.items()]
    after = [each for each in choices if _is_along(each, datasets, along)]
    before = [each for each in choices if each not in after]
    parts = []
    for dataset in datasets:
        own = _selection([c for c in before if c.dimensions(dataset)], requested)
        parts.append(select_part(dataset, own, tell))
    for choice in before:
        if not any(choice.dimensions(dataset) for dataset in datasets):
            select_part(datasets[0], _selection([choice], requested))  # reports the error
    return parts, _selection(after, requested) if after else None


def _selection(choices: Sequence[_Choice], requested: Selection) -> Selection:
    return Selection(
        by_index={each.name: each.index for each in choices if each.index is not None},
        by_value={each.name: each.value for each in choices if each.value is not None},
        nearest=requested.nearest,
    )


def _is_along(choice: _Choice, datasets: Sequence[Dataset], along: Collection[str]) -> bool:
    """Return whether a selection is one along a joined dimension, which may be new."""
    if any(choice.name in (fqn, base_name(fqn)) for fqn in along):
        return True
    found = (choice.dimensions(dataset) for dataset in datasets)
    return any(dimensions & {*along} for dimensions in found)


def _with_variables(
    datasets: Sequence[Dataset], requested: Selection, along: Collection[str], notify: Notify
) -> list[Dataset]:
    """Return the chosen variables of each dataset, which may lack all of them."""
    for glob in (*requested.vars, *requested.exclude):
        if not any(has_match(dataset.root, glob) for dataset in datasets):
            is_wanted = glob in requested.vars
            alone = Selection(vars=(glob,)) if is_wanted else Selection(exclude=(glob,))
            select_part(datasets[0], alone)  # raises that nothing matches
    chosen = []
    for dataset in datasets:
        wanted = [glob for glob in requested.vars if has_match(dataset.root, glob)]
        unwanted = [glob for glob in requested.exclude if has_match(dataset.root, glob)]
        if requested.vars and not wanted:
            chosen.append(replace(dataset, root=only_variables(dataset.root, frozenset())))
            continue
        if wanted:  # the coordinates of the joined dimension, which may be scalar
            wanted += [fqn for fqn, _ in variables_by_fqn(dataset.root) if fqn in along]
        chosen.append(with_variables(dataset, wanted, unwanted, notify))
    if not any(True for dataset in chosen for _ in variables_by_fqn(dataset.root)):
        raise OptionError(f"{option('exclude')} leaves no variable")
    return chosen
