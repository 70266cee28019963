"""Which files may be in a wheel and in an sdist, as ``make release-check`` tests the built ones."""

from __future__ import annotations

import pytest

from tools.release_check import SDIST, WHEEL, unexpected


@pytest.mark.parametrize(
    "name",
    ["ncz/api.py", "ncz/cdl/parse/grammar.lark", "ncz/py.typed", "ncz-0.1.0.dist-info/METADATA"],
)
def test_a_wheel_holds_the_package(name):
    assert unexpected([name], WHEEL) == []


@pytest.mark.parametrize(
    "name",
    ["tests/test_api.py", "ncz/__pycache__/api.pyc", "ncz/notes.txt", "other/api.py", "ncz/x.whl"],
)
def test_a_wheel_holds_nothing_else(name):
    assert unexpected([name], WHEEL) == [name]


@pytest.mark.parametrize(
    "name", ["src/ncz/api.py", "tests/golden/README", "docs/design.md", "LICENSE", "PKG-INFO"]
)
def test_an_sdist_holds_the_sources(name):
    assert unexpected([f"ncz-0.1.0/{name}"], SDIST) == []


@pytest.mark.parametrize(
    "name", ["numpy.whl", ".venv/bin/python", "demo/weather.zip", "src/ncz/__pycache__/api.pyc"]
)
def test_an_sdist_holds_nothing_else(name):
    assert unexpected([f"ncz-0.1.0/{name}"], SDIST) == [f"ncz-0.1.0/{name}"]
