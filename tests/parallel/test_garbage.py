"""Garbage is collected again after the last block that forbids it."""

import gc

import pytest

from ncz.parallel.isolation import no_collection


def test_blocks_may_be_nested_and_may_fail():
    with no_collection():
        with pytest.raises(KeyError), no_collection():
            raise KeyError
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off():
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
