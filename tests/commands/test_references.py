"""References of a set to its sources."""

from __future__ import annotations

import os
from typing import Any

import pytest

from ncz.commands.copy.options import CopyOptions
from ncz.commands.references import (
    allow_source,
    folder_above,
    inline_of,
    refuse_query,
    size_beside,
    with_options,
)
from ncz.errors import NczError
from ncz.zmap.location import parse_location
from ncz.zmap.reference.held_values import LARGEST_HELD


def test_options_become_keys_of_the_location_unless_it_has_them():
    source = parse_location("a.nc")
    options = CopyOptions(source=source, target=source, inline=7, relative_to="ref")
    location = parse_location("s.json#mode=reference&reference.inline=5")
    found = with_options(location, options)
    assert inline_of(found) == 5
    assert inline_of(with_options(parse_location("s.json#mode=reference"), options)) == 7
    assert "ref" in found.options.values()


def test_only_a_set_has_a_limit():
    assert inline_of(parse_location("a.zarr")) is None
    default = inline_of(parse_location("s.json#mode=reference"))
    assert default is not None
    assert inline_of(parse_location("s.json#mode=reference&reference.inline=x")) == default


@pytest.mark.parametrize(
    ("size", "chunks", "inline", "found"),
    [
        (LARGEST_HELD, 1, 0, 0),
        (LARGEST_HELD + 1, 1, 0, LARGEST_HELD + 1),
        (LARGEST_HELD + 1, 10, LARGEST_HELD, 0),
    ],
)
def test_large_values_are_next_to_the_set(size: int, chunks: int, inline: int, found: int):
    assert size_beside(size, chunks, inline) == found


@pytest.mark.parametrize(
    ("names", "folder"),
    [
        (["d/a.nc", "d/b.nc"], f"{os.getcwd()}/d"),
        (["d/a.nc", "e/b.nc"], os.getcwd()),
        (["d/a.nc", "de/b.nc"], os.getcwd()),
        (["https://h/d/a.nc", "https://h/e/b.nc"], "https://h"),
        (["https://h/a.nc", "s3://b/a.nc"], ""),
    ],
)
def test_the_innermost_folder_of_all_sources(names: list[str], folder: str):
    assert folder_above([parse_location(name) for name in names]) == folder


def test_a_set_may_read_its_own_source():
    found: Any = allow_source(parse_location("s.json"), parse_location("d d/a.nc"))
    assert any(f"{os.getcwd()}/d%20d/a.nc" in value for value in found.options.values())


def test_a_url_with_a_query_cannot_be_referred_to():
    refuse_query(parse_location("https://h/a.nc"))
    with pytest.raises(NczError):
        refuse_query(parse_location("https://h/a.nc?token=x"))
