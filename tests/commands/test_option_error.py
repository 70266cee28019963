"""Errors of options, and their exit codes."""

from __future__ import annotations

import pytest

from ncz.commands.option_error import OptionError, UnknownName
from ncz.errors import NczError
from tests.conftest import Run


def test_programs_catch_them_as_errors_of_ncz_and_as_value_errors():
    for kind in (OptionError, UnknownName):
        error = kind("no dimension z", "a.nc", "see the header")
        assert isinstance(error, NczError)
        assert isinstance(error, ValueError)
        assert str(error) == "a.nc: no dimension z; see the header"


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--isel", "x=a"], 2), (["--isel", "z=0"], 1), (["--isel", "x=0"], 0)],
)
def test_a_wrong_option_is_known_before_reading_and_a_wrong_name_after(
    run: Run, tmp_path, words: list[str], code: int
):
    text = b"netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    assert run("gen", "-", "-o", tmp_path / "a.zarr", stdin=text).code == 0
    assert run("dump", *words, tmp_path / "a.zarr").code == code
