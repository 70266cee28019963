"""Compare the views of other programs before and after ncz: ``python -m tests.interop.table``.

``--kind packed-int16 --target nczarr-v2 -v`` measures one cell of each format and prints its
differences. ``--write`` writes the results to ``record.json`` and
docs/development/interop.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.interop.cells import FAULTS
from tests.interop.kinds import KINDS
from tests.interop.matrix import Cells, places, run_all
from tests.interop.outcomes import Outcomes, changes, read_record, write_record
from tests.interop.peers.peers import PEERS, absent
from tests.interop.readers import LOOKS
from tests.interop.targets import TARGETS


def main(arguments: list[str] | None = None) -> int:
    """Measure the requested cells; 1 if a cell is worse than in the record."""
    options = _parser().parse_args(arguments)
    readers = tuple(options.reader or (*LOOKS, *PEERS))
    for name in [name for name in readers if name in PEERS and absent(name)]:
        _say(f"{absent(name)}")
        readers = tuple(reader for reader in readers if reader != name)
    wanted = places(options.kind, options.version and [options.version], options.target)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True, parents=True)
        cells = run_all(wanted, folder, readers, options.jobs)
    recorded = read_record()
    worse = _print(cells, recorded, verbose=options.verbose)
    if options.write:
        measured: Outcomes = {
            reader: {place: (cell.outcome, cell.reason) for place, cell in found.items()}
            for reader, found in cells.items()
        }
        asked = set(wanted)
        kept = {
            reader: {place: cell for place, cell in found.items() if place not in asked}
            for reader, found in recorded.items()
            if reader in measured
        }
        whole = {reader: {**kept.get(reader, {}), **found} for reader, found in measured.items()}
        write_record({**recorded, **whole})
        from tests.interop.examples.table import write_document

        write_document()
        return 0
    return int(worse)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("tests.interop.table", description=__doc__)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--version", type=int, choices=[2, 3], help="Zarr format of the source")
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--reader", action="append", choices=[*LOOKS, *PEERS])
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--folder", type=Path, help="keep the stores in this folder")
    parser.add_argument("--write", action="store_true", help="write record and document")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every difference")
    return parser


def _print(measured: Mapping[str, Cells], recorded: Outcomes, *, verbose: bool) -> bool:
    """Print the outcomes and the differences from the record; return whether a cell is worse."""
    worse = False
    for reader, cells in measured.items():
        before = recorded.get(reader, {})
        for change in changes(cells, before):
            _say(f"{reader}: {change}")
        counts: dict[tuple[str, int], Counter[str]] = {}
        for place, cell in cells.items():
            counts.setdefault((place.target, place.version), Counter())[cell.outcome] += 1
            if verbose and cell.outcome != "equal":
                _say(f"{reader}: {place.source} > {place.target}: {cell.outcome}: {cell.reason}")
            was_fault = before.get(place, ("equal", ""))[0] in FAULTS
            worse = worse or (cell.outcome in FAULTS and not was_fault)
        for (target, version), counter in counts.items():
            told = ", ".join(f"{count} {outcome}" for outcome, count in counter.most_common())
            _say(f"{reader}: V{version} > {target}: {told}")
    return worse


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
