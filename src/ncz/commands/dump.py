"""dump: a store becomes CDL text, which is what netCDF's ncdump does, or another view of it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Literal

from ncz.cdl.print.printer import CdlOptions, print_cdl
from ncz.errors import Notify, ignore_notice
from ncz.model.tree import Dataset, join, walk
from ncz.record import record, replace
from ncz.text.selection import Selection, select
from ncz.zmap import DistantZmap, Zmap, survives_fork

KIND = "netCDF-4"
"""The kind of netCDF that every Zarr store is."""

View = Literal["cdl", "json", "ncml", "summary"]
"""What a store can be printed as."""


@record(kw_only=True)
class DumpOptions:
    """What to print of a store: a view of it, or with `kind` only the kind of netCDF that it is.

    Of `cdl` the other views heed what is printed of the data, and the name; NcML the precision too.
    `width` is where lines of the summary are cut, in columns, if they are. `jobs` is how many
    processes print data that are many, of a store on disk; None is one for each core. They are
    forked, which only a process without threads should do.
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
    """Write the store at `location`, a path or a URL, as CDL or another view.

    Raises `NczError`; before anything is written if the store cannot be opened or `options` name
    what is not there. Where data cannot be read, the text ends without its last brace.
    """
    from ncz.formats.zarr.reader import open_dataset
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import open_zmap

    store = parse_location(location)
    with contextlib.closing(open_zmap(store)) as zmap:
        dataset = open_dataset(zmap, name=store.dataset_name(), modes=store.modes, notify=notify)
        if options.kind:
            write(f"{KIND}\n".encode())
            return
        if isinstance(zmap, DistantZmap):
            _expect_data(dataset, options, zmap)
        if options.view == "cdl":
            print_cdl(dataset, replace(options.cdl, jobs=_jobs(options, zmap)), write, notify)
        else:
            _print_view(dataset, location, options, write, notify)


def _expect_data(dataset: Dataset, options: DumpOptions, zmap: Zmap) -> None:
    """Tell a store whose answers take long which values will be printed."""
    from ncz.formats.zarr.array.prefetch import expect_data

    if options.cdl.header_only or options.view not in ("cdl", "json"):
        return
    selection = _selected(dataset, options.cdl)
    expect_data(
        zmap,
        (
            variable
            for fqn, group in walk(dataset.root)
            if selection.has_group(fqn)
            for variable in group.variables
            if selection.has_variable(join(fqn, variable.name))
        ),
    )


def _selected(dataset: Dataset, asked: CdlOptions) -> Selection:
    """What is to be printed of the data."""
    return select(
        dataset.root,
        coordinates=asked.coordinates,
        variables=asked.variables,
        groups=asked.groups,
    )


def _jobs(options: DumpOptions, zmap: Zmap) -> int:
    """How many processes may print."""
    if options.cdl.header_only or not survives_fork(zmap):
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
