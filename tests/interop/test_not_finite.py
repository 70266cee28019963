"""NaN and infinities in attributes: which form readers take for the number, and the notice."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interop.cells import lines_of_check
from tests.interop.contents.writing import Version
from tests.interop.peers.peers import Request, absent, ask
from tests.interop.readers import read
from tests.interop.targets import run_ncz

CDL = """netcdf x { dimensions: n = 2 ;
variables: int v(n) ; v:limits = NaN, 1., Infinity ; v:low = -Infinityf ;
:top = NaN ;
data: v = 1, 2 ; }
"""
FORMS = {
    "NCZarr V2": (2, ()),
    "pure V2": (2, ("--mode", "zarr")),
    "NCZarr V3": (3, ("--zarr-format", "3")),
    "pure V3": (3, ("--zarr-format", "3", "--mode", "zarr")),
}


def write(form: str, folder: Path) -> tuple[Path, tuple[str, ...]]:
    done, _ = run_ncz("gen", "-", "-o", str(folder / "x.zarr"), *FORMS[form][1], stdin=CDL.encode())
    assert done.code == 0, done.error
    return folder / "x.zarr", done.notices


def checked(store: Path, reader: str) -> list[str]:
    """Return the findings of ``ncz check --for`` about parts that a reader does not read."""
    name = {"zarr-2": "zarr-python-2"}.get(reader, reader)
    return lines_of_check(store, name)


def is_number(value: Any) -> bool:
    return isinstance(value, float)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("look", ["xarray", "zarr-3"])
def test_all_except_nczarr_v3_have_numbers_for_python(look, form, tmp_path):
    pytest.importorskip("zarr", reason="zarr is not installed")
    pytest.importorskip("xarray", reason="xarray is not installed")
    store, notices = write(form, tmp_path)
    attributes = read(look, store).attributes
    has_numbers = form != "NCZarr V3"
    assert is_number(attributes["/"]["top"]) == has_numbers
    assert is_number(attributes["/v"]["low"]) == has_numbers
    limits = [is_number(each) for each in attributes["/v"]["limits"]]
    assert limits == [has_numbers, True, has_numbers]
    told = [notice for notice in notices if "NaN or infinite" in notice]
    assert len(told) == (not has_numbers)
    assert all("xarray and zarr-python see text for" in notice for notice in told)
    for reader in ("xarray", "zarr-python", "zarrs", "gdal"):
        found = checked(store, reader)
        assert any("text in attributes" in line for line in found) != has_numbers


def test_netcdf_c_has_numbers(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
    store, _ = write("NCZarr V2", tmp_path)
    with netcdf4.Dataset(f"file://{store}#mode=nczarr,file") as dataset:
        low, high = dataset["v"].limits[[0, 2]]
        assert math.isnan(low)
        assert high == math.inf
        assert dataset["v"].low == -math.inf
        assert math.isnan(dataset.top)


@pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")
def test_an_older_ncdump_opens_the_store(tmp_path):
    store, _ = write("NCZarr V2", tmp_path)
    done = subprocess.run(
        ["ncdump", "-h", f"file://{store}#mode=nczarr,file"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "v:limits = NaN, 1., Infinity ;" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("reader", "refused"),
    [
        ("zarr-2", ()),
        ("zarrs", ()),
        ("tensorstore", ("pure V3",)),
        ("zarrita", ("NCZarr V2", "pure V2", "pure V3")),
    ],
)
def test_strict_readers_refuse_bare_words(reader, refused, tmp_path):
    if reason := absent(reader):
        pytest.skip(reason)
    forms = [form for form in FORMS if reader != "zarr-2" or form.endswith("2")]
    requests, told = [], {}
    for number, form in enumerate(forms):
        (tmp_path / str(number)).mkdir()
        store, notices = write(form, tmp_path / str(number))
        assert not any(reader in notice for notice in notices)  # it was not requested
        told[form] = any("as text" not in line for line in checked(store, reader))
        version: Version = 3 if form.endswith("3") else 2
        requests.append(Request(store, version))
    answers = dict(zip(forms, ask(reader, requests), strict=True))
    found = tuple(form for form in forms if "error" in answers[form]["arrays"]["/v"])
    assert found == refused
    assert tuple(form for form in forms if told[form]) == refused


@pytest.mark.parametrize("reader", ["tensorstore", "zarrita"])
def test_documents_for_strict_readers_are_valid_json(reader, tmp_path):
    done, _ = run_ncz(
        "gen", "-", "-o", str(tmp_path / "x.zarr"), "--for", f"{reader}", "--zarr-format", "3",
        stdin=CDL.encode(),
    )  # fmt: skip
    assert done.code == 0, done.error
    assert "NaN" in (tmp_path / "x.zarr/zarr.json").read_text()
    assert '"NaN"' in (tmp_path / "x.zarr/zarr.json").read_text()
    assert ": NaN" not in (tmp_path / "x.zarr/zarr.json").read_text()
