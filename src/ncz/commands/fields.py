"""Declare the options of commands: a field of an options record says everything about its option.

The names and the help on the command line, the section of the help, the argument in Python and its
description stand beside the default value. `ncz.cli.command.options_of` makes click's
options of a record, `ncz.api.selections.fields_from` takes the arguments of a Python function, and
`make docs` writes the signature and the description of that function and
docs/reference/commands.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from ncz.record import field, metadata_of, record, replace

if TYPE_CHECKING:
    from ncz.model.selection import Selection

Section = Literal[
    "View",
    "Selection",
    "Changes",
    "Checks",
    "Repair",
    "Tolerance",
    "Layout",
    "Storage",
    "Text",
    "Output",
    "Objects",
    "Joining",
    "Store",
    "Chunks and codecs",
    "Server",
    "Limits",
    "Aggregations",
    "For compatibility with netCDF's programs",
    "Input",
    "Reference sets",
    "Remote stores",
    "Options",
]
"""The sections of the help, in their order."""


@record
class Values:
    """The values that an option takes on the command line."""

    kind: Literal["text", "integer", "number", "size", "choice"] = "text"
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()


TEXT = Values()
SIZE = Values("size")
"""A number of bytes, such as 10MB."""


def integer(least: int | None = None, most: int | None = None) -> Values:
    """Return the integers of a range."""
    return Values("integer", least, most)


def number(least: int | None = None) -> Values:
    """Return the numbers from `least`."""
    return Values("number", least)


def choice(*words: str) -> Values:
    """Return these words."""
    return Values("choice", choices=words)


@record
class Flag:
    """An option without a value that chooses one of several values of a field."""

    names: tuple[str, ...]
    value: str
    help: str
    common: bool = False


class Option:
    """How a field is written on the command line and in Python; see `option`.

    Its attributes are the arguments of `option`. It is not a record, because a command declares
    dozens of them whenever it starts.
    """

    names: tuple[str, ...]
    help: str
    section: Section
    metavar: str | None
    values: Values
    repeats: bool
    flags: tuple[Flag, ...]
    parse: Callable[[Any, str], object] | None
    common: bool
    environment: str | None
    completes: str | None
    python: str | None
    argument: str | None
    type: str | None
    instead: str | None
    default: Any

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.__dict__ = arguments


@record
class Part:
    """A field whose value is a record, or None, that is made of several options."""

    options: Mapping[str, Option]
    make: Callable[..., Any]
    default: Any


class Declared:
    """An option and its place in a record: its `name`, which is that of a field or of a part's."""

    __slots__ = ("annotation", "default", "name", "option")

    def __init__(self, name: str, option: Option, annotation: str) -> None:
        self.name = name
        self.option = option
        self.annotation = annotation
        self.default = option.default

    @property
    def argument(self) -> str:
        """The name of the argument in Python."""
        return self.option.argument or self.name


def option(
    *names: str,
    default: Any,
    help: str = "",
    section: Section = "Options",
    metavar: str | None = None,
    values: Values = TEXT,
    repeats: bool = False,
    flags: tuple[Flag, ...] = (),
    parse: Callable[[Any, str], object] | None = None,
    common: bool = False,
    environment: str | None = None,
    completes: str | None = None,
    python: str | None = None,
    argument: str | None = None,
    type: str | None = None,
    instead: str | None = None,
) -> Any:
    """Declare a field that an option sets.

    Parameters
    ----------
    names
        The short and long names on the command line, and "--x/--no-x" for a flag with both. A flag
        "--no-x" sets False. There are none for `flags`, and for a field that `cli` sets otherwise.
    default
        The value of the field if the option is not given.
    help
        The help of the command line. ``--help`` shows its first sentence.
    section
        The title of the section of the help.
    metavar
        The name of the value in the help. None means a flag.
    values
        The values that it takes.
    repeats
        Whether the option can be repeated. The field is then a tuple of all that is given.
    flags
        Options without a value, each of which sets the field to a value.
    parse
        Turns the value on the command line, and the name of the option, into that of the field. If
        the option `repeats`, it turns each value into a sequence, and the field has all of them.
    common
        Whether ``--help`` shows it. ``--help-all`` shows every option.
    environment
        An environment variable with the value.
    completes
        What completes its values in a shell, a key of `ncz.cli.candidates.VALUES`.
    python
        The description of the argument in Python. None means that Python has no such argument.
    argument
        The name of the argument in Python, if it is not that of the field.
    type
        The type of the argument in Python, if it does not follow from that of the field.
    instead
        What a Python program uses instead, or why it needs nothing.
    """
    return field(default=default, metadata=Option(locals()))


def part(
    default: Any,
    make: Callable[..., Any] | None = None,
    *,
    without: Collection[str] = (),
    **options: Any,
) -> Any:
    """Declare a field whose value is made of several options.

    Parameters
    ----------
    default
        The value if none of them is given.
    make
        Makes the value of those that are given, by name. Without it, they replace fields of the
        default.
    without
        The names of those that are left out.
    **options
        What `option` returns, by name; by default the fields of the default that are options.
    """
    own = {name: each.metadata for name, each in options.items()} or metadata_of(type(default))
    own = {name: each for name, each in own.items() if name not in without}
    return field(
        default=default,
        metadata=Part(own, make or (lambda **given: replace(default, **given)), default),
    )


