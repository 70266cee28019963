"""Replace metadata documents of an existing store: all of them, or none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from ncz.errors import NczError
from ncz.zmap import WritableZmap
from ncz.zmap.key import JOURNAL
from ncz.zmap.revision.journal import Journal, change_documents, delete_all, put_text, read_text


def replace_documents(zmap: WritableZmap, documents: Mapping[str, bytes]) -> None:
    """Replace documents in place, each as a whole; after an error, write the old ones back.

    If the process is killed, or the old ones cannot be written either, as on a full disk,
    `ncz.zmap.revision.journal.complete` writes the rest.
    """
    put = {key: data.decode("utf-8", "surrogateescape") for key, data in documents.items()}
    before = {key: read_text(zmap, key) for key in put}
    journal = Journal(put=put)
    has_journal = len(put) > 1  # one document is replaced as a whole anyway
    if has_journal:
        try:
            zmap.put(JOURNAL, journal.to_bytes())
        except BaseException:
            with contextlib.suppress(NczError):  # a server may have it nevertheless
                zmap.delete(JOURNAL)
            raise
    try:
        change_documents(zmap, journal)
        if has_journal:
            zmap.delete(JOURNAL)
    except BaseException as error:
        with undoing(error, has_journal=has_journal):
            restore(zmap, before)
        raise


@contextlib.contextmanager
def undoing(error: BaseException, *, has_journal: bool = True) -> Iterator[None]:
    """Undo a change in the block, after an error that the caller then raises again.

    If the block fails and there is a journal, `error` says how to complete the change.
    """
    try:
        yield
    except NczError:
        if has_journal and isinstance(error, NczError):
            advice = "a part of the change was made: run 'ncz clean' to complete it"
            error.hint = f"{error.hint}; {advice}" if error.hint else advice


def restore(zmap: WritableZmap, before: Mapping[str, str | None]) -> None:
    """Write the old documents back, and delete the journal. None stands for one to delete."""
    delete_all(zmap, [key for key, text in before.items() if text is None])
    kept = {key: text for key, text in before.items() if text is not None}
    for key, text in kept.items():
        put_text(zmap, key, text)
    zmap.delete(JOURNAL)
