"""Numbers that are printed with fewer digits than they have."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.digit_watch import differs_from_text, watch_digits, watch_values
from ncz.model.types import Atomic, Compound, Field
from ncz.text.format_values import NumberFormat, Precision, default_format


@pytest.mark.parametrize(
    ("text", "differs"),
    [(b"0.5, 0.1", True), (b"0.5, 0.12", False), (b"0.5\n0.1", True), (b"_, 0.12", False)],
)
def test_numbers_are_compared_with_their_text(text, differs):
    assert differs_from_text(np.array([0.5, 0.12]), text) is differs


def test_nan_has_no_digits():
    assert differs_from_text(np.array([np.nan, 1.5]), b"NaN, 1.5") is False


def test_numbers_in_the_default_format_are_marked_once():
    watch = watch_digits(Atomic.FLOAT, default_format(Atomic.FLOAT, Precision()), Precision())
    assert watch is not None
    mark = watch.on_loss()
    assert mark is not None
    watch.read_text(np.array([0.25]), b"0.2")  # only a format of the user is read
    seen = [watch.has_lost]
    mark()
    assert [*seen, watch.has_lost] == [False, True]
    assert watch.on_loss() is None


def test_numbers_in_another_format_are_read_back():
    watch = watch_digits(Atomic.DOUBLE, NumberFormat("%.1f"), Precision())
    assert watch is not None
    assert watch.on_loss() is None
    watch.read_text(np.array([0.5]), b"0.5")
    seen = [watch.has_lost]
    watch.read_text(np.array([0.25]), b"0.2")
    assert [*seen, watch.has_lost] == [False, True]


@pytest.mark.parametrize(
    ("nc_type", "precision"),
    [(Atomic.INT, Precision()), (Atomic.FLOAT, Precision(float=3))],
)
def test_no_digits_are_lost_that_the_user_did_not_want(nc_type, precision):
    assert watch_digits(nc_type, NumberFormat("%d"), precision) is None


def test_a_number_within_a_compound_is_checked():
    nc_type = Compound(name="/pair", fields=(Field(name="x", type=Atomic.DOUBLE),))
    watch = watch_values(nc_type, Precision())
    assert watch is not None
    watch((0.5,))
    seen = [watch.has_lost]
    watch((0.1 + 0.2,))
    assert [*seen, watch.has_lost] == [False, True]
    assert watch_values(Atomic.STRING, Precision()) is None
