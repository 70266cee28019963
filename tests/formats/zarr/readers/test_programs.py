"""The table of other programs is consistent."""

from __future__ import annotations

from typing import get_args

import pytest

from ncz.codec.catalogue import codec_of
from ncz.formats.zarr.readers.programs import READERS, WIDESPREAD, ChunkForm


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_reader_does_not_read_stores_that_it_does_not_open(reader):
    assert READERS[reader.name] is reader
    assert reader.title == f"{reader.name} {reader.version}"
    assert reader.unopened <= reader.unread | reader.unavoidable
    assert not reader.unavoidable & reader.unread


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_codecs_and_forms_are_known(reader):
    for name in (reader.codecs_v2 or frozenset()) | (reader.codecs_v3 or frozenset()):
        assert codec_of({"id": name}).id == name
    forms = reader.refused | reader.refused_v2 | reader.refused_v3
    assert forms <= set(get_args(ChunkForm))


def test_widespread_readers_are_in_the_table():
    assert set(WIDESPREAD) <= set(READERS)
