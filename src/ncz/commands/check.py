"""check: find errors and suspicious parts of a store, and repair them."""

from __future__ import annotations

from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.errors import NO_PROGRESS, Progress, note_on_interrupt
from ncz.formats.findings import CheckReport, CheckRequest
from ncz.formats.opening import check_dataset, maintenance
from ncz.record import replace
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location, Path, location_of


@speaks_python
def check(
    store: Path,
    *,
    data: bool = False,
    audience: Words = (),
    fix: bool = False,
    dry_run: bool = False,
    notify: Listener = warn,
) -> CheckReport:
    """Find errors and suspicious parts of a store or a netCDF file; see docs/reference/check.md.

    Parameters
    ----------
    store
        A path or a URL, also of a netCDF file.
    data
        Decode every chunk and verify its checksum.
    audience
        Report errors for parts that these programs cannot read: xarray, netcdf-c, zarr-python,
        zarr-python-2, gdal, tensorstore, zarrs, zarrita.

        With xarray, explain which values it shows as NaN.
    fix
        Repair documents where nothing is lost.
    dry_run
        Return the repairs of `fix`, and change nothing.
    notify
        Receives notices.

    Returns
    -------
    CheckReport
        The findings, the repaired documents, and the number and bytes of the chunks of each array.

    Raises
    ------
    NczError
        If the store cannot be opened at all.

    Examples
    --------
    >>> report = ncz.check("weather.zarr")
    >>> report.is_clean
    True
    """
    location, readers = location_of(store), words(audience)
    progress = callbacks_of(notify).progress
    maintenance().check_readers(readers)
    request = CheckRequest(data=data, readers=readers, repairs=fix)
    if fix and not dry_run:
        with note_on_interrupt(f"{location.display} was not changed"), alone_here(location):
            return _mend(location, request, progress)
    with note_on_interrupt("nothing was changed"):
        return check_dataset(location, request, progress)


def _mend(location: Location, request: CheckRequest, progress: Progress) -> CheckReport:
    """Mend a store if that is needed; one on a server is locked only then."""
    with note_on_interrupt("nothing was changed"):
        report = check_dataset(location, request, progress)
    if not report.repairs:
        return report
    with open_to_change(location) as store:
        # Findings made before a server became unreachable may have changed.
        again = replace(request, data=False, readers=())
        found = check_dataset(location, again, NO_PROGRESS)
        pure = maintenance().is_pure(store.zmap, location)
        store.apply(Changes(documents={r.key: r.document for r in found.repairs}), pure=pure)
    with note_on_interrupt("the store was repaired, but not checked again"):
        after = check_dataset(location, replace(request, repairs=False), progress)
    return replace(after, repairs=found.repairs)
