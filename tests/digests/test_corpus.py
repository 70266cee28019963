"""Digests of files of others and of their copies are equal just if ``ncz diff`` finds nothing.

Copies may lose something, so that both happens.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import LossError, NczError, ignore_notice
from tests.sampled import sampled

for needed in ("h5py", "zarr"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

CORPUS = Path(__file__).parents[1] / "corpus"

SUFFIXES = (
    ".nc", ".nc3", ".nc4", ".hdf5", ".h5", ".cdl", ".zarr", ".zarr.zip", ".zarr2", ".zarr3",
)  # fmt: skip

NAMES = sorted(
    path.relative_to(CORPUS).as_posix()
    for suffix in SUFFIXES
    for path in CORPUS.glob(f"*/*{suffix}")
)

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
}

UNREADABLE = "pyfive/references.hdf5"
"""A file with references, of which part is left out."""


@pytest.mark.parametrize("name", sampled(NAMES, 12))
def test_copies_have_equal_digests_just_if_nothing_differs(tmp_path: Path, name: str) -> None:
    path = CORPUS / name
    try:
        expected = ncz.digest(path, notify=ignore_notice).value
    except NczError:
        with pytest.raises(NczError):  # diff does not read it, either
            ncz.diff(path, path, notify=ignore_notice)
        return
    compared = 0
    for target, (place, options) in TARGETS.items():
        folder = tmp_path / target
        folder.mkdir()
        url = f"{folder}/{place}"
        try:
            ncz.copy(path, url, allow_loss=True, notify=ignore_notice, **options)
        except LossError:
            continue  # the target cannot hold it
        if target == "references":
            url += f"&reference.allow_target={CORPUS}/"
        found = ncz.digest(url, notify=ignore_notice).value
        is_equal = not ncz.diff(path, url, notify=ignore_notice)
        assert (found == expected) == is_equal, target
        compared += 1
    assert compared >= 6


def test_digests_of_the_corpus_differ():
    digests = {}
    for name in NAMES:
        if name != UNREADABLE and not name.endswith(".cdl"):
            digests[name] = ncz.digest(CORPUS / name, notify=ignore_notice).value
    assert len(digests) > 60
    for value in set(digests.values()):
        same = [CORPUS / name for name, each in digests.items() if each == value]
        for other in same[1:]:
            assert not ncz.diff(same[0], other, notify=ignore_notice)
