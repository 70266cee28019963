"""Storage of values of user-defined types."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.types import user_types
from ncz.model.types import Atomic, Enumeration


@pytest.mark.parametrize(("base", "dtype"), [(Atomic.BYTE, "|i1"), (Atomic.INT, "<i4")])
def test_an_enum_is_stored_as_its_base(base, dtype):
    kind = Enumeration(name="/e", base=base, members=(("a", 1), ("b", 2)))
    found = user_types.encoding_of(kind, endianness=None, zarr_format=2, pure=False)
    assert (found.type, found.dtype) == (kind, dtype)
