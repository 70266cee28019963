"""What xarray and zarr-python see before and after ncz: a quarter of the cells, all limits.

``make test`` takes a third of the kinds. ``make interop`` measures all cells, by all readers.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import get_args

import pytest

from ncz.errors import NoticeCode
from tests.interop.cells import FAULTS
from tests.interop.kinds import KINDS, VERSIONS
from tests.interop.limits import BY_NAME, LIMITS, Limit
from tests.interop.matrix import Place, places, run_all
from tests.interop.outcomes import read_record
from tests.interop.peers.peers import PEERS, absent
from tests.interop.readers import LOOKS
from tests.interop.targets import TARGETS
from tests.sampled import sampled

pytest.importorskip("xarray", reason="xarray is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interop")


def targets_of(kind: str, version: int) -> list[str]:
    """A quarter of the targets: others for the next kind, and for the other format."""
    start = list(KINDS).index(kind) + 2 * (version - 2)
    return [target for i, target in enumerate(TARGETS) if (i + start) % 4 == 0]


@pytest.mark.parametrize(("kind", "version"), sampled(itertools.product(KINDS, VERSIONS), 5))
def test_readers_see_at_the_target_what_they_saw_or_are_told(kind, version, folder):
    record = read_record()
    wanted = places([kind], [version], targets_of(kind, version))
    for reader, cells in run_all(wanted, folder, LOOKS).items():
        for place, cell in cells.items():
            told = f"{reader}, {place.source} to {place.target}: {cell.reason}"
            assert cell.outcome not in FAULTS, told
            recorded = record[reader].get(place, ("equal", ""))[0]
            assert cell.outcome == recorded, f"{told}; if that is meant, run 'make interop'"


@pytest.mark.parametrize("limit", LIMITS, ids=[limit.name for limit in LIMITS])
def test_a_limit_is_real_and_a_notice_tells_of_it(limit: Limit, folder: Path):
    reader, kind, version, target = limit.witness
    if reader in PEERS and (reason := absent(reader)):
        pytest.skip(reason)
    place = Place(kind, version, target)
    cell = run_all([place], folder, [reader])[reader][place]
    assert re.search(limit.shows, cell.reason), f"{limit.name} is mended: {cell.reason}"
    assert cell.outcome == "noticed"


def test_no_fault_is_recorded():
    faults = [
        f"{reader}, {place.source} to {place.target}: {outcome}"
        for reader, cells in read_record().items()
        for place, (outcome, _) in cells.items()
        if outcome in FAULTS
    ]
    assert faults == []


def test_limits_have_names_and_notices_of_their_own():
    assert len(BY_NAME) == len(LIMITS)
    assert {limit.notice for limit in LIMITS} <= set(get_args(NoticeCode))


def test_every_kind_is_recorded_by_its_name():
    recorded = {place for cells in read_record().values() for place in cells}
    assert recorded <= set(places())
