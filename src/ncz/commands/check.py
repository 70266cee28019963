"""check: find what is wrong or suspicious in a store, and mend it."""

from __future__ import annotations

from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.fields import option, words
from ncz.errors import NO_PROGRESS, Progress, note_if_interrupted
from ncz.formats.findings import CheckReport, CheckRequest
from ncz.formats.opening import maintenance
from ncz.record import record, replace
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location


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
    maintenance().check_readers(options.readers)
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
        pure = maintenance().is_pure(store.zmap, location)
        store.apply(Changes(documents={r.key: r.document for r in found.repairs}), pure=pure)
    with note_if_interrupted("the store was mended, but not checked again"):
        after = _checked(replace(options, fix=False), progress)
    return replace(after, repairs=found.repairs)


def _checked(options: CheckOptions, progress: Progress) -> CheckReport:
    """Check the store; `fix` adds the repairs that are possible."""
    request = CheckRequest(data=options.data, readers=options.readers, repairs=options.fix)
    return maintenance().check(options.source, request, progress)
