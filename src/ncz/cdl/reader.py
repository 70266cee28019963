"""Read a dataset from CDL text.

The buffer must stay open: data lists are indexed immediately, so that lengths are known and too
many values are reported, but parsed when their chunks are read. Pass a memory map for a large file,
so that memory is bounded; write a pipe to a file first.
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator

from ncz.cdl.resolution.resolver import resolve
from ncz.cdl.syntax import parse_syntax
from ncz.cdl.syntax_tree import GroupSyntax
from ncz.errors import NO_CALLBACKS, Callbacks, CdlError
from ncz.model.tree import Dataset
from ncz.parallel.processes import can_fork, in_order
from ncz.text.source import SourceText

_LARGE = 16 << 20
"""Least bytes of a text whose declarations another process parses; starting it takes some time."""


def read_cdl(
    text: bytes | mmap.mmap,
    *,
    source: str,
    callbacks: Callbacks = NO_CALLBACKS,
    jobs: int = 1,
) -> Dataset:
    """Read the dataset that a CDL text declares.

    Parameters
    ----------
    text
        UTF-8. Must stay open as long as data are read from the dataset.
    source
        Name of the text in error messages.
    callbacks
        Receives notices, and the bytes of data lists that are searched for their ends, and then
        indexed.
    jobs
        Largest number of processes that parse the data of a long list in advance.

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
    document = SourceText(text, source, callbacks.progress)
    try:
        callbacks.progress.expect(len(text), "bytes")
        if jobs > 1 and len(text) >= _LARGE and can_fork():
            syntax = _parse_elsewhere(document)
        else:
            syntax = parse_syntax(document)
        callbacks.progress.expect(len(text), "bytes")
        return resolve(document, syntax, callbacks.notify, jobs)
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text is nested too deeply or too large for memory", source) from error


def _parse_elsewhere(source: SourceText) -> GroupSyntax:
    """Parse in another process, while this one imports numpy for the data."""
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
