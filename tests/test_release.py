"""Contents of a wheel and an sdist, and the lowest versions that the tests run with."""

from __future__ import annotations

import json
import re
import tomllib

import pytest

import ncz
from tests.conftest import ROOT
from tools.lowest import dependencies, pins
from tools.release_check import SDIST, WHEEL, unexpected


@pytest.mark.parametrize(
    "name",
    [
        "ncz/api.py",
        "ncz/py.typed",
        "ncz/version.txt",
        "ncz/cli/programs/habits.txt",
        "ncz/cli/programs/cdo_operators.txt",
        "ncz-0.1.0.dist-info/METADATA",
    ],
)
def test_a_wheel_contains_the_package(name):
    assert unexpected([name], WHEEL) == []


@pytest.mark.parametrize(
    "name",
    ["tests/test_api.py", "ncz/__pycache__/api.pyc", "ncz/notes.txt", "other/api.py", "ncz/x.whl"],
)
def test_a_wheel_contains_nothing_else(name):
    assert unexpected([name], WHEEL) == [name]


@pytest.mark.parametrize(
    "name",
    ["src/ncz/api.py", "tests/golden/README", "docs/development/design.md", "LICENSE", "PKG-INFO"],
)
def test_an_sdist_contains_the_sources(name):
    assert unexpected([f"ncz-0.1.0/{name}"], SDIST) == []


@pytest.mark.parametrize(
    "name", ["numpy.whl", ".venv/bin/python", "demo/weather.zip", "src/ncz/__pycache__/api.pyc"]
)
def test_an_sdist_contains_nothing_else(name):
    assert unexpected([f"ncz-0.1.0/{name}"], SDIST) == [f"ncz-0.1.0/{name}"]


def test_the_lowest_versions_are_the_bounds_of_direct_dependencies():
    names = dependencies((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert {"numpy", "isal", "distributed"} <= names
    resolved = "# by uv\nnumpy==1.26.0\nyarl==1.2\nisal==1.7.1 ; python_version > '3'\n"
    assert pins(resolved, names) == ["numpy==1.26.0", "isal==1.7.1"]


CONDA_NAMES = {"isal": "python-isal"}
"""Packages that conda-forge has under another name."""


def test_the_conda_recipe_has_the_same_requirements():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, built_with = settings["project"], settings["build-system"]["requires"]
    recipe = (ROOT / "tools" / "conda" / "meta.yaml").read_text(encoding="utf-8")
    sections = re.findall(r"^  (\w+):\n((?:    - .*\n)+)", recipe, re.MULTILINE)
    lists = {name: set(re.findall(r"- (.*)", body)) for name, body in sections}

    def as_conda(requirement: str) -> str:
        name, sign, version = requirement.partition(">=")
        return f"{CONDA_NAMES.get(name, name)} {sign}{version}"

    python = f"python {project['requires-python']}"
    assert lists["host"] >= set(map(as_conda, built_with))
    assert lists["run"] == {python, *map(as_conda, project["dependencies"])}
    extras = {as_conda(d) for each in project["optional-dependencies"].values() for d in each}
    assert lists["run_constrained"] == extras
    assert lists["entry_points"] == {f"{n} = {e}" for n, e in project["scripts"].items()}


def test_a_public_forge_runs_every_supported_python():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"python: (\[.*\])", workflow)
    pythons = json.loads(matrix)
    assert f">={pythons[0]}" == project["requires-python"]
    for system in ("ubuntu", "macos", "windows"):
        assert f"{system}-latest" in workflow


def test_a_public_forge_keeps_the_screenshots_of_the_tests():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (folder,) = re.findall(r"NCZ_SCREENSHOTS:-\$PWD/([\w/]+)", script)
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.search(rf"upload-artifact.*\n.*always.*\n.*path: {folder},", workflow)


def test_the_limits_of_steps_are_below_the_limit_of_the_job():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (complete, *_) = map(int, re.findall(r"timeout-minutes: (\d+)", workflow))
    total = sum(map(int, re.findall(r"^step (\d+) ", script, re.MULTILINE)))
    assert total <= 80 * 60 < 60 * complete


def test_actions_are_pinned_to_commits():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action in re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action), (path.name, action)


def test_every_dependency_has_a_lower_bound():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [name for name in project["dependencies"] if ">=" not in name] == []


def test_the_version_matches_the_package():
    from ncz._version import __version__

    assert ncz.__version__ == __version__
