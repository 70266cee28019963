"""dump: print a dataset as CDL, as netCDF's ncdump does, or as another view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from ncz.cdl.print.printer import CdlOptions, print_cdl
from ncz.errors import Notify, ignore_notice
from ncz.formats.kinds import OpenedDataset
from ncz.formats.opening import open_dataset
from ncz.model.tree import Dataset, Variable, join, walk
from ncz.record import record, replace
from ncz.text.selection import Selection, select

View = Literal["cdl", "json", "ncml", "summary"]
"""The texts that a dataset can be printed as."""


@record(kw_only=True)
class DumpOptions:
    """What to print of a dataset.

    With `kind`, only the kind of netCDF is printed. Of `cdl`, the other views use the selection of
    data and the name; NcML uses the precision too. `width` is the number of columns at which lines
    of the summary are truncated; None for no limit. `jobs` is the number of processes that print
    large data of a local store; None means one per core. They are forked, which is safe only in a
    process without threads.
    """

    cdl: CdlOptions = CdlOptions()
    kind: bool = False
    view: View = "cdl"
    width: int | None = None
    jobs: int | None = 1


def dump(
    location: str,
    options: DumpOptions,
    write: Callable[[bytes], object],
    notify: Notify = ignore_notice,
) -> None:
    """Print the dataset at `location`, a path or a URL.

    Parameters
    ----------
    location
        The dataset.
    options
        What to print.
    write
        Receives the text in pieces.
    notify
        Receives notices.

    Raises
    ------
    NczError
        Before anything is written if the dataset cannot be opened, or if `options` select what
        does not exist. If data cannot be read, the text ends without its last brace.
    """
    with open_dataset(location, notify=notify) as opened:
        dataset = opened.dataset
        if options.kind:
            write(f"{opened.netcdf_kind}\n".encode())
            return
        if not options.cdl.header_only and options.view in ("cdl", "json"):
            opened.prefetch(_printed(dataset, options.cdl))
        if options.view == "cdl":
            print_cdl(dataset, replace(options.cdl, jobs=_jobs(options, opened)), write, notify)
        else:
            _print_view(dataset, opened.location.display, options, write, notify)


def _printed(dataset: Dataset, options: CdlOptions) -> Iterator[Variable]:
    """Yield the variables whose values will be printed, in order."""
    selection = _selected(dataset, options)
    for fqn, group in walk(dataset.root):
        if selection.has_group(fqn):
            for variable in group.variables:
                if selection.has_variable(join(fqn, variable.name)):
                    yield variable


def _selected(dataset: Dataset, asked: CdlOptions) -> Selection:
    """Return the selection of data to print."""
    return select(
        dataset.root,
        coordinates=asked.coordinates,
        variables=asked.variables,
        groups=asked.groups,
    )


def _jobs(options: DumpOptions, opened: OpenedDataset) -> int:
    """Return the number of processes that may print."""
    if options.cdl.header_only or not opened.survives_fork:
        return 1
    if options.jobs is not None:
        return options.jobs
    from ncz.parallel.processes import default_jobs

    return default_jobs()


def _print_view(
    dataset: Dataset,
    location: str,
    options: DumpOptions,
    write: Callable[[bytes], object],
    notify: Notify,
) -> None:
    asked = options.cdl
    selection = _selected(dataset, asked)
    if options.view == "json":
        from ncz.views.json.writer import print_json

        print_json(
            dataset,
            write,
            selection=selection,
            name=asked.name,
            header_only=asked.header_only,
        )
    elif options.view == "ncml":
        from ncz.views.ncml import print_ncml

        print_ncml(
            dataset,
            write,
            location=location,
            selection=selection,
            header_only=asked.header_only,
            precision=asked.precision,
            notify=notify,
        )
    else:
        from ncz.views.summary import print_summary

        print_summary(
            dataset,
            write,
            name=asked.name,
            header_only=asked.header_only,
            width=options.width,
            notify=notify,
        )
