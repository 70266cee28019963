"""Functions that make, move and lengthen the masters of aggregations.

Each module is imported when it is used: removing a store needs no module that writes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ncz.formats.aggregation.master_kinds import KINDS
from ncz.formats.aggregation.modes import FORM_OF_MODE
from ncz.formats.masters import Masters

if TYPE_CHECKING:
    from ncz.errors import Progress
    from ncz.formats.aggregation.modes import FormName
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.growth import Growth
    from ncz.formats.kinds import Plan
    from ncz.formats.masters import MasterKind
    from ncz.formats.piece_layout import PieceLayout
    from ncz.model.tree import Dataset, Group, Variable
    from ncz.zmap import Zmap
    from ncz.zmap.claim import Leftover
    from ncz.zmap.location import Location


def fields(root: Group) -> dict[str, Variable]:
    """Return the variables that are divided into pieces, by FQN."""
    from ncz.formats.aggregation.pieces import fields_of

    return fields_of(root)


def is_packed(variable: Variable) -> bool:
    """Return whether a variable is packed."""
    from ncz.formats.aggregation.piece_values import factors_of

    return factors_of(variable) != (1.0, 0.0)


def master(
    dataset: Dataset, layouts: Mapping[str, PieceLayout], kind: MasterKind, location: Location
) -> Dataset:
    """Return the master of a dataset, from the pieces of its aggregated variables by FQN."""
    from ncz.formats.aggregation.master_dataset import master_of
    from ncz.formats.aggregation.seals import seals_of_layouts

    seals = seals_of_layouts(location, layouts, kind)
    return master_of(dataset, layouts, cast("FormName", kind.name), seals)


def with_names(dataset: Dataset, url: str, rename: Callable[[str], str]) -> Dataset:
    """Return a master with other names of its pieces."""
    from ncz.formats.aggregation import piece_names

    return piece_names.with_names(dataset, url, rename)


def may_be_file(location: Location) -> bool:
    """Return whether the name of a location allows a master in a file."""
    from ncz.formats.netcdf.names import NEW_SUFFIXES

    return location.path.lower().endswith(NEW_SUFFIXES)


def may_be(zmap: Zmap) -> bool:
    """Return whether an open store may be a master, by its root document."""
    from ncz.formats.aggregation.store_marks import names_convention

    return names_convention(zmap)


def is_own(name: str, location: Location) -> bool:
    """Return whether a piece is in the folder of the pieces of the master at a location."""
    from ncz.formats.aggregation import folder_names

    return folder_names.is_own(name, location)


def recover(path: str, dry_run: bool) -> list[Leftover]:
    """Complete or undo the unfinished change of a killed process at the path of a master."""
    from ncz.formats.aggregation import placement

    return placement.recover(path, dry_run=dry_run)


def growths(
    location: Location,
    dataset: Dataset,
    axes: Mapping[str, int],
    counts: Mapping[str, int],
    lengths: Mapping[str, int],
    piece_format: str | None,
) -> list[Growth]:
    """Plan new pieces of a master."""
    from ncz.formats.aggregation.growth import growth_of

    return growth_of(location, dataset, axes, counts, lengths, piece_format)


def grow(
    dataset: Dataset,
    location: Location,
    growths: Sequence[Growth],
    options: CreateOptions,
    plan: Plan,
    check: Callable[[], None],
    progress: Progress,
) -> int:
    """Write new pieces of a master; see `ncz.formats.aggregation.growth.grow`."""
    from ncz.formats.aggregation import growth

    return growth.grow(dataset, location, growths, options, plan, check=check, progress=progress)


def without_conventions(dataset: Dataset) -> Dataset:
    """Return a dataset without the conventions that a master adds to its root."""
    from ncz.formats.aggregation.conventions import without_conventions as changed

    return changed(dataset)


MASTERS = Masters(
    kinds={mode: KINDS[name] for mode, name in FORM_OF_MODE.items()},
    fields=fields,
    is_packed=is_packed,
    master=master,
    with_names=with_names,
    may_be_file=may_be_file,
    may_be=may_be,
    is_own=is_own,
    recover=recover,
    growths=growths,
    grow=grow,
    without_conventions=without_conventions,
)
