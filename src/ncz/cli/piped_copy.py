"""A copy to standard output: the bytes of a netCDF file, a zip file or a reference set."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from ncz.cli.terminal import standard_output
from ncz.errors import NczError, Notice, Notify
from ncz.record import replace
from ncz.zmap.local.temporary_copy import PIECE, TemporaryFolder

STANDARD_OUTPUT = "standard output"

_ENDINGS = {"zip": ".zip", "reference": ".json"}
"""The modes of stores that are files, and the endings of their names."""

_WITHOUT = ("as_json", "dry_run", "resume", "verify", "each", "split", "add", "append", "into")
"""Options that need a target with a name."""


def check_piped(source: str, modes: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for forms that cannot be written to standard output."""
    given = [name for name in _WITHOUT if values[name] not in (None, False, ())]
    if given:
        name = "json" if given[0] == "as_json" else given[0].replace("_", "-")
        raise click.UsageError(f"--{name} needs a path or a URL as DST, not standard output")
    if {*modes} & {"zarr", "nczarr", "v2", "v3", "file"} and not {*modes} & {*_ENDINGS}:
        raise click.UsageError("a store on standard output is one file; add --mode zip")
    if sys.stdout.isatty():
        raise click.UsageError(
            "a terminal cannot show the bytes of a file; redirect them, as with > x.nc, or type:"
            f" ncz dump {source}"
        )


@contextlib.contextmanager
def pipe_file(modes: tuple[str, ...]) -> Iterator[str]:
    """Yield a path for a file, whose bytes are written to standard output at the end."""
    ending = next((end for mode, end in _ENDINGS.items() if mode in modes), ".nc")
    with TemporaryFolder(STANDARD_OUTPUT) as folder:
        path = os.path.join(folder.path, f"stdout{ending}")
        try:
            yield path
        except BaseException as error:
            notes = getattr(error, "__notes__", [])
            notes[:] = [note.replace(path, STANDARD_OUTPUT) for note in notes]
            if isinstance(error, NczError) and error.location is not None:
                error.location = error.location.replace(path, STANDARD_OUTPUT)
            raise
        if len(os.listdir(folder.path)) > 1:
            raise NczError(
                "the values of this dataset need a folder next to the reference set",
                STANDARD_OUTPUT, "name a file as DST, such as x.json",
            )  # fmt: skip
        with open(path, "rb") as file, standard_output() as write:
            while piece := file.read(PIECE):
                write(piece)


def name_standard_output(path: str, notify: Notify) -> Notify:
    """Return a listener to notices that name standard output instead of a path."""

    def rename_in_notice(notice: Notice) -> None:
        where = notice.location and notice.location.replace(path, STANDARD_OUTPUT)
        notify(replace(notice, location=where))

    return rename_in_notice
