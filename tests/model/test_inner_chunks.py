"""References to the chunks within shards, read by unmodified zarr-python and fsspec."""

from __future__ import annotations

import base64
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import CodecError, Notice, ZmapError, ignore_notice
from ncz.zmap import watch_requests
from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import connect_to_write
from tests.sampled import share_of
from tests.servers.threads import Served

zarr = pytest.importorskip("zarr")
fsspec = pytest.importorskip("fsspec")

COMPRESSORS: dict[str, Any] = {
    "none": None,
    "zstd": zarr.codecs.ZstdCodec(level=3),
    "gzip": zarr.codecs.GzipCodec(level=1),
    "blosc": zarr.codecs.BloscCodec(typesize=4),
}


def sharded(
    path: Path,
    values: Any,
    shards: tuple[int, ...],
    chunks: tuple[int, ...],
    *,
    location: str = "end",
    fill: Any = -1,
    attributes: dict[str, Any] | None = None,
    name: str = "v",
    **options: Any,
) -> Path:
    """Write an array in shards with zarr-python."""
    options.setdefault("compressors", None)
    array = zarr.open_group(path, mode="a", zarr_format=3).create_array(
        name,
        shape=values.shape,
        dtype=values.dtype,
        shards={"shape": shards, "index_location": location},
        chunks=chunks,
        fill_value=fill,
        dimension_names=("t", "x", "y")[: values.ndim],
        attributes=attributes or {},
        **options,
    )
    array[...] = values
    return path


def referred(source: object, target: Path, **options: Any) -> dict[str, Any]:
    """Make a set of Zarr V2, and return its references to chunks, by key."""
    options = {"inline": 0, "notify": ignore_notice, **options}
    ncz.copy(source, str(target), modes=["reference", "v2"], **options)
    refs = json.loads(target.read_text())["refs"]
    return {key: ref for key, ref in refs.items() if not key.rpartition("/")[2].startswith(".")}


def read_by_zarr(target: Path, name: str = "v") -> Any:
    """Return the values that zarr-python reads through fsspec."""
    from fsspec.implementations.reference import LazyReferenceMapper, ReferenceFileSystem
    from zarr.storage import FsspecStore

    fo: Any = str(target)
    if target.suffix == ".parquet":
        local = fsspec.filesystem("file")
        fo = LazyReferenceMapper(fo, fs=local, engine="pyarrow")
    files = ReferenceFileSystem(
        fo, remote_protocol="file", remote_options={"asynchronous": True}, asynchronous=True
    )
    store = FsspecStore(files, read_only=True, path="")
    return zarr.open_group(store, mode="r", zarr_format=2)[name][...]


