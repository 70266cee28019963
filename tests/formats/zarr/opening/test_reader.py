"""Stores to datasets: every generation, and stores of other writers."""

from __future__ import annotations

import json
from typing import Any

from ncz.errors import Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import Dataset, Variable
from ncz.zmap.memory import MemoryZmap
from tests.conftest import ROOT as PROJECT

STORES = PROJECT / "tests" / "stores"
NCZARR = ["nczarr-1", "nczarr-4.9.0", "nczarr-4.9.2", "nczarr-4.10.1"]

Objects = dict[str, bytes]


def objects_of(name: str) -> Objects:
    """A frozen store's keys and bytes."""
    root = STORES / name
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def read(objects: dict[str, Any], *modes: str) -> tuple[Dataset, list[Notice]]:
    """The dataset of a store, and its notices; documents may be given as JSON or text."""
    stored = {
        key: value
        if isinstance(value, bytes)
        else (value if isinstance(value, str) else json.dumps(value)).encode()
        for key, value in objects.items()
    }
    notices: list[Notice] = []
    zmap = MemoryZmap(stored, url="memory://x")
    return open_dataset(zmap, name="x", modes=set(modes), notify=notices.append), notices


def variable(dataset: Dataset, name: str) -> Variable:
    """A variable of the root group."""
    return next(v for v in dataset.root.variables if v.name == name)


def array(**members: Any) -> dict[str, Any]:
    """A `.zarray` of three ints, changed."""
    return {
        "zarr_format": 2,
        "shape": [3],
        "chunks": [3],
        "dtype": "<i4",
        "fill_value": 0,
        "order": "C",
        "compressor": None,
        "filters": None,
    } | members


ROOT = {".zgroup": {"zarr_format": 2}}
