"""Other programs read the values of numpy after any commands, or a command reported a change."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
pytest.importorskip("xarray", reason="xarray is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")

from tests.chains.datasets import draw, write
from tests.chains.readers import differences
from tests.chains.steps import STEPS, Refused, State

FEW, MANY = 3, 60
"""Number of chains of ``make test`` and of ``make test-long``."""


def chain(seed: int) -> tuple[list[str], State]:
    """Carry out the chain of a seed; return the differences at its end, and the end."""
    random = Random(seed)
    with tempfile.TemporaryDirectory(prefix="ncz-chain-") as name:
        folder = Path(name)
        state = State(folder / "start.nc", draw(random))
        write(state.held, state.path)
        for number in range(random.randint(3, 5)):
            inner = folder / str(number)
            inner.mkdir()
            try:
                state = random.choice(STEPS)(state, random, inner)
            except Refused as refusal:
                return [], State(state.path, state.held, (*state.said, str(refusal)))
        return differences(state), state


@pytest.mark.parametrize(
    "seed", [n if n < FEW else pytest.param(n, marks=pytest.mark.long) for n in range(MANY)]
)
def test_no_difference_is_silent(seed):
    found, state = chain(seed)
    assert not found or state.said, f"seed {seed}: {found}"
