"""Findings in the files that a master refers to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ncz
from tests.commands.test_source_files import as_master, as_master_in_zarr
from tests.commands.test_source_files import files as files


@pytest.mark.parametrize("make", [as_master, as_master_in_zarr])
def test_check_reads_the_pieces_of_a_master(
    files: list[str], make: Callable[[list[str]], str]
) -> None:
    name = f"{make(files)}#reference.seals=off"
    assert ncz.check(name, data=True).is_clean
    with open("s1.nc", "r+b") as file:
        file.truncate(16_500)
    found = ncz.check(name, data=True).findings
    assert [(f.code, f.key) for f in found if f.severity == "error"] == [
        ("piece-unreadable", "v/1.0")
    ]
    assert ncz.check(name).is_clean  # which reads no values
