"""Options of a copy that cannot be used together."""

from __future__ import annotations

import pytest

import ncz
from ncz.commands.copy.exclusive import refuse_exclusive
from ncz.commands.option_error import OptionError
from ncz.errors import in_python
from tests.conftest import Run


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"append": "t", "into": "auto"}, "append and into"),
        ({"preserve_time": True, "append": "t"}, "preserve_time=True and append"),
        ({"prefix": "s3://b/", "into": "auto"}, "prefix and into"),
        ({"each": True, "add": True}, "each=True and add=True"),
        ({"each": True, "new_dimension": "m"}, "each=True and new_dimension"),
        ({"concat": "t", "new_dimension": "m"}, "concat and new_dimension"),
        ({"digest": True, "add": True}, "digest=True and add=True"),
        ({"dask": "tcp://h:1", "resume": True}, "dask and resume=True"),
        ({"max_piece": 1, "pieces": {"t": 1}}, "max_piece and pieces"),
    ],
)
def test_both_are_named(values, message):
    with pytest.raises(OptionError) as error:
        refuse_exclusive(values)
    assert in_python(error.value.message) == f"{message} cannot be used together"
    for name in values:
        refuse_exclusive({name: values[name]})


def test_options_that_are_not_given_exclude_nothing():
    refuse_exclusive({"append": "t", "into": None, "verbatim": False, "split": None, "add": False})
    refuse_exclusive({"dask": "tcp://h:1", "resume": False})


@pytest.mark.parametrize("line", ["--concat t --new-dimension m a b c", "--each --add a b"])
def test_the_command_line_refuses_them_before_it_reads(run: Run, line: str):
    ran = run("copy", *line.split())
    assert ran.code == 2
    assert "cannot be used together" in ran.stderr


def test_python_refuses_them():
    with pytest.raises(ncz.NczError, match="concat and new_dimension cannot be used together"):
        ncz.copy(["a.nc", "b.nc"], "c.zarr", concat="t", new_dimension="m")
