"""`ncz.gen`: stores and files from text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.errors import CdlError, StoreExists, ignore_notice

CDL = b"netcdf g { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"


@pytest.mark.parametrize("name", ["a.zarr", "a.nc", "a.zip"])
def test_the_suffix_chooses_the_format(tmp_path: Path, name: str):
    modes = "zip" if name.endswith(".zip") else ()
    ncz.gen(io.BytesIO(CDL), tmp_path / name, modes=modes, notify=ignore_notice)
    with ncz.open(tmp_path / name) as ds:
        assert ds["v"][:].tolist() == [1, 2]


def test_a_text_can_only_be_checked():
    ncz.gen(io.BytesIO(CDL), None)
    with pytest.raises(CdlError, match="1:"):
        ncz.gen(io.BytesIO(b"netcdf g { variables: int v(x) ; }"), None)


def test_a_target_is_replaced_only_on_request(tmp_path: Path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "a.zarr", notify=ignore_notice)
    other = CDL.replace(b"1, 2", b"3, 4")
    with pytest.raises(StoreExists):
        ncz.gen(io.BytesIO(other), tmp_path / "a.zarr", notify=ignore_notice)
    ncz.gen(io.BytesIO(other), tmp_path / "a.zarr", overwrite=True, notify=ignore_notice)
    with ncz.open(tmp_path / "a.zarr") as ds:
        assert ds["v"][:].tolist() == [3, 4]


def test_an_error_leaves_no_target(tmp_path: Path):
    with pytest.raises(CdlError):
        ncz.gen(io.BytesIO(CDL.replace(b"1, 2", b"1, x")), tmp_path / "a.zarr")
    assert not (tmp_path / "a.zarr").exists()


def test_data_can_be_left_out(tmp_path: Path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "a.zarr", header_only=True, notify=ignore_notice)
    assert not (tmp_path / "a.zarr" / "v" / "0").exists()
