"""Options of a copy: defaults for object stores, memory and threads."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.copy.options import (
    CLOUD_CHUNK,
    PROGRAM_MEMORY,
    CopyOptions,
    for_cloud,
    thread_count,
)
from ncz.commands.copy.reshape_options import Reshape
from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import parse_location

A, B = parse_location("a.nc"), parse_location("b.zarr")


def options(**given: Any) -> CopyOptions:
    return CopyOptions(source=A, target=B, **given)


@pytest.mark.parametrize(
    ("given", "joins"),
    [
        ({}, False),
        ({"append": "t"}, False),
        ({"concat": "t"}, True),
        ({"new_dimension": "n"}, True),
        ({"more_sources": (B,)}, True),
    ],
)
def test_several_sources_are_joined(given: dict[str, Any], joins: bool):
    assert options(**given).joins == joins
    assert options(**given).sources == (A, *given.get("more_sources", ()))


def test_the_memory_of_the_program_is_not_for_data():
    assert options(memory=PROGRAM_MEMORY + (1 << 30)).data_memory == 1 << 30
    assert options(memory=1).data_memory == 16 << 20
    assert options(dask="tcp://a:1").data_memory <= options().data_memory


def test_chunks_are_written_in_turn_unless_threads_are_given():
    assert options().raw.in_turn > 0
    assert options(threads=2).raw.in_turn == 0
    assert options(check_data=True, keep_going=True).raw.decodes


def test_defaults_for_object_stores():
    found = for_cloud(options())
    assert found.reshape.chunk_size == CLOUD_CHUNK
    assert len(found.reshape.codecs or ()) == 1
    assert found.modes == ("zarr", "v3")
    assert found.create.consolidated is True
    assert found.create.names_axes


def test_given_options_come_before_those_of_object_stores():
    given = options(
        modes=("nczarr", "v2"),
        reshape=Reshape(chunk_size=5, deflate=1),
        create=CreateOptions(consolidated=False),
    )
    found = for_cloud(given)
    assert (found.modes, found.reshape) == (given.modes, given.reshape)
    assert found.create.consolidated is False
    assert for_cloud(options(modes=("nczarr",))).modes == ("nczarr", "v3")


def test_threads_have_a_limit_unless_they_are_given(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ncz.commands.copy.options.threads_for", lambda *_: 1000)
    assert thread_count(B, options()) == 32
    assert thread_count(B, options(threads=100)) == 100
