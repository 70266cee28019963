"""Stores that tests damage, and the places of their parts."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Run

CDL = b"""netcdf s {
dimensions:
 x = 4 ;
 y = 2 ;
variables:
 int a(x) ;
 int v(y, x) ;
  v:_ChunkSizes = 1, 2 ;
 int w(x) ;
 char c(x) ;
data:
 a = 1, 2, 3, 4 ;
 v = 11, 12, 13, 14, 21, 22, 23, 24 ;
 w = 5, 6, 7, 8 ;
 c = "abcd" ;
}
"""


def chunk(store: Path, array: str, *index: int) -> Path:
    """Return the path of a chunk."""
    if (store / "zarr.json").exists():
        return store.joinpath(array, "c", *map(str, index))
    return store / array / ".".join(map(str, index))


def document(store: Path, array: str) -> Path:
    """Return the path of the document of an array."""
    name = "zarr.json" if (store / "zarr.json").exists() else ".zarray"
    return store / array / name


PLAIN = ("gen", "-q", "--no-consolidated", "--allow-loss", "-")
"""Arguments to create a store without consolidated metadata from standard input."""


def consolidated(run: Run, *, modes: str = "zarr") -> Path:
    """Create a store with consolidated metadata."""
    target = f"s.zarr#mode={modes},consolidated"
    assert run("gen", "-q", "-", "-o", target, stdin=CDL).code == 0
    return Path("s.zarr")


def damage_document(store: Path) -> None:
    """Break the document of the array v off."""
    document(store, "v").write_bytes(b"{")
