"""CDL in: a text becomes a dataset.

The text is a buffer, and stays needed: data lists are indexed at once, so that every length is
known and too many values are found, but read when their chunks are asked for. Give a memory map for
a large file, so that memory is bounded by blocks; spool a pipe to a file first.
"""

from __future__ import annotations

import mmap

from ncz.errors import CdlError, Notify, ignore_notice
from ncz.model.tree import Dataset


def read_cdl(
    text: bytes | mmap.mmap, *, source: str, notify: Notify = ignore_notice, jobs: int = 1
) -> Dataset:
    """The dataset that a CDL text declares; `source` is what errors call the text.

    Raises CdlError, with ``source:line:column``, for whatever is wrong in the text. A constant that
    is wrong in a variable's data raises it when its chunk is read; long data are read ahead by as
    many processes as `jobs` says.
    """
    from ncz.cdl.parse.resolve import resolve
    from ncz.cdl.parse.syntax import parse
    from ncz.text.source import Source

    location = Source(text, source)
    try:
        return resolve(location, parse(location), notify, jobs)
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text nests too deep or declares too much to hold", source) from error
