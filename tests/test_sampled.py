"""The combinations of values that tests take."""

from __future__ import annotations

import itertools

from tests.sampled import pairs


def test_each_two_values_of_two_arguments_meet():
    values = ("ab", range(5), (False, True), "xyz")
    rows = pairs(*values)
    for one, other in itertools.combinations(range(len(values)), 2):
        met = {(row[one], row[other]) for row in rows}
        assert met == set(itertools.product(values[one], values[other]))
    assert len(rows) < 20  # of 60
