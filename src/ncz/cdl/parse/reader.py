"""Read a dataset from CDL text.

The buffer must stay open: data lists are indexed at once, so that lengths are known and too many
values are reported, but parsed when their chunks are read. Pass a memory map for a large file, so
that memory is bounded; write a pipe to a file first.
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator

from ncz.cdl.parse.resolve import resolve
from ncz.cdl.parse.syntax import GroupSyntax, parse_syntax
from ncz.errors import CdlError, Notify, ignore_notice
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset
from ncz.parallel.processes import can_fork, in_order
from ncz.text.source import SourceText

_LARGE = 16 << 20
"""Least bytes of a text whose declarations another process parses; starting it takes some time."""


def read_cdl(
    text: bytes | mmap.mmap,
    *,
    source: str,
    notify: Notify = ignore_notice,
    jobs: int = 1,
    progress: Progress = NO_PROGRESS,
) -> Dataset:
    """Read the dataset that a CDL text declares.

    Parameters
    ----------
    text
        UTF-8. Must stay open as long as data are read from the dataset.
    source
        Name of the text in error messages.
    notify
        Called with each notice.
    jobs
        Largest number of processes that parse the data of a long list in advance.
    progress
        Receives the bytes of data lists that are searched for their ends, and then indexed.

    Returns
    -------
    Dataset
        With data that are parsed when their chunks are read.

    Raises
    ------
    CdlError
        The text is not valid CDL; `location` is ``source:line:column``. A wrong constant in the
        data of a variable raises it later, when its chunk is read.
    """
    document = SourceText(text, source, progress)
    try:
        progress.expect(len(text), "bytes")
        if jobs > 1 and len(text) >= _LARGE and can_fork():
            syntax = _parse_elsewhere(document)
        else:
            syntax = parse_syntax(document)
        progress.expect(len(text), "bytes")
        return resolve(document, syntax, notify, jobs)
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text is nested too deeply or too large for memory", source) from error


def _parse_elsewhere(source: SourceText) -> GroupSyntax:
    """Parse in another process, which imports lark while this one imports numpy for the data."""
    import pickle

    def parse(text: SourceText) -> Iterator[bytes]:
        yield b""  # the process has started
        yield pickle.dumps(parse_syntax(text))

    quiet = SourceText(source.buffer, source.name)
    with contextlib.closing(in_order([quiet], parse, 1)) as results:
        next(results)
        import numpy as np  # noqa: F401

        syntax: GroupSyntax = pickle.loads(next(results))
    source.progress.advance(source.name, len(source.buffer), 0)
    return syntax
