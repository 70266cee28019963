"""Chains of codecs of Zarr V3, of any length and with shards, against zarr-python."""

from __future__ import annotations

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from ncz.formats.zarr.arrays.array import ZarrArray, encode_elements
from tests.sampled import share_of

zarr = pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")

pytestmark = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")

IS_NEW = tuple(map(int, zarr.__version__.split(".")[:2])) >= (3, 4)
"""Earlier versions of zarr-python wrote filters after transpose in the wrong order."""

HAS_CAST = IS_NEW and importlib.util.find_spec("cast_value_rs") is not None

TYPES = {
    **{f"int{8 * n}": f"i{n}" for n in (1, 2, 4, 8)},
    **{f"uint{8 * n}": f"u{n}" for n in (1, 2, 4, 8)},
    **{f"float{8 * n}": f"f{n}" for n in (2, 4, 8)},
}


def configured(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


LITTLE = configured("bytes", endian="little")


def divisors(length: int) -> list[int]:
    return [n for n in range(1, length + 1) if not length % n]


@st.composite
def codecs(
    draw: st.DrawFn, shape: tuple[int, ...], dtype: str, depth: int = 0, *, has_types: bool = IS_NEW
) -> list[Any]:
    """Draw a list of codecs for arrays of a shape and a dtype."""
    chain: list[Any] = []
    if has_types and draw(st.booleans()):
        offset = 0 if dtype[0] == "u" else draw(st.integers(-2, 2))
        chain.append(configured("scale_offset", offset=offset, scale=draw(st.integers(1, 2))))
    if has_types and HAS_CAST and draw(st.booleans()):
        # Integers of 16 bits represent all results.
        name = draw(st.sampled_from(["int16", "int32", "float32"]))
        rounding = draw(st.sampled_from(["nearest-even", "towards-zero"]))
        chain.append(configured("cast_value", data_type=name, rounding=rounding))
        dtype = TYPES[name]
    moved = len(chain)
    for _ in range(draw(st.integers(0, 2))):
        order = draw(st.permutations(range(len(shape))))
        chain.append(configured("transpose", order=list(order)))
        shape = tuple(shape[axis] for axis in order)
    if depth < 2 and draw(st.booleans()):
        # zarr-python compares them with the lengths before transpose.
        # It also compares codecs within shards with the dtype before cast_value.
        lengths = [math.gcd(*shape)] * len(shape) if len(chain) > moved else shape
        inner = tuple(draw(st.sampled_from(divisors(n))) for n in lengths)
        index = [configured("bytes", endian=draw(st.sampled_from(["little", "big"])))]
        if draw(st.booleans()):
            index.append({"name": "crc32c"})
        chain.append(
            configured(
                "sharding_indexed",
                chunk_shape=list(inner),
                codecs=draw(codecs(inner, dtype, depth + 1, has_types=has_types and not moved)),
                index_codecs=index,
                index_location=draw(st.sampled_from(["start", "end"])),
            )
        )
    elif IS_NEW and dtype[0] in "iu" and draw(st.booleans()):
        # In zarr-python a filter of numcodecs gives little-endian numbers in one dimension.
        chain += [configured("numcodecs.delta", dtype=f"<{dtype}"), LITTLE]
    else:
        chain.append(configured("bytes", endian=draw(st.sampled_from(["little", "big"]))))
    compressor = [
        {"name": "crc32c"},
        configured("zstd", level=1, checksum=draw(st.booleans())),
        configured("numcodecs.bz2", level=1),
        configured("numcodecs.adler32"),
    ]
    return chain + draw(st.lists(st.sampled_from(compressor), max_size=2))


def store(path: Path, shape: Any, chunks: Any, data_type: str, chain: list[Any], fill: Any) -> Any:
    """Make an array, and return it as zarr-python opens it."""
    document = {
        "zarr_format": 3, "node_type": "array", "shape": list(shape), "data_type": data_type,
        "chunk_grid": configured("regular", chunk_shape=list(chunks)),
        "chunk_key_encoding": {"name": "default"}, "fill_value": fill, "codecs": chain,
        "attributes": {}, "dimension_names": [f"x{n}" for n in range(len(shape))],
    }  # fmt: skip
    (path / "v").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v" / "zarr.json").write_text(json.dumps(document))
    return zarr.open_array(path / "v", mode="r+")


@pytest.mark.filterwarnings("ignore:Combining a `sharding_indexed`")
@given(data=st.data())
@settings(max_examples=share_of(200), deadline=None)
def test_chains_are_read_and_written_as_by_zarr_python(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("chains")
    data_type = data.draw(st.sampled_from(list(TYPES)))
    chunks = data.draw(st.lists(st.sampled_from([1, 2, 4, 6]), min_size=1, max_size=3).map(tuple))
    shape = tuple(data.draw(st.integers(1, 2 * n)) for n in chunks)
    fill = data.draw(st.integers(0, 3))
    chain = data.draw(codecs(chunks, TYPES[data_type]))
    values = np.array(
        data.draw(
            st.lists(st.integers(0, 3), min_size=math.prod(shape), max_size=math.prod(shape))
        ),
        TYPES[data_type],
    ).reshape(shape)
    array = store(path / "a.zarr", shape, chunks, data_type, chain, fill)
    array[...] = values
    opened = ncz.open(path / "a.zarr")["v"]
    np.testing.assert_array_equal(opened[...], values)
    source = opened.record.data
    assert isinstance(source, ZarrArray)
    for index in source.layout.grid.indices():
        elements, stored = source.chunk_elements(index), source.encoded_chunk(index)
        if elements is None:
            continue
        ours = encode_elements(elements, source.layout, source.encoding, "v", source.fill)
        assert ours is not None
        if source.layout.shard is None:  # where zarr-python has another order of chunks
            assert ours == stored
        np.testing.assert_array_equal(source.decode(ours, index), elements)
    ncz.copy(path / "a.zarr", path / "raw.zarr", modes=["zarr", "v3"], notify=ignore_notice)
    copied = json.loads((path / "raw.zarr" / "v" / "zarr.json").read_text())
    np.testing.assert_array_equal(zarr.open_array(path / "raw.zarr" / "v", mode="r")[...], values)
    assert copied["data_type"] == data_type
    ncz.copy(path / "a.zarr", path / "v2.zarr", modes=["zarr", "v2"], notify=ignore_notice)
    np.testing.assert_array_equal(zarr.open_array(path / "v2.zarr" / "v", mode="r")[...], values)
