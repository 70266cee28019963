"""The state of a source, which lets a client detect a change."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

import ncz
from ncz.commands.serve.source_state import state_of
from ncz.errors import ignore_notice
from ncz.formats.opening import open_dataset
from ncz.model.tree import Dataset, Group, Provenance
from ncz.zmap.location import parse_location

CDL = b"netcdf a { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
DATASET = Dataset(name="a", root=Group())


def state(path: Path | str, dataset: Dataset = DATASET) -> str | None:
    return state_of(parse_location(str(path)), dataset)


def test_each_change_of_a_store_changes_its_state(tmp_path: Path):
    store = tmp_path / "a.zarr"
    ncz.gen(io.BytesIO(CDL), store, notify=ignore_notice)
    states = [state(store)]
    assert states == [state(store)]
    (store / "v" / "0").write_bytes(b"longer than before")
    states.append(state(store))
    os.utime(store / "v" / "0", ns=(0, 2**62))
    states.append(state(store))
    (store / "v" / "1").write_bytes(b"")
    os.utime(store / "v" / "1", ns=(0, 0))
    states.append(state(store))
    assert None not in states
    assert len({*states}) == 4


def test_a_file_has_its_size_and_its_time(tmp_path: Path):
    path = tmp_path / "a.nc"
    path.write_bytes(b"x" * 7)
    os.utime(path, ns=(0, 123))
    assert state(path) == "1 123 7"


def test_values_elsewhere_have_no_known_state(tmp_path: Path):
    path = tmp_path / "a.nc"
    path.write_bytes(b"x")
    for provenance in (Provenance(aggregation="CF-1.13"), Provenance(protocol="DAP2")):
        assert state(path, Dataset(name="a", root=Group(), provenance=provenance)) is None
    assert state(tmp_path / "missing.nc") is None
    assert state("s3://bucket/a.zarr") is None
    assert state_of(io.BytesIO(CDL), DATASET) is None


@pytest.mark.parametrize("target", ["s.json", "s.parq", "s.icechunk#mode=reference,icechunk"])
def test_a_store_that_refers_to_files_has_no_known_state(tmp_path: Path, target: str):
    pytest.importorskip({"j": "json", "p": "pyarrow", "i": "icechunk"}[target[2]])
    source, store = tmp_path / "a.nc", f"{tmp_path}/{target}"
    ncz.gen(io.BytesIO(CDL.replace(b"x = 2", b"x = 9999")), source, notify=ignore_notice)
    ncz.copy(source, store, notify=ignore_notice)
    with open_dataset(parse_location(store.partition("#")[0])) as opened:
        assert state(store.partition("#")[0], opened.dataset) is None
