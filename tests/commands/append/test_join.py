"""The dimension along which a store becomes longer."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.append.join import axes_along
from ncz.commands.joining.error import JoinError

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 2 ;
variables: int v(x, t) ; int t(t) ; int w(x) ; int twice(x, x) ;
group: g { dimensions: t = UNLIMITED ; variables: int u(t) ; }
}"""
DATASET = read_cdl(CDL, source="s")


@pytest.mark.parametrize(
    ("dimension", "axes"),
    [("t", {"/v": 1, "/t": 0, "/g/u": 0}), ("/t", {"/v": 1, "/t": 0}), ("/g/t", {"/g/u": 0})],
)
def test_axes(dimension, axes):
    assert axes_along(DATASET, dimension, "s.zarr") == axes


@pytest.mark.parametrize(
    ("dimension", "message"),
    [("absent", "absent"), ("x", "/twice has the dimension x twice")],
)
def test_errors(dimension, message):
    with pytest.raises(JoinError, match=message):
        axes_along(DATASET, dimension, "s.zarr")
