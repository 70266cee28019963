"""Pieces and masters that several tests read."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import numpy as np
import pytest

from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.data import read_all
from ncz.zmap.location import parse_location
from tests.formats.aggregation.masters import plain, write_pieces


@pytest.fixture(scope="package")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pieces; masters are written next to them."""
    folder = tmp_path_factory.mktemp("aggregation")
    write_pieces(folder, plain)
    return folder


def open_files(folder: Path) -> set[str]:
    """Return the files below a folder that this process has open, relative to it."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the source of the iteration is closed
            path = Path(os.readlink(descriptor))
            if path.is_relative_to(folder) and not path.name.endswith(" (deleted)"):
                found.add(str(path.relative_to(folder)))
    return found


def read(path: Path | str, name: str = "tas", **options: object) -> np.ndarray:
    """Return the values of a variable of the first group that has variables."""
    how = OpenOptions(**options)  # type: ignore[arg-type]
    with open_dataset(parse_location(str(path)), how) as opened:
        group = opened.dataset.root
        while not group.variables:
            group = group.groups[0]
        (variable,) = (v for v in group.variables if v.name == name)
        assert variable.data is not None
        return read_all(variable.data)
