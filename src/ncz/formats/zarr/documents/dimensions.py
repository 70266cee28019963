"""The shared dimensions of each array, also in OME-Zarr images.

NCZarr notes them in `_nczarr_array`. xarray's `_ARRAY_DIMENSIONS`, and V3's `dimension_names`, give
names in the scope of the array's own group, as in netcdf-c 4.10.1. Where neither gives a dimension
of the right length, one of the root group is used, which is named after its length:
``_Anonymous_Dim_5``. Such a name is invented here, as netcdf-c does. It is not written where other
readers look for names; the names of the source are written there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ncz.errors import Notice, Notify, quantity
from ncz.formats.zarr.documents.document_v2 import DIMENSION_NAMES
from ncz.formats.zarr.documents.hierarchy import ArrayNode
from ncz.formats.zarr.json import Json
from ncz.model.json_text import print_json
from ncz.model.tree import Dataset, Dimension, Variable, base_name, each_variable, join, parent
from ncz.record import replace

ANONYMOUS = "_Anonymous_Dim_{}"
_BY_LENGTH = "dimensions are named by length"
_INVENTED = r"/_Anonymous_Dim_\d+(_\d+)?"


def is_invented(fqn: str) -> bool:
    """Return whether a dimension's name was made of its length, as netcdf-c does too."""
    return fqn.startswith("/_A") and re.fullmatch(_INVENTED, fqn) is not None


def original_names(
    array: ArrayNode, dimensions: tuple[str, ...], *, by_name: bool
) -> tuple[str | None, ...]:
    """Return the names of an array's axes as its store gives them.

    Parameters
    ----------
    array
        The array.
    dimensions
        The FQN of the dimension of each axis, as `Dimensions.resolve` returns them.
    by_name
        False to ignore the names that the array gives (mode noxarray).
    """
    names: tuple[str | None, ...] = (None,) * len(dimensions)
    stored_names = array.dimension_names
    if by_name and isinstance(stored_names, list) and len(stored_names) == len(dimensions):
        names = tuple(name if isinstance(name, str) else None for name in stored_names)
    if array.note is None or array.note.dimension_references is None:
        return names
    return tuple(
        name if is_invented(fqn) else base_name(fqn)
        for fqn, name in zip(dimensions, names, strict=True)
    )


def names_to_write(variable: Variable, *, pure: bool) -> list[Json] | None:
    """Return the names of a variable's axes for other readers; None if no axis has a name.

    In pure Zarr they come from the source. NCZarr also records dimensions, with these names.
    """
    dimensions = variable.dimensions
    names: Sequence[str | None] | None = variable.axis_names
    if names is None:  # as for every variable of a file
        names = [None if is_invented(fqn) else base_name(fqn) for fqn in dimensions]
    elif len(names) != len(dimensions):
        names = (None,) * len(dimensions)
    if not pure and variable.axis_names is not None:
        pairs = zip(dimensions, names, strict=True)
        names = [name if is_invented(fqn) else base_name(fqn) for fqn, name in pairs]
    if not names:
        return None if pure and variable.is_unnamed else []
    return None if names.count(None) == len(names) else list(names)


def with_names(dataset: Dataset, *, pure: bool) -> tuple[Dataset, list[str]]:
    """Return a dataset where each axis has a name for other readers.

    Arrays without names of axes get the names of their dimensions. The FQNs of their variables are
    returned too, without the attributes of scalars.
    """
    changed: list[str] = []

    def name_axes(fqn: str, variable: Variable) -> Variable:
        names = names_to_write(variable, pure=pure)
        if names is not None and None not in names:
            return variable
        if variable.dimensions:
            changed.append(fqn)
        given = names or (None,) * len(variable.dimensions)
        axes = tuple(
            base_name(fqn) if name is None else name
            for fqn, name in zip(variable.dimensions, given, strict=True)
        )
        return replace(variable, axis_names=axes, is_unnamed=False)

    return each_variable(dataset, name_axes), changed


