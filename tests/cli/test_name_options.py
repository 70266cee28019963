"""Options for other names and attributes."""

from __future__ import annotations

from ncz.cli.name_options import name_options
from tests.conftest import Run

CDL = b'netcdf n { variables: int a ; a:units = "K" ; data: a = 1 ; }'


def test_the_short_help_of_a_command_has_them_if_they_are_common(run: Run):
    assert {each.common for each in name_options(common=True).values()} == {True}
    assert {each.common for each in name_options(common=False).values()} == {False}
    assert "--rename OLD=NEW" in run("edit", "--help").text
    assert "--rename" not in run("copy", "--help").text
    assert "--rename OLD=NEW" in run("copy", "--help-all").text


def test_they_are_repeated_and_applied_in_a_dataset_and_in_its_copy(run: Run, tmp_path):
    store = tmp_path / "n.zarr"
    assert run("gen", "-", "-o", store, stdin=CDL).code == 0
    options = ("--rename", "a=b", "--set", 'b:units = "m"', "--set", ":title = 5s")
    copy = tmp_path / "c.zarr"
    assert run("copy", "-q", *options, store, copy).code == 0
    assert run("edit", "-q", *options, store).code == 0
    for path in (store, copy):
        text = run("dump", path).text
        assert 'b:units = "m" ;' in text
        assert ":title = 5s ;" in text
