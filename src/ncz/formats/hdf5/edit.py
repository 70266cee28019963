"""Attributes and names of a netCDF-4 file, which h5py changes in a draft of the file.

The caller compares the draft with the requested edits.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from ncz.errors import FormatError, either
from ncz.formats.edits import Edit, Rename, Request
from ncz.formats.hdf5.attribute_writer import write_attributes, write_text
from ncz.formats.hdf5.datatypes import Datatypes
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.names import RESERVED
from ncz.formats.hdf5.scales import NOT_A_COORDINATE
from ncz.formats.hdf5.text_types import encode_name
from ncz.model.tree import Dataset, Group, base_name, join, parent, walk
from ncz.zmap.file_draft import FileDraft, PositionedDraft

_ELSEWHERE = f"write a changed copy with {either('-o', 'output')}"


def edit_hdf5(draft: FileDraft, steps: Sequence[tuple[Request, Dataset]]) -> None:
    """Carry out requests in a draft of a file.

    Parameters
    ----------
    draft
        The draft, which is changed.
    steps
        Each request, with the dataset before it.

    Raises
    ------
    FormatError
        If a netCDF-4 file cannot be changed so.
    """
    h5py = load_h5py()
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fileobj_driver(h5py.h5fd.fileobj_driver, PositionedDraft(draft))
    url = draft.url
    file = h5py.h5f.open(encode_name(url), h5py.h5f.ACC_RDWR, access)
    try:
        for request, dataset in steps:
            try:
                if isinstance(request, Edit):
                    _edit_attribute(file, dataset, request, url)
                elif isinstance(request, Rename):
                    _rename(file, dataset, request, url)
            except (RuntimeError, OSError, ValueError, KeyError, TypeError) as error:
                if isinstance(error, FormatError):
                    raise
                reason = " ".join(str(error).split())
                raise FormatError(
                    f"HDF5 cannot make the change: {reason}", url, _ELSEWHERE
                ) from error
    finally:
        file.close()


def _edit_attribute(file: Any, dataset: Dataset, edit: Edit, url: str) -> None:
    h5a = load_h5py().h5a
    reserved = next((n for n in (edit.name, edit.new) if n in RESERVED), None)
    if reserved is not None:
        text = f"the attribute {reserved} is one of the file format"
        raise FormatError(text, url, "choose another name")
    node = _open(file, dataset, edit.node)
    name: bytes = encode_name(edit.name)
    if edit.new is not None:
        h5a.rename(node, name, encode_name(edit.new))
        return
    if h5a.exists(node, name):
        h5a.delete(node, name)
    if edit.attribute is not None:
        write_attributes(node, (edit.attribute,), Datatypes())


def _open(file: Any, dataset: Dataset, path: str) -> Any:
    """Return the object of a group or a variable."""
    h5py = load_h5py()
    if not path:
        return h5py.h5g.open(file, b"/")
    return h5py.h5o.open(file, encode_name(_link(file, dataset, path)))


def _link(file: Any, dataset: Dataset, path: str) -> str:
    """Return the path of the link to the object of a variable or group."""
    hidden = join(f"/{parent(path)}".rstrip("/"), NOT_A_COORDINATE + base_name(path))
    group = dict(walk(dataset.root)).get(f"/{parent(path)}".rstrip("/"))
    is_variable = group is not None and any(v.name == base_name(path) for v in group.variables)
    return hidden if is_variable and _exists(file, hidden) else f"/{path}"


def _exists(file: Any, path: str) -> bool:
    """Return whether a path whose groups exist leads to something."""
    root = load_h5py().h5g.open(file, b"/")  # which its links do not keep
    return bool(root.links.exists(encode_name(path.strip("/"))))


def _rename(file: Any, dataset: Dataset, renaming: Rename, url: str) -> None:
    h5py = load_h5py()
    above = f"/{parent(renaming.path)}".rstrip("/")
    group, old = dict(walk(dataset.root))[above], base_name(renaming.path)
    variable = next((v for v in group.variables if v.name == old), None)
    has_dimension = any(d.name == old for d in group.dimensions)
    is_both = variable is not None and has_dimension
    if is_both and renaming.kind in ("variable", "dimension"):
        raise FormatError(
            f"the dimension {old} and its coordinate are one object in a netCDF-4 file",
            url,
            f"rename both: {old}={renaming.new}, or write a copy: {_copy_hint(renaming, url)}",
        )
    if variable is not None and not has_dimension and renaming.new in _in_scope(dataset, above):
        raise FormatError(
            f"variable {old} would become the coordinate of the dimension {renaming.new}",
            url,
            f"write a copy: {_copy_hint(renaming, url)}",
        )
    link, new = _link(file, dataset, renaming.path), join(above, renaming.new)
    if _exists(file, new):
        raise FormatError(f"{new} already exists in the file", url, "choose another name")
    _move(h5py.h5g.open(file, encode_name(above or "/")), base_name(link), renaming.new)
    if is_both or (has_dimension and variable is None):
        _rename_scale(h5py.h5o.open(file, encode_name(new)), old, renaming.new)


def _copy_hint(renaming: Rename, url: str) -> str:
    """Return the line that renames in a copy, which has its own objects."""
    word = renaming.path if renaming.kind is None else f"{renaming.kind} {renaming.path}"
    request = f"{word}={renaming.new}"
    return either(
        f"ncz edit {shlex.quote(url)} --rename {shlex.quote(request)} -o COPY",
        f"ncz.edit({url!r}, rename={request!r}, output=COPY)",
    )


def _move(group: Any, old: str, new: str) -> None:
    """Rename a link of a group, and keep the order of its links, which is the variables' order."""
    names = _names_in_order(group)
    group.links.move(encode_name(old), group, encode_name(new))
    for name in names[names.index(encode_name(old)) + 1 :]:
        group.links.move(name, group, _MOVED)
        group.links.move(_MOVED, group, name)


_MOVED = b"_ncz_moved"
"""The name of a link between two moves."""


def _names_in_order(group: Any) -> list[bytes]:
    """Return the names of links in the order of their creation, or of names if none is kept."""
    h5 = load_h5py().h5
    names: list[bytes] = []
    order = group.get_create_plist().get_link_creation_order()
    group.links.iterate(
        names.append, idx_type=h5.INDEX_CRT_ORDER if order else h5.INDEX_NAME, order=h5.ITER_INC
    )
    return names


def _in_scope(dataset: Dataset, above: str) -> set[str]:
    """Return the names of the dimensions that a group sees."""
    groups: dict[str, Group] = dict(walk(dataset.root))
    return {
        dimension.name
        for fqn, group in groups.items()
        if fqn in ("", above) or above.startswith(f"{fqn}/")
        for dimension in group.dimensions
    }


def _rename_scale(scale: Any, old: str, new: str) -> None:
    """Give the scale of a dimension its new name, if it says the old one."""
    h5ds = load_h5py().h5ds
    if h5ds.is_scale(scale) and h5ds.get_scale_name(scale) == encode_name(old):
        h5a = load_h5py().h5a
        h5a.delete(scale, b"NAME")
        write_text(scale, "NAME", new + "\0")
