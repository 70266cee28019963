"""Documents of Zarr V3 by other programs: understood, ignored or refused members."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.errors import CodecError, FormatError, NczError, ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.documents.bases import V3
from tests.sampled import share_of

ARRAY = {**V3, "fill_value": 0}
GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {}}
CHUNKS = {"v/c/0": b"\1\0\0\0\2\0\0\0", "v/c/1": b"\3\0\0\0\4\0\0\0"}


def rectilinear(lengths):
    return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": lengths}}


def opened(array, group=GROUP, **objects):
    notices: list[str] = []
    stored = {"zarr.json": json.dumps(group).encode(), "v/zarr.json": json.dumps(array).encode()}
    zmap = MemoryZmap({**stored, **CHUNKS, **objects}, "memory://t")
    return open_dataset(zmap, name="t", notify=lambda n: notices.append(str(n))), notices


def test_a_plain_array():
    dataset, notices = opened(ARRAY)
    assert notices == []
    assert read_all(dataset.root.variables[0].data).tolist() == [1, 2, 3, 4]
    assert dataset.root.dimensions[0].name == "_Anonymous_Dim_4"


@pytest.mark.parametrize("lengths", [2, [2, 2], [[2, 2]], [[2, 1], 2], [2, 2, 2]], ids=str)
def test_a_rectilinear_grid_of_equal_chunks_is_regular(lengths):
    dataset, notices = opened({**ARRAY, "chunk_grid": rectilinear([lengths])})
    assert notices == []
    assert dataset.root.variables[0].storage.chunks == (2,)
    assert read_all(dataset.root.variables[0].data).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"storage_transformers": [{"name": "x"}]}, 'storage_transformers [{"name": "x"}] are not'),
        ({"tiling": {"must_understand": True}}, "the extension 'tiling' is not supported"),
        ({"tiling": 5}, "the extension 'tiling' is not supported"),
        ({"node_type": "table"}, 'node_type must be "array" or "group"'),
        ({"chunk_grid": {"name": "hexagonal"}}, "chunk_grid 'hexagonal' is not supported"),
        ({"chunk_grid": {"name": "rectilinear"}}, "must have inline chunk_shapes"),
        ({"chunk_grid": rectilinear([[1, 2]])}, "chunk_shapes cover 3 of 4 elements"),
        ({"chunk_grid": rectilinear([[[1, 1]]])}, "chunk_shapes cover 1 of 4 elements"),
        ({"chunk_grid": rectilinear([[]])}, "chunk_shapes cover 0 of 4 elements"),
        ({"chunk_grid": rectilinear([2, 2])}, "chunks have 2 dimensions"),
        ({"chunk_grid": rectilinear([0])}, "chunk_shapes must be lists of lengths, not 0"),
        ({"chunk_grid": rectilinear([[1, 0, 3]])}, "chunk_shapes: 0 is not a valid length"),
        ({"chunk_grid": rectilinear([[[1, -1], 4]])}, "chunk_shapes: [1,-1] is not a valid"),
        ({"chunk_grid": rectilinear([[True, 3]])}, "chunk_shapes: true is not a valid length"),
        ({"chunk_grid": rectilinear([[[1, 2, 3], 4]])}, "chunk_shapes: [1,2,3] is not a valid"),
        (
            {"shape": [2**40], "chunk_grid": rectilinear([[[1, 2**39], [2, 2**39]]])},
            "chunk_shapes have more than 10000000 chunks along a dimension",
        ),
        ({"chunk_key_encoding": "fancy"}, "chunk_key_encoding 'fancy' is not supported"),
        ({"codecs": [{"name": "magic"}]}, "the codec 'magic' is not available"),
        ({"codecs": []}, "there must be a codec that makes bytes"),
        ({"codecs": [{"name": "gzip"}, {"name": "bytes"}]}, "gzip is in the wrong place"),
        ({"codecs": [{"name": "bytes"}, {"name": "transpose"}]}, "transpose must come before"),
        ({"data_type": "int33"}, 'data_type "int33" is not known'),
        ({"shape": [-1]}, "shape must be a list of lengths"),
        ({"shape": [4, 4]}, "chunks have 1 dimension, but the shape has 2"),
        ({"fill_value": "seven"}, 'fill_value "seven" is not a valid int'),
        ({"attributes": []}, "attributes must be an object, not []"),
        ({"attributes": None}, None),
    ],
    ids=str,
)
def test_unknown_extensions_are_refused_by_name(change, message):
    dataset, notices = opened({**ARRAY, **change})
    if message is None:
        assert dataset.root.variables
        return
    assert dataset.root.variables == ()
    assert len(notices) == 1
    assert message in notices[0]
    assert "memory://t: /v/zarr.json: " in notices[0]
    assert notices[0].endswith("left out")


def test_optional_extensions_are_ignored():
    dataset, notices = opened({**ARRAY, "tiling": {"name": "x", "must_understand": False}})
    assert notices == []
    assert len(dataset.root.variables) == 1


def test_a_root_that_must_be_understood_is_an_error():
    for group in ({**GROUP, "more": 1}, {**GROUP, "zarr_format": 4}, {"zarr_format": 3}):
        with pytest.raises(FormatError, match=r"memory://t: /zarr\.json: "):
            opened(ARRAY, group)


def test_consolidated_metadata_is_believed():
    inline = {"kind": "inline", "must_understand": False, "metadata": {"v": ARRAY}}
    dataset, notices = opened({"broken": True}, {**GROUP, "consolidated_metadata": inline})
    assert notices == [
        "memory://t: the consolidated metadata is out of date: different in the store:"
        " /v/zarr.json; run ncz consolidate, or use --no-consolidated"
    ]
    assert [v.name for v in dataset.root.variables] == ["v"]


SHARDED = {
    **ARRAY,
    "codecs": [
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [1],
                "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
                "index_codecs": [
                    {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"},
                ],
            },
        }
    ],
}  # fmt: skip


@given(st.binary(max_size=60))
def test_any_bytes_for_a_shard(data):
    dataset, _ = opened(SHARDED, **{"v/c/0": data})
    source = dataset.root.variables[0].data
    assert source is not None
    with pytest.raises(NczError):
        read_all(source)


def test_a_shard_with_a_wrong_index():
    from ncz.codec.checksums import with_crc32c

    far = with_crc32c(np.array([0, 4, 2**40, 4], "<u8").tobytes())
    dataset, _ = opened(SHARDED, **{"v/c/0": b"\1\0\0\0" + far})
    source = dataset.root.variables[0].data
    assert source is not None
    assert source.chunk((0,)).tolist() == [1]
    with pytest.raises(CodecError, match="the shard is shorter than its index says"):
        source.chunk((1,))


@settings(max_examples=share_of(200))
@given(
    st.sampled_from([m for m in ARRAY if m not in ("zarr_format", "node_type")]),
    st.recursive(
        st.none() | st.booleans() | st.integers(-3, 2**70) | st.floats() | st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["name", "configuration", "order", "chunk_shape", "codecs", "endian"]),
            inner, max_size=3,
        ),
        max_leaves=8,
    ),
)  # fmt: skip
def test_any_json_for_a_member(member, value):
    try:
        text = json.dumps({**ARRAY, member: value})
        stored = {"zarr.json": json.dumps(GROUP).encode(), "v/zarr.json": text.encode()}
        dataset = open_dataset(
            MemoryZmap({**stored, **CHUNKS}, "memory://t"), name="t", notify=ignore_notice
        )
        for variable in dataset.root.variables:
            assert variable.data is not None
            grid = variable.data.grid
            if grid.size < 100 and math.prod(grid.chunks) < 10**6:
                read_all(variable.data)
    except NczError:
        pass
