"""Run all checks of a store."""

from __future__ import annotations

import contextlib
import itertools

from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.check.chunks import check_chunks, check_codecs
from ncz.commands.check.consolidation import check_consolidated, has_own_documents
from ncz.commands.check.contents import read_contents
from ncz.commands.check.document_names import document_keys
from ncz.commands.check.documents import check_documents, read_documents
from ncz.commands.check.finding import SEVERITIES, CheckReport, Finding, finding
from ncz.commands.check.links import check_linked_positions, check_links
from ncz.commands.check.readers import check_readers
from ncz.commands.check.references import check_references
from ncz.commands.check.repairs import repairs
from ncz.commands.check.survey import survey
from ncz.commands.check.zip_entries import check_archive
from ncz.commands.fields import option, words
from ncz.errors import NO_PROGRESS, Progress, ZmapError, ignore_notice, note_if_interrupted
from ncz.formats.zarr.audience import readers_named
from ncz.formats.zarr.versions import find_root
from ncz.record import record, replace
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap


@record(kw_only=True)
class CheckOptions:
    """What to check.

    With `data` every chunk is decoded. `readers` are the programs that must read the store. With
    `fix` documents are mended, unless `dry_run` is set.
    """

    source: Location
    data: bool = option(
        "--data",
        default=False,
        section="Checks",
        common=True,
        help="Decode every chunk and verify its checksum.",
        python="Whether to decode every chunk.",
    )
    readers: tuple[str, ...] = option(
        "--for",
        default=(),
        metavar="READER,...",
        section="Checks",
        repeats=True,
        parse=words,
        common=True,
        completes="readers",
        help="Report as errors what these programs do not read: xarray, netcdf-c, zarr-python,"
        " zarr-python-2, gdal, tensorstore, zarrs, zarrita.",
        python='Programs that must read the store, such as "xarray".',
        argument="audience",
    )
    fix: bool = option(
        "--fix",
        default=False,
        section="Repair",
        common=True,
        help="Mend documents where nothing is lost.",
        python="Whether to mend documents where nothing is lost.",
    )
    dry_run: bool = option(
        "--dry-run",
        default=False,
        section="Repair",
        common=True,
        help="With --fix: print what would change.",
        python="Whether to return what `fix` would do, and change nothing.",
    )


def check(options: CheckOptions, progress: Progress = NO_PROGRESS) -> CheckReport:
    """Check a store, mend it if asked for, and return what is wrong or suspicious after that.

    Raises
    ------
    NczError
        If the location cannot be opened, or a reader is not known.
    """
    readers_named(options.readers)
    if options.fix and not options.dry_run:
        location = options.source
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
    location = options.source
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
    location = options.source
    with contextlib.closing(open_zmap(location)) as zmap:
        try:
            keys: list[str] | None = document_keys(zmap)
        except ZmapError as error:
            # Some servers do not list; a folder on the disk that cannot be listed is an error.
            code = "store-unreadable" if zmap.holds_files else "not-listed"
            keys, listing = None, [finding(code, "", error.message, error.hint)]
        else:
            listing = []
        documents, findings = read_documents(zmap, keys or [], progress)
        damaged = {f.key for f in findings if f.code == "document-damaged"}
        is_whole = keys is not None and bool(damaged or has_own_documents(documents))
        read, reported = read_contents(zmap, location, False if is_whole else None)
        findings += listing
        below_damage = damaged | {key.rpartition("/")[0] for key in damaged} - {""}
        if is_whole:  # the survey finds those at every depth
            found_by_survey = ("group-missing", "chunk-misplaced")
            reported = [f for f in reported if f.code not in found_by_survey]
        findings += [
            f for f in reported if f.key not in below_damage or f.code == "store-unreadable"
        ]
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
                check_links(read),
                check_linked_positions(read) if options.data else (),
                check_archive(zmap, location),
                check_readers(read, documents, options.readers),
            )
        if any(f.severity == "error" for f in findings):
            zmap.check_unchanged()  # what a change under way leaves for a moment is not a fault
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
