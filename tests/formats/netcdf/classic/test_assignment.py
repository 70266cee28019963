"""Values that are written into a classic file."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import FormatError, ignore_notice
from ncz.formats.netcdf.classic.assignment import write_classic

CDL = b"""netcdf c { dimensions: t = UNLIMITED ; x = 3 ; variables: short r(t, x) ; int s(t) ;
 double v(x) ; int scalar ; data: r = 1, 2, 3, 4, 5, 6 ; s = 7, 8 ; v = 1, 2, 3 ; scalar = 5 ; }"""


@pytest.fixture(params=["classic", "64-bit offset", "cdf5"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    ncz.gen(io.BytesIO(CDL), tmp_path / "c.nc", kind=request.param, notify=ignore_notice)
    return tmp_path / "c.nc"


def write(path: Path, fqn: str, values: object, *positions: list[int]) -> None:
    places = [np.array(each) for each in positions]
    write_classic(str(path), fqn, places, np.asarray(values), "c.nc")


def test_only_the_chosen_values_change(path: Path):
    write(path, "/r", [[-1], [-2]], [0, 1], [2])
    write(path, "/v", [9.5], [1])
    write(path, "/scalar", 6)
    with ncz.open(path) as ds:
        assert ds["r"][:].tolist() == [[1, 2, -1], [4, 5, -2]]
        assert ds["s"][:].tolist() == [7, 8]
        assert ds["v"][:].tolist() == [1, 9.5, 3]
        assert ds["scalar"][...] == 6


def test_a_truncated_file_is_not_changed(path: Path):
    data = path.read_bytes()
    path.write_bytes(data[:-4])
    with pytest.raises(FormatError, match="the file is truncated"):
        write(path, "/s", [1], [1])
    assert len(path.read_bytes()) == len(data) - 4
