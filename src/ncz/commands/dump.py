"""dump: print a dataset as CDL, as netCDF's ncdump does, or as another view."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal

from ncz.cdl.printer import CdlOptions, LayoutError, print_cdl
from ncz.commands import fields
from ncz.commands.fields import KEEP_GOING, NO_CONSOLIDATED, PARTIAL, SUBSET, variables_option
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

if TYPE_CHECKING:
    from ncz.cdl.rows import Indices
    from ncz.model.selection import Selection
    from ncz.zmap.location import Location

View = Literal["cdl", "json", "ncml", "summary"]
"""The texts that a dataset can be printed as."""


def _names(text: str, _: str) -> tuple[str, ...]:
    r"""Split a comma-separated list of names; ``\,`` is a comma within a name."""
    return tuple(name.replace("\\,", ",") for name in re.split(r"(?<!\\),", text))


def _whole_number(text: str, option: str) -> int:
    """Parse a decimal or, as ncdump does, a hexadecimal integer."""
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    if not re.fullmatch(r"[-+]?(?:0[xX][0-9a-fA-F]{1,15}|\d{1,18})", text):
        raise LayoutError(f"{text!r} is not an integer", option, "give one, such as 80")
    return int(text, 16 if "x" in text.lower() else 10)


def _digits(text: str, option: str) -> tuple[int | None, int | None]:
    """Parse the values of ``-p`` and ``-d``: ``F``, ``F,D`` or ``,D``."""
    first, _, second = text.partition(",")
    return (
        _whole_number(first, option) if first else None,
        _whole_number(second, option) if second else None,
    )


def _indices(text: str, option: str) -> Indices:
    """Return ``c`` or ``f``. Any word that begins with one of them is accepted, as in ncdump."""
    match text[:1].lower():
        case "c":
            return "c"
        case "f":
            return "f"
    raise LayoutError(f"{text!r} is not an index convention", option, "give c or f")


def _extended(word: str, _: str) -> set[str]:
    """Return the letters of ``-X`` in lower case; ncdump does not distinguish the case."""
    letters = set(word.lower())
    if letters - set("fpm"):
        wrong = min(letters - set("fpm"))
        raise LayoutError(f"{wrong!r} is not a valid letter", "-X", "give F, p or m")
    return letters


def _cdl(
    digits: tuple[int | None, int | None] | None = None,
    weak_digits: tuple[int | None, int | None] | None = None,
    extended: Collection[str] = (),
    **options: Any,
) -> CdlOptions:
    """Return how to print CDL; `digits` prevail over the attribute C_format and `weak_digits`."""
    precision = digits or weak_digits
    requested = {
        name: options.pop(name) for name in RequestedData.__annotations__ if name in options
    }
    return CdlOptions(
        precision=Precision(*precision, over_attribute=digits is not None)
        if precision
        else Precision(),
        properties="p" not in extended,
        typed_fill="f" in extended,
        requested=RequestedData(**requested),
        **options,
    )


_FOR_PEOPLE = "a form of the text for people"


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

    view: View = fields.option(
        default="cdl",
        section="View",
        flags=(
            fields.Flag(("--json",), "json", "Print JSON, which ncz gen can read.", common=True),
            fields.Flag(("-x", "--ncml"), "ncml", "Print the header as NcML."),
            fields.Flag(
                ("--summary",), "summary", "Print a summary like that of xarray.", common=True
            ),
        ),
        python='"cdl", "json" (docs/reference/json.md), "ncml" or "summary".',
    )
    kind: bool = fields.option(
        "-k",
        "--kind",
        default=False,
        section="View",
        common=True,
        help="Print only the kind of file: netCDF-4.",
        instead="the first word of ncz.info(store).format",
    )
    cdl: CdlOptions = fields.part(
        CdlOptions(),
        _cdl,
        header_only=fields.option(
            "-h",
            "--header",
            default=False,
            section="Selection",
            common=True,
            help="Print the header only, without data.",
            python="Whether to leave the data out.",
        ),
        coordinates=fields.option(
            "-c",
            "--coordinates",
            default=False,
            section="Selection",
            common=True,
            help="Print the data of coordinate variables only.",
            python="Whether to print the data of coordinate variables only.",
            type="bool",
        ),
        variables=variables_option(
            metavar="V,...",
            parse=_names,
            help="Print the data of these variables only. Names such as v and g/v match the"
            " end of a path, /g/v the whole path.",
            python="The variables whose data are printed; by default all.",
            type="Words | None",
        ),
        groups=fields.option(
            "-g",
            "--group",
            default=None,
            metavar="G,...",
            section="Selection",
            repeats=True,
            parse=_names,
            common=True,
            completes="groups",
            help="Print the data of these groups only: g, /g/h, /.",
            python="The groups whose data are printed; by default all.",
            type="Words | None",
        ),
        name=fields.option(
            "-n",
            "--name",
            default=None,
            metavar="NAME",
            section="Layout",
            help="Name of the dataset, instead of that of the store.",
            python="The name of the dataset, instead of that of the store.",
        ),
        line_length=fields.option(
            "-l",
            "--line-length",
            default=80,
            metavar="N",
            section="Layout",
            parse=_whole_number,
            help="Maximum length of a line of data in bytes (default: 80).",
            python="Largest length of a line of data in bytes.",
        ),
        digits=fields.option(
            "-p",
            "--precision",
            default=None,
            metavar="F,D",
            section="Layout",
            parse=_digits,
            common=True,
            help="Significant digits of float and double: 1 to 20.",
            python="Significant digits of float and of double.",
            type="tuple[int, int] | None",
        ),
        weak_digits=fields.option(
            "-d",
            "--digits",
            default=None,
            metavar="F,D",
            section="Layout",
            parse=_digits,
            help="As -p, but the attribute C_format prevails.",
            instead="digits",
        ),
        brief=fields.option(
            "-b",
            "--brief",
            default=None,
            metavar="c|f",
            section="Layout",
            parse=_indices,
            help="Print the indices of each row, as in C or Fortran.",
            instead="comments are for people",
        ),
        full=fields.option(
            "-f",
            "--full",
            default=None,
            metavar="c|f",
            section="Layout",
            parse=_indices,
            help="Print the indices of each value, as in C or Fortran.",
            instead="comments are for people",
        ),
        times=fields.option(
            default=None,
            section="Layout",
            flags=(
                fields.Flag(
                    ("-t", "--dates"), " ", "Print times as dates: 2000-01-31 06:30.", common=True
                ),
                fields.Flag(
                    ("-i", "--iso-dates"), "T", "Print times as ISO 8601 dates: 2000-01-31T06:30."
                ),
            ),
            instead="times are read by xarray",
        ),
        special=fields.option(
            "-s",
            "--special",
            default=False,
            section="Storage",
            common=True,
            help="Print virtual attributes: chunks, filters, ...",
            python="Whether to print virtual attributes: chunks, filters and others.",
        ),
        fold_filters=fields.option(
            "-F",
            "--filters",
            default=False,
            section="Storage",
            help="With -s: print all filters in _Filter.",
            instead=_FOR_PEOPLE,
        ),
        extended=fields.option(
            "-X",
            "--extended",
            default=(),
            metavar="F|p|m",
            repeats=True,
            section="Storage",
            parse=_extended,
            help="F: print the type of _FillValue; p: omit _NCProperties; m: ignored.",
            instead=_FOR_PEOPLE,
        ),
    )
    width: int | None = None
    jobs: int | None = fields.option(
        "-j",
        "--jobs",
        default=1,
        metavar="N",
        values=fields.integer(1, 256),
        section="Output",
        help="Number of processes (default: one per core).",
        instead="a program with threads cannot fork",
    )
    partial: bool = PARTIAL
    keep_going: bool = KEEP_GOING
    consolidated: bool | None = NO_CONSOLIDATED
    subset: Selection | None = SUBSET


def dump(
    location: Location,
    options: DumpOptions,
    write: Callable[[bytes], object],
    callbacks: Callbacks = NO_CALLBACKS,
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
    callbacks
        Receives notices, and the number of values that were printed.
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
    with open_dataset(location, how, notify=callbacks.notify) as opened:
        dataset = opened.dataset
        callbacks = replace(callbacks, on_error=_on_error(options, opened, callbacks.notify))
        if options.subset is not None:
            from ncz.commands.subsets.selection import selected

            dataset = selected(dataset, options.subset, callbacks.notify)
        if options.kind:
            write(f"{opened.netcdf_kind}\n".encode())
            return
        if options.view in ("cdl", "json"):
            _notify_of_attributes(dataset, callbacks.notify, has_json=options.view == "json")
        if options.view == "cdl":
            _notify_of_bytes(dataset, callbacks.notify)
        if not options.cdl.header_only and options.view in ("cdl", "json"):
            opened.prefetch(_printed(dataset, options.cdl))
            callbacks.progress.expect(_count_of_values(dataset, options.cdl), "values")
        if options.view == "cdl":
            cdl_options = replace(options.cdl, jobs=_jobs(options, opened))
            print_cdl(dataset, cdl_options, write, callbacks, descriptor)
        else:
            _print_view(dataset, opened.location.display, options, write, callbacks)


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


def _notify_of_attributes(dataset: Dataset, notify: Notify, *, has_json: bool) -> None:
    """Name the attributes that a store made from the text will not have as they are.

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
            if (attribute.kept is not None and attribute.kept[0] in (None, []))
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
    """Name the arrays of one-byte texts, which CDL cannot tell from strings."""
    provenance = dataset.provenance
    if provenance.zarr_format is None or provenance.superblock:
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


def _printed(dataset: Dataset, options: CdlOptions) -> Iterator[Variable]:
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
        for variable in _printed(dataset, options)
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
        from ncz.views.json_writer import print_json

        print_json(
            dataset,
            write,
            selection=selection,
            name=cdl_options.name,
            header_only=cdl_options.header_only,
            callbacks=callbacks,
        )
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
