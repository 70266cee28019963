"""dump: print a dataset as CDL, as netCDF's ncdump does, or as another view."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from ncz.cdl.print.printer import CdlOptions, print_cdl
from ncz.errors import (
    AS_JSON,
    NczError,
    Notice,
    Notify,
    OnError,
    ZmapError,
    ignore_notice,
    raise_error,
    report_unreadable,
)
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, join, variables_by_fqn, walk
from ncz.record import record, replace
from ncz.text.selection import Selection, select

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset
    from ncz.zmap.location import Location

View = Literal["cdl", "json", "ncml", "summary"]
"""The texts that a dataset can be printed as."""


@record(kw_only=True)
class DumpOptions:
    """What to print of a dataset.

    With `kind`, only the kind of netCDF is printed. Of `cdl`, the other views use the selection of
    data and the name; NcML uses the precision too. `width` is the number of columns at which lines
    of the summary are truncated; None for no limit. `jobs` is the number of processes that print
    large data of a local store; None means one per core. They are forked, which is safe only in a
    process without threads. With `partial`, data that cannot be read become a notice, and the rest
    is printed; with `keep_going`, so do pieces of an aggregation. `consolidated` is that of
    `OpenOptions`. `subset` is the part of the dataset to print; None prints all.
    """

    cdl: CdlOptions = CdlOptions()
    kind: bool = False
    view: View = "cdl"
    width: int | None = None
    jobs: int | None = 1
    partial: bool = False
    keep_going: bool = False
    consolidated: bool | None = None
    subset: Subset | None = None


def dump(
    location: Location,
    options: DumpOptions,
    write: Callable[[bytes], object],
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
    descriptor: int | None = None,
) -> None:
    """Print the dataset at `location`.

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
    progress
        Receives the number of values that were printed.
    descriptor
        The file descriptor that `write` writes to, if it holds nothing back. Several processes then
        write their texts to it, instead of sending them to this one.

    Raises
    ------
    NczError
        Before anything is written if the dataset cannot be opened, or if `options` select what
        does not exist. If data cannot be read, unless `options.partial` is set and the storage
        itself works; the text ends without its last brace.
    """
    how = OpenOptions(consolidated=options.consolidated, keep_going=options.keep_going)
    with open_dataset(location, how, notify=notify) as opened:
        dataset = opened.dataset
        if options.subset is not None:
            from ncz.commands.subsets import selected

            dataset = selected(dataset, options.subset)
        if options.kind:
            write(f"{opened.netcdf_kind}\n".encode())
            return
        if options.view in ("cdl", "json"):
            _notify_of_attributes(dataset, notify)
        if options.view == "cdl":
            _notify_of_bytes(dataset, notify)
        if not options.cdl.header_only and options.view in ("cdl", "json"):
            opened.prefetch(_printed(dataset, options.cdl))
            progress.expect(_count_of_values(dataset, options.cdl), "values")
        if options.view == "cdl":
            asked = replace(options.cdl, jobs=_jobs(options, opened))
            on_error = _on_error(options, opened, notify)
            print_cdl(dataset, asked, write, notify, on_error, progress, descriptor)
        else:
            on_error = _on_error(options, opened, notify)
            _print_view(
                dataset, opened.location.display, options, write, notify, on_error, progress
            )


def _on_error(options: DumpOptions, opened: OpenedDataset, notify: Notify) -> OnError:
    """Return what to do about data that cannot be read."""
    if not options.partial:
        return raise_error
    report = report_unreadable(notify)

    def continue_if_useful(error: NczError) -> None:
        if isinstance(error, ZmapError) and opened.location.kind == "remote":
            raise error  # a server that fails once would fail, after a timeout, for the rest too
        report(error)

    return continue_if_useful


def _notify_of_attributes(dataset: Dataset, notify: Notify) -> None:
    """Name the attributes that a store made from the text will not have as they are."""
    names = []
    for fqn, group in walk(dataset.root):
        nodes = [(fqn, group.attributes)]
        nodes += [(join(fqn, v.name), v.attributes) for v in group.variables]
        names += [
            f"{node.removeprefix('/')}:{attribute.name}"
            for node, attributes in nodes
            for attribute in attributes
            if attribute.original is not None and attribute.original[0] in (None, [])
        ]
    if names:
        notify(
            Notice(
                "attribute-as-text",
                "attributes that are null or empty lists are printed as text, because netCDF has"
                f" neither: {', '.join(names)}",
                hint="use ncz copy to keep them",
            )
        )


def _notify_of_bytes(dataset: Dataset, notify: Notify) -> None:
    """Name the arrays of one-byte texts, which CDL cannot tell from strings."""
    made = dataset.provenance
    if made.zarr_format is None or made.superblock:
        return
    names = [fqn for fqn, variable in variables_by_fqn(dataset.root) if variable.holds_bytes]
    if names:
        notify(
            Notice(
                "bytes-as-string",
                "one-byte texts are printed as strings, which xarray does not join along their last"
                f" dimension: {', '.join(names)}",
                hint=f"use ncz copy or {AS_JSON} to keep them",
            )
        )


def _printed(dataset: Dataset, options: CdlOptions) -> Iterator[Variable]:
    """Yield the variables whose values will be printed, in order."""
    selection = _selected(dataset, options)
    for fqn, group in walk(dataset.root):
        if selection.has_group(fqn):
            for variable in group.variables:
                if selection.has_variable(join(fqn, variable.name)):
                    yield variable


def _count_of_values(dataset: Dataset, options: CdlOptions) -> int:
    """Return the number of values that will be printed."""
    lengths = dimensions_by_fqn(dataset.root)
    sizes = {fqn: dimension.size for fqn, dimension in lengths.items()}
    return sum(
        math.prod(sizes.get(d, 0) for d in variable.dimensions)
        for variable in _printed(dataset, options)
    )


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
    on_error: OnError,
    progress: Progress,
) -> None:
    asked = options.cdl
    selection = _selected(dataset, asked)
    if options.view == "json":
        from ncz.views.json_writer import print_json

        print_json(
            dataset,
            write,
            selection=selection,
            name=asked.name,
            header_only=asked.header_only,
            on_error=on_error,
            progress=progress,
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
