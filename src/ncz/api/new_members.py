"""Dimensions, variables and groups that are created in an open dataset, each as one change."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from ncz.api.attributes import refuse
from ncz.formats.kinds import GivenDataset
from ncz.late import numpy as np
from ncz.model.tree import Dataset, Dimension, Provenance, join
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.api.new_dataset import NewGroup


def create_method(method: str) -> Callable[[Any], Callable[..., Any]]:
    """Return the method of a group that creates a member as the one of a new group does."""

    def of_group(group: Any) -> Callable[..., Any]:
        def create(name: str, *given: Any, **options: Any) -> Any:
            _check(group)
            draft = _draft(group)
            getattr(draft, method)(name, *given, **options)
            _add(group, draft)
            return group[name.strip("/")]

        return create

    return of_group


def fill_method(value: Any) -> Callable[[Any], Callable[..., Any]]:
    """Return the method of a group that creates a variable of one value, such as ``zeros``."""
    create = create_method("create_dataset")

    def of_group(group: Any) -> Callable[..., Any]:
        def create_variable(name: str, shape: Any, dtype: Any = "f8", **options: Any) -> Any:
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            fill = options.pop("fill_value", 0) if value is None else value
            return create(group)(name, data=np.full(shape, fill, dtype), **options)

        return create_variable

    return of_group


def create_from_values(group: Any, name: str, values: Any) -> None:
    """Create a variable that has the values, as h5py and xarray do for ``group[name] = values``.

    Raises `TypeError` if the dataset was opened to read.
    """
    if isinstance(values, tuple):  # as in xarray: dimensions, values, attributes
        dims, values, *rest = values
        dims, attributes = [dims] if isinstance(dims, str) else dims, dict(*rest)
    else:
        dims, attributes = getattr(values, "dims", None), dict(getattr(values, "attrs", {}))
    create_method("create_dataset")(group)(
        name, data=np.asarray(values), dimension_names=dims, attributes=attributes
    )


def require_method(method: str) -> Callable[[Any], Callable[..., Any]]:
    """Return the method of a group that returns a member, and creates it if none exists."""
    create = create_method(method)

    def of_group(group: Any) -> Callable[..., Any]:
        return lambda name, *given, **options: (
            group[name] if name in group else create(group)(name, *given, **options)
        )

    return of_group


def create_dimension(group: Any) -> Callable[..., Any]:
    """Return the method of a group that creates a dimension.

    Pure Zarr without annotations has it as soon as a variable does.
    """

    def create(dimname: str, size: int | None = None) -> Any:
        _check(group)
        draft = _draft(group)
        made = draft.createDimension(dimname, size)
        handle = group._handle
        record = Dimension(name=made.name, size=made.size, unlimited=made.unlimited)
        fqn = join(group._path, dimname)
        handle.new_dimensions[fqn] = record
        if handle.is_plain:
            handle.dimensions[fqn] = record
        else:
            _add(group, draft)
        return group.dimensions[dimname]

    return create


def _check(group: Any) -> None:
    handle = group._handle
    handle.check_open()
    if not handle.is_writable:
        refuse({}, ())
    if handle.parts or handle.is_unpacked:
        raise TypeError("members are created in a whole dataset, and not in a part of one")
    group._refresh()


def _draft(group: Any) -> NewGroup:
    """Return a new group that knows the dimensions and the names of an open one."""
    from ncz.api.new_dataset import NewGroup
    from ncz.api.new_variable import NewDimension

    draft: NewGroup | None = None
    path = ""
    for name in ("", *group._path.strip("/").split("/")) if group._path else ("",):
        path = join(path, name) if name else ""
        draft = NewGroup(path, draft)
        for fqn, each in group._handle.dimensions.items():
            if fqn.rpartition("/")[0] == path:
                draft.dimensions[each.name] = NewDimension(
                    each.name, each.size, unlimited=each.unlimited
                )
    assert draft is not None
    draft.taken_names.update(group.variables, group.groups)
    return draft


def _add(group: Any, draft: NewGroup) -> None:
    """Add the new members of a draft, and open the dataset again."""
    from ncz.commands.copy.command import copy

    handle = group._handle
    root = draft._record()
    above = draft._above
    while above is not None:  # the groups around it, with the dimensions that it uses
        root = replace(above._record(), groups=(root,))
        above = above._above
    record = Dataset(name="", root=root, provenance=Provenance(is_object=True))
    source = GivenDataset(name=group.filepath(), open=lambda *_: contextlib.nullcontext(record))
    copy(
        source, handle.location, add=True, allow_loss=True, notify=handle.notify,
        **cast(Any, draft._settings()),
    )  # fmt: skip
    handle.reopen()
    group._forget()
