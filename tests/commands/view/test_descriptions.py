"""The description of variables on a page, besides their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.sources import open_any
from ncz.commands.view.descriptions import Descriptions
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.request import Request, StaleRequest
from ncz.errors import NO_CALLBACKS
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import location_of

CDL = """netcdf s { dimensions: y = 2 ; x = 3 ; n = 4 ; variables: double y_bnds(y, n) ;
float v(y, x) ; v:units = "K" ; v:long_name = "heat" ; v:bounds = "y_bnds" ; v:_FillValue = -1.f ;
char c(y, n) ; int k ; :title = "whole" ;
data: v = 1, 2, 3, 4, 5, _ ; c = "ab", "cd" ; k = 7 ;
group: g { variables: short w(x) ; :note = "inner" ; data: w = 1, 2, 3 ; } }"""


@pytest.fixture
def described(tmp_path: Path) -> Iterator[Callable[..., Descriptions]]:
    """Return a function that opens the dataset, and returns its descriptions."""
    (tmp_path / "s.cdl").write_text(CDL)
    with ExitStack() as stack:
        dataset = stack.enter_context(open_any(location_of(tmp_path / "s.cdl"), NO_CALLBACKS))
        pool = stack.enter_context(ThreadPool(1 << 20, 1))
        yield lambda **given: Explorer(dataset, pool, **given).descriptions


def numbers(descriptions: Descriptions) -> dict[str, int]:
    return {each["path"]: each["number"] for each in descriptions.overview()["variables"]}


def test_bounds_are_not_listed(described):
    listed = {each["path"]: each for each in described().overview()["variables"]}
    assert set(listed) == {"v", "c", "k", "g/w"}
    assert listed["v"]["title"] == "heat"
    assert (listed["v"]["dimensions"], listed["v"]["shape"]) == (["y", "x"], [2, 3])
    assert (listed["g/w"]["group"], listed["g/w"]["name"]) == ("g", "w")


@pytest.mark.parametrize(("variable", "path"), [(None, "v"), ("c", "c"), ("/g/w", "g/w")])
def test_the_variable_that_is_shown_first(described, variable, path):
    descriptions = described()
    assert descriptions.overview(variable)["first"] == numbers(descriptions)[path]


def test_a_variable_that_is_missing_cannot_be_first(described):
    with pytest.raises(OptionError, match="no variable is named 'none'"):
        described().overview("none")


@pytest.mark.parametrize(
    ("path", "axes", "shown", "is_text"),
    [
        ("v", (), (0, 1), False),
        ("v", ("y", "x"), (1, 0), False),
        ("c", (), (None, 0), True),
        ("k", (), (None, None), False),
    ],
)
def test_axes_to_begin_with(described, path, axes, shown, is_text):
    descriptions = described()
    answer = descriptions.description(Request(variable=numbers(descriptions)[path]), axes)
    assert ((answer["y"], answer["x"]), answer["isText"]) == (shown, is_text)


def test_attributes_of_the_groups_above(described):
    descriptions = described()

    def rows(path: str) -> Any:
        return descriptions.description(Request(variable=numbers(descriptions)[path]))

    inner, outer = rows("g/w"), rows("v")
    assert "inner" in str(inner["groupAttributes"])
    assert "whole" in str(inner["rootAttributes"])
    assert "whole" in str(outer["groupAttributes"])
    assert outer["rootAttributes"] == []


def test_statistics_of_values_that_are_not_missing(described):
    descriptions = described()
    at = numbers(descriptions)
    answer = descriptions.statistics(Request(variable=at["v"]))
    assert answer["range"] == [1, 5]
    assert sum(answer["histogram"]) == 5
    assert descriptions.statistics(Request(variable=at["c"])) == {"rows": []}
    with pytest.raises(StaleRequest):
        descriptions.statistics(Request(variable=at["v"]), lambda: True)


@pytest.mark.parametrize(
    ("limit", "asked", "reads"), [(24, None, True), (23, None, False), (1, 24, True)]
)
def test_statistics_read_no_more_than_the_limit(described, limit, asked, reads):
    descriptions = described(limit=limit)
    request = Request(variable=numbers(descriptions)["v"], limit=asked)
    assert ("tooLarge" not in descriptions.statistics(request)) == reads


def test_the_header(described):
    answer = described().header(Request())
    assert answer["isWhole"]
    assert "float v(y, x) ;" in answer["text"]
    assert "data:" not in answer["text"]
