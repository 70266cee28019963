"""Descriptions of datasets, groups and variables as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ncz.errors import shorten
from ncz.model.types import Atomic
from ncz.text.format_sizes import format_size
from ncz.views.summary import summarise_group

if TYPE_CHECKING:
    from ncz.api.dataset.group import Group
    from ncz.api.dataset.variable import Variable

WIDTH = 100
MOST_ATTRIBUTES = 20


def group_text(group: Group) -> str:
    """Describe a dataset or a group as ``ncz dump --summary`` does, without reading values."""
    path = "" if group.path == "/" else group.path
    return "\n".join(summarise_group(group.dataset_record, path, WIDTH))


def variable_text(variable: Variable) -> str:
    """Describe a variable: shape, dtype, chunks, codecs and attributes."""
    return "\n".join(_variable_lines(variable))


def heading(group: Group) -> str:
    """Return the first line of the description of a dataset or a group."""
    return group_text(group).partition("\n")[0]


def dimensions_text(group: Group) -> str:
    """Return the dimensions with their lengths: ``time: 4 (unlimited), lat: 3``."""
    unlimited = group.unlimited_dims
    return ", ".join(
        f"{name}: {size}" + (" (unlimited)" if name in unlimited else "")
        for name, size in group.dims.items()
    )


def shape_text(variable: Variable) -> str:
    """Return the dimensions of a variable with their lengths: ``(time: 4, lat: 3)``."""
    pairs = zip(variable.dims, variable.shape, strict=True)
    return f"({', '.join(f'{name}: {size}' for name, size in pairs)})"


def type_text(variable: Variable) -> str:
    """Return the name of the type: a dtype, or the name of a netCDF type that has none."""
    nc_type = variable.record.type
    if isinstance(nc_type, Atomic):
        return nc_type.word if nc_type in (Atomic.CHAR, Atomic.STRING) else str(variable.dtype)
    return f"{type(nc_type).__name__.lower()} {nc_type.name.rpartition('/')[2]}"


def codecs_text(variable: Variable) -> str:
    """Return the codecs of a variable with their parameters, or "none"."""
    described = []
    for codec in variable.codecs:
        parameters = ", ".join(f"{k}={v!r}" for k, v in codec.items() if k != "id")
        described.append(f"{codec.get('id')}({parameters})")
    return ", ".join(described) or "none"


def value_text(value: Any) -> str:
    """Return the value of an attribute on one line."""
    if isinstance(value, str):
        return " ".join(value.split())
    if hasattr(value, "tolist"):
        value = value.tolist()
    return repr(value)


def _variable_lines(variable: Variable) -> Iterator[str]:
    yield (
        f"<ncz.Variable {variable.path} {shape_text(variable)} {type_text(variable)},"
        f" {format_size(variable.nbytes)}>"
    )
    if variable.chunks is not None and variable.ndim:
        yield f"Chunks:      {variable.chunks}"
    if variable.shards is not None:
        yield f"Shards:      {variable.shards}"
    if variable.codecs:
        yield f"Codecs:      {codecs_text(variable)}"
    if variable.fill_value is not None:
        yield f"Fill value:  {value_text(variable.fill_value)}"
    yield from _attribute_lines(variable.attrs)


def _attribute_lines(attributes: Mapping[str, Any]) -> Iterator[str]:
    if not attributes:
        return
    yield "Attributes:"
    shown = list(attributes.items())[:MOST_ATTRIBUTES]
    longest = max(len(name) for name, _ in shown)
    for name, value in shown:
        yield shorten(f"    {name + ':':<{longest + 1}}  {value_text(value)}", WIDTH)
    if len(attributes) > len(shown):
        yield f"    ... and {len(attributes) - len(shown)} more"
