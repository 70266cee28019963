"""Stores that have documents of Zarr V3 and of V2. V3 is read, and V2 is compared with it."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import FormatError, Notice, Notify, ignore_notice
from ncz.formats.zarr.documents.document_v2 import DIMENSION_NAMES
from ncz.formats.zarr.documents.hierarchy import ArrayNode, GroupNode
from ncz.formats.zarr.documents.meaning import canonical_text
from ncz.formats.zarr.documents.versions import MetadataV2
from ncz.zmap import Zmap

_ADVICE = "remove it, or select the version with #mode=v3 or #mode=v2"
_EMPTY = (b"", b"{}")
_OF_ONE_VERSION = (DIMENSION_NAMES, "_FillValue")
"""Attributes that a version of Zarr has elsewhere in its documents."""


def report_v2_documents(zmap: Zmap, root: GroupNode, notify: Notify) -> None:
    """Report documents of V2 in the root of a store that is read as V3.

    They are a loss unless they are empty, or say the same as the attributes of V3.

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
    documents = {name: zmap.get(name) for name in MetadataV2.roots}
    strays = {name: data.strip() for name, data in documents.items() if data is not None}
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
        store_root = MetadataV2.find_root(zmap, False, ignore_notice)
        if store_root is None:
            return False
        theirs = store_root.metadata.load("", store_root.superblock, ignore_notice)
        return sorted(_outline(theirs), key=repr) == sorted(_outline(root), key=repr)
    except FormatError:
        return False


def _outline(root: GroupNode) -> Iterator[object]:
    """Yield the common members of two versions of the same store. Raises `FormatError`."""
    for group in root.walk():
        yield group.key, _attributes(group)
        for array in group.arrays:
            layout = array.document.layout
            encoding = array.document.encoding(nczarr=False, alias=None, type_name="")
            chunk = array.document.keys.key(array.key, (0,) * layout.rank)
            dtype = str(encoding.stored_dtype)
            yield array.key, _attributes(array), layout.shape, layout.chunks, dtype, chunk


def _attributes(node: GroupNode | ArrayNode) -> str:
    return canonical_text(
        {
            name: value
            for name, value in node.attributes.items()
            if name not in _OF_ONE_VERSION and not name.lower().startswith("_nczarr_")
        }
    )
