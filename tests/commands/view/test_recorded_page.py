"""The page that `ncz view --html` writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

pytest.importorskip("tornado", reason="tornado is not installed")

from tests.commands.view.test_server import kinds as kinds
from tests.commands.view.test_server import unpacked


def answers_of(path: Path) -> dict[str, Any]:
    match = re.search(
        r'<script id="answers" type="application/json">(.*)</script>', path.read_text()
    )
    assert match is not None
    found: dict[str, Any] = json.loads(match[1])
    return found


def test_the_answers_match_the_server(kinds, tmp_path):
    from base64 import b64decode

    page = tmp_path / "t.html"
    ncz.view(kinds, "t", html=page, isel={"time": 1})
    answers = answers_of(page)
    assert [each["path"] for each in answers["dataset"]["variables"]] == ["t"]
    assert answers["dataset"]["first"] == answers["variable"]["number"]
    picture, values = unpacked(b64decode(answers["picture"]))
    assert values is not None
    with ncz.open(kinds) as dataset:
        assert values.tolist() == (dataset["t"][1] * 0.5).tolist()
    assert picture["at"] == ["2026-01-02", "", ""]


def test_a_page_has_few_values(tmp_path):
    from base64 import b64decode

    (tmp_path / "w.cdl").write_text(
        "netcdf w { dimensions: y = 700 ; x = 3000 ; variables: byte v(y, x) ; data: v = 0 ; }"
    )
    ncz.gen(tmp_path / "w.cdl", tmp_path / "w.zarr", notify=ignore_notice)
    ncz.view(tmp_path / "w.zarr", html=tmp_path / "w.html")
    picture, values = unpacked(b64decode(answers_of(tmp_path / "w.html")["picture"]))
    assert values is not None
    assert values.shape == (350, 1000)
    assert (picture["x"]["step"], picture["y"]["step"]) == (3, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["later"], "it has no values"),
        (["remark"], "its values are not numbers"),
        (["t", "--axes", "depth"], "the variable has no dimension 'depth'"),
        (["t", "--memory", "10"], "of chunks, more than 10 B; use --memory 1MiB"),
        (["t", "--range", "low"], "--range 'low' is not valid"),
    ],
)
def test_variables_without_a_picture_have_no_page(run: Run, kinds, tmp_path, arguments, message):
    ran = run("view", kinds, *arguments, "--html", tmp_path / "x.html")
    assert ran.code in (1, 2)
    assert message in ran.stderr
    assert not (tmp_path / "x.html").exists()


def test_a_page_replaces_a_picture_and_nothing_else(run: Run, kinds, tmp_path):
    page = tmp_path / "x.html"
    page.write_text("<!DOCTYPE html>\n<!-- a picture by ncz -->\n<html>")
    assert run("view", kinds, "t", "--html", page).code == 0
    assert answers_of(page)
    page.write_text("<!DOCTYPE html>\n<p>mine")
    ran = run("view", kinds, "t", "--html", page)
    assert (ran.code, "already exists" in ran.stderr) == (1, True)
    assert page.read_text() == "<!DOCTYPE html>\n<p>mine"
