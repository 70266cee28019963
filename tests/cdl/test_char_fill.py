"""The mask of chars in CDL: every byte comes back from a dump, and NUL is an empty text."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import CdlError, ignore_notice

TEXT = (
    'netcdf a {{ dimensions: n = 3 ; variables: char c(n) ; c:_FillValue = {} ; data: c = "ab" ; }}'
)


@pytest.mark.parametrize("target", ["a.zarr", "a.zarr#mode=zarr,v3", "a.nc"])
def test_each_byte_comes_back(tmp_path, monkeypatch, target):
    monkeypatch.chdir(tmp_path)
    variables = (f"char c{n}(n) ; c{n}:_FillValue = '\\{n:03o}' ;" for n in range(256))
    data = (f'c{n} = "ab" ;' for n in range(256))
    declared, given = " ".join(variables), " ".join(data)
    text = f"netcdf a {{ dimensions: n = 3 ; variables: {declared} data: {given} }}"
    ncz.gen(io.BytesIO(text.encode()), target, notify=ignore_notice)
    dumped = ncz.dump(target.partition("#")[0])
    ncz.gen(io.BytesIO(dumped.encode()), "again.zarr", notify=ignore_notice)
    with ncz.open("again.zarr") as found:
        for n in range(256):
            assert found[f"c{n}"][2:].tobytes() == bytes([n]), dumped


@pytest.mark.parametrize("value", ['"ab"', '"", ""', "'a', 'b'"])
def test_one_char_is_needed(tmp_path, value):
    with pytest.raises(CdlError, match="_FillValue needs exactly one char"):
        ncz.gen(io.BytesIO(TEXT.format(value).encode()), tmp_path / "a.zarr", notify=ignore_notice)
