"""Messages, colour, standard streams and exit codes.

This is the only module that catches `NczError` to end the program. Standard output carries data
only; messages go to standard error. The exit codes are 0 for success, 1 for an error (reported in
one line) or if part of a store could not be read (reported in one line for each part), 2 for wrong
usage, 130 if interrupted, 141 if the reader of a pipe closed it (as for a C program that SIGPIPE
ended), and 143 if terminated.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, TextIO

import click

from ncz.errors import CdlError, NczError, Notice, in_command_line, interrupt_behind

if TYPE_CHECKING:
    from types import FrameType

    from ncz.errors import Notify

LOST, INTERRUPTED, CLOSED_PIPE, TERMINATED = 1, 130, 141, 143

Write = Callable[[bytes], object]
"""A function that writes to standard output or to a file."""

_BOLD_RED, _BOLD_YELLOW, _BOLD_GREEN = "1;31", "1;33", "1;32"


class Termination(BaseException):
    """Raised on SIGTERM or SIGHUP, so that incomplete stores are removed."""


class Terminal:
    """Settings of one run for messages and colour; the common options set them."""

    def __init__(self) -> None:
        self.quiet = False
        self.debug = False
        self.color = "auto"
        self._told: set[str] = set()
        self.traces = False
        """Whether reads and writes are printed."""
        self.allow_loss = False
        self.has_lost = False
        """Whether a notice reported a loss that was not allowed."""
        self.failed = LOST
        """The exit code of errors and losses."""

    def is_colored(self, stream: TextIO) -> bool:
        """Return whether to colour `stream`, from ``--color``, NO_COLOR, FORCE_COLOR and TERM."""
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR", "0") != "0":
            return True
        return os.environ.get("TERM") != "dumb" and stream.isatty()

    def notify(self, notice: Notice) -> None:
        """Print a notice on standard error; this is the command line's `Notify`.

        A loss that was not allowed is printed even with the option ``--quiet``.
        """
        is_loss = notice.lost and not self.allow_loss
        self.has_lost |= is_loss
        if is_loss or not self.quiet:
            self._say("ncz: notice:", _BOLD_YELLOW, visible(str(notice)))

    def notify_once(self, notice: Notice) -> None:
        """Print a notice that several places of a run may give, the first time only."""
        if str(notice) not in self._told:
            self._told.add(str(notice))
            self.notify(notice)

    def succeed(self, text: str) -> None:
        """Print a summary of a command, for a user who waits at a terminal."""
        if not self.quiet and sys.stderr.isatty():
            self._say("ncz:", _BOLD_GREEN, visible(text))

    def trace(self) -> None:
        """Print each read and write of stores from now on, on standard error."""
        from ncz.zmap import watch_stores
        from ncz.zmap.tracing import tracer

        watch_stores(tracer(lambda line: self._say("ncz: trace:", _BOLD_GREEN, visible(line))))
        self.traces = True

    def end_trace(self) -> None:
        """Stop printing it."""
        from ncz.zmap import watch_stores

        watch_stores(None)
        self.traces = False

    def error(self, error: NczError) -> None:
        """Print an error on one line; on a terminal also show the line of CDL with a caret."""
        self._say("ncz:", _BOLD_RED, visible(str(error)))
        if isinstance(error, CdlError) and error.source_line is not None and sys.stderr.isatty():
            self._caret(error.source_line, error.column)

    def warn(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        """Print a warning of a library on one line, in place of `warnings.showwarning`."""
        if not self.quiet:
            self._say("ncz: warning:", _BOLD_YELLOW, visible(str(message).strip()))

    def fault(self, what: str) -> None:
        """Print one line about an error that is not an `NczError`."""
        self._say("ncz:", _BOLD_RED, visible(in_command_line(what)))

    def _caret(self, line: str, column: int | None) -> None:
        place = max(0, (column or 1) - 1)
        before, rest = (
            visible(line[:place].expandtabs()),
            visible(line[place:].rstrip().expandtabs()),
        )
        width = max(20, columns() - 4)
        if _cells(before) + _cells(rest) > width:  # show only the text around the caret
            keep = width // 2
            if _cells(before) > keep:
                before = "..." + before[-keep + 3 :]
            rest = rest[: max(1, width - _cells(before))]
        self._say("", _BOLD_RED, f"  {before}{rest}")
        self._say("  " + " " * _cells(before) + "^", _BOLD_GREEN, "")

    def _say(self, head: str, style: str, text: str) -> None:
        if head and self.is_colored(sys.stderr):
            head = f"\x1b[{style}m{head}\x1b[0m"
        with contextlib.suppress(OSError, ValueError):  # standard error may be closed
            text = encodable(text, sys.stderr)
            sys.stderr.write(f"{head} {text}\n" if head and text else f"{head}{text}\n")
            sys.stderr.flush()


def visible(text: str) -> str:
    r"""Return `text` with control characters and undecodable bytes escaped (``\n``, ``\x1b``).

    Names and attributes come from untrusted files. They must not control the terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(c) for c in text)


