"""Errors, notices and progress, which a command reports to its caller while it runs.

Every error that ncz raises on purpose is an `NczError`. It has three short texts: the *message*
says what happened, the *location* where (``file:line:column``, or a URL and a key), and the *hint*
what to do. The command line prints them as one line, and exits with `exit_code`. Python callers can
catch the class, or the builtin exception that it also is.

Commands receive functions for notices, and a `Progress`, as parameters.

This module imports no layer, so that every layer can raise errors. `ncz.system_errors` has errors
of the operating system.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from errno import EEXIST, ENOENT
from typing import Any, Literal, Protocol

from ncz.record import record, replace


def without_secrets(text: str) -> str:
    """Return `text` with asterisks for secrets in URLs, as in ``aws.secret_access_key=***``."""
    secret = r"((?:secret|token)[a-z_]*=)[^&#\s'\"]+"
    return re.sub(secret, r"\1***", text, flags=re.IGNORECASE) if "=" in text else text


def shorten(text: object, most: int = 40) -> str:
    """Return `text` for a message: of more than `most` characters, the first and an ellipsis."""
    printed = str(text)
    return printed if len(printed) <= most else f"{printed[: most - 3]}..."


_LONGEST_LIST = 40


def list_names(names: Sequence[str], most: int = 5, *, whole: bool = False) -> str:
    """Return names for a message; of many or long names, the first ones and the number of others.

    Long names are shortened unless they must be `whole`, such as paths.
    """
    printed = [name if whole else shorten(name) for name in names[:most]]
    while not whole and len(printed) > 1 and len(", ".join(printed)) > _LONGEST_LIST:
        printed.pop()
    more = f" and {len(names) - len(printed)} more" if len(names) > len(printed) else ""
    return ", ".join(printed) + more


_PLURALS = {"index": "indices", "entry": "entries", "other copy": "other copies"}


def quantity(count: int, noun: str) -> str:
    """Return a number with its noun, as in "1 byte" and "2 bytes"."""
    return f"{count} {noun if count == 1 else _PLURALS.get(noun, f'{noun}s')}"


def one_line(message: str, location: str | None, hint: str | None) -> str:
    """Return the texts of an error or a notice as one."""
    text = f"{location}: {message}" if location else message
    return f"{text}; {hint}" if hint else text


_MOST_COMPARED = 2000


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint for a name that does not exist: names that are like it, or `otherwise`."""
    from difflib import get_close_matches
    from itertools import islice

    names = list(dict.fromkeys(islice(known, _MOST_COMPARED)))
    similar = [known for known in names if known.casefold() == name.casefold()]
    if name and not similar:
        similar = get_close_matches(name[:100], names, 3)
    return f"did you mean {' or '.join(map(repr, similar))}?" if similar else otherwise


_FIRST, _BETWEEN, _LAST = "\ufdd0", "\ufdd1", "\ufdd2"
"""Characters that Unicode leaves to programs; they enclose the two ways to write something."""

_EITHER = f"{_FIRST}([^{_LAST}]*){_BETWEEN}([^{_LAST}]*){_LAST}"


def either(command_line: str, python: str) -> str:
    """Return text that the command line prints in one way, and Python in another.

    It can be part of a message, a location or a hint. `NczError` and `Notice` contain it unchanged;
    `in_command_line` and `in_python` choose.
    """
    return f"{_FIRST}{command_line}{_BETWEEN}{python}{_LAST}"


def option(field: str, value: str | int | None = None) -> str:
    """Return an option as part of a message: ``--allow-loss`` or ``allow_loss=True``.

    `ncz.spelling.spell` describes the parameters.
    """
    from ncz.spelling import spell

    return either(*spell(field, value))


def command(name: str) -> str:
    """Return a command as part of a message: ``'ncz copy'`` or ``ncz.copy``."""
    return either(f"'ncz {name}'", f"ncz.{name}")


def in_command_line(text: str) -> str:
    """Return a text with its options and commands written for the command line."""
    return re.sub(_EITHER, r"\1", text) if _FIRST in text else text


def in_python(text: str) -> str:
    """Return a text with its options and commands written for Python."""
    return re.sub(_EITHER, r"\2", text) if _FIRST in text else text


AS_JSON = either("--json", 'view="json"')
CONSOLIDATE = either("ncz consolidate", "ncz.consolidate")
DUMP_AS_JSON = either("ncz dump --json", 'ncz.dump(..., view="json")')
SHOW_NAMES = either("'ncz dump -h'", "'print(ncz.open(...))'")


