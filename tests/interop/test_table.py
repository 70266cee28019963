"""Views of other readers before and after ncz: all cells, and all limits.

``make test`` takes a twentieth of the cells of xarray and zarr-python, ``make test-long`` all cells
of all readers that are installed. ``make interop`` installs all readers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from ncz.errors import NoticeCode
from tests.interop.cells import FAULTS
from tests.interop.kinds import KINDS, VERSIONS
from tests.interop.limits import BY_NAME, LIMITS, Limit
from tests.interop.matrix import Place, places, run_all
from tests.interop.outcomes import changes, read_record
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


def changes_of(wanted: list[Place], folder: Path, readers: Sequence[str]) -> list[str]:
    """Return the differences from the record. ``make interop`` records intended differences."""
    recorded = read_record()
    return [
        f"{reader}: {change}"
        for reader, cells in run_all(wanted, folder, readers).items()
        for change in changes(cells, recorded[reader])
    ]


@pytest.mark.parametrize("kind", list(KINDS)[::5])
@pytest.mark.parametrize("version", VERSIONS)
def test_readers_see_the_same_in_the_target_or_are_reported(kind, version, folder):
    assert changes_of(places([kind], [version], targets_of(kind, version)), folder, LOOKS) == []


SHARES = 6
"""Parts of the table, which run next to each other."""


@pytest.mark.long
@pytest.mark.parametrize("share", range(SHARES))
def test_the_whole_table_is_as_recorded(share, folder):
    readers = [*LOOKS, *(peer for peer in PEERS if not absent(peer))]
    assert changes_of(places(list(KINDS)[share::SHARES]), folder, readers) == []


@pytest.mark.parametrize("limit", LIMITS, ids=[limit.name for limit in LIMITS])
def test_a_limit_is_real_and_a_notice_reports_it(limit: Limit, folder: Path):
    reader, kind, version, target = limit.witness
    if reader in PEERS and (reason := absent(reader)):
        pytest.skip(reason)
    place = Place(kind, version, target)
    cell = run_all([place], folder, [reader])[reader][place]
    assert re.search(limit.shows, cell.reason), f"{limit.name} is fixed: {cell.reason}"
    assert cell.outcome == "noticed"


def test_no_fault_is_recorded():
    faults = [
        f"{reader}, {place.source} to {place.target}: {outcome}"
        for reader, cells in read_record().items()
        for place, (outcome, _) in cells.items()
        if outcome in FAULTS
    ]
    assert faults == []


def test_limits_have_different_names_and_notices():
    assert len(BY_NAME) == len(LIMITS)
    assert {limit.notice for limit in LIMITS} <= set(get_args(NoticeCode))


def test_every_kind_is_recorded_by_its_name():
    recorded = {place for cells in read_record().values() for place in cells}
    assert recorded <= set(places())
