"""Options about differences between datasets that are joined."""

from __future__ import annotations

import pytest

from ncz.cli.joining_options import AGREEMENT, JOINING
from tests.conftest import Run


def test_copies_have_the_options_of_aggregations_and_of_values():
    assert [*AGREEMENT] == ["attributes", "unpack", "tolerance", "overlap"]
    assert {*JOINING} - {*AGREEMENT} == {"repack", "headroom", "sort"}


@pytest.mark.parametrize("command", ["copy", "aggregate"])
def test_a_wrong_rule_or_number_is_refused_with_the_valid_ones(run: Run, command: str):
    for option, value, message in (
        ("--overlap", "middle", "'middle' is not one of 'first', 'last'"),
        ("--attributes", "some", "'some' is not one of"),
        ("--tolerance", "-1", "-1"),
        ("--tolerance", "x", "'x' is not a valid"),
    ):
        ran = run(command, option, value, "a.nc", "b.nc", "c.nc")
        assert ran.code == 2
        assert message in ran.stderr
