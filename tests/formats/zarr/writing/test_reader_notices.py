"""Notices about programs that misread a new store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ncz.model.tree import Attribute, Dataset, Group
from ncz.model.types import Atomic
from tests.formats.zarr.writing.test_writer import NCZARR, PURE, write


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (NCZARR, []),
        (PURE, []),
        (replace(PURE, zarr_format=3), []),
        (replace(NCZARR, zarr_format=3), ["xarray and zarr-python see text"]),
    ],
)
def test_widespread_readers_that_see_text_for_numbers_are_named(options, words):
    """For other readers, tests/interop/test_not_finite.py asserts findings of ``check --for``."""
    attribute = Attribute(name="a", type=Atomic.DOUBLE, values=(float("nan"),))
    _, notices = write(Dataset(name="n", root=Group(attributes=(attribute,))), options)
    found = [n.message for n in notices if n.code == "attribute-not-finite"]
    assert [message.partition(" for ")[0] for message in found] == words
    assert all(message.endswith(": :a") for message in found)
