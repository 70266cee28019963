"""Replace metadata documents of an existing store: all of them, or none."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from ncz.errors import NczError
from ncz.zmap import WritableZmap
from ncz.zmap.key import JOURNAL
from ncz.zmap.revision.journal import Journal, change_documents, delete_all, put_text, read_text


def replace_documents(zmap: WritableZmap, documents: Mapping[str, bytes]) -> None:
    """Replace documents in place, each as a whole; after an error, write the old ones back.

    If the process is killed, `ncz.zmap.revision.journal.complete` writes the rest.
    """
    put = {key: data.decode("utf-8", "surrogateescape") for key, data in documents.items()}
    before = {key: read_text(zmap, key) for key in put}
    journal = Journal(put=put)
    try:
        if len(put) > 1:  # one document is replaced as a whole anyway
            zmap.put(JOURNAL, journal.to_bytes())
        change_documents(zmap, journal)
        if len(put) > 1:
            zmap.delete(JOURNAL)
    except BaseException:
        with contextlib.suppress(NczError):  # the error that stopped the change is raised
            restore(zmap, before)
        raise


def restore(zmap: WritableZmap, before: Mapping[str, str | None]) -> None:
    """Write the old documents back, and delete the journal. None stands for one to delete."""
    delete_all(zmap, [key for key, text in before.items() if text is None])
    kept = {key: text for key, text in before.items() if text is not None}
    for key, text in kept.items():
        put_text(zmap, key, text)
    zmap.delete(JOURNAL)
