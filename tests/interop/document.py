"""The section of docs/development/interop.md that `record.json` and `limits` make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tests.interop.cells import FAULTS
from tests.interop.kinds import KINDS, VERSIONS
from tests.interop.outcomes import Outcomes, read_record
from tests.interop.peers.peers import PEERS
from tests.interop.readers import LOOKS
from tests.interop.targets import TARGETS

UNSHOWN = "xarray-raw"
"""The reader that differs little from another: xarray without decoding."""

HEAD = """\
## Results in other programs

xarray and zarr-python write {sources} stores: {kinds} kinds of content, each in Zarr V2 and V3.
ncz converts each store to {targets} targets; zip files that are not shown give the same as
directories. A cell counts the V2/V3 sources that the reader sees unchanged. `cdl` and `json` are
`ncz dump | ncz gen`. In brackets are faults: the reader sees something else, and ncz gives no
notice. The rest is refused with a reason, reported in a notice, or not read at the source either:
[ncz check](../reference/check.md#other-programs) names the limits of each reader.

"""


def section(outcomes: Outcomes | None = None) -> str:
    """Return the section, from the record or the outcomes given."""
    found = read_record() if outcomes is None else outcomes
    readers = [each for each in (*LOOKS, *PEERS) if each in found and each != UNSHOWN]
    cells = {target: [_cell(found, reader, target) for reader in readers] for target in TARGETS}
    head = HEAD.format(sources=len(KINDS) * len(VERSIONS), kinds=len(KINDS), targets=len(TARGETS))
    lines = [
        f"| target | {' | '.join(readers)} |",
        "|---" * (len(readers) + 1) + "|",
        *(
            f"| {_title(target)} | {' | '.join(cells[target])} |"
            for target in TARGETS
            if not _is_told(target, cells)
        ),
    ]
    return head + "\n".join(lines).rstrip() + "\n"


def _is_told(target: str, cells: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a target is a zip file that is read as the directory of the same form."""
    form = TARGETS[target]
    if form.suffix != "zip":
        return False
    same = [
        name
        for name, other in TARGETS.items()
        if other.suffix != "zip"
        and (other.route, other.mode, other.zarr_format)
        == (form.route, form.mode, form.zarr_format)
    ]
    shown = zip(cells[target], cells[same[0]], strict=True)
    return all(mine == other for mine, other in shown if mine)


def _title(target: str) -> str:
    form = TARGETS[target]
    if form.zarr_format is None:
        return "copy without options"
    flavour = "NCZarr" if form.mode == "nczarr" else "pure"
    zipped = ", zip" if form.suffix == "zip" else ""
    return f"{form.route} to {flavour} V{form.zarr_format}{zipped}"


def _cell(outcomes: Outcomes, reader: str, target: str) -> str:
    if reader in PEERS:
        form = TARGETS[target]
        if form.suffix == "zip" or form.zarr_format not in (None, *PEERS[reader].formats):
            return ""
    parts = []
    for version in VERSIONS:
        if reader in PEERS and form.format_of(version) not in PEERS[reader].formats:
            parts.append("")
            continue
        counts = Counter(
            outcome
            for place, (outcome, _) in outcomes[reader].items()
            if (place.target, place.version) == (target, version)
        )
        equal = len(KINDS) - sum(n for outcome, n in counts.items() if outcome != "equal")
        faults = sum(n for outcome, n in counts.items() if outcome in FAULTS)
        parts.append(f"{equal} ({faults})" if faults else f"{equal}")
    return "/".join(parts)