@st.composite
def divisions(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return a shape, the shape of shards, and the shape of the chunks in them."""
    rank = draw(st.integers(1, 3))
    lengths = st.lists(st.integers(1, 4), min_size=rank, max_size=rank).map(tuple)
    chunks, counts, shape = draw(lengths), draw(lengths), draw(lengths)
    shards = tuple(c * n for c, n in zip(chunks, counts, strict=True))
    return tuple(3 * n - 1 for n in shape), shards, chunks


@settings(max_examples=share_of(150), deadline=None)
@given(
    division=divisions(),
    dtype=st.sampled_from(["<i2", ">i4", "<f8", "|u1", "|b1"]),
    compressor=st.sampled_from([*COMPRESSORS]),
    location=st.sampled_from(["start", "end"]),
    missing=st.booleans(),
    transposed=st.booleans(),
    masked=st.booleans(),
)
def test_others_read_any_shards(
    tmp_path_factory: pytest.TempPathFactory,
    division: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]],
    dtype: str,
    compressor: str,
    location: str,
    missing: bool,
    transposed: bool,
    masked: bool,
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    shape, shards, chunks = division
    values = (np.arange(np.prod(shape)).reshape(shape) % 100 + 1).astype(dtype)
    fill = np.zeros((), dtype)[()]
    if missing:
        values[tuple(slice(n) for n in chunks)] = fill
    order = tuple(reversed(range(len(shape))))
    source = sharded(
        folder / "a.zarr",
        values,
        shards,
        chunks,
        location=location,
        fill=fill,
        compressors=COMPRESSORS[compressor],
        filters=[zarr.codecs.TransposeCodec(order=order)] if transposed else None,
        attributes={"_FillValue": 0} if masked and dtype != "|b1" else None,
    )
    refs = referred(str(source), folder / "r.json", verify=True)
    found = read_by_zarr(folder / "r.json")
    assert np.array_equal(found, values)
    assert not (folder / "r.json.chunks").exists()
    anew = [key for key, ref in refs.items() if isinstance(ref, str)]
    assert set(anew) <= {f"v/{'.'.join('0' * len(shape))}"}  # one that is missing in the source
    assert not anew or missing
    with ncz.open(str(folder / "r.json")) as dataset:
        assert np.array_equal(dataset["v"][...], values)


@pytest.mark.parametrize("rows", [4, 80], ids=["asked for", "listed"])
def test_chunks_that_shards_lack_are_missing_or_contain_their_value(
    rows: int, tmp_path: Path
) -> None:
    values = np.arange(rows * 4, dtype="i4").reshape(rows, 4) + 1
    values[1, 2:] = values[2] = values[3] = -1
    masked = sharded(tmp_path / "m.zarr", values, (2, 4), (1, 2), attributes={"_FillValue": -1})
    refs = referred(str(masked), tmp_path / "m.json")
    assert len(refs) == rows * 2 - 5  # missing chunks stay missing
    assert np.array_equal(read_by_zarr(tmp_path / "m.json"), values)

    values[2:4] = 1
    plain = sharded(tmp_path / "p.zarr", values, (2, 4), (1, 2))  # all shards exist
    refs = referred(str(plain), tmp_path / "p.json")
    assert [key for key, ref in refs.items() if isinstance(ref, str)] == ["v/1.1"]
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("kerchunk")
    with xarray.open_dataset(f"{tmp_path}/p.json", engine="kerchunk") as found:
        assert found["v"].dtype == "i4"  # nothing is masked
        assert np.array_equal(found["v"], values)


def test_other_forms_are_stored_again(tmp_path: Path) -> None:
    values = np.arange(64, dtype="i4").reshape(8, 8)
    codecs = zarr.codecs
    inner = codecs.ShardingCodec(chunk_shape=(2, 2), codecs=[codecs.BytesCodec()])
    group = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=3)
    nested = codecs.ShardingCodec(chunk_shape=(4, 4), codecs=[inner])
    turned = codecs.ShardingCodec(
        chunk_shape=(4, 4, 4), codecs=[codecs.TransposeCodec(order=(1, 0, 2)), codecs.BytesCodec()]
    )
    group.create_array(
        "nested", shape=(8, 8), chunks=(8, 8), dtype="i4", serializer=nested, compressors=None
    )[...] = values
    group.create_array(
        "turned", shape=(4, 4, 4), chunks=(4, 4, 4), dtype="i4", serializer=turned, compressors=None
    )[...] = values.reshape(4, 4, 4)
    refs = referred(str(tmp_path / "a.zarr"), tmp_path / "r.json")
    assert all(isinstance(ref, str) for ref in refs.values())
    assert np.array_equal(read_by_zarr(tmp_path / "r.json", "nested"), values)
    assert np.array_equal(read_by_zarr(tmp_path / "r.json", "turned"), values.reshape(4, 4, 4))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_shards_in_a_zip_file(method: int, tmp_path: Path) -> None:
    values = np.arange(600, dtype="i4").reshape(20, 30) + 1
    source = sharded(tmp_path / "a.zarr", values, (10, 20), (5, 10))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as file:
        for path in sorted(source.rglob("*")):
            if path.is_file():
                file.write(path, str(path.relative_to(source)))
    refs = referred(f"{tmp_path}/a.zip", tmp_path / "r.json")
    is_referred = {isinstance(ref, list) for ref in refs.values()}
    assert is_referred == {method == zipfile.ZIP_STORED}
    assert np.array_equal(read_by_zarr(tmp_path / "r.json"), values)


def test_a_set_of_shards_becomes_one_of_their_chunks(tmp_path: Path) -> None:
    values = np.arange(600, dtype="i4").reshape(20, 30) + 1
    source = sharded(tmp_path / "a.zarr", values, (10, 20), (5, 10))
    ncz.copy(
        str(source), f"{tmp_path}/v3.json", modes=["reference", "v3"], inline=0,
        notify=ignore_notice,
    )  # fmt: skip
    assert referred(f"{tmp_path}/v3.json", tmp_path / "a.json") == referred(
        str(source), tmp_path / "b.json"
    )


def test_sets_in_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    values = np.arange(600, dtype="i4").reshape(20, 30) + 1
    source = sharded(tmp_path / "a.zarr", values, (10, 20), (5, 10))
    target = tmp_path / "r.parquet"
    ncz.copy(str(source), str(target), modes=["v2"], inline=0, notify=ignore_notice)
    assert not (tmp_path / "r.parquet.chunks").exists()
    assert np.array_equal(read_by_zarr(target), values)


def test_a_plan_counts_the_bytes_that_are_referred_to(tmp_path: Path) -> None:
    values = np.arange(600, dtype="i4").reshape(20, 30) + 1
    source = sharded(tmp_path / "a.zarr", values, (10, 20), (5, 10))
    notices: list[Notice] = []
    summary = ncz.copy(
        str(source), f"{tmp_path}/r.json", modes=["v2"], inline=0, notify=notices.append
    )
    assert summary.size == 0
    assert "values-beside-set" not in {notice.code for notice in notices}


@pytest.fixture
def requests() -> Iterator[list[str]]:
    """The requests that servers answered."""
    keys: list[str] = []
    watch_requests(keys.append)
    yield keys
    watch_requests(None)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["S3", "http"])
@pytest.mark.parametrize("inline", [0, 500])
def test_the_index_of_a_shard_is_read_once(
    kind: str, inline: int, tmp_path: Path, request: pytest.FixtureRequest, requests: list[str]
) -> None:
    pytest.importorskip("s3fs")
    values = np.arange(600, dtype="i4").reshape(20, 30) + 1
    source = sharded(tmp_path / "a.zarr", values, (10, 20), (5, 10))
    ncz.consolidate(str(source), notify=ignore_notice)
    files = {str(p.relative_to(source)): p for p in source.rglob("*") if p.is_file()}
    if kind == "S3":
        url = f"{request.getfixturevalue('s3')}/a.zarr#mode=s3"
        folder = connect_to_write(parse_location(url))
        for key, path in files.items():
            folder.put(key, path.read_bytes())
    else:
        web: Served = request.getfixturevalue("web")
        web.objects = {f"a.zarr/{key}": path.read_bytes() for key, path in files.items()}
        url = f"{web.endpoint}/a.zarr#mode=zarr"
    requests.clear()
    refs = referred(url, tmp_path / "r.json", inline=inline)
    counts = Counter(key for key in requests if "v/c/" in key)
    assert len(refs) == 12
    small = [key for key, ref in refs.items() if isinstance(ref, str)]
    assert len(small) == (12 if inline else 0)
    of_each = {"v/c/": 2 + bool(inline)}  # its size, its index, and all of its small chunks
    if kind == "http" and not inline:
        of_each["a.zarr/v/c/"] = 1  # its state
    assert counts == {
        f"{prefix}{row}/{column}": count
        for prefix, count in of_each.items()
        for row in range(2)
        for column in range(2)
    }
    for key, ref in refs.items():
        row, column = map(int, key.removeprefix("v/").split("."))
        data = base64.b64decode(ref.removeprefix("base64:")) if isinstance(ref, str) else b""
        if isinstance(ref, list):
            place, start, count = ref
            data = files[place.partition("/a.zarr/")[2]].read_bytes()[start : start + count]
        wanted = values[5 * row : 5 * row + 5, 10 * column : 10 * column + 10]
        assert np.array_equal(np.frombuffer(data, "<i4").reshape(5, 10), wanted)


@pytest.mark.parametrize("location", ["start", "end"])
def test_a_damaged_index_is_an_error(location: str, tmp_path: Path) -> None:
    values = np.arange(64, dtype="i4").reshape(8, 8) + 1
    source = sharded(tmp_path / "a.zarr", values, (4, 8), (2, 4), location=location)
    shard = source / "v" / "c" / "1" / "0"
    data = bytearray(shard.read_bytes())
    data[3 if location == "start" else -9] ^= 1
    shard.write_bytes(data)
    with pytest.raises(CodecError, match="checksum") as caught:
        referred(str(source), tmp_path / "r.json")
    assert caught.value.location == f"{source}: /v/c/1/0"
    assert not (tmp_path / "r.json").exists()
    told: list[Notice] = []
    refs = referred(str(source), tmp_path / "r.json", allow_loss=True, notify=told.append)
    assert sorted(refs) == ["v/0.0", "v/0.1", "v/1.0", "v/1.1"]
    assert any("checksum" in notice.message and notice.lost for notice in told)


def test_a_shard_that_ends_too_early_is_an_error(tmp_path: Path) -> None:
    values = np.arange(64, dtype="i4").reshape(8, 8) + 1
    source = sharded(tmp_path / "a.zarr", values, (4, 8), (2, 4), location="start")
    shard = source / "v" / "c" / "1" / "0"
    shard.write_bytes(shard.read_bytes()[:-1])
    with pytest.raises(CodecError, match="shorter than its index says"):
        referred(str(source), tmp_path / "r.json")
    refs = referred(str(source), tmp_path / "r.json", allow_loss=True)
    assert len(refs) == 7  # of 8


def test_a_shard_that_changes_is_noticed(tmp_path: Path) -> None:
    values = np.arange(64, dtype="i4").reshape(8, 8) + 1
    source = sharded(tmp_path / "a.zarr", values, (4, 8), (2, 4))
    referred(str(source), tmp_path / "r.json")
    shard = source / "v" / "c" / "0" / "0"
    shard.write_bytes(shard.read_bytes() + b"0")
    with ncz.open(f"{tmp_path}/r.json") as dataset:
        assert np.array_equal(dataset["v"][4:], values[4:])
        with pytest.raises(ZmapError, match="has changed since the references were made"):
            dataset["v"][:4]


@pytest.mark.parametrize("target", ["r.json", "r.parquet"])
def test_joined_stores_of_shards(target: str, tmp_path: Path) -> None:
    if target.endswith("parquet"):
        pytest.importorskip("pyarrow")
    values = np.arange(59 * 6, dtype="i4").reshape(59, 6) + 1
    names, start = [], 0
    for number, length in enumerate((31, 28)):  # no whole number of shards
        part = values[start : start + length]
        names.append(str(sharded(tmp_path / f"{number}.zarr", part, (10, 6), (1, 6))))
        times = np.arange(start, start + length, dtype="i4")
        sharded(tmp_path / f"{number}.zarr", times, (40,), (40,), name="t")
        start += length
    place = tmp_path / target
    ncz.copy(names, str(place), concat="t", modes=["v2"], inline=0, notify=ignore_notice)
    assert np.array_equal(read_by_zarr(place), values)
    assert not place.with_name(f"{target}.chunks").exists()
    listed = ncz.info(str(place), sources=True).sources or ()
    assert len([one for one in listed if "/v/c/" in one.url]) == 7


def test_shards_that_are_appended_to_a_set(tmp_path: Path) -> None:
    values = np.arange(20 * 300, dtype="i4").reshape(20, 300) + 1
    for name, first, last in (("a", 0, 10), ("b", 10, 20)):
        sharded(tmp_path / f"{name}.zarr", values[first:last], (5, 300), (1, 300))
        sharded(tmp_path / f"{name}.zarr", np.arange(first, last), (10,), (10,), name="t")
    referred(f"{tmp_path}/a.zarr", tmp_path / "r.json")
    ncz.copy(f"{tmp_path}/b.zarr", f"{tmp_path}/r.json", append="t", notify=ignore_notice)
    refs = json.loads((tmp_path / "r.json").read_text())["refs"]
    assert all(isinstance(refs[f"v/{number}.0"], list) for number in range(20))
    assert np.array_equal(read_by_zarr(tmp_path / "r.json"), values)


def test_stores_of_shards_that_are_joined_along_a_new_dimension(tmp_path: Path) -> None:
    values = np.arange(2 * 8 * 300, dtype="i4").reshape(2, 8, 300) + 1
    names = [str(sharded(tmp_path / f"{n}.zarr", values[n], (4, 300), (1, 300))) for n in range(2)]
    place = tmp_path / "r.json"
    ncz.copy(names, str(place), new_dimension="m", modes=["v2"], inline=0, notify=ignore_notice)
    refs = json.loads(place.read_text())["refs"]
    assert sum(isinstance(ref, list) for ref in refs.values()) == 16
    assert np.array_equal(read_by_zarr(place), values)
