"""Codecs of planned arrays that cannot encode chunks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ncz.errors import LossError
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.codec_faults import check_codecs
from ncz.model.chunks import ChunkLayout, Shard, in_order
from ncz.model.filters import Filter


def array(*codecs: dict[str, Any], dtype: str = "<f4", has_data: bool = True, **more: Any) -> Any:
    layout = ChunkLayout(
        shape=(4,), chunks=(4,), order=in_order(1), codecs=tuple(map(Filter.from_json, codecs)),
        **more,
    )  # fmt: skip
    variable = SimpleNamespace(data=object() if has_data else None)
    encoding = SimpleNamespace(stored_dtype=dtype, item_size=4)
    return SimpleNamespace(
        fqn="/g/v", variable=variable, layout=layout, encoding=encoding, fills_missing=False
    )


def check(*arrays: Any) -> None:
    check_codecs(cast("list[ArrayPlan]", list(arrays)))


def test_codecs_that_encode_the_numbers_are_accepted():
    check(array(), array({"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 1}))


@pytest.mark.parametrize("has_data", [True, False])
def test_an_unknown_codec_is_refused_with_its_array(has_data: bool):
    with pytest.raises(LossError, match="nonsense") as error:
        check(array(), array({"id": "nonsense"}, has_data=has_data))
    assert "/g/v" in str(error.value)


def test_codecs_within_shards_are_checked_too():
    shard = Shard(chunks=(2,), order=(0,), codecs=(Filter.from_json({"id": "nonsense"}),))
    with pytest.raises(LossError, match="nonsense"):
        check(array(shard=shard))


def test_a_codec_that_does_not_take_the_dtype_is_refused():
    delta = {"id": "fixedscaleoffset", "scale": 1, "offset": 0, "dtype": "<M8[s]"}
    with pytest.raises(LossError):
        check(array(delta, dtype="<f4"))