class Dimensions:
    """The dimensions of every group, including dimensions inferred from arrays."""

    def __init__(self, declared: Mapping[str, tuple[Dimension, ...]], *, by_name: bool) -> None:
        """Begin with the dimensions that are noted.

        Parameters
        ----------
        declared
            The noted dimensions, by the FQN of their group.
        by_name
            False to ignore the names that arrays give (mode noxarray).
        """
        self._groups = {fqn: {d.name: d for d in group} for fqn, group in declared.items()}
        self._declared = {join(fqn, d.name) for fqn, group in declared.items() for d in group}
        self.by_name = by_name

    def names_axes(self, array: ArrayNode, shape: tuple[int, ...]) -> bool:
        """Return whether xarray finds a name for each axis of a pure array."""
        names = array.attributes.get(DIMENSION_NAMES)
        return self.by_name and isinstance(names, list) and len(names) == len(shape)

    def of(self, group: str) -> tuple[Dimension, ...]:
        """Return the dimensions of a group, given its FQN, in the order of their definition."""
        return tuple(self._groups.get(group, {}).values())

    def resolve(
        self, array: ArrayNode, shape: tuple[int, ...], group: str, location: str, notify: Notify
    ) -> tuple[str, ...]:
        """Return the FQN of a dimension for each axis of `shape`."""
        if array.note is not None and array.note.dimension_references is not None:
            return self._noted_dimensions(array.note.dimension_references, shape, location, notify)
        names_of_axes: Json = list(array.axes) if array.axes is not None else array.dimension_names
        names = self._names(names_of_axes, shape, location, notify)
        return tuple(
            self._find_or_add(name, length, group, location, notify)
            for name, length in zip(names, shape, strict=True)
        )

    def _noted_dimensions(
        self, references: tuple[str, ...], shape: tuple[int, ...], location: str, notify: Notify
    ) -> tuple[str, ...]:
        if len(references) != len(shape):
            count = quantity(len(references), "dimension")
            text = f"{count} cannot belong to an array of shape {list(shape)}"
            notify(Notice("dimension-inferred", f"{text}; {_BY_LENGTH}", location))
            return tuple(self._anonymous(length) for length in shape)
        fqns = []
        for reference, length in zip(references, shape, strict=True):
            dimension = self._groups.get(parent(reference), {}).get(base_name(reference))
            if dimension is not None and dimension.size == length:
                fqns.append(reference)
                continue
            fqns.append(self._anonymous(length))
            fault = "is not defined" if dimension is None else f"has length {dimension.size}"
            text = f"dimension {reference} {fault}, but the array has length {length}"
            text += f"; shown as {base_name(fqns[-1])}"
            notify(Notice("dimension-inferred", text, location))
        return tuple(fqns)

    def _names(
        self, value: Json, shape: tuple[int, ...], location: str, notify: Notify
    ) -> list[str | None]:
        nameless: list[str | None] = [None] * len(shape)
        if value is None or not self.by_name:
            return nameless
        if not isinstance(value, list) or len(value) != len(shape):
            text = f"{DIMENSION_NAMES} {print_json(value)} does not fit the shape {list(shape)}"
            notify(Notice("dimension-inferred", f"{text}; {_BY_LENGTH}", location))
            return nameless
        # xarray writes null for an axis without a name.
        return [n if isinstance(n, str) and n and "/" not in n else None for n in value]

    def _find_or_add(
        self, name: str | None, length: int, group: str, location: str, notify: Notify
    ) -> str:
        if name is None:
            return self._anonymous(length)
        fqn = self._find_in_scope(name, length, group) if self._declared else None
        if fqn is not None:
            return fqn
        dimensions = self._groups.setdefault(group, {})
        dimension = dimensions.get(name)
        if dimension is None:
            dimension = dimensions[name] = _inferred_dimension(name, length)
        size = dimension.size
        if size == length:
            return join(group, name)
        other = self._anonymous(length)
        text = f"dimension {name} has length {size} elsewhere in the group, but {length} here"
        notify(Notice("dimension-inferred", f"{text}; shown as {base_name(other)}", location))
        return other

    def _find_in_scope(self, name: str, length: int, group: str) -> str | None:
        """Return the FQN of a noted dimension in scope with a name and length, or None."""
        while True:
            fqn = join(group, name)
            if fqn in self._declared and self._groups[group][name].size == length:
                return fqn
            if not group:
                return None
            group = parent(group)

    def _anonymous(self, length: int) -> str:
        name = plain = ANONYMOUS.format(length)
        root = self._groups.setdefault("", {})
        attempt = 0
        while root.setdefault(name, _inferred_dimension(name, length)).size != length:
            attempt += 1
            name = f"{plain}_{attempt}"
        return join("", name)


def _inferred_dimension(name: str, length: int) -> Dimension:
    # In the netCDF API, a dimension that is defined with length 0 is an unlimited one.
    return Dimension(name=name, size=length, unlimited=length == 0)
