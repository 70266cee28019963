"""Filters from options of nccopy."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.copy.filters import (
    check_deflate,
    checked_filter,
    of_hdf5_filters,
    with_deflate,
    with_objects,
    with_plain_compressors,
    with_shuffle,
)
from ncz.commands.option_error import OptionError
from ncz.errors import Notice
from ncz.model.filters import Filter, Hdf5Filter
from ncz.model.tree import Dataset, Group, Storage, Variable
from ncz.model.types import Atomic


def chain(*codecs: str | dict[str, Any]) -> tuple[Filter, ...]:
    return tuple(Filter.from_json({"id": c} if isinstance(c, str) else c) for c in codecs)


def ids(filters: tuple[Filter, ...]) -> list[str]:
    return [codec.id for codec in filters]


SHUFFLE = {"id": "shuffle", "elementsize": 4}


def test_zlib_replaces_any_compressor():
    assert ids(with_deflate(chain("blosc"), 3, False, 4)) == ["zlib"]
    assert ids(with_deflate((), 3, True, 4)) == ["shuffle", "zlib"]
    assert ids(with_deflate((), 3, True, 1)) == ["zlib"]  # bytes are not shuffled
    (codec,) = with_deflate((), 3, False, 4)
    assert codec.get("level", None) == 3


def test_level_0_removes_the_compressor_and_shuffle():
    assert ids(with_deflate(chain(SHUFFLE, "zstd"), 0, True, 4)) == []


def test_shuffle_is_before_the_compressor_and_not_twice():
    assert ids(with_shuffle(chain("crc32", "zlib"), 4)) == ["crc32", "shuffle", "zlib"]
    assert ids(with_shuffle(chain(SHUFFLE, "zlib"), 4)) == ["shuffle", "zlib"]
    assert ids(with_shuffle(chain("crc32"), 4)) == ["crc32"]


def test_codecs_of_objects_stay():
    found = with_objects(chain("vlen-utf8", "zlib"), chain("vlen-bytes", "zstd"))
    assert ids(found) == ["vlen-utf8", "zstd"]


@pytest.mark.parametrize("level", [-1, 10])
def test_a_level_that_does_not_exist_is_refused(level: int):
    check_deflate(9)
    with pytest.raises(OptionError, match=f"-d {level}"):
        check_deflate(level)


def test_a_codec_that_cannot_be_written_is_refused_with_the_option():
    (zlib,) = chain("zlib")
    assert checked_filter(zlib, "--codec") is zlib
    with pytest.raises(OptionError, match=r"--codec: .*nonsense"):
        checked_filter(chain("nonsense")[0], "--codec")


def test_filters_of_hdf5_become_codecs():
    filters = (Hdf5Filter(2, ()), Hdf5Filter(1, (5,)))
    assert ids(of_hdf5_filters(filters, 4)) == ["shuffle", "zlib"]


def test_compressors_that_need_a_plugin_become_zlib_with_a_notice():
    variables = tuple(
        Variable(name=name, type=Atomic.INT, storage=Storage(filters=chain(codec)))
        for name, codec in (("a", "blosc"), ("b", "zlib"), ("c", {"id": "blosc", "shuffle": 0}))
    )
    notices: list[Notice] = []
    dataset = Dataset(name="d", root=Group(variables=variables))
    found = with_plain_compressors(dataset, notices.append).root.variables
    a, b, c = (ids(v.storage.filters or ()) for v in found)
    assert (a, b, c) == (["shuffle", "zlib"], ["zlib"], ["zlib"])
    (notice,) = notices
    assert notice.message == "blosc becomes zlib, because HDF5 needs a plugin for it: /a, /c"