class NczError(Exception):
    """Base of all errors of ncz; ``str(error)`` is the whole error on one line."""

    exit_code = 1

    def __init__(self, message: str, location: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.location = location and without_secrets(location)
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # OSError would restore only its own attributes.
        return type(self), (self.message, self.location, self.hint), self.__dict__

    def __str__(self) -> str:
        return in_command_line(one_line(self.message, self.location, self.hint))


class CdlError(NczError, ValueError):
    """An error in CDL text.

    `location` is ``file:line:column``; `source_line` is the text of that line.
    """

    def __init__(
        self,
        message: str,
        location: str | None = None,
        hint: str | None = None,
        *,
        source_line: str | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message, location, hint)
        self.source_line = source_line
        self.column = column


class UrlError(NczError, ValueError):
    """A URL, path or ``#fragment`` that is not valid."""


class ZmapError(NczError, OSError):
    """A storage error: permission denied, disk full, a damaged zip file, an illegal key.

    `errno` is the number of the operating system's error; None if it reported none. `may_pass` is
    true if a server could not be reached, so that the same may succeed later.
    """

    errno: int | None = None
    may_pass = False

    # OSError.__new__ would interpret the arguments.
    def __new__(cls, *arguments: object, **options: object) -> ZmapError:
        return super().__new__(cls)

    def __str__(self) -> str:
        return NczError.__str__(self)


class KeyMissing(ZmapError, KeyError):
    """No object exists at a key that must have one."""

    errno = ENOENT


class StoreExists(ZmapError, FileExistsError):
    """The target already exists, and overwriting was not requested."""

    errno = EEXIST


class StoreMissing(ZmapError, FileNotFoundError):
    """No store exists at the path or URL."""

    errno = ENOENT


class ForeignFile(ZmapError):
    """A file in a format that is not a store's. `start` has its first bytes."""

    start = b""


class FormatError(NczError, ValueError):
    """A metadata document that is not valid. `location` is its URL, key and JSON path."""


class CodecError(NczError, ValueError):
    """A chunk that cannot be decoded or encoded, or a codec that is not available."""


class CodecMissing(CodecError):
    """A codec that is not available, so that a chunk can be neither decoded nor encoded."""


class LossError(NczError, ValueError):
    """The target format cannot represent part of the dataset; nothing was written."""


NoticeCode = Literal[
    "aggregation-gap",
    "annotation-damaged",
    "annotation-missing",
    "annotation-outdated",
    "annotations-ignored",
    "attribute-as-text",
    "attribute-empty",
    "attribute-hidden",
    "attribute-left-out",
    "attribute-nil",
    "attribute-not-finite",
    "attribute-of-dataset",
    "attribute-recoded",
    "attribute-type-inferred",
    "attribute-type-lost",
    "attributes-differ",
    "bytes-as-string",
    "c-format-ignored",
    "char-as-string",
    "character-replaced",
    "change-unfinished",
    "chunk-damaged",
    "chunk-misplaced",
    "chunk-sizes-ignored",
    "codec-unknown",
    "codec-not-widespread",
    "consolidated-damaged",
    "consolidated-stale",
    "coordinates-differ",
    "copy-resumed",
    "dask-chunks-ignored",
    "data-unreadable",
    "digits-left-out",
    "dimension-also-cut",
    "dimension-conflict",
    "dimension-inferred",
    "dimension-left-out",
    "dimension-named",
    "dimension-names-lost",
    "dimension-new",
    "dimension-repeated",
    "dimension-unused",
    "duplicate-attribute",
    "duplicate-values",
    "fill-masked",
    "fill-value-type",
    "file-truncated",
    "filter-plugin",
    "folder-not-trusted",
    "form-changed",
    "group-left-out",
    "group-missing",
    "keys-not-listed",
    "large-chunk",
    "limit-outside",
    "mask-left-out",
    "masks-converted",
    "missing-as-stored",
    "mask-renamed",
    "name-outdated",
    "netcdf-to-stores",
    "not-recorded",
    "not-removed",
    "nothing-written",
    "object-left-out",
    "object-missing",
    "object-unlisted",
    "packed-as-double",
    "packed-as-stored",
    "packing-changed",
    "provenance-replaced",
    "permission-needed",
    "piece-unreadable",
    "pieces-missing",
    "reader-excluded",
    "reader-misread",
    "reader-not-run",
    "references-left-out",
    "scan-resumed",
    "server-not-named",
    "setting-ignored",
    "shards-ignored",
    "special-attribute-ignored",
    "stray-document",
    "scalar-not-compressed",
    "scalar-shape",
    "string-as-char",
    "string-nil",
    "string-truncated",
    "suffix-unknown",
    "text-fill",
    "time-units-ignored",
    "times-as-numbers",
    "times-converted",
    "type-left-out",
    "type-of-attribute",
    "types-converted",
    "unlimited-fixed",
    "values-beside-set",
    "values-differ",
    "values-not-copied",
    "values-not-shown",
    "user-types-lost",
    "variable-kept",
    "variable-left-out",
]
"""The subject of a notice, for scripts; ``docs/reference/notices.md`` explains every code."""


@record
class Notice:
    """Something that the user should know, but that is not an error.

    It has the three texts of `NczError`, and a `code` that does not change when its text does.
    `lost` is true if part of a store cannot be read at all, so that a copy would not have it. The
    command line then ends with exit code 1, unless the user allowed it. `hidden` is true for a part
    that no netCDF program shows: a copy would not have it either, but a reader loses nothing.
    """

    code: NoticeCode
    message: str
    location: str | None = None
    hint: str | None = None
    lost: bool = False
    hidden: bool = False

    @property
    def is_left_behind(self) -> bool:
        """Whether a copy would lack the subject of the notice."""
        return self.lost or self.hidden

    def __str__(self) -> str:
        location = self.location and without_secrets(self.location)
        return in_command_line(one_line(self.message, location, self.hint))


def named_notice(
    code: NoticeCode, message: str, names: Sequence[str], hint: str | None = None
) -> Iterator[Notice]:
    """Yield a notice that ends with the names of its subjects; none without names."""
    if names:
        yield Notice(code, f"{message}: {list_names(names)}", hint=hint)


Notify = Callable[[Notice], None]
"""A function that is called with every notice; the command line prints it."""


def ignore_notice(notice: Notice) -> None:
    """Discard the notice."""


OnError = Callable[[NczError], None]
"""A function that is called with an error in part of the data. If it returns, the rest is done."""


def raise_error(error: NczError) -> None:
    """Raise the error, so that nothing more is done."""
    raise error


@contextmanager
def note_on_interrupt(note: str | Callable[[], str]) -> Iterator[None]:
    """Add a note to an interrupt of the block, such as Ctrl-C: the kept data, and the next step.

    The command line prints it after "interrupted"; Python programs show it below the traceback.
    The note of an inner block, which knows more, stays. Errors get no note.
    """
    try:
        yield
    except BaseException as error:
        add_note(error, note)
        raise


def add_note(error: BaseException, note: str | Callable[[], str]) -> None:
    """Add a note to an interrupt without notes; an error gets no note."""
    interrupt = interrupt_behind(error)
    if interrupt is not None and not getattr(interrupt, "__notes__", None):
        interrupt.add_note(note if isinstance(note, str) else note())


def may_pass(error: BaseException) -> bool:
    """Return whether the same command may succeed later, as after an interrupt."""
    if isinstance(error, ZmapError):
        return error.may_pass
    return interrupt_behind(error) is not None


def interrupt_behind(error: BaseException) -> BaseException | None:
    """Return the interrupt that ended the work; None if an error did.

    If Ctrl-C arrives between two lines of ``threading.Condition.wait``, which each start of a
    thread calls, Python releases a lock that it does not hold. The RuntimeError of the lock then
    replaces the interrupt.
    """
    if not isinstance(error, Exception):
        return error
    cause = error.__context__ if isinstance(error, RuntimeError) else None
    return None if isinstance(cause, Exception) else cause


def report_unreadable(notify: Notify) -> OnError:
    """Return a function that reports an error as a notice about unreadable data."""

    def report(error: NczError) -> None:
        notify(Notice("data-unreadable", error.message, error.location, error.hint, lost=True))

    return report


class Progress(Protocol):
    """Receives the steps of a command, in one thread."""

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Begin a part of the work; `total` is the most units it has, or None if not known."""
        ...

    def advance(self, name: str, count: int, size: int) -> None:
        """Add units that are done, and their bytes; `name` is a variable or a file."""
        ...


class _NoProgress:
    """Ignores all steps."""

    def expect(self, total: int | None, unit: str = "chunks") -> None:
        """Do nothing."""

    def advance(self, name: str, count: int, size: int) -> None:
        """Do nothing."""


NO_PROGRESS: Progress = _NoProgress()
"""Ignores its arguments; the default of commands."""


@record
class Callbacks:
    """Callbacks of a command, which are made at its beginning and passed on.

    Attributes
    ----------
    notify
        Receives notices.
    progress
        Receives the steps of the work.
    on_error
        Receives the error of each part that cannot be read. If it returns, the command continues
        without the part. By default, it raises the error.
    """

    notify: Notify = ignore_notice
    progress: Progress = NO_PROGRESS
    on_error: OnError = raise_error

    def partial(self, allowed: bool = True) -> Callbacks:
        """Return the callbacks of a command that skips unreadable parts, if allowed.

        Each error becomes a notice.
        """
        return replace(self, on_error=report_unreadable(self.notify)) if allowed else self


NO_CALLBACKS = Callbacks()
"""Ignores notices and steps, and raises errors; the default of commands."""
