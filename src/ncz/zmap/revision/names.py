"""Change the names of groups and arrays in a store on a server.

A server cannot rename. Chunks are copied to their new keys first, while the store stays as it is.
Then the journal is written; the documents of the root are deleted, so that nothing opens as a
dataset; the other documents are changed; the documents of the new root are put; and the old chunks
are deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ncz.errors import ZmapError, note_if_interrupted
from ncz.zmap import CopyingZmap
from ncz.zmap.key import JOURNAL, ROOT_DOCUMENTS, ZARR_JSON, display
from ncz.zmap.revision.documents import restore, undoing
from ncz.zmap.revision.journal import (
    Journal,
    change_documents,
    delete_all,
    hide_root,
    read_text,
    sweep,
)

_DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ZARR_JSON)


def change_names(
    zmap: CopyingZmap,
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
        If a new name is in use.
    """
    for new in places.values():
        if new is not None and zmap.search(new):
            raise ZmapError(
                f"objects exist below {display(new)}, so it cannot be a new name in the same edit",
                zmap.url,
                "remove or rename it in an edit of its own",
            )
    moved = {key: key_of(key) for place in places for key in zmap.walk(place)}
    is_document = {old: old.rpartition("/")[2] in _DOCUMENTS for old in moved}
    copies = {old: new for old, new in moved.items() if new is not None and new != old}
    root = {key: text for key in ROOT_DOCUMENTS if (text := read_text(zmap, key)) is not None}
    carried = {new: read_text(zmap, old) or "" for old, new in copies.items() if is_document[old]}
    changed = {key: data.decode("utf-8", "surrogateescape") for key, data in documents.items()}
    journal = Journal(
        put={**root, **carried, **changed},
        deleted=tuple(old for old in moved if is_document[old]),
        swept=tuple(places),
    )
    before = {key: read_text(zmap, key) for key in (*journal.deleted, *journal.put)}
    chunks = {old: new for old, new in copies.items() if not is_document[old]}
    try:
        zmap.copy_many(chunks)
        zmap.put(JOURNAL, journal.to_bytes())
        hide_root(zmap, root)
        change_documents(zmap, journal)
    except BaseException as error:
        with undoing(error):
            restore(zmap, before)
            delete_all(zmap, chunks.values())  # not before the journal, which needs them
        raise
    with note_if_interrupted(
        f"the change was made, but old objects remain; run 'ncz clean {zmap.url}'"
    ):
        sweep(zmap, journal.swept)
