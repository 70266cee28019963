"""All cells: every kind, format and target, for the readers of this process and the peers."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ncz.record import record
from tests.interop.cells import (
    FAULTS,
    UNREADABLE,
    Cell,
    Made,
    compare,
    is_asked_for,
    judge,
    make,
    make_for,
    not_made,
    refuses,
    source_view,
    told_by_check,
)
from tests.interop.contents.writing import Version
from tests.interop.kinds import KINDS, VERSIONS, write_kind
from tests.interop.peers.peers import PEERS, Answer, Request, ask
from tests.interop.plain import from_json
from tests.interop.readers import LOOKS
from tests.interop.seen import Seen, value_difference
from tests.interop.targets import TARGETS


@record
class Place:
    """The place of a cell, except for its reader."""

    kind: str
    version: Version
    target: str

    @property
    def source(self) -> str:
        """The name of the source store."""
        return f"{self.kind}-v{self.version}"


Cells = Mapping[Place, Cell]


def places(
    kinds: Iterable[str] | None = None,
    versions: Iterable[Version] | None = None,
    targets: Iterable[str] | None = None,
) -> list[Place]:
    """Return the places of a part of the table; None is all."""
    return [
        Place(kind, version, target)
        for kind in (kinds or KINDS)
        for version in (versions or VERSIONS)
        for target in (targets or TARGETS)
    ]


def run_places(
    wanted: Sequence[Place], folder: Path, readers: Sequence[str]
) -> tuple[dict[str, dict[Place, Cell]], dict[Place, Made]]:
    """Make each target and look at it by the readers of this process.

    Returns
    -------
    tuple
        The cells by reader and place; and the targets, for the peers.
    """
    cells: dict[str, dict[Place, Cell]] = {look: {} for look in LOOKS if look in readers}
    made: dict[Place, Made] = {}
    for place in wanted:
        source = write_kind(place.kind, place.version, folder)
        made[place] = make(place.kind, place.version, place.target, folder)
        for look in LOOKS:
            if look in cells:
                cells[look][place] = compare(look, source, place.target, made[place])
    return cells, made


def run_all(
    wanted: Sequence[Place], folder: Path, readers: Sequence[str], jobs: int = 1
) -> dict[str, dict[Place, Cell]]:
    """Return the cells by reader and place, of peers too."""
    cells: dict[str, dict[Place, Cell]] = {name: {} for name in readers}
    made: dict[Place, Made] = {}
    if jobs == 1:
        parts = [run_places(wanted, folder, readers)]
    else:
        kinds = list(dict.fromkeys(place.kind for place in wanted))
        shares = [[p for p in wanted if p.kind in kinds[i::jobs]] for i in range(jobs)]
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
            parts = list(pool.map(run_places, shares, [folder] * jobs, [tuple(readers)] * jobs))
    for found, stores in parts:
        made |= stores
        for name, some in found.items():
            cells[name] |= some
    for name in readers:
        if name in PEERS:
            cells[name] = run_peer(name, made, folder)
    return cells


def run_peer(name: str, made: Mapping[Place, Made], folder: Path) -> dict[Place, Cell]:
    """Return the view of the targets that a peer can read, and the view of zarr-python.

    A part that it does not read in the source need not be readable in the target.
    """
    formats = PEERS[name].formats
    wanted = [
        place
        for place in made
        if TARGETS[place.target].format_of(place.version) in formats
        and TARGETS[place.target].suffix == "zarr"
    ]
    sources = {
        source: Request(write_kind(source[0], source[1], folder), source[1])
        for source in dict.fromkeys((p.kind, p.version) for p in wanted)
        if source[1] in formats
    }
    done = [place for place in wanted if not made[place].done.code]
    requests = [
        Request(made[p].store, TARGETS[p.target].format_of(p.version), TARGETS[p.target].mode)
        for p in done
    ]
    answers = ask(name, [*sources.values(), *requests])
    own = dict(zip(sources, answers, strict=False))
    seen = dict(zip(done, answers[len(sources) :], strict=True))
    cells: dict[Place, Cell] = {}
    for place in wanted:
        outcome = made[place].done
        if place not in seen:
            cells[place] = not_made(outcome)
            continue
        before = source_view("zarr-3", write_kind(place.kind, place.version, folder))
        assert isinstance(before, Seen), before
        # A reader of V2 alone is judged by the V2 store of the same kind; NCZarr is netcdf-c's own.
        fallback = own.get((place.kind, place.version)) or own.get((place.kind, 2))
        if name == "netcdf-c" and TARGETS[place.target].mode == "nczarr":
            fallback = None
        found = _peer_differences(before, seen[place], fallback)
        cells[place] = (
            Cell("unread", {"": "not the source either"}, outcome.notices)
            if found is None
            else judge(found, outcome, name)
        )
    if is_asked_for(name):
        cells |= _asked(name, {p: c for p, c in cells.items() if c.outcome in FAULTS}, made, folder)
    return cells


def _asked(
    name: str, untold: Mapping[Place, Cell], made: Mapping[Place, Made], folder: Path
) -> dict[Place, Cell]:
    """Return the results with ``--for`` of cells without a notice."""
    ours = {p: make_for(p.kind, p.version, p.target, name, folder) for p in untold}
    done = [place for place in untold if not ours[place].done.code]
    requests = [
        Request(ours[p].store, TARGETS[p.target].format_of(p.version), TARGETS[p.target].mode)
        for p in done
    ]
    seen = dict(zip(done, ask(name, requests) if requests else [], strict=True))
    cells: dict[Place, Cell] = {}
    for place, cell in untold.items():
        outcome = ours[place].done
        if place not in seen:
            is_served = refuses(outcome, name)
        else:
            before = source_view("zarr-3", write_kind(place.kind, place.version, folder))
            assert isinstance(before, Seen), before
            found = _peer_differences(before, seen[place], None) or {}
            is_served = judge(found, outcome, name).outcome not in FAULTS
        if is_served and told_by_check(cell, made[place].store, name):
            cells[place] = Cell("noticed", cell.differences, cell.notices)
    return cells


def _peer_differences(before: Seen, after: Answer, own: Answer | None) -> dict[str, str] | None:
    """Return the differences by path; None if the peer reads nothing, not even the source."""
    found: dict[str, str] = {}
    skipped = 0
    for path, array in before.arrays.items():
        told = after.get("arrays", {}).get(path, {"error": after.get("error", "is missing")})
        if "error" in told:
            if own is not None and _fails(own, path):
                skipped += 1
            else:
                found[path] = f"{UNREADABLE}{told['error']}"
            continue
        reason = value_difference(array.values, from_json(told), netcdf=True, stored=True)
        if reason:
            mine = None if own is None or _fails(own, path) else from_json(own["arrays"][path])
            if mine is not None and not value_difference(
                mine, from_json(told), netcdf=True, stored=True
            ):
                continue  # it sees the source as it sees the target
            found[path] = reason
    return None if skipped == len(before.arrays) and skipped else found


def _fails(answer: Answer, path: str) -> bool:
    return "error" in answer.get("arrays", {}).get(path, {"error": "is missing"})
