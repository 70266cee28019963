"""What xarray and zarr-python see before and after ncz: a quarter of the cells, all known faults.

``make interop`` measures all cells, by all readers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interop.causes import BY_NAME, CAUSES, Cause, cause_of, causes_of
from tests.interop.cells import FAULTS, Cell
from tests.interop.kinds import KINDS, VERSIONS
from tests.interop.matrix import Place, places, run_all
from tests.interop.outcomes import read_record
from tests.interop.peers.peers import PEERS, absent
from tests.interop.readers import LOOKS
from tests.interop.targets import TARGETS

pytest.importorskip("xarray", reason="xarray is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interop")


def targets_of(kind: str, version: int) -> list[str]:
    """A quarter of the targets: others for the next kind, and for the other format."""
    start = list(KINDS).index(kind) + 2 * (version - 2)
    return [target for i, target in enumerate(TARGETS) if (i + start) % 4 == 0]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_readers_see_at_the_target_what_they_saw_or_are_told(kind, version, folder):
    record = read_record()
    wanted = places([kind], [version], targets_of(kind, version))
    for reader, cells in run_all(wanted, folder, LOOKS).items():
        for place, cell in cells.items():
            recorded = record[reader].get(place, ("equal", ""))[0]
            assert cell.outcome == recorded, (
                f"{reader}, {place.source} to {place.target}: {cell.reason};"
                " if that is meant, run 'make interop'"
            )
            assert not without_cause(reader, place, cell)


def without_cause(reader: str, place: Place, cell: Cell) -> list[str]:
    """The differences of a fault that no known cause explains."""
    if cell.outcome not in FAULTS:
        return []
    return [told for told, why in causes_of(reader, place, cell.differences) if why is None]


@pytest.mark.parametrize("cause", CAUSES, ids=[cause.name for cause in CAUSES])
def test_a_known_fault_is_real(cause: Cause, folder: Path):
    reader, kind, version, target = cause.witness
    if reader in PEERS and (reason := absent(reader)):
        pytest.skip(reason)
    place = Place(kind, version, target)
    cell = run_all([place], folder, [reader])[reader][place]
    found = {why for _, why in causes_of(reader, place, cell.differences)}
    assert cause in found, f"{cause.name} is mended: take it from tests/interop/causes.py"


def test_every_fault_of_the_record_has_a_cause():
    for reader, cells in read_record().items():
        for place, (outcome, reason) in cells.items():
            if outcome in FAULTS and reason and not reason.endswith("..."):
                first = reason.partition("; ")[0]
                assert cause_of(reader, place, first), f"{reader} {place}: {first}"


def test_causes_have_names_of_their_own():
    assert len(BY_NAME) == len(CAUSES)


def test_every_kind_is_recorded_by_its_name():
    recorded = {place for cells in read_record().values() for place in cells}
    assert recorded <= set(places())
