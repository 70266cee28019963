"""A group of an open dataset: a mapping from names to variables and groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ncz.api.dataset.attributes import plain_attributes
from ncz.api.dataset.handle import Handle, name_missing
from ncz.api.dataset.variable import Variable
from ncz.model.tree import Dataset as DatasetRecord
from ncz.model.tree import Group as GroupRecord
from ncz.model.tree import join, parent

if TYPE_CHECKING:
    import xarray


class Group(Mapping[str, Any]):
    """A group of an open dataset; it keeps the dataset open.

    It is a mapping from the names of its variables, and then of its groups, to these. Names may be
    paths: ``group["inner/t2m"]``, and ``group["/t2m"]`` from the root.
    """

    def __init__(self, handle: Handle, record: GroupRecord, path: str) -> None:
        self._handle = handle
        self._record = record
        self._path = path

    @property
    def name(self) -> str:
        """The name, without its parents."""
        return self._record.name

    @property
    def path(self) -> str:
        """The name with its parents: ``/outer/inner``; "/" for the root."""
        return self._path or "/"

    @property
    def source(self) -> str:
        """The path or URL of the dataset, without secrets."""
        return self._handle.location.display

    @property
    def group_record(self) -> GroupRecord:
        """The record of the group, as the commands of ncz use it."""
        return self._record

    @property
    def dataset_record(self) -> DatasetRecord:
        """The record of the whole dataset, as the commands of ncz use it."""
        return self._handle.dataset

    @cached_property
    def attrs(self) -> dict[str, Any]:
        """The attributes as plain Python values: `str`, `int`, `float`, and lists of them.

        They cannot be changed. Their types are in ``group_record.attributes``.
        """
        return plain_attributes(self._record.attributes)

    @property
    def dims(self) -> dict[str, int]:
        """The length of each dimension that can be used here: its own, and those of its parents."""
        return {name: self._handle.dimensions[fqn].size for name, fqn in self._in_scope().items()}

    @property
    def unlimited_dims(self) -> frozenset[str]:
        """The names of the unlimited dimensions among `dims`."""
        known = self._handle.dimensions
        return frozenset(name for name, fqn in self._in_scope().items() if known[fqn].unlimited)

    def _in_scope(self) -> dict[str, str]:
        """Return the FQNs of the visible dimensions by name; inner ones hide outer ones."""
        paths = [self._path]
        while paths[-1]:
            paths.append(parent(paths[-1]))
        return {
            fqn.rpartition("/")[2]: fqn
            for path in reversed(paths)
            for fqn in self._handle.dimensions
            if parent(fqn) == path
        }

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The variables of this group by name."""
        return {
            v.name: Variable(self._handle, v, join(self._path, v.name))
            for v in self._record.variables
        }

    @cached_property
    def groups(self) -> dict[str, Group]:
        """The groups in this group by name."""
        return {
            g.name: Group(self._handle, g, join(self._path, g.name)) for g in self._record.groups
        }

    def to_xarray(self, **options: Any) -> xarray.Dataset:
        """Return the variables of this group as an `xarray.Dataset`, whose values are read lazily.

        Parameters
        ----------
        **options
            As for `xarray.open_dataset`: ``chunks={}`` for Dask, ``decode_times=False``, ...
        """
        from ncz.api.xarray.store import to_xarray

        return to_xarray(self, **options)

    def __getitem__(self, name: str) -> Any:
        """Return the `Variable` or the `Group` of that name or path.

        Raises
        ------
        KeyError
            If nothing has that name; the error suggests similar names.
        """
        found = self._find(name)
        if found is None:
            place = self.source if not self._path else f"{self.source}: {self.path}"
            raise name_missing(name, self, place)
        return found

    def _find(self, name: object) -> Variable | Group | None:
        """Return what a name or a path leads to, or None."""
        if not isinstance(name, str):
            return None
        found: Variable | Group = self
        if name.startswith("/"):
            found = Group(self._handle, self._handle.dataset.root, "")
        for part in name.strip("/").split("/") if name.strip("/") else ():
            if not isinstance(found, Group):
                return None
            below = found.variables.get(part) or found.groups.get(part)
            if below is None:
                return None
            found = below
        return found if name else None

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self.variables
        yield from self.groups

    def __len__(self) -> int:
        return len(self._record.variables) + len(self._record.groups)

    def __bool__(self) -> bool:
        return True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _ipython_key_completions_(self) -> list[str]:
        """Return the names that IPython offers after ``group["``."""
        return list(self)

    def __reduce__(self) -> tuple[Any, tuple[Handle, str]]:
        return _restore, (self._handle, self.path)

    def __repr__(self) -> str:
        from ncz.api.dataset.text_repr import group_text

        return group_text(self)

    def _repr_html_(self) -> str:
        from ncz.api.dataset.html_repr import group_html

        return group_html(self)


def _restore(handle: Handle, path: str) -> Any:
    return Group(handle, handle.dataset.root, "")[path]
