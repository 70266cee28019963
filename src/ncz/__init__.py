"""ncz: netCDF's text tools, native to Zarr.

    import ncz

    ncz.gen("weather.cdl", "weather.zarr")
    print(ncz.dump("weather.zarr", header_only=True))
    ds = ncz.open("weather.zarr")
    temperature = ds["temperature"][0, ..., ::2]
    ncz.copy("weather.zarr", "weather.zip", codecs=["zstd:5"])

Names are loaded when they are first used, so that ``import ncz`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ncz._version import __version__ as __version__
    from ncz.api.dataset import Dataset as Dataset
    from ncz.api.dataset import find as find
    from ncz.api.dataset import open as open
    from ncz.api.dataset import read as read
    from ncz.api.group import Group as Group
    from ncz.api.new_dataset import create as create
    from ncz.api.open_store import open_store as open_store
    from ncz.api.variable import Variable as Variable
    from ncz.api.xarray_dataset import open_dataset as open_dataset
    from ncz.api.xarray_dataset import open_mfdataset as open_mfdataset
    from ncz.commands.aggregate.command import aggregate as aggregate
    from ncz.commands.check import check as check
    from ncz.commands.consolidate import consolidate as consolidate
    from ncz.commands.copy.command import copy as copy
    from ncz.commands.copy.joined_copy import concat as concat
    from ncz.commands.copy.joined_copy import merge as merge
    from ncz.commands.diff import diff as diff
    from ncz.commands.digest import Digest as Digest
    from ncz.commands.digest import digest as digest
    from ncz.commands.dump import dump as dump
    from ncz.commands.edit.command import edit as edit
    from ncz.commands.functions import NczWarning as NczWarning
    from ncz.commands.gen import gen as gen
    from ncz.commands.info import info as info
    from ncz.commands.ls import ls as ls
    from ncz.commands.rm import rm as rm
    from ncz.commands.serve.command import Server as Server
    from ncz.commands.serve.command import serve as serve
    from ncz.commands.view.command import view as view
    from ncz.errors import CdlError as CdlError
    from ncz.errors import CodecError as CodecError
    from ncz.errors import FormatError as FormatError
    from ncz.errors import LossError as LossError
    from ncz.errors import NczError as NczError
    from ncz.errors import Notice as Notice
    from ncz.errors import UrlError as UrlError
    from ncz.errors import ZmapError as ZmapError
    from ncz.model.tree import Attribute as Attribute
    from ncz.model.tree import Dimension as Dimension
    from ncz.transfer.difference import Difference as Difference

_HOMES = {
    "ncz._version": ("__version__",),
    "ncz.api.dataset": ("Dataset", "find", "open", "read"),
    "ncz.api.group": ("Group",),
    "ncz.api.new_dataset": ("create",),
    "ncz.api.open_store": ("open_store",),
    "ncz.commands.functions": ("NczWarning",),
    "ncz.api.variable": ("Variable",),
    "ncz.api.xarray_dataset": ("open_dataset", "open_mfdataset"),
    "ncz.commands.aggregate.command": ("aggregate",),
    "ncz.commands.check": ("check",),
    "ncz.commands.consolidate": ("consolidate",),
    "ncz.commands.copy.command": ("copy",),
    "ncz.commands.copy.joined_copy": ("concat", "merge"),
    "ncz.commands.diff": ("diff",),
    "ncz.commands.digest": ("Digest", "digest"),
    "ncz.commands.dump": ("dump",),
    "ncz.commands.edit.command": ("edit",),
    "ncz.commands.gen": ("gen",),
    "ncz.commands.info": ("info",),
    "ncz.commands.ls": ("ls",),
    "ncz.commands.rm": ("rm",),
    "ncz.commands.serve.command": ("Server", "serve"),
    "ncz.commands.view.command": ("view",),
    "ncz.errors": (
        "CdlError", "CodecError", "FormatError", "LossError", "NczError", "Notice", "UrlError",
        "ZmapError",
    ),
    "ncz.model.tree": ("Attribute", "Dimension"),
    "ncz.transfer.difference": ("Difference",),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

_SAME = {
    **dict.fromkeys(("File", "MFDataset"), "ncz.api.dataset:Dataset"),
    **dict.fromkeys(("Error", "NCZError"), "ncz.errors:NczError"),
    "load": "ncz.api.dataset:open",
    **{
        name: f"ncz.api.library_functions:{name}"
        for name in (
            "open_zarr", "load_dataset", "open_dataarray", "load_dataarray", "open_datatree",
            "open_groups", "open_consolidated", "from_zarr", "tree",
            "mv", "save_mfdataset", "num2date", "date2num", "date2index",
        )
    },
    **{
        name: f"ncz.api.zarr_functions:{name}"
        for name in (
            "open_group", "group", "create_group", "open_array", "create_array", "array",
            "from_array", "zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like",
            "empty_like", "save", "save_array", "save_group",
        )
    },
    **{
        name: f"ncz.api.store_names:{name}"
        for name in (
            "LocalStore", "ZipStore", "MemoryStore", "FsspecStore", "copy_store", "copy_all",
        )
    },
    **dict.fromkeys(
        ("DirectoryStore", "NestedDirectoryStore"), "ncz.api.store_names:LocalStore"
    ),
    **{
        name: f"ncz.api.kerchunk_names:{name}"
        for name in ("SingleHdf5ToZarr", "NetCDF3ToZarr", "MultiZarrToZarr", "open_virtual_dataset")
    },
    "FSStore": "ncz.api.store_names:FsspecStore",
    **dict.fromkeys(
        ("convert", "to_zarr", "to_netcdf", "nccopy", "rechunk", "to_kerchunk",
         "to_icechunk"),
        "ncz.commands.copy.command:copy",
    ),
    "consolidate_metadata": "ncz.commands.consolidate:consolidate",
    "validate": "ncz.commands.check:check",
    "compare": "ncz.commands.diff:diff",
    **dict.fromkeys(("plot", "draw"), "ncz.commands.view.command:view"),
    "ncdump": "ncz.commands.dump:dump",
    "ncgen": "ncz.commands.gen:gen",
}  # fmt: skip
"""Names of other libraries and programs, and their equivalents."""

_ARRAY = "ncz.copy(xarray.Dataset({'t': (('x', 'y'), array)}), 'x.zarr') writes arrays"
_OTHER_NAMES = {
    **dict.fromkeys(("Zarr", "Store"), "use ncz.open, or ncz.open_store for zarr-python"),
    **dict.fromkeys(("combine", "join"), "use ncz.concat"),
    "append": "use ncz.copy(source, store, append='time')",
    **dict.fromkeys(("sel", "isel", "subset", "crop"), "use ncz.copy(source, target, sel=...)"),
    **dict.fromkeys(("head", "tail"), "use ncz.open(path).isel(time=slice(0, 5))"),
    **dict.fromkeys(
        ("verify", "equal", "equals", "is_equal", "identical", "allclose", "same"),
        "use ncz.diff(a, b), which is empty if they are equal",
    ),
    "stats": "use ncz.info(path, stats=True)",
    **dict.fromkeys(("move", "rename_dataset"), "use ncz.mv"),
    "write": "use ncz.copy, or ncz.create",
    **dict.fromkeys(("rename", "set_attrs", "ncatted", "ncrename"), "use ncz.edit"),
    "show": "use ncz.view",
    **dict.fromkeys(("describe", "summary"), "use ncz.info"),
    "get_mapper": "it is in fsspec, and ncz.open takes it; ncz.open_store is one for zarr-python",
    "Repository": "it is in icechunk; ncz.copy(path, 'repo', modes=['icechunk']) creates one",
    "DataArray": _ARRAY, "create_hierarchy": "use ncz.create_group and create_array of a group",
    **dict.fromkeys(
        ("open_virtual_mfdataset", "open_virtual_datatree"),
        "ncz.copy(path, 'refs.json') writes a reference set, which ncz.open and xarray open",
    ),
    "list": "use ncz.ls", "hash": "use ncz.digest",
    "remove": "use ncz.rm", "delete": "use ncz.rm",
    "is_hdf5": "use ncz.info(path).format",
    **dict.fromkeys(("stringtochar", "chartostring", "stringtoarr"), "it is in netCDF4"),
    **dict.fromkeys(("config", "set_options"), "options are arguments of functions"),
    **dict.fromkeys(("print_debug_info", "show_versions", "versions"), "use ncz.__version__"),
}  # fmt: skip
"""Names that people look for, and their replacements."""

__all__ = [*_HOME_OF]


def __getattr__(name: str) -> object:
    if name in _SAME:
        module, _, own = _SAME[name].partition(":")
        return getattr(import_module(module), own)
    if name not in _HOME_OF:
        answer = _OTHER_NAMES.get(name)
        hint = "" if answer is None else f"; {answer}"
        if name.startswith("open_") and answer is None:
            hint = f'; use ncz.open, or xarray.{name}(..., engine="ncz")'
        raise AttributeError(f"module 'ncz' has no attribute {name!r}{hint}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
