"""Decisions about differences between datasets that are joined."""

from __future__ import annotations

import pytest

from ncz.commands.joining.options import JoinOptions


def test_nothing_is_decided_by_default():
    options = JoinOptions()
    assert (options.attributes, options.unpack, options.repack) == (None, False, None)
    assert options == JoinOptions(unpack=False) != JoinOptions(unpack=True)
    with pytest.raises(TypeError):
        JoinOptions("first")  # type: ignore[call-arg]
