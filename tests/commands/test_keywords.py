"""Keyword arguments of functions: their groups, descriptions and values."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import ncz
from ncz.commands.keywords import annotations_of, choices_of, descriptions_of
from ncz.errors import ignore_notice

FUNCTIONS = [f for name in ncz.__all__ if inspect.isfunction(f := getattr(ncz, name))]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_argument_has_a_description(function):
    documented = {name.lstrip("*") for name in descriptions_of(function)}
    named = inspect.signature(function).parameters
    assert {*annotations_of(function), *named} <= documented


@pytest.mark.parametrize("function", [ncz.copy, ncz.gen, ncz.aggregate])
def test_a_keyword_that_does_not_exist(function):
    wrong: dict[str, Any] = {"overwrit": True}
    name = function.__name__
    with pytest.raises(
        TypeError, match=rf"^{name}\(\) got .* 'overwrit'; did you mean 'overwrite'"
    ):
        function("a.zarr", "b.zarr", **wrong)


def test_a_text_that_is_not_one_of_several():
    wrong: dict[str, Any] = {"overlap": "all"}
    with pytest.raises(ncz.NczError, match=r"^overlap cannot be 'all'; choose 'first', 'last'"):
        ncz.copy(["a.zarr", "b.zarr"], "c.zarr", concat="t", **wrong)


def test_the_texts_of_a_literal():
    assert choices_of("Literal['.', \"/\"] | None") == (".", "/")
    assert choices_of("int | None") == ()


def test_concat_passes_on_its_keywords(tmp_path):
    head = "dimensions: t = 1 ; variables: int t(t) ; double x ;"
    for name, t, x in (("a", 0, 1.0), ("b", 1, 1.25)):
        text = f"netcdf {name} {{ {head} data: t = {t} ; x = {x} ; }}"
        (tmp_path / f"{name}.cdl").write_text(text)
    sources = [tmp_path / "a.cdl", tmp_path / "b.cdl"]
    with pytest.raises(ncz.NczError, match=r"/x: .* is 1\.25, not 1\.0"):
        ncz.concat(sources, tmp_path / "c.zarr", "t")
    ncz.concat(sources, tmp_path / "c.zarr", "t", tolerance=0.5, notify=ignore_notice)
    assert ncz.open(tmp_path / "c.zarr")["x"][...] == 1
