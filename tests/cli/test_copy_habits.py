"""Words of other programs in a line of ``ncz copy``."""

from __future__ import annotations

import click
import pytest

from ncz.cli.copy_habits import in_own_words


@pytest.mark.parametrize(
    ("typed", "own"),
    [
        ("", ""),
        ("a.nc b.zarr", "a.nc b.zarr"),
        ("help", "--help"),
        ("-h", "--help"),
        ("-h 1000 a.nc b.nc", "-h 1000 a.nc b.nc"),
        ("--region auto a b", "--into auto a b"),
        ("--region eu-west-1 a b", "--region eu-west-1 a b"),
        ("--update a b", "--update a b"),
        ("--append t --update a b", "--append t --overlap first a b"),
        ("--mode a x y", "--add x y"),
        ("--mode w- x y", "x y"),
        ("--mode a --append-dim t x y", "--append-dim t x y"),
        ("--mode zarr x y", "--mode zarr x y"),
        ("x y --mode", "x y --mode"),
        ("--codec zlib --level 5 x y", "--codec zlib:5 x y"),
        ("--clevel 5 x y --compressor zstd", "x y --codec zstd:5"),
        ("--codec zlib:1 --level 5 x y", "--codec zlib:1 --level 5 x y"),
    ],
)
def test_a_line_in_own_words(typed: str, own: str):
    assert in_own_words(typed.split()) == own.split()


def test_the_mode_that_replaces_a_target_is_refused():
    with pytest.raises(click.UsageError, match="to replace DST, use --overwrite"):
        in_own_words(["--mode", "w", "a", "b"])
