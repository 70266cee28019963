"""Parts of several datasets that are joined or merged: what is selected before, and what after.

What is left out need not be the same in all of them. What is selected along the joined dimension is
a part of the joined dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.subsets.coordinates import coordinates_named
from ncz.commands.subsets.selection import Subset, dimensions_named, parts_of, selected
from ncz.commands.subsets.variables import has_match, only_variables, with_variables
from ncz.errors import Notice, Notify, option
from ncz.model.tree import Dataset, base_name, variables_by_fqn
from ncz.record import record, replace


@record
class _Text:
    """One ``DIM=SELECTION``, as a whole and in its parts; `by_index` is true for ``--isel``."""

    text: str
    name: str
    value: str
    by_index: bool

    def dimensions(self, dataset: Dataset) -> frozenset[str]:
        """Return the FQNs of the dimensions that it selects from; none if it names nothing.

        Raises `OptionError` for a name without coordinates.
        """
        try:
            if self.by_index:
                return frozenset(fqn for fqn, _ in dimensions_named(dataset, self.name))
            found = coordinates_named(dataset, self.name, self.value, self.text)
            return frozenset(coordinate.dimension for coordinate in found)
        except UnknownName:
            return frozenset()


def selected_from_each(
    datasets: Sequence[Dataset], requested: Subset, along: Collection[str], notify: Notify
) -> tuple[list[Dataset], Subset | None]:
    """Return the part of each dataset, and what is to be selected from the joined one.

    Parameters
    ----------
    datasets
        The datasets, of which each may have only some of the names.
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
    texts = [
        _Text(text, name, value, by_index)
        for by_index, several in ((True, requested.isel), (False, requested.sel))
        for text, name, value in parts_of(several, option("isel" if by_index else "sel"))
    ]
    after = [each for each in texts if _is_along(each, datasets, along)]
    before = [each for each in texts if each not in after]
    parts = []
    for dataset in datasets:
        own = _subset([t for t in before if t.dimensions(dataset)], requested)
        parts.append(selected(dataset, own, tell))
    for text in before:
        if not any(text.dimensions(dataset) for dataset in datasets):
            selected(datasets[0], _subset([text], requested))  # tells what is wrong
    return parts, _subset(after, requested) if after else None


def _subset(texts: Sequence[_Text], requested: Subset) -> Subset:
    return Subset(
        isel=tuple(each.text for each in texts if each.by_index),
        sel=tuple(each.text for each in texts if not each.by_index),
        nearest=requested.nearest,
    )


def _is_along(text: _Text, datasets: Sequence[Dataset], along: Collection[str]) -> bool:
    """Return whether a selection is one along a joined dimension, which may be new."""
    if any(text.name in (fqn, base_name(fqn)) for fqn in along):
        return True
    found = (text.dimensions(dataset) for dataset in datasets)
    return any(dimensions & {*along} for dimensions in found)


def _with_variables(
    datasets: Sequence[Dataset], requested: Subset, along: Collection[str], notify: Notify
) -> list[Dataset]:
    """Return the variables that are chosen of each dataset, which may have none of them."""
    for glob in (*requested.vars, *requested.exclude):
        if not any(has_match(dataset.root, glob) for dataset in datasets):
            is_wanted = glob in requested.vars
            alone = Subset(vars=(glob,)) if is_wanted else Subset(exclude=(glob,))
            selected(datasets[0], alone)  # tells that nothing matches
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
