"""Other names and attributes in a copy, as `ncz edit` makes them."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.edit.outdated_names import notices_of
from ncz.commands.edit.variable_types import in_types_of
from ncz.errors import Notify
from ncz.formats.dataset_edits import EditedDataset
from ncz.formats.edits import Change, Request
from ncz.model.tree import Dataset


def with_edits(dataset: Dataset, requests: Sequence[Request], name: str, notify: Notify) -> Dataset:
    """Return a dataset after edits, in their order.

    Parameters
    ----------
    dataset
        The dataset.
    requests
        The edits.
    name
        The path or the URL of the dataset, for messages.
    notify
        Receives notices of attributes that name something by its old name.

    Raises
    ------
    FormatError
        If something does not exist, or its new name does.
    """
    edited = EditedDataset.of(dataset, name)
    changes: list[Change] = []
    for request in in_types_of(dataset, requests, name, notify):
        edited, more = edited.apply(request)
        changes += more
    for notice in notices_of(edited.nodes, changes, name):
        notify(notice)
    return edited.dataset
