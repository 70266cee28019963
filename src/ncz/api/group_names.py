"""Names of group members in zarr-python, netCDF4 and h5py, with the same meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ncz.api.callable_properties import Text
from ncz.api.dimension import NamedDimension
from ncz.api.name_changes import attribute_rename_method, rename_method
from ncz.api.new_members import create_dimension, create_method, fill_method, require_method

_MODELS = {
    "netCDF-4": "NETCDF4",
    "netCDF-4 classic model": "NETCDF4_CLASSIC",
    "classic": "NETCDF3_CLASSIC",
    "64-bit offset": "NETCDF3_64BIT_OFFSET",
    "cdf5": "NETCDF3_64BIT_DATA",
}
"""The kinds of netCDF files as netCDF4 names them."""


def _dimensions(group: Any) -> dict[str, NamedDimension]:
    unlimited = group.unlimited_dims
    return {n: NamedDimension(n, size, n in unlimited) for n, size in group.dims.items()}


def _model(group: Any) -> str:
    return _MODELS[group.dataset_record.provenance.netcdf_kind]


def _disk_format(group: Any) -> str:
    provenance = group.dataset_record.provenance
    if not provenance.is_netcdf_file:
        return "ZARR"
    return "HDF5" if _model(group).startswith("NETCDF4") else "NETCDF3"


def _members(group: Any, max_depth: int | None = 0) -> Iterator[tuple[str, Any]]:
    """Yield the members of a group by name, and with a depth the deeper members by path."""
    for name, member in group.items():
        yield name, member
        if hasattr(member, "groups") and max_depth != 0:
            deeper = None if max_depth is None else max_depth - 1
            for path, below in _members(member, deeper):
                yield f"{name}/{path}", below


def _walk(group: Any, call: Callable[..., Any], *, with_members: bool) -> Any:
    """Call a function for each member below a group, until it returns something, as h5py does."""
    for path, member in _members(group, None):
        result = call(path, member) if with_members else call(path)
        if result is not None:
            return result
    return None


def _with_attributes(group: Any, wanted: Mapping[str, Any]) -> list[Any]:
    """Return the variables with some attributes; a function judges the value, or None."""
    return [
        variable
        for variable in group.variables.values()
        if all(
            value(variable.attrs.get(name))
            if callable(value)
            else name in variable.attrs and variable.attrs[name] == value
            for name, value in wanted.items()
        )
    ]


def tree_text(group: Any) -> Text:
    """Return the names of a group's members, line by line, with shapes and types."""
    name = group.name if group.path == "/" else group.path
    return Text("\n".join([name or "/", *_branches(group, "")]))


def _branches(group: Any, before: str) -> Iterator[str]:
    members = list(group.items())
    for number, (name, member) in enumerate(members, 1):
        is_last = number == len(members)
        corner, edge = ("└── ", "    ") if is_last else ("├── ", "│   ")
        if hasattr(member, "groups"):
            yield f"{before}{corner}{name}"
            yield from _branches(member, before + edge)
        else:
            sizes = ", ".join(f"{key}: {size}" for key, size in member.sizes.items())
            yield f"{before}{corner}{name} ({sizes}) {member.dtype}"


def _above(group: Any) -> Any:
    if group.path == "/":
        return None
    parent = group.path.rpartition("/")[0]
    return root_of(group)[parent] if parent else root_of(group)


def root_of(member: Any) -> Any:
    """Return the dataset of a variable or a group."""
    return member._dataset_class(member._handle)


def text_of(member: Any) -> Text:
    """Return the text that is printed for a variable or a group."""
    return Text(repr(member))


def _cdl(group: Any, **options: Any) -> str:
    from ncz.commands.dump import dump

    return dump(group._handle.location, header_only=not options.get("data", False))


def _types(group: Any, kind: str) -> dict[str, Any]:
    found = group.group_record.types
    return {each.name: each for each in found if type(each).__name__ == kind}


def mode_of(member: Any) -> str:
    """Return the mode of an open dataset."""
    return "r+" if member._handle.is_writable else "r"


OF_BOTH: Mapping[str, Callable[[Any], Any]] = {
    "info": text_of,
    "info_complete": lambda member: lambda: text_of(member),
    "store": lambda member: member.filepath(),
    "store_path": lambda member: f"{member.filepath()}/{member.path.strip('/')}".rstrip("/"),
    "file": root_of,
    "basename": lambda member: member.name,
    "read_only": lambda member: not member._handle.is_writable,
    "isopen": lambda member: lambda: not member._handle.is_closed,
    "sync": lambda member: member._handle.check_open,
    "flush": lambda member: member._handle.check_open,
    "update_attributes": lambda member: member.attrs.update,
    "setncattr_string": lambda member: member.setncattr,
    "chartostring": lambda _: True,
    "renameAttribute": attribute_rename_method,
    **dict.fromkeys(
        ("set_auto_mask", "set_auto_scale", "set_auto_maskandscale"),
        lambda member: lambda flag=True: member._show(unpacked=bool(flag)),
    ),
    **dict.fromkeys(
        ("set_auto_chartostring", "set_ncstring_attrs", "set_fill_on", "set_fill_off",
         "set_collective", "set_always_mask"),
        lambda _: lambda *_: None,
    ),
}  # fmt: skip
"""Names of variables and groups, and the function that returns their value."""

OF_GROUPS: Mapping[str, Callable[[Any], Any]] = {
    **OF_BOTH,
    "dimensions": _dimensions,
    "data_model": _model,
    "file_format": _model,
    "disk_format": _disk_format,
    "cmptypes": lambda group: _types(group, "Compound"),
    "enumtypes": lambda group: _types(group, "Enumeration"),
    "vltypes": lambda group: _types(group, "Vlen"),
    "get_variables_by_attributes": lambda group: lambda **named: _with_attributes(group, named),
    "tocdl": lambda group: lambda **options: _cdl(group, **options),
    "parent": _above,
    "createDimension": create_dimension,
    **{
        name: create_method(name)
        for name in (
            "createVariable",
            "createGroup",
            "create_group",
            "create_array",
            "create_dataset",
        )
    },
    "create": create_method("create_dataset"),
    "zeros": fill_method(0),
    "ones": fill_method(1),
    **dict.fromkeys(("full", "empty"), fill_method(None)),
    "require_group": require_method("createGroup"),
    **dict.fromkeys(("require_array", "require_dataset"), require_method("create_dataset")),
    "renameVariable": rename_method("variable"),
    "renameDimension": rename_method("dimension"),
    "renameGroup": rename_method("group"),
    "move": rename_method(None),
    "filename": lambda group: group.filepath(),
    "mode": mode_of,
    "array_keys": lambda group: lambda: iter(group.variables),
    "array_values": lambda group: lambda: iter(group.variables.values()),
    "arrays": lambda group: lambda: iter(group.variables.items()),
    "group_keys": lambda group: lambda: iter(group.groups),
    "group_values": lambda group: lambda: iter(group.groups.values()),
    "get_array": lambda group: group.__getitem__,
    "get_group": lambda group: group.__getitem__,
    "members": lambda group: lambda max_depth=0, **_: _members(group, max_depth),
    "nmembers": lambda group: lambda max_depth=0: sum(1 for _ in _members(group, max_depth)),
    "visit": lambda group: lambda call: _walk(group, call, with_members=False),
    "visititems": lambda group: lambda call: _walk(group, call, with_members=True),
    "tree": lambda group: lambda *_, **__: tree_text(group),
}
"""Names of groups, and the function that returns their value."""
