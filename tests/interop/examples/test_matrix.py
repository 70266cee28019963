"""The matrix of writers and readers: every reader sees the same dataset, for all of cdl_examples.

`limits` lists limitations of peers. A test fails for a difference that is not listed, and for a
listed limit that no longer exists. ``make test`` takes a fifth of the cases, and one writer of the
cells without ncz.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.model.tree import Dataset, variables_by_fqn
from ncz.model.types import Atomic
from tests.conftest import EXAMPLES
from tests.interop.examples import between
from tests.interop.examples.between import CASES
from tests.interop.examples.limits import LIMITS, STORE, check
from tests.interop.examples.readers import point_at_plugins, read_netcdf4, read_xarray, read_zarr
from tests.interop.examples.table import DOCUMENT, PAIRS, document
from tests.interop.examples.view import (
    Seen,
    SeenAttribute,
    SeenDimension,
    SeenVariable,
    differences,
    view_of,
)
from tests.interop.examples.writers import (
    as_json_tells,
    write_ncgen,
    write_netcdf4,
    write_xarray,
    write_zarr,
    write_zarr_v3,
)
from tests.sampled import sampled

SOME = sampled(CASES, 5)
SOURCES = {path.stem: path for path in EXAMPLES}

ALL = (SeenVariable, SeenAttribute, SeenDimension)
NO_DIMENSIONS = (SeenVariable, SeenAttribute)

needs_ncgen = pytest.mark.skipif(
    shutil.which("ncgen") is None, reason="ncgen is not installed (apt install netcdf-bin)"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix")


_parsed: dict[str, tuple[Dataset, Seen]] = {}


def parsed(case: str) -> tuple[Dataset, Seen]:
    """Return the dataset that ncz reads from the text, and its view; cached by case."""
    if case not in _parsed:
        from ncz.cdl.reader import read_cdl

        text = SOURCES[case].read_bytes()
        dataset = read_cdl(text, source=case)
        _parsed[case] = dataset, view_of(dataset, rounded=True)
    return _parsed[case]


def written(folder: Path, case: str, mode: str, suffix: str = "zarr") -> Path:
    """Return the store that ncz creates from a case; cached by case and mode.

    Pure Zarr has no annotations, so that it is judged alone.
    """
    target = folder / mode.replace(",", "-") / f"{case}.{suffix}"
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        ncz.gen(
            SOURCES[case],
            target,
            modes=mode.split(","),
            consolidated=None if "nczarr" in mode else False,
            allow_loss=True,
            notify=ignore_notice,
        )
    return target


def compare(who: str, case: str, expected: Seen, read: Callable[[], Seen], *kinds: type) -> None:
    try:
        found = read()
    except Exception as error:
        check(who, case, {STORE: f"{type(error).__name__}: {error}"})
    else:
        check(who, case, differences(expected, found, kinds))


@pytest.mark.parametrize("case", SOME)
def test_netcdf4_reads_the_nczarr_of_ncz(case, folder):
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    store = written(folder, case, "nczarr")
    url = f"file://{store}#mode=nczarr,file"
    compare("netCDF4 reads NCZarr", case, parsed(case)[1], lambda: read_netcdf4(url), *ALL)


@pytest.mark.parametrize("case", SOME)
def test_netcdf4_reads_the_pure_zarr_of_ncz(case, folder):
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    store = written(folder, case, "zarr")
    url = f"file://{store}#mode=zarr,file"
    expected = without_fills(as_json_tells(parsed(case)[1]))
    compare("netCDF4 reads Zarr", case, expected, lambda: read_netcdf4(url), *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
def test_zarr_reads_stores_of_ncz(case, mode, folder):
    pytest.importorskip("zarr", reason="zarr is not installed")
    store = written(folder, case, mode)
    who = f"zarr reads {'NCZarr' if mode == 'nczarr' else 'Zarr'}"
    told = as_json_tells(parsed(case)[1])
    expected: Seen = without_fills(told) if mode == "zarr" else told
    compare(who, case, expected, lambda: read_zarr(str(store)), *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
def test_the_mask_of_pure_zarr_is_the_fill_value_in_zarr(case, folder):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    if any(limit.who == "zarr reads Zarr" and case in limit.cases.split() for limit in LIMITS):
        pytest.skip("zarr-python does not read all of this store")
    root = zarr.open_group(str(written(folder, case, "zarr")), mode="r", zarr_format=2)
    for fqn, variable in variables_by_fqn(parsed(case)[0].root):
        if variable.mask is not None and variable.type not in (Atomic.CHAR, Atomic.STRING):
            assert np.array_equal(root[fqn[1:]].fill_value, variable.mask, equal_nan=True), fqn


@pytest.mark.parametrize("case", SOME)
def test_zarr_reads_the_zip_of_ncz(case, folder):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    store = written(folder, case, "zarr", "zip")
    expected = without_fills(as_json_tells(parsed(case)[1]))
    with zarr.storage.ZipStore(store, mode="r") as opened:
        compare("zarr reads zip", case, expected, lambda: read_zarr(opened), *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
def test_xarray_reads_stores_of_ncz(case, mode, folder):
    pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    store = written(folder, case, mode)
    who = f"xarray reads {'NCZarr' if mode == 'nczarr' else 'Zarr'}"
    fills = {p for p in parsed(case)[1] if p.endswith("@_FillValue")}
    expected = {p: part for p, part in as_json_tells(parsed(case)[1]).items() if p not in fills}
    compare(who, case, expected, lambda: read_xarray(str(store)), *NO_DIMENSIONS)


def without_fills(seen: Seen) -> Seen:
    """Return the view without ``_FillValue``, which pure Zarr keeps elsewhere.

    In V2 it is ``fill_value``, and in V3 an attribute in base64.
    """
    return {path: part for path, part in seen.items() if not path.endswith("@_FillValue")}


def chars_as_numbers(seen: Seen) -> Seen:
    """Return the view of a reader without NCZarr, which sees char in V3 as uint8."""
    return {path: _as_numbers(part) for path, part in seen.items()}


def _as_numbers(part: Any) -> Any:
    if not isinstance(part, SeenVariable) or part.type != "char":
        return part
    numbers = part.values.astype("S1").reshape(-1).view("u1").reshape(part.values.shape)
    return SeenVariable("ubyte", part.dimensions, numbers)


def in_v3(case: str, mode: str) -> Seen:
    """Return the view that zarr-python and xarray should have of a case in Zarr V3."""
    seen = parsed(case)[1]
    if mode.startswith("nczarr"):
        seen = chars_as_numbers(seen)
    return without_fills(as_json_tells(seen))


V3 = [("nczarr,v3", "NCZarr V3"), ("zarr,v3", "Zarr V3")]


@pytest.mark.parametrize("case", SOME)
@pytest.mark.parametrize(("mode", "what"), V3, ids=["nczarr", "zarr"])
def test_zarr_reads_the_v3_of_ncz(case, mode, what, folder):
    pytest.importorskip("zarr", reason="zarr is not installed")
    store = written(folder, case, mode)
    expected = in_v3(case, mode)
    compare(f"zarr reads {what}", case, expected, lambda: read_zarr(str(store), 3), *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
@pytest.mark.parametrize(("mode", "what"), V3, ids=["nczarr", "zarr"])
def test_xarray_reads_the_v3_of_ncz(case, mode, what, folder):
    pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    store = written(folder, case, mode)
    expected = in_v3(case, mode)
    compare(
        f"xarray reads {what}", case, expected, lambda: read_xarray(str(store), 3), *NO_DIMENSIONS
    )


@pytest.mark.parametrize("case", SOME)
def test_ncz_reads_the_v3_of_zarr(case, folder):
    pytest.importorskip("zarr", reason="zarr is not installed")
    target = folder / "zarr-python-v3" / f"{case}.zarr"
    target.parent.mkdir(exist_ok=True)
    dataset, seen = parsed(case)

    def read() -> Seen:
        write_zarr_v3(dataset, seen, target)
        return without_fills(read_ncz(target))

    expected = without_fills(as_json_tells(seen))
    compare("ncz reads zarr's V3", case, expected, read, *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
def test_ncz_reads_the_v3_of_xarray(case, folder):
    pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    target = folder / "to_zarr-v3" / f"{case}.zarr"
    target.parent.mkdir(exist_ok=True)
    dataset, seen = parsed(case)

    def read() -> Seen:
        write_xarray(dataset, seen, target, 3)
        return without_fills(read_ncz(target))

    expected = without_fills(as_json_tells(seen))
    compare("ncz reads xarray's V3", case, expected, read, *NO_DIMENSIONS)


def read_ncz(store: Path, fragment: str = "") -> Seen:
    with ncz.open(f"{store}{fragment}", notify=ignore_notice) as dataset:
        return view_of(dataset.record)


@needs_ncgen
@pytest.mark.parametrize("case", SOME)
def test_ncz_understands_cdl_as_ncgen_does(case, folder):
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    assert netcdf4
    target = folder / f"{case}.nc"

    def read() -> Seen:
        write_ncgen(SOURCES[case], str(target))
        return read_netcdf4(str(target))

    compare("ncgen makes HDF5", case, parsed(case)[1], read, *ALL)


@needs_ncgen
@pytest.mark.parametrize("case", SOME)
def test_ncz_reads_the_nczarr_of_ncgen_4_9(case, folder):
    target = folder / "ncgen" / f"{case}.zarr"
    target.parent.mkdir(exist_ok=True)

    def read() -> Seen:
        write_ncgen(SOURCES[case], f"file://{target}#mode=nczarr,file")
        return read_ncz(target)

    compare("ncz reads ncgen's NCZarr", case, parsed(case)[1], read, *ALL)


@pytest.mark.parametrize("case", SOME)
@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
def test_ncz_reads_files_of_netcdf4(case, mode, folder):
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    point_at_plugins()
    target = folder / f"netcdf4-{mode}" / f"{case}.zarr"
    target.parent.mkdir(exist_ok=True)
    dataset, seen = parsed(case)

    def read() -> Seen:
        write_netcdf4(dataset, seen, target, mode)
        return read_ncz(target)

    if mode == "nczarr":
        compare("ncz reads netCDF4's NCZarr", case, seen, read, *ALL)
    else:
        expected = without_fills(as_json_tells(seen))
        pure = "ncz reads netCDF4's Zarr"
        compare(pure, case, expected, lambda: without_fills(read()), *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
def test_ncz_reads_stores_of_zarr(case, folder):
    pytest.importorskip("zarr", reason="zarr is not installed")
    target = folder / "zarr-python" / f"{case}.zarr"
    target.parent.mkdir(exist_ok=True)
    dataset, seen = parsed(case)

    def read() -> Seen:
        write_zarr(dataset, seen, target)
        return read_ncz(target)

    expected = without_fills(as_json_tells(seen))
    compare("ncz reads zarr's", case, expected, lambda: without_fills(read()), *NO_DIMENSIONS)


@pytest.mark.parametrize("case", SOME)
def test_ncz_reads_stores_of_xarray(case, folder):
    pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("zarr", reason="zarr is not installed")
    target = folder / "to_zarr" / f"{case}.zarr"
    target.parent.mkdir(exist_ok=True)
    dataset, seen = parsed(case)

    def read() -> Seen:
        write_xarray(dataset, seen, target)
        return read_ncz(target)

    expected = without_fills(as_json_tells(seen))
    compare("ncz reads xarray's", case, expected, lambda: without_fills(read()), *NO_DIMENSIONS)


OWN = [
    ("nczarr", "ncz reads its NCZarr"),
    ("zarr", "ncz reads its Zarr"),
    ("nczarr,v3", "ncz reads its NCZarr V3"),
    ("zarr,v3", "ncz reads its Zarr V3"),
]


@pytest.mark.parametrize("case", SOME)
@pytest.mark.parametrize(("mode", "who"), OWN, ids=[mode for mode, _ in OWN])
def test_ncz_reads_stores_of_ncz(case, mode, who, folder):
    store = written(folder, case, mode)
    seen = parsed(case)[1]
    if mode.startswith("nczarr"):
        compare(who, case, seen, lambda: read_ncz(store), *ALL)
    else:
        expected = without_fills(as_json_tells(seen))
        compare(who, case, expected, lambda: without_fills(read_ncz(store)), *NO_DIMENSIONS)


@pytest.mark.long
@pytest.mark.parametrize(("writer", "reader"), between.PAIRS, ids=str)
def test_the_recorded_results_of_peers_for_each_other(writer, reader):
    for name in ("netCDF4", "zarr", "xarray"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    if writer.startswith("ncgen") and shutil.which("ncgen") is None:
        pytest.skip("ncgen is not installed (apt install netcdf-bin)")
    record = json.loads(between.RECORD.read_text(encoding="utf-8"))[f"{writer} > {reader}"]
    assert set(between.run_all(tuple(between.WRITERS))[writer][reader]) == set(record), (
        "run 'make interop'"
    )


@pytest.mark.parametrize("mode", ["nczarr,v3", "zarr,v3"])
def test_netcdf_c_reads_no_v3(mode, folder):
    pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    store = written(folder, "weather", mode)
    for what in ("nczarr", "zarr"):
        with pytest.raises(OSError, match="NetCDF"):
            read_netcdf4(f"file://{store}#mode={what},file")


def test_the_matrix_has_a_corpus():
    assert len(CASES) >= 25


def test_the_table_is_in_step():
    assert {limit.who for limit in LIMITS} <= {who for _, _, who in PAIRS} | {"ncgen makes HDF5"}
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "run 'make interop'"
