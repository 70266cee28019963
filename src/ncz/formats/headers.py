"""Headers of local files as bytes, so that another process can parse them, or a later one.

A header is a dataset whose arrays are opened again when they are read; see
`ncz.formats.reopened_arrays`. It is read back with the classes of ncz's model alone, so that a file
of headers runs no code.
"""

from __future__ import annotations

import io
import pickle
import sys
import zlib
from collections.abc import Sequence
from enum import Enum
from importlib import import_module
from typing import Any

from ncz._version import __version__
from ncz.errors import Notice
from ncz.formats.kinds import OpenOptions
from ncz.formats.open_datasets import OpenDatasets
from ncz.formats.opening import open_dataset
from ncz.formats.reopened_arrays import reopened_dataset
from ncz.late import numpy as np
from ncz.model.tree import Dataset
from ncz.record import record
from ncz.zmap.location import Location

_LARGEST = 1 << 28
"""Bytes of the largest header."""

_POOL = "pool"
"""Represents the pool of open datasets; each process has its own."""


@record
class Header:
    """A dataset that is opened again when it is read, and the notices of its opening."""

    dataset: Dataset
    notices: tuple[Notice, ...]


def scan(location: Location, how: OpenOptions) -> bytes:
    """Return the header of a local file as bytes; none if they cannot represent it.

    Raises `NczError` if the file cannot be opened.
    """
    notices: list[Notice] = []
    pool = OpenDatasets(_never)
    with open_dataset(location, how, notify=notices.append) as opened:
        dataset = reopened_dataset(opened.dataset, location, pool)
    stream = io.BytesIO()
    try:
        _Pickler(stream, pool).dump(Header(dataset, tuple(notices)))
    except (pickle.PicklingError, TypeError, AttributeError):  # a value that is bound to its file
        return b""
    return zlib.compress(stream.getvalue(), 1)


def read_header(data: bytes, pool: OpenDatasets) -> Header | None:
    """Return the header that `scan` wrote, whose arrays are read from `pool`.

    None if it is not one of this version of ncz.
    """
    try:
        whole = zlib.decompressobj().decompress(data, _LARGEST)
        found = _Unpickler(io.BytesIO(whole), pool).load()
    except Exception:  # pickle raises any
        return None
    return found if isinstance(found, Header) else None


def version_of_headers() -> str:
    """Return a text that differs for each version of ncz, Python and numpy."""
    return f"ncz {__version__}, Python {sys.version}, numpy {np.__version__}"


def _never(_: Location) -> Any:
    raise AssertionError("a header is read in another process")


class _Pickler(pickle.Pickler):
    """Writes a name in the place of the pool."""

    def __init__(self, stream: io.BytesIO, pool: OpenDatasets) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self._pool = pool

    def persistent_id(self, obj: object) -> str | None:
        return _POOL if obj is self._pool else None


class _Unpickler(pickle.Unpickler):
    """Reads the classes of ncz's model, and arrays of numbers, and nothing else."""

    def __init__(self, stream: io.BytesIO, pool: OpenDatasets) -> None:
        super().__init__(stream)
        self._pool = pool

    def persistent_load(self, pid: object) -> OpenDatasets:
        if pid != _POOL:
            raise pickle.UnpicklingError("an unknown object")
        return self._pool

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _OTHERS:
            return getattr(import_module(module), name)
        if "." not in name and module.startswith(_MODULES):
            found = getattr(import_module(module), name)
            is_data = isinstance(found, type) and found.__module__ == module
            if is_data and (hasattr(found, "_fields") or issubclass(found, _BASES)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a header")


_MODULES = ("ncz.model.", "ncz.formats.", "ncz.zmap.", "ncz.errors", "ncz.codec")


def _bases() -> tuple[type, ...]:
    from ncz.formats.reopened_arrays import ReopenedSource
    from ncz.model.grid import ChunkGrid, IrregularGrid

    return Enum, ReopenedSource, ChunkGrid, IrregularGrid


_BASES = _bases()

_OTHERS: Sequence[tuple[str, str]] = (
    ("builtins", "frozenset"),
    ("builtins", "range"),
    ("builtins", "set"),
    ("collections", "OrderedDict"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"),
    ("numpy.core.numeric", "_frombuffer"),
)
"""Functions and classes that make arrays of numbers, and the collections of headers."""
