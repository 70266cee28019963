"""The docstrings of public functions: their sections, and their examples."""

from __future__ import annotations

import doctest
import inspect
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from tests.conftest import ROOT


def _public() -> Iterator[tuple[str, Any]]:
    """Yield the functions of ncz, and its classes with their methods, by name."""
    for name in ncz.__all__:
        found = getattr(ncz, name)
        if inspect.isfunction(found):
            yield name, found
        elif name in ("Dataset", "Group", "Variable"):
            yield name, found
            for method, function in vars(found).items():
                if not method.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{method}", function


PUBLIC = dict(_public())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a folder that has ``weather.cdl``, and a store that was made of it."""
    shutil.copy(ROOT / "cdl_examples" / "weather.cdl", tmp_path)
    monkeypatch.chdir(tmp_path)
    ncz.gen("weather.cdl", "weather.zarr")


@pytest.mark.skipif(np.__version__ < "2", reason="the examples show numbers as numpy 2 does")
@pytest.mark.filterwarnings("ignore::ncz.NczWarning")
@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_have_the_shown_results(name: str, folder: None) -> None:
    if name == "Group.to_xarray":
        pytest.importorskip("xarray", reason="xarray is not installed (ncz[xarray])")
    if name == "serve":
        pytest.importorskip("tornado", reason="tornado is not installed (ncz[serve])")
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(PUBLIC[name]) or "", {"ncz": ncz}, name, None, None
    )
    done = doctest.DocTestRunner().run(test)
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize("name", [n for n, f in PUBLIC.items() if inspect.isfunction(f)])
def test_arguments_and_results_are_described(name: str) -> None:
    function = PUBLIC[name]
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    arguments = [p for p in signature.parameters.values() if p.name != "self"]
    lines = text.split("\n")
    sections = {line for line, rule in itertools.pairwise(lines) if set(rule) == {"-"}}
    assert not arguments or {"Parameters", "Raises"} <= sections
    assert signature.return_annotation == "None" or "Returns" in sections
    entries = {
        each.lstrip("*") for line in lines if not line.startswith(" ") for each in line.split(", ")
    }
    assert {p.name for p in arguments} <= entries
