"""Convert arguments of Python functions for the commands, and messages of commands for Python."""

from __future__ import annotations

import functools
import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO, ParamSpec, Protocol, TypeAlias, TypeVar

from ncz.commands.subsets.selection import Subset
from ncz.errors import NczError, Notice, in_python
from ncz.record import replace
from ncz.zmap.location import Location, parse_location

if TYPE_CHECKING:
    import xarray

    from ncz.commands.sources import Source
    from ncz.formats.kinds import GivenDataset

Path = str | os.PathLike[str]
"""A path or a URL."""

Words = str | Sequence[str]
"""Several texts, or one."""


class Openable(Protocol):
    """An open dataset, which `ncz.open` returns."""

    def _as_source(self) -> GivenDataset:
        """Return the dataset as the source of a command."""
        ...


SourceLike: TypeAlias = (
    "Path | BinaryIO | Openable | xarray.Dataset | xarray.DataTree | xarray.DataArray"
)
"""A path or a URL, a stream of CDL text, or a dataset of xarray or of `ncz.open`."""

_Text = TypeVar("_Text", bound=str)
_Stream = TypeVar("_Stream", bound=BinaryIO)


def source_of(source: SourceLike) -> Source:
    """Return the location of a store, or an object as a dataset.

    A path of CDL text and an open file are returned as they are.
    """
    if isinstance(source, (str, bytes, os.PathLike)) or hasattr(source, "read"):
        return place_of(source)
    if type(source).__module__.partition(".")[0] == "xarray":
        from ncz.formats.xarray.tree import given_dataset

        return given_dataset(source)
    if hasattr(source, "_as_source"):
        return source._as_source()
    raise TypeError(
        f"a path, a URL, a stream or a dataset is expected, not {type(source).__name__}"
    )


def place_of(path: Path | _Stream) -> Location | str | _Stream:
    """Return the location of a store; a path of CDL text and an open file as they are."""
    from ncz.commands.sources import located

    return located(path_of(path) if isinstance(path, (str, bytes, os.PathLike)) else path)


def location_of(path: Path) -> Location:
    """Return the location that a path or a URL means."""
    return parse_location(path_of(path))


def path_of(path: Path) -> str:
    """Return a path or a URL as text; bytes are a path too, as for `open`."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"a path or a URL is expected, not {type(path).__name__}") from None


def words(texts: _Text | Collection[_Text]) -> tuple[_Text, ...]:
    """Return several texts; a single one is not taken for its characters."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


# Selections in Python's words as those of the options ``--isel`` and ``--sel``.


def subset_of(
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    *,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
) -> Subset | None:
    """Return the subset that mappings from dimensions to indices and to values select.

    Returns
    -------
    Subset or None
        None if nothing is selected.

    Raises
    ------
    TypeError
        If an index is neither an integer nor a slice.
    """
    if not (isel or sel or vars or exclude):
        return None
    return Subset(
        isel=tuple(f"{name}={_index(value)}" for name, value in (isel or {}).items()),
        sel=tuple(f"{name}={_value(value)}" for name, value in (sel or {}).items()),
        nearest=nearest,
        vars=words(vars),
        exclude=words(exclude),
    )


def _index(value: Any) -> str:
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if part is None else str(_integer(part)) for part in parts)
    return str(_integer(value))


def _integer(value: Any) -> int:
    from operator import index

    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{value!r} is neither an integer nor a slice") from None


def _value(value: Any) -> str:
    if not isinstance(value, slice):
        return _text(value)
    if value.step is not None:
        raise TypeError("a slice of values cannot have a step")
    # Times have colons.
    return "/".join("" if end is None else _text(end) for end in (value.start, value.stop))


def _text(value: Any) -> str:
    """Return a number, a text or a date as text; numpy's numbers and dates too."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if not isinstance(value, str) and re.fullmatch(r"\d{4}", str(value)):
        return f"+{value}"  # a text of four digits would be a year
    return str(value.item() if hasattr(value, "item") and value.dtype.kind in "iuf" else value)


def fields_from(options: type, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record from the arguments of a function, by their names in Python."""
    from ncz.commands.fields import declared, fields_given
    from ncz.commands.option_error import OptionError

    values: dict[str, Any] = {}
    for each in declared(options):
        if each.option.python and each.argument in arguments:
            value = arguments[each.argument]
            choices = () if each.option.parse else each.option.values.choices
            if choices and isinstance(value, str) and value not in choices:
                valid = ", ".join(map(repr, choices))
                raise OptionError(f"{each.argument} cannot be {value!r}", hint=f"choose {valid}")
            if each.default == () or each.annotation in ("tuple[str, ...] | None", "Words | None"):
                value = None if value is None else words(_chunkspecs(value))
            values[each.name] = value
    fields = fields_given(options, values)
    if "isel" in arguments:
        rest = {name: arguments[name] for name in ("nearest", "vars", "exclude")}
        fields["subset"] = subset_of(arguments["isel"], arguments["sel"], **rest)
    return fields


def _chunkspecs(value: Any) -> Any:
    """Return the chunkspec of a mapping from dimensions to lengths; others are returned as is."""
    if not isinstance(value, Mapping):
        return value
    return ",".join(
        f"{name}/{'' if length in (-1, None) else length}" for name, length in value.items()
    )


# Errors and notices, whose texts name arguments of functions.

_P = ParamSpec("_P")
_T = TypeVar("_T")


def speaks_python(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return a decorated function whose errors and notices name arguments instead of options."""

    @functools.wraps(function)
    def call(*arguments: _P.args, **keywords: _P.kwargs) -> _T:
        if callable(notify := keywords.get("notify")):
            keywords["notify"] = lambda notice: notify(translated(notice))
        try:
            return function(*arguments, **keywords)
        except NczError as error:
            translate(error)
            raise
        except BaseException as end:
            if hasattr(end, "__notes__"):
                end.__notes__ = [in_python(note) for note in end.__notes__]
            raise

    return call


def translate(error: NczError) -> None:
    """Write the texts of an error for a Python program."""
    error.message = in_python(error.message)
    error.location = error.location and in_python(error.location)
    error.hint = error.hint and in_python(error.hint)


def translated(notice: Notice) -> Notice:
    """Return a notice whose texts are written for a Python program."""
    return replace(
        notice,
        message=in_python(notice.message),
        location=notice.location and in_python(notice.location),
        hint=notice.hint and in_python(notice.hint),
    )


# Notices as Python warnings.


class NczWarning(UserWarning):
    """A `Notice` as a Python warning."""


def warn(notice: Notice) -> None:
    """Turn a notice into a Python warning about the caller's line; the default of `notify`."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(NczWarning(str(translated(notice))), stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    """Return whether a frame is of ncz, xarray, or a library through which ncz calls itself."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return package in ("ncz", "contextlib", "functools", "xarray")
