"""Change names in a store on a server; see `ncz.zmap.remote.revision.journal` for the order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping

from ncz.errors import NczError, ZmapError
from ncz.zmap import WritableZmap
from ncz.zmap.key import JOURNAL, ROOT_DOCUMENTS, ZARR_JSON, display
from ncz.zmap.limits import LARGEST_SET
from ncz.zmap.remote.revision.journal import (
    Journal,
    change_documents,
    hide_root,
    show_root,
    sweep,
)
from ncz.zmap.remote.store import WritableRemoteZmap

_DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ZARR_JSON)


def revise(
    zmap: WritableZmap,
    documents: Mapping[str, bytes],
    places: Mapping[str, str | None],
    key_of: Callable[[str], str | None],
) -> None:
    """Change names in a remote store: completely or, after an error, not at all.

    Parameters
    ----------
    zmap
        The store.
    documents
        Changed documents by their new keys.
    places
        The new keys of groups and arrays by the old ones; None for what is removed.
    key_of
        Returns the new key of an object; None if it is removed.

    Raises
    ------
    ZmapError
        If an earlier change was interrupted, or a new name is in use.
    """
    assert isinstance(zmap, WritableRemoteZmap)
    if zmap.size(JOURNAL) is not None:
        raise ZmapError("an earlier edit was interrupted", zmap.url, "run 'ncz clean' first")
    for new in places.values():
        if new is not None and zmap.search(new):
            raise ZmapError(
                f"objects exist below {display(new)}, so it cannot be a new name in the same edit",
                zmap.url,
                "remove or rename it in an edit of its own",
            )
    moved = {key: key_of(key) for place in places for key in zmap.walk(place)}
    copies = {old: new for old, new in moved.items() if new is not None and new != old}
    before = {key: _text(zmap, key) for key in ROOT_DOCUMENTS}
    root = {key: text for key, text in before.items() if text is not None}
    new_documents = {
        key: data.decode("utf-8", "surrogateescape") for key, data in documents.items()
    }
    is_node = {old: old.rpartition("/")[2] in _DOCUMENTS for old in moved}
    put = {k: text for k, text in new_documents.items() if k not in ROOT_DOCUMENTS}
    for old, new in copies.items():
        if is_node[old] and new not in put:
            put[new] = _text(zmap, old) or ""
    journal = Journal(
        root={**root, **{k: text for k, text in new_documents.items() if k in ROOT_DOCUMENTS}},
        put=put,
        deleted=tuple(old for old in moved if is_node[old]),
        swept=tuple(places),
    )
    old_documents = {key: _text(zmap, key) for key in (*journal.put, *journal.deleted)}
    chunks = {old: new for old, new in copies.items() if not is_node[old]}
    try:
        zmap.copy_many(chunks)
        hide_root(zmap, journal)
        change_documents(zmap, journal)
        show_root(zmap, journal.root)
    except BaseException:
        with contextlib.suppress(NczError):  # the error that stopped the edit is raised
            _undo(zmap, old_documents, root, [key for key in journal.root if key not in root])
            zmap.delete_many([JOURNAL])  # without it the copies are not needed
            zmap.delete_many(chunks.values())
        raise
    sweep(zmap, journal.swept)


def _text(zmap: WritableRemoteZmap, key: str) -> str | None:
    data = zmap.get(key, LARGEST_SET)
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _undo(
    zmap: WritableRemoteZmap,
    documents: Mapping[str, str | None],
    root: Mapping[str, str],
    added: list[str],
) -> None:
    zmap.delete_many(key for key, text in documents.items() if text is None)
    for key, text in documents.items():
        if text is not None:
            zmap.put(key, text.encode("utf-8", "surrogateescape"))
    zmap.delete_many(added)
    show_root(zmap, root)