def _visible(character: str) -> str:
    import unicodedata

    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a surrogate escape represents one byte
        return f"\\x{code - 0xDC00:02x}"
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    if code < 0x100:
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def encodable(text: str, stream: TextIO) -> str:
    r"""Return `text` with escapes (``\\u6c17``) for characters that a stream cannot write.

    The encoding of a console of Windows may be cp1252, and LANG=C has ASCII.
    """
    stream = getattr(stream, "rich_proxied_file", stream)  # while a progress bar is shown
    encoding = getattr(stream, "encoding", None)
    if text.isascii() or encoding is None:
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _cells(text: str) -> int:
    """Return the number of terminal columns that `text` occupies."""
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def columns() -> int:
    """Return the width of the terminal in columns."""
    import shutil

    return shutil.get_terminal_size().columns


_UNQUIET = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\udc80-\udcff]"
"""Characters that control a terminal or the direction of text, except newlines and tabs, and bytes
that are not UTF-8."""


def escape_controls(text: str) -> str:
    """Return lines of text, with control characters escaped."""
    import re

    return re.sub(_UNQUIET, lambda found: _visible(found[0]), text)


class _ControlEscaper:
    """Escapes control characters of terminals in bytes."""

    def __init__(self) -> None:
        import codecs

        # A character may be divided between two calls.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def __call__(self, data: bytes) -> bytes:
        return escape_controls(self._decoder.decode(data)).encode()


class TextOutput:
    """Standard output as a binary stream that only writes; a terminal gets escaped text."""

    def __init__(self) -> None:
        self._stream: BinaryIO = sys.stdout.buffer
        self._quieted = _ControlEscaper() if sys.stdout.isatty() else None

    def write(self, data: bytes) -> int:
        """Write all bytes; return their number."""
        self._stream.write(data if self._quieted is None else self._quieted(data))
        return len(data)

    def flush(self) -> None:
        """Flush standard output."""
        self._stream.flush()


