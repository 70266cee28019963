"""dump: print a dataset as CDL, as netCDF's ncdump does, or as another view."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO, Literal, cast, get_args

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.errors import (
    AS_JSON,
    NO_CALLBACKS,
    Callbacks,
    NczError,
    Notice,
    Notify,
    OnError,
    ZmapError,
    list_names,
    named_notice,
    raise_error,
    report_unreadable,
)
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, join, variables_by_fqn, walk
from ncz.record import record, replace
from ncz.text.format_values import Precision
from ncz.text.names import RequestedData, select
from ncz.zmap.location import Location, Path, location_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.cdl.rows import Indices
    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.model.selection import Selection

View = Literal["cdl", "json", "ncml", "summary", "tree", "csv", "kind"]
"""The texts that a dataset can be printed as."""


@record
class Output:
    """A function that receives the text in pieces, and the file descriptor that it writes to.

    There is a descriptor only if the function buffers nothing: other processes write to it too.
    """

    write: Callable[[bytes], object]
    descriptor: int | None = None


@record(kw_only=True)
class DumpOptions:
    """The parts of a dataset to print.

    Of `cdl`, the other views use the selection of data and the name; NcML uses the precision too.
    `width` is the largest number of columns of the summary; None for no limit.
    `jobs` is the number of processes that print large data of a local store; None means one per
    core. They are forked, which is safe only in a process without threads. With `partial`, data
    that cannot be read become a notice, and the rest is printed; with `keep_going`, so do pieces of
    an aggregation. With `unpack`, packed variables are printed unpacked. `consolidated` is as in
    `OpenOptions`. `subset` is the part of the dataset to print; None prints all.
    """

    view: View = "cdl"
    cdl: CdlOptions = CdlOptions()
    width: int | None = None
    jobs: int | None = 1
    partial: bool = False
    keep_going: bool = False
    unpack: bool = False
    consolidated: bool | None = None
    subset: Selection | None = None


@speaks_python
def dump(
    store: Path | BinaryIO,
    *,
    view: View = "cdl",
    header_only: bool = False,
    coordinates: bool = False,
    variables: Words | None = None,
    groups: Words | None = None,
    name: str | None = None,
    line_length: int = 80,
    digits: tuple[int | None, int | None] | Precision | None = None,
    brief: Indices | None = None,
    full: Indices | None = None,
    times: Literal[" ", "T"] | None = None,
    special: bool = False,
    fold_filters: bool = False,
    typed_fill: bool = False,
    properties: bool = True,
    unpack: bool = False,
    allow_loss: bool = False,
    keep_going: bool = False,
    consolidated: bool | None = None,
    width: int | None = None,
    jobs: int | None = 1,
    target: BinaryIO | Output | None = None,
    notify: Listener = warn,
    **selection: Unpack[SelectionKeywords],
) -> str:
    """Return a store as text.

    Parameters
    ----------
    store
        A path or a URL, or a binary stream with the bytes of a file, or CDL text.
    view
        "cdl", "json" (docs/reference/json.md), "csv", "ncml", "summary", "tree", or "kind": only
        the kind of file.
    header_only
        Print the header only, without data.
    coordinates
        Print the data of coordinate variables only.
    variables
        Print the data of these variables only. Names such as v and g/v match the end of a path,
        /g/v the whole path.
    groups
        Print the data of these groups only: g, /g/h, /.
    name
        Name of the dataset, instead of the store's.
    line_length
        Maximum length of a line of data in bytes (default: 80).
    digits
        Significant digits of float and double: 1 to 20.
    brief
        Print the indices of each row, as in C or Fortran.
    full
        Print the indices of each value, as in C or Fortran.
    times
        Print times as dates, with this separator before the time of day.
    special
        Print virtual attributes: chunks, filters, ...
    fold_filters
        Print all filters in ``_Filter``, if `special` is set.
    typed_fill
        Print the type of ``_FillValue``.
    properties
        Print ``_NCProperties``, if `special` is set.
    unpack
        Print packed variables unpacked, as xarray shows them.
    allow_loss
        Report data that cannot be read as a notice, and continue with the rest.
    keep_going
        Read fill values for pieces of an aggregation that cannot be read.
    consolidated
        Whether to use consolidated metadata, as in `open`.
    width
        Largest number of columns of the summary; None for no limit.
    jobs
        Number of processes (default: one per core).

        They are forked, which is safe only in a process without threads. In Python the default is
        one process, and None means one per core.
    target
        A binary stream, or an `Output`, to write the text to, instead of returning it.
    notify
        Receives notices.
    **selection
        The part of the dataset to print; see `open`.

    Returns
    -------
    str
        The text; "" if it is written to `target`.

    Raises
    ------
    NczError
        If the store cannot be read, or part of its data and `allow_loss` is not set.

    Examples
    --------
    >>> text = ncz.dump("weather.zarr", header_only=True)
    >>> text.splitlines()[0]
    'netcdf weather {'
    """
    if view not in get_args(View):
        raise NczError(f"{view!r} is not a view", hint=f"give one of {', '.join(get_args(View))}")
    subset = None
    if selection:
        from ncz.commands.subsets.python_values import selection_of

        subset = selection_of(**selection)
    requested = RequestedData(
        coordinates=coordinates,
        variables=None if variables is None else words(variables),
        groups=None if groups is None else words(groups),
    )
    options = DumpOptions(
        view=view,
        cdl=CdlOptions(
            header_only=header_only,
            requested=requested,
            name=name,
            line_length=line_length,
            precision=_precision(digits),
            brief=brief,
            full=full,
            special=special,
            fold_filters=fold_filters,
            properties=properties,
            typed_fill=typed_fill,
            times=times,
        ),
        width=width,
        jobs=jobs,
        partial=allow_loss,
        unpack=unpack,
        keep_going=keep_going,
        consolidated=consolidated,
        subset=subset,
    )
    parts: list[bytes] = []
    output = Output(parts.append if target is None else target.write)
    if isinstance(target, Output):
        output = target
    source = cast("BinaryIO", store) if hasattr(store, "read") else location_of(store)
    print_dataset(source, options, output.write, callbacks_of(notify), output.descriptor)
    text = b"".join(parts).decode("utf-8", "surrogateescape")
    return text if text.isascii() else re.sub("[\udc80-\udcff]", _escape, text)


def _precision(digits: tuple[int | None, int | None] | Precision | None) -> Precision:
    """Return the number of digits to print; a pair of numbers overrides C_format."""
    if digits is None:
        return Precision()
    return digits if isinstance(digits, Precision) else Precision(*digits, over_attribute=True)


def _escape(byte: re.Match[str]) -> str:
    """Return the escape in CDL and C of a byte that is not UTF-8."""
    return f"\\{ord(byte[0]) - 0xDC00:03o}"


def print_dataset(
    source: Location | BinaryIO,
    options: DumpOptions,
    write: Callable[[bytes], object],
    callbacks: Callbacks = NO_CALLBACKS,
    descriptor: int | None = None,
) -> None:
    """Print a dataset.

    Parameters
    ----------
    source
        The location of the dataset, or a stream with its bytes or its text.
    options
        What to print.
    write
        Receives the text in pieces.
    callbacks
        Receives notices, and the number of values that were printed.
    descriptor
        The file descriptor that `write` writes to, if it buffers nothing. Several processes
        then write their texts to it, instead of sending them to this one.

    Raises
    ------
    NczError
        Before anything is written if the dataset cannot be opened, or if `options` select missing
        objects. If data cannot be read, unless `options.partial` is set and the storage itself
        works; the text ends without its last brace.
    """
    how = OpenOptions(consolidated=options.consolidated, keep_going=options.keep_going)
    if isinstance(source, Location):
        opening = open_dataset(source, how, notify=callbacks.notify)
    else:
        from ncz.formats.streams import open_stream

        opening = open_stream(source, how, callbacks.notify)
    with opening as opened:
        dataset = opened.dataset
        callbacks = replace(callbacks, on_error=_on_error(options, opened, callbacks.notify))
        if options.subset is not None:
            from ncz.commands.subsets.selection import select_part

            dataset = select_part(dataset, options.subset, callbacks.notify)
        if options.unpack:
            from ncz.commands.number_types.dataset import unpacked_dataset

            dataset = unpacked_dataset(dataset, opened.location.display)
        if options.view == "kind":
            write(f"{opened.netcdf_kind}\n".encode())
            return
        if options.view in ("cdl", "json"):
            _notify_of_attributes(dataset, callbacks.notify, has_json=options.view == "json")
        if options.view == "cdl":
            _notify_of_bytes(dataset, callbacks.notify)
        if not options.cdl.header_only and options.view in ("cdl", "json", "csv"):
            opened.prefetch(_printed_variables(dataset, options.cdl))
            callbacks.progress.expect(_count_of_values(dataset, options.cdl), "values")
        if options.view == "cdl":
            cdl_options = replace(options.cdl, jobs=_jobs(options, opened))
            print_cdl(dataset, cdl_options, write, callbacks, descriptor)
        else:
            _print_view(dataset, opened.location.display, options, write, callbacks)


def _on_error(options: DumpOptions, opened: OpenedDataset, notify: Notify) -> OnError:
    """Return callbacks for data that cannot be read."""
    if not options.partial:
        return raise_error
    report = report_unreadable(notify)

    def continue_if_useful(error: NczError) -> None:
        if isinstance(error, ZmapError) and opened.location.kind == "remote":
            raise error  # a server that fails once would fail, after a timeout, for the rest too
        report(error)

    return continue_if_useful


def _notify_of_attributes(dataset: Dataset, notify: Notify, *, has_json: bool) -> None:
    """Report the attributes that a store made from the text will not have unchanged.

    `has_json` is true of a text that has objects and lists of JSON.
    """
    names = []
    for fqn, group in walk(dataset.root):
        nodes = [(fqn, group.attributes)]
        nodes += [(join(fqn, v.name), v.attributes) for v in group.variables]
        names += [
            f"{node.removeprefix('/')}:{attribute.name}"
            for node, attributes in nodes
            for attribute in attributes
            if (attribute.kept_original is not None and attribute.kept_original[0] in (None, []))
            or (attribute.holds_json and not has_json)
        ]
    for notice in named_notice(
        "attribute-as-text",
        "attributes that are null, empty lists or JSON are printed as text",
        names,
        "use ncz copy to keep them",
    ):
        notify(notice)


def _notify_of_bytes(dataset: Dataset, notify: Notify) -> None:
    """Report the arrays of one-byte strings, which CDL cannot distinguish from strings."""
    if not dataset.provenance.is_pure_zarr:
        return
    names = [fqn for fqn, variable in variables_by_fqn(dataset.root) if variable.holds_bytes]
    if names:
        notify(
            Notice(
                "bytes-as-string",
                f"texts of one byte are printed as strings: {list_names(names)}",
                hint=f"use ncz copy or {AS_JSON} to keep them",
            )
        )


def _printed_variables(dataset: Dataset, options: CdlOptions) -> Iterator[Variable]:
    """Yield the variables whose values will be printed, in order."""
    selection = select(dataset.root, options.requested)
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
        for variable in _printed_variables(dataset, options)
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
    callbacks: Callbacks,
) -> None:
    cdl_options = options.cdl
    selection = select(dataset.root, cdl_options.requested)
    if options.view == "json":
        from ncz.views.json.writer import print_json

        print_json(
            dataset,
            write,
            selection=selection,
            name=cdl_options.name,
            header_only=cdl_options.header_only,
            callbacks=callbacks,
        )
    elif options.view == "csv":
        from ncz.views.csv_table import print_csv

        print_csv(dataset, write, has_variable=selection.has_variable, callbacks=callbacks)
    elif options.view == "tree":
        from ncz.views.tree import print_tree

        print_tree(dataset, write, name=cdl_options.name or location)
    elif options.view == "ncml":
        from ncz.views.ncml import print_ncml

        print_ncml(
            dataset,
            write,
            location=location,
            selection=selection,
            header_only=cdl_options.header_only,
            precision=cdl_options.precision,
            notify=callbacks.notify,
        )
    else:
        from ncz.views.summary import print_summary

        print_summary(
            dataset,
            write,
            name=cdl_options.name,
            header_only=cdl_options.header_only,
            width=options.width,
            notify=callbacks.notify,
        )
