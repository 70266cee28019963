"""Names of variables and groups that a user types."""

from __future__ import annotations

import pytest

from ncz.commands.option_error import UnknownName
from ncz.commands.variable_names import chosen_variables, is_in_group, is_named, variables_of_names
from ncz.model.tree import Group, Variable
from ncz.model.types import Atomic

INT = Atomic.INT
ROOT = Group(
    variables=(Variable(name="t", type=INT), Variable(name="u", type=INT)),
    groups=(Group(name="g", variables=(Variable(name="t", type=INT),)),),
)


@pytest.mark.parametrize(
    ("name", "found"), [("t", {"/t", "/g/t"}), ("/t", {"/t"}), ("g/t", {"/g/t"}), ("u", {"/u"})]
)
def test_a_name_without_a_slash_means_any_group(name, found):
    assert variables_of_names(ROOT, [name]) == found


def test_groups_have_all_their_variables():
    assert chosen_variables(ROOT, ["g"], is_in_group) == {"/g/t"}
    assert chosen_variables(ROOT, ["/"], is_in_group) == {"/t", "/u"}
    assert chosen_variables(ROOT, ["u", "g/t"], is_named) == {"/u", "/g/t"}


def test_an_unknown_name_is_an_error_with_a_hint():
    with pytest.raises(UnknownName, match="no variable is named 'tt'; did you mean"):
        variables_of_names(ROOT, ["tt"])
    with pytest.raises(UnknownName, match="no group with variables is named 'h'"):
        chosen_variables(ROOT, ["h"], is_in_group)
