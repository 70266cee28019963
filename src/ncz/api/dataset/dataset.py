"""An open dataset: its root group, which can be closed."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ncz.api.dataset.group import Group
from ncz.api.dataset.handle import Handle
from ncz.api.dataset.selection import subset_of
from ncz.model.tree import Dataset as DatasetRecord
from ncz.model.tree import Group as GroupRecord


class Dataset(Group):
    """An open dataset: the root group, with everything below it.

    Metadata are in memory; values are read when variables are indexed. The dataset is closed by
    `close`, at the end of a ``with`` block, or when neither it nor a group or variable of it is
    used any more. It can be pickled: another process opens it again.
    """

    def __init__(self, handle: Handle) -> None:
        super().__init__(handle, handle.dataset.root, "")

    @property
    def name(self) -> str:
        """The name of the dataset."""
        return self._handle.dataset.name

    @property
    def record(self) -> DatasetRecord:
        """The record that the commands of ncz use."""
        return self.dataset_record

    @property
    def root(self) -> GroupRecord:
        """The record of the root group, as the commands of ncz use it."""
        return self._record

    def isel(self, indices: Mapping[str, Any] | None = None, /, **named: Any) -> Dataset:
        """Return a part of the dataset by index: ``ds.isel(time=slice(0, 10), lat=-1)``.

        Every variable over a selected dimension becomes shorter, and only the chunks that it needs
        are read. The part keeps the dataset open, and closing it closes the dataset.

        Parameters
        ----------
        indices, **named
            An integer or a slice for each dimension, by its name, or by its path such as "/g/x". A
            dimension from which one index is selected stays, with length 1. Steps are positive.

        Raises
        ------
        OptionError
            If the dataset has no such dimension, or it no such index.
        """
        return Dataset(self._handle.part(subset_of({**(indices or {}), **named}, None)))

    def sel(self, values: Mapping[str, Any] | None = None, /, **named: Any) -> Dataset:
        """Return a part by the values of coordinates: ``ds.sel(lat=slice(40, 60))``.

        Parameters
        ----------
        values, **named
            For each dimension a value of its coordinate variable, or a slice, whose ends are both
            included. Times can be dates: ``time=slice("2026-01-01", "2026-02")``.

        Raises
        ------
        OptionError
            If the dataset has no such dimension, coordinate or value.
        """
        return Dataset(self._handle.part(subset_of(None, {**(values or {}), **named})))

    @property
    def is_closed(self) -> bool:
        """Whether the dataset is closed, so that values cannot be read."""
        return self._handle.is_closed

    def close(self) -> None:
        """Close the dataset. Closing it again does nothing."""
        self._handle.close()

    def __enter__(self) -> Dataset:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Dataset, (self._handle,)
