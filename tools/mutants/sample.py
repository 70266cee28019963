"""The mutants that are tried for a seed."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.mutants.mistakes import Mistake, mistakes

ROOT = Path(__file__).parents[2]

SOURCE = ROOT / "src" / "ncz"

PACKAGES = [
    "codec", "model", "text", "cdl", "formats/zarr", "zmap/local", "transfer",
]  # fmt: skip
"""The packages that are mutated."""


class Mutant(NamedTuple):
    """A file of ncz with one mistake."""

    path: Path
    mistake: Mistake
    copy: int
    """How many mistakes of the function before this one are the same."""

    def __str__(self) -> str:
        again = f" (no. {self.copy + 1})" if self.copy else ""
        file = self.path.relative_to(SOURCE)
        return f"{file}: {self.mistake.function}: {self.mistake.change}{again}"

    @property
    def place(self) -> str:
        """The file and the number of the mistake in it."""
        return f"{self.path.relative_to(SOURCE)}:{self.mistake.number}"

    def rank(self, seed: int) -> str:
        """Return the hash that decides whether the mutant is in the sample of a seed."""
        return hashlib.sha256(f"{seed} {self}".encode()).hexdigest()


def sample(package: str, count: int, seed: int) -> list[Mutant]:
    """Return the mutants of a package with the lowest hashes.

    A hash depends only on the seed, the file, the function, and the mistake, so that other changes
    of the code do not change the sample.
    """
    return sorted(_mutants(SOURCE / package), key=lambda mutant: mutant.rank(seed))[:count]


def _mutants(folder: Path) -> Iterator[Mutant]:
    for path in sorted(folder.rglob("*.py")):
        seen: Counter[tuple[str, str]] = Counter()
        for mistake in mistakes(ast.parse(path.read_text(encoding="utf-8"))):
            same = mistake.function, mistake.change
            yield Mutant(path, mistake, seen[same])
            seen[same] += 1
