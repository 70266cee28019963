"""Run all checks of a store."""

from __future__ import annotations

import contextlib
import itertools

from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.check.archive import check_archive
from ncz.commands.check.consolidated import check_consolidated, has_own_documents
from ncz.commands.check.data import check_chunks, check_codecs, check_references
from ncz.commands.check.documents import check_documents, read_documents
from ncz.commands.check.finding import SEVERITIES, CheckReport, Finding, finding
from ncz.commands.check.fix import repairs
from ncz.commands.check.keys import document_keys, survey
from ncz.commands.check.readers import check_readers
from ncz.commands.check.reading import read_store
from ncz.errors import ZmapError, ignore_notice, note_if_interrupted
from ncz.formats.zarr.audience import readers_named
from ncz.formats.zarr.hierarchy.versions import find_root
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.record import record, replace
from ncz.zmap import FolderZmap, SteadyZmap
from ncz.zmap.journal import Changes
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap


@record(kw_only=True)
class CheckOptions:
    """What to check.

    With `data` every chunk is decoded. `readers` are the programs that must read the store. With
    `fix` documents are mended, unless `dry_run` is set.
    """

    source: str
    data: bool = False
    readers: tuple[str, ...] = ()
    fix: bool = False
    dry_run: bool = False


def check(options: CheckOptions, progress: Progress = NO_PROGRESS) -> CheckReport:
    """Check a store, mend it if asked for, and return what is wrong or suspicious after that.

    Raises
    ------
    NczError
        If the location cannot be opened, or a reader is not known.
    """
    readers_named(options.readers)
    if options.fix and not options.dry_run:
        location = parse_location(options.source)
        with note_if_interrupted(f"{location.display} was not changed"), alone_here(location):
            return _mended(options, progress)
    with note_if_interrupted("nothing was changed"):
        return _checked(options, progress)


def _mended(options: CheckOptions, progress: Progress) -> CheckReport:
    """Mend a store if that is needed; one on a server is locked only then."""
    with note_if_interrupted("nothing was changed"):
        report = _checked(options, progress)
    if not report.repairs:
        return report
    location = parse_location(options.source)
    with open_to_change(location) as store:
        # What was found before a server kept others away may have changed.
        found = _checked(replace(options, data=False, readers=()), NO_PROGRESS)
        root = find_root(store.zmap, location.modes, None, ignore_notice)
        pure = root is None or not root.superblock
        store.apply(Changes(documents={r.key: r.document for r in found.repairs}), pure=pure)
    with note_if_interrupted("the store was mended, but not checked again"):
        after = _checked(replace(options, fix=False), progress)
    return replace(after, repairs=found.repairs)


def _checked(options: CheckOptions, progress: Progress) -> CheckReport:
    """Check the store; `fix` adds the repairs that are possible."""
    location = parse_location(options.source)
    with contextlib.closing(open_zmap(location)) as zmap:
        try:
            keys: list[str] | None = document_keys(zmap)
        except ZmapError as error:
            # Some servers do not list; a folder on the disk that cannot be listed is an error.
            code = "store-unreadable" if isinstance(zmap, FolderZmap) else "not-listed"
            keys, listing = None, [finding(code, "", error.message, error.hint)]
        else:
            listing = []
        is_whole = keys is not None and has_own_documents(keys)
        read, reported = read_store(zmap, location, False if is_whole else None)
        documents, findings = read_documents(zmap, keys or [], progress)
        damaged = {f.key for f in findings if f.code == "document-damaged"}
        findings += listing
        hidden = damaged | {key.rpartition("/")[0] for key in damaged} - {""}
        if is_whole:  # the survey finds those at every depth
            reported = [f for f in reported if f.code != "group-missing"]
        findings += [f for f in reported if f.key not in hidden or f.code == "store-unreadable"]
        findings += check_documents(documents)
        arrays = None
        if read is not None:
            if keys is not None and is_whole:
                findings += check_consolidated(documents, read.zarr_format, damaged)
            if keys is not None:
                about = {f.key for f in findings if f.severity == "error"}
                found, arrays = survey(read, keys if is_whole else [], about, progress)
                findings += found
            findings += itertools.chain(
                check_codecs(read),
                check_references(read) if keys is not None else (),
                check_chunks(read, progress) if options.data else (),
                check_archive(zmap, location),
                check_readers(read, documents, options.readers),
            )
        if isinstance(zmap, SteadyZmap) and any(f.severity == "error" for f in findings):
            zmap.check_unchanged()  # what a change under way leaves for a moment is no fault
        fixes = []
        if options.fix and read is not None and is_whole:
            fixes = repairs(documents, findings, read.zarr_format)
        return CheckReport(
            store=zmap.url, findings=_in_order(findings), arrays=arrays, repairs=tuple(fixes)
        )


def _in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings by severity and key, each once."""
    once = {(f.code, f.key, f.message): f for f in findings}
    return tuple(sorted(once.values(), key=lambda f: (SEVERITIES.index(f.severity), f.key, f.code)))
