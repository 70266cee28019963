"""Data that -c, -v and -g choose."""

from __future__ import annotations

import pytest

from ncz.errors import NczError
from ncz.model.tree import Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.text.names import RequestedData, select


def variable(name: str, *dimensions: str) -> Variable:
    return Variable(name=name, type=Atomic.INT, dimensions=dimensions)


INNER = Group(name="g", variables=(variable("v"), variable("x", "/y")))
ROOT = Group(
    dimensions=(Dimension(name="x", size=1), Dimension(name="y", size=1)),
    variables=(variable("v"), variable("y", "/y"), variable("x", "/x", "/y")),
    groups=(
        Group(name="g", groups=(INNER,), variables=(variable("v"),)),
        Group(name="ag", variables=(variable("v"),)),
    ),
)


def chosen(**wanted):
    return select(ROOT, RequestedData(**wanted))


def test_all_by_default():
    assert chosen().variables is None
    assert chosen().groups is None
    assert chosen().has_group("/g")
    assert chosen().has_variable("/v")


def test_a_coordinate_variable_has_the_name_of_any_visible_dimension():
    assert chosen(coordinates=True).variables == {"/y", "/g/g/x"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("v", {"/v", "/g/v", "/g/g/v", "/ag/v"}),
        ("g/v", {"/g/v", "/g/g/v"}),
        ("/g/v", {"/g/v"}),
        ("/v", {"/v"}),
        ("g/g/v", {"/g/g/v"}),
    ],
)
def test_variables(name, found):
    assert chosen(variables=(name,)).variables == found


@pytest.mark.parametrize(
    ("name", "found"),
    [("/", {""}), ("", {""}), ("g", {"/g", "/g/g"}), ("/g", {"/g"}), ("/g/g", {"/g/g"})],
)
def test_groups(name, found):
    assert chosen(groups=(name,)).groups == found


def test_lists_add_up():
    assert chosen(groups=("ag", "/")).groups == {"", "/ag"}
    assert chosen(variables=("/v", "y")).variables == {"/v", "/y"}


@pytest.mark.parametrize("name", ["nope", "/g/nope", "", "v/", "ag/g"])
def test_missing_names_are_an_error(name):
    with pytest.raises(NczError, match="no such variable"):
        chosen(variables=("v", name))


def test_a_group_that_is_not_there_is_an_error():
    with pytest.raises(NczError, match="nog: no such group"):
        chosen(groups=("nog",))
