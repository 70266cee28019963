"""Digests of files of others and of their copies are equal just if ``ncz diff`` finds nothing.

Copies may lose something, so that both happens.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from tests.digests.uncounted import any_counts
from tests.sampled import sampled

for needed in ("h5py", "zarr"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

TESTS = Path(__file__).parents[1]

CORPUS = TESTS / "corpus"

SUFFIXES = (
    ".nc", ".nc3", ".nc4", ".hdf5", ".h5", ".cdl", ".zarr", ".zarr.zip", ".zarr2", ".zarr3",
)  # fmt: skip

IN_CORPUS = sorted(
    path.relative_to(TESTS).as_posix()
    for suffix in SUFFIXES
    for path in CORPUS.glob(f"*/*{suffix}")
)

NAMES = [
    *IN_CORPUS,
    *sorted(
        path.relative_to(TESTS).as_posix()
        for pattern in ("golden/netcdf-c/*/store.zip", "golden/netcdf-c/*/in.cdl")
        for path in TESTS.glob(pattern)
    ),
    *sorted(
        path.parent.relative_to(TESTS).as_posix()
        for root in (".zgroup", "zarr.json")
        for path in TESTS.glob(f"stores/*/*/{root}")
    ),
]
"""The files and stores of others, and the ones that netCDF-C made."""

TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "nc3": ("x.nc", {"kind": "classic"}),
    "cdf5": ("x.nc", {"kind": "cdf5"}),
    "nc4": ("x.nc", {"kind": "netCDF-4"}),
    "v2": ("x.zarr#mode=zarr,v2", {}),
    "v3": ("x.zarr#mode=zarr,v3", {}),
    "bare": ("x.zarr#mode=zarr,v2", {"annotations": False}),
    "nczarr-v2": ("x.zarr#mode=nczarr,v2", {}),
    "nczarr-v3": ("x.zarr#mode=nczarr,v3", {}),
    "zip": ("x.zip#mode=zarr", {}),
    "references": ("x.json#mode=reference", {}),
    "xarray": ("x.zarr", {"audience": "xarray"}),
    "cdl": ("x.cdl", {}),
    "icechunk": ("x.icechunk", {}),
}

UNREADABLE = "corpus/pyfive/references.hdf5"
"""A file with references, and some are omitted."""


def test_there_are_as_many_files_and_targets_as_were_promised():
    assert len(NAMES) >= 400
    assert len(TARGETS) >= 13


@pytest.mark.parametrize("name", sampled(NAMES, 90))
def test_copies_have_equal_digests_just_if_nothing_differs(tmp_path: Path, name: str) -> None:
    path = TESTS / name
    try:
        expected = ncz.digest(path, notify=ignore_notice).value
    except NczError:
        with pytest.raises(NczError):  # diff does not read it, either
            ncz.diff(path, path, notify=ignore_notice)
        return
    compared = 0
    for target, (place, options) in TARGETS.items():
        if target == "icechunk" and find_spec("icechunk") is None:
            continue
        folder = tmp_path / target
        folder.mkdir()
        url = f"{folder}/{place}"
        try:
            ncz.copy(path, url, allow_loss=True, notify=ignore_notice, **options)
        except NczError:
            continue  # the target cannot represent it: Icechunk has no NaN in attributes
        if target == "references":
            url += f"&reference.allow_target={TESTS}/"
        found = ncz.digest(url, notify=ignore_notice).value
        is_equal = not any_counts(ncz.diff(path, url, notify=ignore_notice))
        assert (found == expected) == is_equal, target
        compared += 1
    assert compared >= 6


def test_digests_of_the_corpus_differ():
    digests = {}
    for name in IN_CORPUS:
        if name != UNREADABLE and not name.endswith(".cdl"):
            digests[name] = ncz.digest(TESTS / name, notify=ignore_notice).value
    assert len(digests) > 60
    for value in set(digests.values()):
        same = [TESTS / name for name, each in digests.items() if each == value]
        for other in same[1:]:
            assert not ncz.diff(same[0], other, notify=ignore_notice)