@contextlib.contextmanager
def standard_output(*, colored: bool = False, buffered: bool = True) -> Iterator[Write]:
    """Yield a function that writes bytes to standard output, and flush at the end.

    Unless it is `buffered`, the function buffers nothing. On a terminal, characters that could
    control it is escaped, because text from a store may come from anybody. Text that is `colored`
    has been escaped before.

    A closed pipe raises BrokenPipeError, which `run` handles. Other failures, such as a full disk,
    raise `NczError`.
    """
    stream = sys.stdout.buffer if colored else TextOutput()
    to_stream = stream.write if buffered else written_through(stream)

    def write(data: bytes) -> object:
        try:
            return to_stream(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(error) from error

    sys.stdout.flush()
    try:
        yield write
    finally:
        try:
            stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(error) from error


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output, with control characters escaped."""
    with standard_output() as write:
        for line in lines:
            write(f"{visible(line)}\n".encode())


def print_json(document: object, indent: int | None = None) -> None:
    """Print a JSON document on standard output."""
    import json

    with standard_output() as write:
        write((json.dumps(document, indent=indent) + "\n").encode())


def written_through(stream: BinaryIO | TextOutput) -> Write:
    """Return a function that writes to a stream, and buffers nothing."""

    def write(data: bytes) -> None:
        stream.write(data)
        stream.flush()

    return write


def plain_descriptor() -> int | None:
    """Return the file descriptor of standard output; None for a terminal or a stream in memory."""
    try:
        return None if sys.stdout.isatty() else sys.stdout.buffer.fileno()
    except (OSError, ValueError):
        return None


def _unwritable(error: OSError) -> NczError:
    return NczError(
        f"cannot write: {error.strerror or error}",
        location="standard output",
        hint="free some space, or write to another place",
    )


def standard_input() -> BinaryIO:
    """Return standard input as a binary stream; ``-`` refers to it."""
    return sys.stdin.buffer


def run(command: click.Command, prog_name: str, args: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. Every `Exception` becomes a message and a code."""
    terminal = Terminal()
    arguments = list(sys.argv[1:] if args is None else args)
    if os.environ.get("NCTRACING", "0").strip() not in ("", "0"):
        terminal.trace()
    try:
        variable = completion_variable(prog_name)
        if os.environ.get(variable):
            from ncz.cli.shell import answer

            return answer(command, prog_name, variable, os.environ[variable])
        code = _invoke(command, prog_name, arguments, terminal)
        sys.stdout.flush()
    except NczError as error:
        _trace(terminal)
        terminal.error(error)
        return max(error.exit_code, terminal.failed)
    except click.UsageError as error:
        return _usage(error, terminal, arguments)
    except click.ClickException as error:
        terminal.fault(error.format_message())
        return error.exit_code
    except BrokenPipeError:
        _silence(sys.stdout)
        return CLOSED_PIPE
    except (KeyboardInterrupt, click.Abort, Termination) as end:
        return _interrupted(terminal, end)
    except MemoryError:
        _trace(terminal)
        terminal.fault("not enough memory; use smaller chunks or a machine with more memory")
        return terminal.failed
    except OSError as error:
        _trace(terminal)
        _silence(sys.stdout)
        location = f"{error.filename}: " if error.filename is not None else ""
        terminal.fault(f"{location}{error.strerror or error}")
        return terminal.failed
    except Exception as error:
        interrupt = interrupt_behind(error)
        if interrupt is not None:
            return _interrupted(terminal, interrupt)
        _trace(terminal)
        from ncz.failed_imports import failed_import

        broken = failed_import(error)
        if broken is not None:
            terminal.error(broken)
            return terminal.failed
        terminal.fault(
            f"internal error: {type(error).__name__}: {error}; "
            "run the command again with --debug and report its output"
        )
        return terminal.failed
    return code


def _interrupted(terminal: Terminal, end: BaseException) -> int:
    is_terminated = isinstance(end, Termination)
    word = "terminated" if is_terminated else "interrupted"
    terminal.fault("; ".join([word, *getattr(end, "__notes__", [])]))
    return TERMINATED if is_terminated else INTERRUPTED


def completion_variable(program: str) -> str:
    """Return the environment variable that a shell sets to complete a line."""
    return f"_{program.upper().replace('-', '_')}_COMPLETE"


def _invoke(command: click.Command, prog_name: str, args: list[str], terminal: Terminal) -> int:
    import warnings

    shown, warnings.showwarning = warnings.showwarning, terminal.warn
    try:
        with command.make_context(prog_name, args, obj=terminal) as context:
            command.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    finally:
        warnings.showwarning = shown
        if terminal.traces:
            terminal.end_trace()
    return terminal.failed if terminal.has_lost else 0


def _usage(error: click.UsageError, terminal: Terminal, arguments: Sequence[str]) -> int:
    # click sets no option if one of them is wrong.
    for at, argument in enumerate(arguments):
        option, _, value = argument.partition("=")
        value = value or "".join(arguments[at + 1 : at + 2])
        if option == "--color" and value in ("auto", "always", "never"):
            terminal.color = value
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    text = error.format_message().rstrip(".")
    if error.ctx is not None and "type: ncz " not in text:
        with contextlib.suppress(OSError, ValueError):
            click.echo(error.ctx.get_usage(), err=True)
        text += f"{'' if text.endswith('?') else ';'} try '{error.ctx.command_path} --help'"
    terminal.fault(text)
    return error.exit_code


def _trace(terminal: Terminal) -> None:
    if terminal.debug:
        import traceback

        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(encodable(escape_controls(traceback.format_exc()), sys.stderr))


def _silence(stream: TextIO) -> None:
    """Redirect a stream that cannot be written to the null device, so the last flush succeeds."""
    with contextlib.suppress(OSError, ValueError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def raise_on_signals() -> None:
    """Raise `Termination` on SIGTERM and SIGHUP, which batch systems send."""
    import signal

    def end(number: int, frame: FrameType | None) -> None:
        raise Termination

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)


def terminal_of(ctx: click.Context) -> Terminal:
    """Return the settings of a run for messages."""
    return ctx.ensure_object(Terminal)


def is_kept(target: str) -> bool:
    """Return whether a text goes to a file, or to a stream in memory, and is not only read.

    `target` is the path of a file, or "-" for standard output.
    """
    if target != "-":
        return True
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return True


def as_read(notify: Notify) -> Notify:
    """Leave out notices that matter only if a dataset is made from the text again."""

    def report(notice: Notice) -> None:
        if notice.code not in ("digits-left-out", "attribute-as-text"):
            notify(notice)

    return report
