"""Variables whose dimensions are in another order."""

from __future__ import annotations

import pytest

from ncz.commands.copy.transposition import transpose
from ncz.commands.option_error import OptionError
from ncz.model.data import read_all
from ncz.model.tree import Variable, variables_by_fqn
from tests.test_round_trip import parsed

DATASET = parsed(
    b"""netcdf d { dimensions: t = 2 ; y = 3 ; x = 1 ;
    variables: int v(t, y, x) ; v:_ChunkSizes = 2, 3, 1 ; int w(y, t) ; int u(y) ; int s ;
    data: v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3, 4, 5, 6 ; }"""
)


def variables(*names: str) -> dict[str, Variable]:
    return dict(variables_by_fqn(transpose(DATASET, names).root))


def test_named_dimensions_change_places_among_themselves():
    found = variables("x", "t")
    v = found["/v"]
    assert v.dimensions == ("/x", "/y", "/t")
    assert v.storage.chunks == (1, 3, 2)
    assert v.data is not None
    assert read_all(v.data).tolist() == [[[1, 4], [2, 5], [3, 6]]]


def test_variables_in_order_do_not_change():
    before = dict(variables_by_fqn(DATASET.root))
    found = variables("t", "y", "x")
    assert found["/v"] is before["/v"]
    assert found["/w"].dimensions == ("/t", "/y")
    assert found["/u"] is before["/u"]
    assert found["/s"] is before["/s"]


def test_dimensions_that_a_variable_lacks_do_not_matter():
    assert variables("t", "x", "y")["/w"].dimensions == ("/t", "/y")


@pytest.mark.parametrize(
    ("names", "message"),
    [(("t", "z"), "no dimension is named 'z'"), (("t", "y", "t"), "'t' is given twice")],
)
def test_a_wrong_name_is_refused(names: tuple[str, ...], message: str):
    with pytest.raises(OptionError, match=f"{message}; correct --transpose"):
        variables(*names)
