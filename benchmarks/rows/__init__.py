"""The rows of the table, by subject."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row
from benchmarks.rows import (
    archive,
    cluster,
    copy,
    everyday,
    header,
    many,
    netcdf,
    reads,
    rechunk,
    s3,
    text,
    view,
)
from benchmarks.scale import Scale

_SUBJECTS = (text, copy, rechunk, netcdf, header, archive, many, reads, everyday, s3, view, cluster)

NAMES = tuple(subject.__name__.rpartition(".")[2] for subject in _SUBJECTS)


def all_rows(folder: Path, scale: Scale, only: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows of the subjects `only`, or all of them, and create their data in `folder`.

    Their remains are removed with `folder`; see `Row.many_files`.
    """
    for name, subject in zip(NAMES, _SUBJECTS, strict=True):
        if not only or name in only:
            own = folder / name
            own.mkdir()
            yield from subject.rows(own, scale)
