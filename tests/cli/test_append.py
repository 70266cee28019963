"""Options that ``--append`` and ``--into`` exclude."""

from __future__ import annotations

import pytest

from tests.conftest import Run


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--append t --into t=0:1 a.nc b.zarr", "--append and --into cannot be used together"),
        (
            "--append t --codec zlib a.nc b.zarr",
            "cannot be used with --append: DST stays",
        ),
        ("--into t=0:1 --chunks t/1 a.nc b.zarr", "cannot be used with --into"),
        ("--append t a.nc -", "--append needs an existing store as DST"),
    ],
)
def test_they_are_refused_before_anything_is_read(run: Run, line: str, message: str):
    ran = run("copy", *line.split())
    assert ran.code == 2
    assert message in ran.stderr


def test_a_plan_names_what_would_be_appended(run: Run, tmp_path):
    text = "netcdf a {{ dimensions: t = UNLIMITED ; variables: double t(t) ; data: t = {} ; }}"
    for name, values in (("a.zarr", "0, 1"), ("b.zarr", "2, 3, 4")):
        stdin = text.format(values).encode()
        assert run("gen", "-q", "-", "-o", tmp_path / name, stdin=stdin).code == 0
    ran = run("copy", "--dry-run", "--append", "t", tmp_path / "b.zarr", tmp_path / "a.zarr")
    assert ran.code == 0
    assert "/t" in ran.text
    assert "2" in ran.text
    assert "5" in ran.text
    assert len(run("dump", "-v", "t", tmp_path / "a.zarr").text.split("t = 0, 1 ;")) == 2
