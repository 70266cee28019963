"""Some variables of a dataset, and the variables that they need."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.subsets.variables import has_match, notice_of_omissions, with_variables
from ncz.errors import Notice
from ncz.model.tree import Group, variables_by_fqn, walk

CDL = b"""netcdf s { dimensions: x = 2 ; y = 2 ;
variables: float x(x) ; float tas(x) ; tas:coordinates = "lat" ; float lat(x) ; float pr(y) ;
group: g { variables: float tas(x) ; float other(x) ; }
group: empty { }
}"""
DATASET = read_cdl(CDL, source="s")


def chosen(globs: list[str], excluded: list[str] = []) -> tuple[set[str], list[Notice]]:  # noqa: B006
    notices: list[Notice] = []
    found = with_variables(DATASET, globs, excluded, notices.append)
    return {fqn for fqn, _ in variables_by_fqn(found.root)}, notices


@pytest.mark.parametrize(
    ("globs", "excluded", "variables"),
    [
        (["tas"], [], {"/tas", "/x", "/lat", "/g/tas"}),
        (["/tas"], [], {"/tas", "/x", "/lat"}),
        (["/g/t*"], [], {"/g/tas", "/x"}),
        (["o*"], [], {"/g/other", "/x"}),
        ([], ["tas"], {"/x", "/lat", "/pr", "/g/other"}),
        (["*"], ["/g/*"], {"/x", "/lat", "/pr", "/tas"}),
    ],
)
def test_globs(globs, excluded, variables):
    found, notices = chosen(globs, excluded)
    assert (found, notices) == (variables, [])


def test_variables_that_others_need_stay():
    found, (notice,) = chosen([], ["lat", "pr"])
    assert "/lat" in found
    assert notice.message.startswith("/lat stays, because others need it: /tas")


def test_groups_and_dimensions_that_are_not_needed_are_left_out():
    found = with_variables(DATASET, ["pr"], [], lambda _: None).root
    assert [d.name for d in found.dimensions] == ["y"]
    assert [fqn for fqn, _ in walk(found)] == [""]


def test_errors():
    with pytest.raises(UnknownName, match="no variable matches 'tos'"):
        chosen(["tos"])
    with pytest.raises(UnknownName, match="an attribute has this name"):
        chosen([], ["coordinates"])
    with pytest.raises(OptionError, match="leaves no variable"):
        chosen(["pr"], ["*"])
    assert has_match(DATASET.root, "ot*")
    assert not has_match(DATASET.root, "/ot*")


def test_a_copy_that_leaves_something():
    def only(*names: str) -> Group:
        from ncz.record import replace

        variables = tuple(v for v in DATASET.root.variables if v.name in names)
        return replace(DATASET.root, variables=variables, groups=())

    assert notice_of_omissions(DATASET.root, only("x", "tas", "lat")) is None
    left = notice_of_omissions(DATASET.root, only("tas", "lat"))
    assert left is not None
    assert left.message == "the copy leaves out /x, which other variables refer to"
