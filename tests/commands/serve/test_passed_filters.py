"""Filters that pass to clients."""

from __future__ import annotations

import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.serve.passed_filters import NAMES, numbers_of
from tests.transfer.test_face_filters import NUMBERS


def test_names_of_filters():
    assert numbers_of(NAMES) == {1, 2, 3, 4, *NUMBERS.values()}
    with pytest.raises(OptionError, match="no HDF5 filter is named 'zip'"):
        numbers_of(["zip"])
