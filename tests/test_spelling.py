"""Options as the command line and Python spell them."""

from __future__ import annotations

import pytest

from ncz.spelling import spell


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kind", None, ("--kind", "kind")),
        ("audience", "xarray", ("--for xarray", 'audience=["xarray"]')),
        ("allow_loss", True, ("--allow-loss", "allow_loss=True")),
        ("consolidated", False, ("--no-consolidated", "consolidated=False")),
        ("memory", 1, ("--memory 1MiB", "memory=1 * 2**20")),
        ("zarr_format", 3, ("--zarr-format 3", 'modes=["v3"]')),
        ("zarr_format", None, ("--zarr-format", "modes")),
        ("modes", "consolidated", ("--consolidated", 'modes=["consolidated"]')),
        ("inline", 0, ("--inline 0", "inline=0")),
    ],
)
def test_an_option_is_spelled_for_both(field, value, expected):
    assert spell(field, value) == expected
