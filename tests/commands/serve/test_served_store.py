"""Stores that are served."""

from __future__ import annotations

import pytest

from ncz.commands.planned_store import planned_store
from ncz.commands.serve.served_store import ServedStore
from tests.test_round_trip import parsed


def test_a_store_is_no_file_and_has_no_state_unless_it_says_so():
    zmap = planned_store(parsed(b"netcdf a { variables: int v ; data: v = 1 ; }"), memory=1 << 20)
    store = ServedStore(zmap=zmap, summary="a", check=lambda: None)
    assert (store.face, store.state) == (None, None)
    with pytest.raises(TypeError, match="check"):
        ServedStore(zmap=zmap, summary="a")  # type: ignore[call-arg]
