"""The versions of Zarr that can be read, alone or both in one store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from ncz.errors import FormatError, Notice, Notify, ignore_notice
from ncz.formats.zarr import hierarchy_v2
from ncz.formats.zarr.document_v2 import DIMENSION_NAMES
from ncz.formats.zarr.hierarchy import ArrayDocument, ArrayNode, GroupNode, Root, canonical_text
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key


@record(kw_only=True)
class ZarrVersion:
    """A version of Zarr.

    `mode` selects it in a URL. `roots` are the documents one of which is in every root. `find_root`
    returns None if the store is not of this version, `find_array` if no array is at the prefix;
    both raise `FormatError` for a document that is broken. The second argument of `find_root` says
    whether to use consolidated metadata: True raises `FormatError` if there is none, False ignores
    it, and None uses it if it is there.
    """

    mode: str
    roots: tuple[str, ...]
    find_root: Callable[[Zmap, bool | None, Notify], Root | None]
    find_array: Callable[[Zmap, str], ArrayDocument | None]


def _find_root_v3(zmap: Zmap, consolidated: bool | None, notify: Notify) -> Root | None:
    data = zmap.get(ZARR_JSON)
    if data is None:
        return None
    from ncz.formats.zarr import hierarchy_v3

    return hierarchy_v3.find_root(zmap, data, consolidated)


def _find_array_v3(zmap: Zmap, prefix: str) -> ArrayDocument | None:
    if zmap.size(join_key(prefix, ZARR_JSON)) is None:
        return None
    from ncz.formats.zarr import hierarchy_v3

    return hierarchy_v3.find_array(zmap, prefix)


VERSIONS = (
    ZarrVersion(mode="v3", roots=(ZARR_JSON,), find_root=_find_root_v3, find_array=_find_array_v3),
    ZarrVersion(
        mode="v2",
        roots=hierarchy_v2.ROOTS,
        find_root=hierarchy_v2.find_root,
        find_array=hierarchy_v2.find_array,
    ),
)
"""All versions, in the order in which a store is tried.

V3 is the first, as in zarr-python: only V3 has a `zarr.json`, but any store may have a stray
document of V2.
"""


def find_root(
    zmap: Zmap, modes: Collection[str], consolidated: bool | None, notify: Notify
) -> Root | None:
    """Return the root of the store, of the version that `modes` select if they do."""
    selected = [version for version in VERSIONS if version.mode in modes]
    for version in selected or VERSIONS:
        root = version.find_root(zmap, consolidated, notify)
        if root is not None:
            return root
    return None


# Stores that have documents of Zarr V3 and of V2. V3 is read, and V2 is compared with it.

_ADVICE = "remove it, or select the version with #mode=v3 or #mode=v2"
_EMPTY = (b"", b"{}")
_OF_ONE_VERSION = (DIMENSION_NAMES, "_FillValue")
"""Attributes that a version of Zarr has elsewhere in its documents."""


def report_v2_documents(zmap: Zmap, root: GroupNode, notify: Notify) -> None:
    """Report documents of V2 in the root of a store that is read as V3.

    They are a loss unless they are empty, or say the same as those of V3.

    Parameters
    ----------
    zmap
        The store.
    root
        The tree of its documents of V3.
    notify
        Receives a notice for every document of V2 in the root.
    """
    if zmap.is_distant:
        return
    found = {name: zmap.get(name) for name in hierarchy_v2.ROOTS}
    strays = {name: data.strip() for name, data in found.items() if data is not None}
    agree = any(data not in _EMPTY for data in strays.values()) and _agree(zmap, root)
    for name, data in strays.items():
        with_what = "says the same" if agree else "is not read"
        notify(
            Notice(
                "stray-document",
                f"the store is read as Zarr V3; this document of V2 {with_what}",
                zmap.where(name),
                None if agree else _ADVICE,
                lost=not agree and data not in _EMPTY,
            )
        )


def _agree(zmap: Zmap, root: GroupNode) -> bool:
    """Return whether the documents of V2 describe the same groups, arrays and chunks."""
    try:
        found = hierarchy_v2.find_root(zmap, False, ignore_notice)
        if found is None:
            return False
        theirs = found.metadata.load("", found.superblock, ignore_notice)
        return _outline(theirs) == _outline(root)
    except FormatError:
        return False


def _outline(root: GroupNode) -> list[object]:
    """Return what two versions of the same store have in common. Raises `FormatError`."""
    return sorted(_nodes(root), key=repr)


def _nodes(group: GroupNode) -> Iterator[object]:
    yield group.key, _attributes(group)
    for array in group.arrays:
        layout = array.document.layout
        encoding = array.document.encoding(nczarr=False, alias=None, type_name="")
        chunk = array.document.keys.key(array.key, (0,) * layout.rank)
        dtype = str(encoding.stored_dtype)
        yield array.key, _attributes(array), layout.shape, layout.chunks, dtype, chunk
    for child in group.groups:
        yield from _nodes(child)


def _attributes(node: GroupNode | ArrayNode) -> str:
    return canonical_text(
        {
            name: value
            for name, value in node.attributes.items()
            if name not in _OF_ONE_VERSION and not name.lower().startswith("_nczarr_")
        }
    )
