"""Descriptions of datasets and variables."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.description import VariableInfo, VariableInfos
from ncz.model.tree import Attribute
from ncz.model.types import Atomic


def info(path: str = "/g/v", **more: Any) -> VariableInfo:
    members: dict[str, Any] = {
        "path": path, "type": "int", "dtype": "<i4", "dimensions": ("/time", "/g/x"),
        "shape": (4, 3), "chunks": (2, 3), "shards": None, "codecs": ("zlib",), "unpacked": 48,
    }  # fmt: skip
    return VariableInfo(**{**members, **more})


def test_a_variable_is_shown_with_its_dimensions_and_size():
    assert info().shape_text == "(time: 4, x: 3)"
    assert repr(info()) == "<ncz.VariableInfo /g/v (time: 4, x: 3) int, 48 B>"
    assert info(unpacked=None).size_text == "of variable size"
    assert info(dimensions=(), shape=()).shape_text == "()"


def test_the_ratio_is_known_if_both_sizes_are():
    assert info(stored=12).ratio == 4
    assert info(stored=0).ratio is None
    assert info().ratio is None
    assert info(stored=12, unpacked=None).ratio is None


def test_attributes_are_texts():
    units = Attribute(name="units", type=Atomic.CHAR, values=("K",))
    assert info(attributes=(units,)).text("units") == "K"
    assert info().text("units") == ""


def test_variables_are_found_by_place_path_and_name():
    inner, outer = info("/g/v"), info("/v")
    found = VariableInfos((inner, outer))
    assert found[0] is inner
    assert found["v"] is found["/v"] is outer
    assert found["g/v"] is inner
    assert found[:1] == (inner,)
    assert VariableInfos((inner,))["v"] is inner
    with pytest.raises(KeyError, match="no variable is named 'w'"):
        found["w"]
