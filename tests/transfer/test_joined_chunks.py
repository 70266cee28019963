"""Joins of chunks of different lengths: the unchanged ones, and the values of all."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.formats.opening import open_dataset
from ncz.model.tree import variables_by_fqn
from ncz.transfer.joined_chunks import JoinedChunks, Part, join_parts
from ncz.zmap.location import parse_location
from tests.conftest import Run
from tests.sampled import share_of

netcdf4 = pytest.importorskip("netCDF4")

X = 7

OVERLAPS = ("first", "last", None)


@pytest.fixture(autouse=True)
def every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncz.transfer.joined_chunks._SMALL", 0)


def write(path: Path, times: Any, chunk: int, **options: Any) -> Any:
    """Write a file of random values; return them."""
    values = np.random.default_rng(int(times[0])).integers(0, 99, (len(times), X)).astype("i2")
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", X)
        file.createVariable("t", "i4", ("t",), chunksizes=(4,))[:] = times
        v = file.createVariable("v", "i2", ("t", "x"), chunksizes=(chunk, X), **options)
        v[:] = values
    return values


def months(folder: Path, lengths: list[int], chunks: list[int], **options: Any) -> tuple[Any, ...]:
    """Write files that follow each other; return their names and their values."""
    start, names, values = 0, [], []
    for number, (length, chunk) in enumerate(zip(lengths, chunks, strict=True)):
        names.append(str(folder / f"m{number}.nc"))
        times = np.arange(start, start + length)
        values.append(write(Path(names[-1]), times, chunk, **options))
        start += length
    return names, np.concatenate(values)


def copied(names: list[str], target: Path, **options: Any) -> Any:
    """Join files along time; return the summary."""
    return ncz.copy(names, str(target), concat="t", notify=ignore_notice, **options)


def test_months_keep_their_chunks(tmp_path: Path) -> None:
    names, wanted = months(tmp_path, [31, 28, 31], [31, 28, 31], zlib=True)
    copied(names, tmp_path / "all.zarr", modes=("zarr", "v3"))
    grid = json.loads((tmp_path / "all.zarr/v/zarr.json").read_text())["chunk_grid"]
    assert grid["configuration"]["chunk_shapes"][0] == [31, 28, 31]
    np.testing.assert_array_equal(ncz.open(tmp_path / "all.zarr")["v"][...], wanted)


def test_a_short_last_chunk_is_the_only_one_that_is_stored_again(tmp_path: Path) -> None:
    names, wanted = months(tmp_path, [25, 30], [10, 10], zlib=True)
    copied(names, tmp_path / "all.json", modes=("reference", "zarr", "v3"), inline=0)
    references = ncz.open(tmp_path / "all.json")
    np.testing.assert_array_equal(references["v"][...], wanted)
    refs = json.loads((tmp_path / "all.json").read_text())["refs"]
    kept = [isinstance(refs[f"v/c/{i}/0"], list) for i in range(6)]
    assert kept == [True, True, False, True, True, True]


def test_large_values_that_a_set_does_not_refer_to_are_next_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncz.commands.references.LARGEST_HELD", 10)
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", 10)
    names, wanted = months(tmp_path, [25, 30], [10, 10], zlib=True)
    told: list[Notice] = []
    ncz.copy(
        names, str(tmp_path / "all.json"), concat="t", modes=("reference", "zarr", "v3"), inline=0,
        notify=told.append,
    )  # fmt: skip
    (notice,) = [each for each in told if each.code == "values-beside-set"]
    assert "last chunk of a source has 5 of 10 along the dimension" in notice.message
    np.testing.assert_array_equal(ncz.open(tmp_path / "all.json")["v"][...], wanted)


def test_a_plan_has_the_number_of_encoded_bytes(tmp_path: Path, run: Run) -> None:
    names, _ = months(tmp_path, [25, 30], [10, 10], zlib=True)
    target = str(tmp_path / "all.json")
    command = ("copy", "--concat", "t", "--mode", "reference,zarr,v3", "--dry-run", *names, target)
    assert "raw, 70 B encoded" in run(*command).text
    plan = json.loads(run(*command, "--json").text)
    (found,) = [each for each in plan["variables"] if each["name"] == "/v"]
    assert (found["bytes"], found["encoded_bytes"]) == (2 * 55 * X, 2 * 5 * X)


def test_files_with_other_codecs_are_the_only_ones_that_are_encoded(tmp_path: Path) -> None:
    names, wanted = months(tmp_path, [20, 20], [10, 10], zlib=True)
    other = write(tmp_path / "other.nc", np.arange(40, 60), 10, zlib=False)
    copied([*names, str(tmp_path / "other.nc")], tmp_path / "all.json", inline=0)
    np.testing.assert_array_equal(
        ncz.open(tmp_path / "all.json")["v"][...], np.concatenate([wanted, other])
    )


def test_a_grid_of_equal_chunks_keeps_fitting_ones(tmp_path: Path) -> None:
    names, wanted = months(tmp_path, [20, 25, 20], [10, 10, 10], zlib=True)
    done = copied(names, tmp_path / "all.zarr", modes=("zarr", "v2"))
    assert done.ways["raw"] >= 1
    np.testing.assert_array_equal(ncz.open(tmp_path / "all.zarr")["v"][...], wanted)


def test_a_file_is_appended_to_chunks_of_different_lengths(tmp_path: Path) -> None:
    names, wanted = months(tmp_path, [31, 28, 31, 30], [31, 28, 31, 30], zlib=True)
    store = str(tmp_path / "all.zarr")
    copied(names[:2], Path(store), modes=("zarr", "v3"))
    for name in names[2:]:
        ncz.copy(name, store, append="t", notify=ignore_notice, verify=True)
    np.testing.assert_array_equal(ncz.open(store)["v"][...], wanted)


def test_a_last_chunk_that_is_longer_than_the_rest_is_stored_again_by_an_append(
    tmp_path: Path,
) -> None:
    names, wanted = months(tmp_path, [31, 25, 31], [31, 10, 31], zlib=True)
    store = str(tmp_path / "all.zarr")
    copied(names[:2], Path(store), modes=("zarr", "v3"))
    ncz.copy(names[2], store, append="t", notify=ignore_notice, verify=True)
    np.testing.assert_array_equal(ncz.open(store)["v"][...], wanted)


PARTS = st.lists(
    st.tuples(st.integers(1, 12), st.integers(1, 8), st.booleans(), st.integers(0, 4)),
    min_size=1, max_size=4,
)  # fmt: skip
"""For each file: its length, the length of its chunks, whether it is compressed, and the number of
times in common with the file before."""


@settings(max_examples=share_of(60), deadline=None)
@given(
    PARTS,
    st.sampled_from(OVERLAPS),
    st.sampled_from(["v2", "v3", "set", "set3", "netcdf"]),
    st.booleans(),
)
def test_joined_values_match_all_parts(
    parts: list[tuple[int, int, bool, int]], overlap: Any, form: str, grows: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, start, stop = Path(name), 0, 0
        names: list[str] = []
        known: dict[int, Any] = {}
        for number, (length, chunk, is_compressed, common) in enumerate(parts):
            start = stop if overlap is None else max(start, stop - common)
            times = np.arange(start, start + length)
            names.append(str(folder / f"m{number}.nc"))
            values = write(Path(names[-1]), times, chunk, zlib=is_compressed)
            rows = zip(times.tolist(), values, strict=True)
            known.update({t: v for t, v in rows if overlap == "last" or t not in known})
            stop = max(stop, start + length)
        suffix = {"set": ".json", "set3": ".json", "netcdf": ".nc"}.get(form, ".zarr")
        modes = {"v2": ("zarr", "v2"), "v3": ("zarr", "v3"), "set3": ("reference", "zarr", "v3")}
        target = folder / f"all{suffix}"
        first = names[:1] if grows and suffix == ".zarr" else names
        copied(first, target, modes=modes.get(form, ()), inline=0, overlap=overlap)
        for one in names[len(first) :]:
            ncz.copy(one, str(target), append="t", overlap=overlap, notify=ignore_notice)
        with ncz.open(target) as found:
            assert found["t"][...].tolist() == sorted(known)
            wanted = np.stack([known[t] for t in sorted(known)])
            np.testing.assert_array_equal(found["v"][...], wanted)


def test_a_notice_names_arrays_with_chunks_of_different_lengths(tmp_path: Path) -> None:
    names, _ = months(tmp_path, [31, 28], [31, 28])
    for version, excluded in (("v3", ["/v"]), ("v2", [])):
        found: list[Notice] = []
        ncz.copy(
            names, str(tmp_path / f"{version}.zarr"), concat="t", modes=("zarr", version),
            notify=found.append,
        )  # fmt: skip
        told = [notice for notice in found if "chunks of different lengths" in notice.message]
        assert len(told) == len(excluded)
        assert all(name in str(notice) for notice in told for name in excluded)


def test_zarr_and_xarray_read_joined_datasets(tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    xarray = pytest.importorskip("xarray")
    if "rectilinear_chunks" not in zarr.config.get("array"):
        pytest.skip("zarr-python is older than 3.2")
    names, wanted = months(tmp_path, [31, 28, 31], [31, 28, 31], zlib=True)
    copied(names, tmp_path / "all.zarr", modes=("zarr", "v3"))
    with zarr.config.set({"array.rectilinear_chunks": True}):
        found = xarray.open_zarr(tmp_path / "all.zarr", mask_and_scale=False)
        np.testing.assert_array_equal(found["v"].values, wanted)


def test_a_chunk_is_where_its_source_has_it(tmp_path: Path) -> None:
    write(tmp_path / "a.nc", np.arange(20), 10)
    write(tmp_path / "b.nc", np.arange(20, 40), 10)
    with contextlib.ExitStack() as stack:
        parts = []
        for name in ("a.nc", "b.nc"):
            opened = stack.enter_context(open_dataset(parse_location(str(tmp_path / name))))
            data = dict(variables_by_fqn(opened.dataset.root))["/v"].data
            assert data is not None
            parts.append(Part(data, 0, 20))
        joined = join_parts(parts, 0)
        assert isinstance(joined, JoinedChunks)
        assert [joined.locate((n, 0)).count("b.nc") for n in range(4)] == [0, 0, 1, 1]
