"""How the run time of ncz grows with the number of values, chunks and variables."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import make
from benchmarks.measure import measure
from benchmarks.row import NCZ, remove


def scaling(folder: Path, say: Callable[[str], None]) -> str:
    """Return a Markdown table."""
    found: dict[str, list[str]] = {}

    def add(
        work: str, count: int, unit: str, command: list[str], target: Path | None = None
    ) -> None:
        taken: list[float] = []
        while len(taken) < 2 and sum(taken) < 4:
            remove((target,) if target else ())
            taken.append(measure(command).seconds)
        each = min(taken) / count
        told = f"{each * 1e9:.0f} ns" if each < 1e-6 else f"{each * 1e6:.1f} us"
        task = f"{work}, {unit}"
        found.setdefault(task, []).append(f"{count:,}: {min(taken):.2f} s ({told})")
        say(f"{task} {found[task][-1]}")

    made = folder / "made.zarr"
    for side in (1000, 3160, 10_000):
        store, text = folder / "values.zarr", folder / "values.cdl"
        make("field", store, "float", (side, side), (side // 10, side), 0)
        add("dump", side * side, "values", [*NCZ, "dump", str(store)])
        measure([*NCZ, "dump", str(store)], text)
        add("gen", side * side, "values", [*NCZ, "gen", str(text), "-o", str(made)], made)
        text.unlink()
        shutil.rmtree(store)
    for count in (1000, 10_000, 100_000):
        store = folder / "chunks.zarr"
        make("field", store, "int", (count,), (1,), 0)
        add("ls -r", count, "chunks", [*NCZ, "ls", "-r", str(store)])
        add("copy, raw", count, "chunks", [*NCZ, "copy", str(store), str(made)], made)
        add("dump", count, "chunks", [*NCZ, "dump", str(store)])
        shutil.rmtree(store)
    for count in (10, 100, 1000, 10_000):
        store = folder / "variables.zarr"
        make("many", store, count)
        add("dump -h", count, "variables", [*NCZ, "dump", "-h", str(store)])
        shutil.rmtree(store)
    remove((made,))
    lines = [f"| {task} | {', '.join(times)} |" for task, times in found.items()]
    return "\n".join(("| task | number: time (for each) |", "|---|---|", *lines)) + "\n"
