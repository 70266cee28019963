"""Names of other libraries, and their replacements in ncz."""

from __future__ import annotations

import pytest

import ncz
from tests.api.test_selection import store as store


def test_no_name_of_other_libraries_is_one_of_ncz(store):
    from ncz.api.foreign_attributes import OTHERS

    with ncz.open(store) as ds:
        with pytest.raises(AttributeError, match=r"ncz\.num2date\(t\[:\], t\.units"):
            _ = ds["t"].to_datetime
        assert {name for name in OTHERS if hasattr(ds, name) and hasattr(ds["t"], name)} == set()
