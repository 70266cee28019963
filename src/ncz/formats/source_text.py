"""Read a dataset from a text, CDL or JSON, of a file or a stream that is mapped into memory."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator
from typing import BinaryIO

from ncz.errors import NO_CALLBACKS, Callbacks, NczError
from ncz.model.tree import Dataset


def read_text(
    text: bytes | mmap.mmap,
    label: str,
    callbacks: Callbacks = NO_CALLBACKS,
    jobs: int = 1,
) -> Dataset:
    """Read the dataset that a text declares, in JSON if it begins with a brace, else in CDL."""
    if text[:1] in b"{\xef \t\r\n":  # avoids an import
        from ncz.views.json.reader import looks_like_json, read_json

        if looks_like_json(text):
            return read_json(text, source=label, notify=callbacks.notify)
    from ncz.cdl.reader import read_cdl

    return read_cdl(text, source=label, callbacks=callbacks, jobs=jobs)


@contextlib.contextmanager
def text_of(
    source: str | os.PathLike[str] | BinaryIO,
) -> Iterator[tuple[bytes | mmap.mmap, str]]:
    """Give the bytes of the text, and its name for messages."""
    if isinstance(source, (str, os.PathLike)):
        from ncz.zmap.location import display_of

        path = os.fspath(source)
        label = display_of(path)
        with mapped_file(path, label) as text:
            yield text, label
    else:
        with _map_file(source) as text:
            yield text, "stdin"


@contextlib.contextmanager
def mapped_file(path: str, label: str) -> Iterator[bytes | mmap.mmap]:
    """Give the bytes of a file. Raises `NczError`, which names it by `label`, if it is not read."""
    with _open(path, label) as stream, _map_file(stream) as text:
        yield text


def _open(path: str, label: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = "give a CDL file" if isinstance(error, IsADirectoryError) else "check the path"
        raise NczError(f"cannot read: {reason}", location=label, hint=hint) from error


@contextlib.contextmanager
def _map_file(stream: BinaryIO) -> Iterator[bytes | mmap.mmap]:
    """Map a file into memory; a pipe or a stream is first spooled to a temporary file."""
    with contextlib.ExitStack() as stack:
        text: bytes | mmap.mmap | None = _map(stream)
        if text is None:
            text = _map(stack.enter_context(_spool(stream)))
        yield text or b""


def _map(stream: BinaryIO) -> mmap.mmap | None:
    """Map the whole file; None if it is empty, partly read, or not a file."""
    try:
        if stream.tell() != 0:
            return None
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None


def _spool(stream: BinaryIO) -> BinaryIO:
    """Copy the rest of `stream` to an unnamed temporary file."""
    import shutil
    import tempfile

    spool = tempfile.TemporaryFile(prefix="ncz-gen-")  # noqa: SIM115 (closed by the caller)
    try:
        shutil.copyfileobj(stream, spool, 1 << 20)
        spool.flush()
        spool.seek(0)
    except OSError as error:
        spool.close()
        raise NczError(
            f"cannot write a temporary file: {error.strerror or error}",
            location=tempfile.gettempdir(),
            hint="set TMPDIR to a folder with enough space for the text",
        ) from error
    return spool
