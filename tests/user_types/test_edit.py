"""Edits of stores with user-defined types keep the notes about these types true."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run
from tests.user_types.test_corpus import CORPUS, dump


def made(name: str, version: str, folder: Path) -> Path:
    path = next(path for path in CORPUS if path.stem == name)
    ncz.gen(path, folder / "x.zarr", modes=["nczarr", version], notify=ignore_notice)
    return folder / "x.zarr"


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_a_renamed_attribute_keeps_its_type(version: str, run: Run, tmp_path: Path):
    store = made("compound_attributes", version, tmp_path)
    before = dump(store)
    done = run("edit", store, "--rename", "v:valid=v:good", "--delete", ":ranges")
    assert done.code == 0, done.stderr
    assert "range_t v:good = {0, 100} ;" in dump(store)
    assert run("edit", store, "--set", 'v:good = "text"').code == 0
    assert 'v:good = "text" ;' in dump(store)
    assert ":ranges" in before


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_types_move_with_their_group(version: str, run: Run, tmp_path: Path):
    store = made("group_by_path", version, tmp_path)
    before = dump(store)
    assert run("edit", store, "--rename", "makers=suppliers").code == 0
    assert dump(store) == before.replace("makers", "suppliers")


def test_a_group_that_declares_types_is_not_removed(run: Run, tmp_path: Path):
    store = made("group_by_path", "v2", tmp_path)
    before = dump(store)
    done = run("edit", store, "--remove", "makers")
    assert done.code == 1
    assert "/makers declares user-defined types" in done.stderr
    assert dump(store) == before
