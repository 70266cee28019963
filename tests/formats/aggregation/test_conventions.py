"""A master adds its convention to the dataset's, which readers get again."""

from __future__ import annotations

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = "netcdf c {{ dimensions: x = 2 ; variables: float v(x) ; {attribute} ; data: v = 1, 2 ; }}"
CASES = [
    ('string :Conventions = "CF-1.8 ACDD-1.3"', "CF-1.8 ACDD-1.3 {}", None),
    (':Conventions = "CF-1.6, ACDD-1.3"', "CF-1.6, ACDD-1.3, {}", None),
    (':Conventions = "CF-1.8\\000"', "CF-1.8 {}", None),
    (':Conventions = "ACDD-1.3"', "ACDD-1.3 {}", "ACDD-1.3 CF-1.13"),
    (':title = "t"', "{}", "CF-1.13"),
]
ALREADY = [':Conventions = "CF-1.13, ACDD-1.3"', 'string :Conventions = "CF-1.13"']


def text(path: str) -> str | None:
    found = ncz.open(path, notify=ignore_notice).attrs.get("Conventions")
    return None if found is None else str(found)


def made(tmp_path, attribute: str) -> str:
    (tmp_path / "c.cdl").write_text(CDL.format(attribute=attribute))
    ncz.gen(tmp_path / "c.cdl", tmp_path / "c.nc", notify=ignore_notice)
    return str(tmp_path / "c.nc")


@pytest.mark.parametrize(("mode", "name"), [("cf", "CF-1.13"), ("cfa", "CFA-0.5")])
@pytest.mark.parametrize(("attribute", "stored", "seen"), CASES)
def test_conventions_are_kept(run: Run, tmp_path, mode, name, attribute, stored, seen):
    source, master = made(tmp_path, attribute), str(tmp_path / "m.nc")
    done = run("copy", "--mode", mode, "--verify", source, master)
    assert (done.code, done.stderr) == (0, "")
    assert run("diff", source, master).text == ""
    assert text(f"{master}#mode=noaggregation") == stored.format(name)
    assert text(master) == (seen if mode == "cf" and seen else text(source))
    is_string = attribute.startswith("string")
    assert ("string :Conventions" in run("dump", "-h", master).text) == is_string


@pytest.mark.parametrize("attribute", ALREADY)
def test_a_convention_that_is_named_already(run: Run, tmp_path, attribute):
    source, master = made(tmp_path, attribute), str(tmp_path / "m.nc")
    assert run("copy", "--mode", "cf", "--verify", source, master).code == 0
    assert run("diff", source, master).text == ""
    assert text(master) == text(f"{master}#mode=noaggregation") == text(source)


def test_other_conventions_are_compared(run: Run, tmp_path):
    master = str(tmp_path / "m.nc")
    source = made(tmp_path, ':Conventions = "CF-1.8 ACDD-1.3"')
    assert run("copy", "--mode", "cf", source, master).code == 0
    (tmp_path / "other").mkdir()
    other = made(tmp_path / "other", ':Conventions = "CF-1.8 ACDD-1.4"')
    assert "attribute Conventions" in run("diff", other, master).text