def declared(options: type) -> Iterator[Declared]:
    """Yield the options of a record and of its parts, in the order of their declaration."""
    for name, found in metadata_of(options).items():
        match found:
            case Option() as option:
                yield Declared(name, option, options.__annotations__[name])
            case Part() as part:
                known = type(part.default).__annotations__ if part.default is not None else {}
                for inner, option in part.options.items():
                    annotation = option.type or known.get(inner, "str | None")
                    yield Declared(inner, option, annotation)


def fields_given(options: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record from the values of options by name; others are ignored."""
    fields: dict[str, Any] = {}
    for name, found in metadata_of(options).items():
        match found:
            case Option() if name in given:
                fields[name] = given[name]
            case Part() as part:
                values = {inner: given[inner] for inner in part.options if inner in given}
                if values:
                    fields[name] = part.make(**values)
    return fields


def words(text: str, _: str = "") -> tuple[str, ...]:
    """Split a list with commas and spaces."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def listed(text: str, _: str = "") -> tuple[str, ...]:
    """Split a list of names with commas; spaces belong to the names."""
    return tuple(name for name in text.split(",") if name)


variables_option = partial(
    option,
    *("-v", "--variables"),
    default=None,
    metavar="VAR,...",
    section="Selection",
    repeats=True,
    parse=listed,
    common=True,
    completes="variables",
)


MEMORY = option(
    "--memory",
    default=None,
    metavar="SIZE",
    values=SIZE,
    section="Limits",
    help="Memory for data (default: a quarter of what is free, 256MiB to 4GiB).",
    python="Memory limit for data in bytes; by default a quarter of what is free, between 256 MiB"
    " and 4 GiB.",
)
THREADS = option(
    "--threads",
    default=None,
    metavar="N",
    values=integer(1, 256),
    section="Limits",
    help="Number of threads (default: one per core).",
    python="Number of threads; by default one per core.",
)
KEEP_GOING = option(
    "--keep-going",
    default=False,
    section="Output",
    help="Read fill values for pieces of an aggregation that cannot be read.",
    python="Whether to skip pieces of an aggregation that cannot be read.",
)

PARTIAL = option(
    default=False,
    section="Output",
    python="Whether to report data that cannot be read as a notice, and to go on with the rest.",
    argument="allow_loss",
)
"""`ncz.cli.source_options.allow_loss_option` is for the command line, which goes on in any case."""

NO_CONSOLIDATED = option(
    "--no-consolidated",
    default=None,
    section="Input",
    help="Ignore consolidated metadata; read the documents of groups and arrays.",
    python="Whether to use consolidated metadata, as in `open`.",
)


def _subset(isel: Sequence[str] = (), sel: Sequence[str] = (), **given: Any) -> Selection | None:
    if not (isel or sel or any(given.values())):
        return None  # the import takes long
    from ncz.commands.subsets.spelling import parse_selection

    chosen = replace(parse_selection(isel, sel), **given)
    return chosen if chosen.selects else None


SUBSET = part(
    None,
    _subset,
    isel=option(
        "--isel",
        default=None,
        metavar="DIM=SLICE,...",
        repeats=True,
        section="Selection",
        common=True,
        completes="selection",
        help="Only these indices of dimensions: time=0:10:2, x=-1.",
        python="The part to use, by indices of dimensions; see `Dataset.isel`.",
        type="Mapping[str, Any] | None",
    ),
    sel=option(
        "--sel",
        default=None,
        metavar="DIM=LOW:HIGH,...",
        repeats=True,
        section="Selection",
        common=True,
        completes="selection",
        help="Only these coordinates: lat=40:60,lon=-10:10. Also parts of dates: time=2026-01.",
        python="The part to use, by values of coordinates; see `Dataset.sel`.",
        type="Mapping[str, Any] | None",
    ),
    nearest=option(
        "--nearest",
        default=False,
        section="Selection",
        help="With --sel DIM=VALUE, use the coordinate that is nearest to the value.",
        python="Whether a single value of `sel` selects the coordinate that is nearest to it.",
        type="bool",
    ),
    vars=option(
        "--vars",
        default=(),
        metavar="GLOB,...",
        section="Selection",
        repeats=True,
        parse=listed,
        common=True,
        completes="variables",
        help="Only these variables, and what they refer to. Globs such as 't2m,ta*' are possible.",
        python="Names or globs of the variables to use, with all that they refer to, such as"
        " coordinates, bounds and grid mappings.",
        type="Words",
    ),
    exclude=option(
        "--exclude",
        default=(),
        metavar="GLOB,...",
        section="Selection",
        repeats=True,
        parse=listed,
        completes="variables",
        help="Leave these variables out, unless others refer to them.",
        python="Names or globs of the variables to leave out, unless others refer to them.",
        type="Words",
    ),
)
