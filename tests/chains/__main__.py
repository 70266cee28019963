"""Try chains of commands: ``python -m tests.chains COUNT [SEED]``; prints failures."""

from __future__ import annotations

import sys
from collections import Counter

from tests.chains.test_chains import chain


def main(count: int, first: int) -> int:
    """Try chains with seeds from `first` on; return the number of unreported differences."""
    told: Counter[str] = Counter()
    for seed in range(first, first + count):
        found, state = chain(seed)
        kind = "the same" if not found else "said" if state.said else "SILENT"
        told[kind] += 1
        if kind == "SILENT":
            sys.stdout.write(f"seed {seed}: {'; '.join(found)[:300]}\n")
            sys.stdout.flush()
    sys.stdout.write(", ".join(f"{number} {kind}" for kind, number in sorted(told.items())) + "\n")
    return told["SILENT"]


if __name__ == "__main__":
    arguments = [int(each) for each in sys.argv[1:]]
    sys.exit(bool(main(arguments[0], arguments[1] if arguments[1:] else 1000)))
