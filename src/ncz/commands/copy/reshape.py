"""Apply the options of a copy to a dataset: other chunks, codecs, dimensions or variables.

Only the description of the dataset changes here; data are converted when they are written.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.copy.storage import with_storage
from ncz.commands.option_error import UnknownName
from ncz.commands.shards import with_shards
from ncz.commands.subsets.variables import notice_of_omissions, only_variables
from ncz.commands.variable_names import chosen_variables, hint_for, is_in_group, is_named
from ncz.errors import Notice, Notify, ignore_notice, list_names, option
from ncz.model.references import references, with_references
from ncz.model.tree import (
    Dataset,
    Group,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    variables_by_fqn,
)
from ncz.record import replace


def apply_reshape(dataset: Dataset, reshape: Reshape, notify: Notify = ignore_notice) -> Dataset:
    """Return `dataset` with the changes that `reshape` describes.

    Parameters
    ----------
    dataset
        The source of a copy.
    reshape
        The changes.
    notify
        Receives a notice of names that the chosen variables refer to, and the copy lacks.

    Returns
    -------
    Dataset
        The changed description, with the data of `dataset`.

    Raises
    ------
    OptionError
        If an option is not valid, or names something that the dataset does not have.
    """
    root = dataset.root
    if reshape.only is not None:
        root = only_variables(root, chosen_variables(root, reshape.only, is_named))
    if reshape.only_groups is not None:
        root = only_variables(root, chosen_variables(root, reshape.only_groups, is_in_group))
    if reshape.chooses:
        notice = notice_of_omissions(dataset.root, root)
        if notice is not None:
            notify(notice)
        empty = {fqn for fqn, _ in variables_by_fqn(root)} - with_data(root, reshape)
        if empty:
            notify(
                Notice(
                    "values-not-copied",
                    f"the copy has no values of {list_names(sorted(empty))}",
                    hint=f"use {option('vars')} to leave out other variables",
                )
            )
    changed = replace(dataset, root=root)
    if reshape.fixed:
        changed = each_dimension(changed, lambda _, d: replace(d, unlimited=False))
    if reshape.unlimited:
        changed = _with_unlimited(changed, reshape.unlimited)
    if reshape.transpose:
        from ncz.commands.copy.transposition import transpose

        changed = transpose(changed, reshape.transpose)
    return with_shards(with_storage(changed, reshape), reshape.shards)


def _with_unlimited(dataset: Dataset, names: Sequence[str]) -> Dataset:
    """Return a dataset with unlimited dimensions. Raises `OptionError` for an unknown name."""
    known = dimensions_by_fqn(dataset.root)
    chosen: set[str] = set()
    for name in names:
        found = {fqn for fqn in known if name in (fqn, base_name(fqn))}
        if not found:
            hint = hint_for(name, known)
            raise UnknownName(f"{option('unlimited')}: no dimension is named {name!r}", hint=hint)
        chosen |= found
    return each_dimension(
        dataset, lambda fqn, d: replace(d, unlimited=d.unlimited or fqn in chosen)
    )


def with_data(root: Group, reshape: Reshape) -> frozenset[str]:
    """Return the FQNs of the variables whose data are copied, with the coordinates that they need.

    Raises `OptionError`.
    """
    variables = frozenset(fqn for fqn, _ in variables_by_fqn(root))
    chosen = variables
    if reshape.data_of is not None:
        chosen &= chosen_variables(root, reshape.data_of, is_named)
    if reshape.data_of_groups is not None:
        chosen &= chosen_variables(root, reshape.data_of_groups, is_in_group)
    return chosen if chosen == variables else with_references(chosen, references(root)) & variables
