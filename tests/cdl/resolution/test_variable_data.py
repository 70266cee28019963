"""Data lists and the lengths of unlimited dimensions."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import CdlError
from ncz.model.data import read_all
from ncz.model.tree import Dataset, dimensions_by_fqn, variables_by_fqn


def dataset(text: str) -> Dataset:
    return read_cdl(f"netcdf s {{ {text} }}".encode(), source="s")


@pytest.mark.parametrize(
    ("variables", "data", "lengths", "values"),
    [
        ("int v(t) ;", "v = 1, 2, 3 ;", {"/t": 3}, [1, 2, 3]),
        ("int v(t, x) ;", "v = 1, 2, 3 ;", {"/t": 2}, [[1, 2], [3, -2147483647]]),
        ("int v(x, u) ;", "v = {1, 2, 3}, {4} ;", {"/u": 3},
         [[1, 2, 3], [4, -2147483647, -2147483647]]),
        ("int v(t) ; int w(t) ;", "v = 1 ; w = 1, 2, 3 ;", {"/t": 3}, [1]),
        ("char v(t, x) ;", 'v = "ab", "c" ;', {"/t": 2}, [[b"a", b"b"], [b"c", b""]]),
        ("int v(x) ; v:_FillValue = -1 ;", "v = 1 ;", {}, [1, -1]),
    ],
)  # fmt: skip
def test_lengths_follow_the_data(variables, data, lengths, values):
    found = dataset(
        f"dimensions: t = UNLIMITED ; u = UNLIMITED ; x = 2 ; variables: {variables} data: {data}"
    )
    sizes = {fqn: d.size for fqn, d in dimensions_by_fqn(found.root).items()}
    assert {fqn: sizes[fqn] for fqn in lengths} == lengths
    source = dict(variables_by_fqn(found.root))["/v"].data
    assert source is not None
    assert read_all(source).tolist()[: len(values)] == values


def test_dates_are_numbers():
    found = dataset(
        'dimensions: t = 2 ; variables: int t(t) ; t:units = "days since 2026-01-01" ;'
        ' data: t = "2026-01-01", "2026-01-03" ;'
    )
    source = found.root.variables[0].data
    assert source is not None
    assert read_all(source).tolist() == [0, 2]


def test_too_many_values():
    with pytest.raises(CdlError, match="too many values: /v holds 2"):
        dataset("dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2, 3 ;")
