"""The cells of the matrix with neither writer nor reader ncz.

The peers run in another process, because netCDF-C can crash. For each writer, case and reader it
returns nothing, or the reason why the reader does not see the dataset.
``make interop`` records the results in between.json, and the test compares new results with it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from ncz.model.tree import Dataset
from tests.conftest import EXAMPLES, ROOT
from tests.interop.examples.readers import read_netcdf4, read_xarray, read_zarr
from tests.interop.examples.view import Seen, SeenAttribute, SeenVariable, differences, view_of
from tests.interop.examples.writers import (
    as_json_tells,
    write_ncgen,
    write_netcdf4,
    write_xarray,
    write_zarr,
    write_zarr_v3,
)

RECORD = Path(__file__).with_name("between.json")
SOURCES = {path.stem: path for path in EXAMPLES}
REFUSED = ("station_types", "user_types")
"""Cases with user-defined types, which other readers lack; see tests/user_types."""

CASES = [name for name in SOURCES if name not in REFUSED]
CRASH = "ends the process"

Write = Callable[[str, Dataset, Seen, Path], None]

WRITERS: dict[str, Write] = {
    "ncgen 4.9.0, NCZarr": lambda case, dataset, seen, target: write_ncgen(
        SOURCES[case], f"file://{target}#mode=nczarr,file"
    ),
    "netCDF4 4.10.1, NCZarr": lambda case, dataset, seen, target: write_netcdf4(
        dataset, seen, target, "nczarr"
    ),
    "netCDF4 4.10.1, pure": lambda case, dataset, seen, target: write_netcdf4(
        dataset, seen, target, "zarr"
    ),
    "zarr-python 3, V2": lambda case, dataset, seen, target: write_zarr(dataset, seen, target),
    "zarr-python 3, V3": lambda case, dataset, seen, target: write_zarr_v3(dataset, seen, target),
    "xarray, V2": lambda case, dataset, seen, target: write_xarray(dataset, seen, target),
    "xarray, V3": lambda case, dataset, seen, target: write_xarray(dataset, seen, target, 3),
}

READERS = ("netCDF4 4.10.1", "zarr-python 3", "xarray")


def readers(writer: str) -> tuple[str, ...]:
    """Return the readers of the stores of a writer: netCDF-C reads no V3."""
    return tuple(
        reader for reader in READERS if not (writer.endswith("V3") and reader == "netCDF4 4.10.1")
    )


PAIRS = tuple((writer, reader) for writer in WRITERS for reader in readers(writer))


def read(writer: str, reader: str, store: Path) -> Seen:
    """Return the reader's view of a store."""
    version = 3 if writer.endswith("V3") else 2
    if reader == "zarr-python 3":
        return read_zarr(str(store), 3 if version == 3 else 2)
    if reader == "xarray":
        return read_xarray(str(store), version)
    mode = "nczarr" if writer.endswith("NCZarr") else "zarr"
    return read_netcdf4(f"file://{store}#mode={mode},file")


def expected(seen: Seen) -> Seen:
    """Return the view without parts that readers represent differently, such as fill values."""
    weak = as_json_tells(seen)
    return {path: part for path, part in weak.items() if not path.endswith("@_FillValue")}


def reasons(
    writer: str, case: str, chosen: list[str], folder: Path
) -> Iterator[tuple[str, str | None]]:
    """Yield for each chosen reader why it does not see the written data, or None if it does."""
    from ncz.cdl.reader import read_cdl

    dataset = read_cdl(SOURCES[case].read_bytes(), source=case)
    seen = view_of(dataset, rounded=True)
    target = folder / f"{case}.zarr"
    failure = None
    try:
        WRITERS[writer](case, dataset, seen, target)
    except Exception as error:
        failure = f"the writer: {_told(error, folder)}"
    for reader in chosen:
        yield reader, failure or _reason_to_read(writer, reader, seen, target)


def _reason_to_read(writer: str, reader: str, seen: Seen, target: Path) -> str | None:
    try:
        found = read(writer, reader, target)
    except Exception as error:
        return _told(error, target.parent)
    kept = {p: part for p, part in found.items() if not _of_the_format(p)}
    wrong = differences(expected(seen), kept, (SeenVariable, SeenAttribute))
    parts = sorted(wrong)
    more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
    return f"differs in {' '.join(parts[:3])}{more}" if parts else None


def _of_the_format(path: str) -> bool:
    name = path.rpartition("@")[2] if "@" in path else ""
    return name == "_FillValue" or name.startswith("_NCZARR_")


def _told(error: Exception, folder: Path) -> str:
    text = (str(error).strip() or type(error).__name__).splitlines()[0].replace(str(folder), "")
    return re.sub(r"\s+", " ", text)[:90]


Step = tuple[str, str, str]
"""A writer, a case and a reader."""


@cache
def run_all(writers: tuple[str, ...] = tuple(WRITERS)) -> dict[str, dict[str, dict[str, str]]]:
    """Return the reasons of each reader by case, for each of the writers.

    One process takes all steps, as to import the peers takes longer than many of them. A process
    that crashed is restarted with the step after that.
    """
    found: dict[str, dict[str, dict[str, str]]] = {
        writer: {reader: {} for reader in readers(writer)} for writer in writers
    }
    left: list[Step] = [
        (writer, case, reader) for writer in writers for case in CASES for reader in readers(writer)
    ]
    while left:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.interop.examples.between", folder]
            done = subprocess.run(
                command, cwd=ROOT, input=json.dumps(left), capture_output=True, text=True,
                check=False, timeout=600,
            )  # fmt: skip
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        for writer, case, reader, why in lines:
            left.remove((writer, case, reader))
            if why:
                found[writer][reader][case] = why
        if left and done.returncode >= 0 and not lines:
            raise RuntimeError(done.stderr)
        if left:
            writer, case, reader = left.pop(0)
            found[writer][reader][case] = CRASH
    return found


def main(folder: str) -> None:
    """Print ``[writer, case, reader, reason]`` for each step on standard input; it may crash."""
    import warnings

    warnings.simplefilter("ignore")
    for (writer, case), steps in groupby(json.load(sys.stdin), key=itemgetter(0, 1)):
        place = Path(tempfile.mkdtemp(dir=folder))
        for reader, why in reasons(writer, case, [reader for *_, reader in steps], place):
            sys.stdout.write(json.dumps([writer, case, reader, why]) + "\n")
            sys.stdout.flush()


def record() -> None:
    """Run all pairs and write between.json."""
    found = {f"{writer} > {reader}": run_all()[writer][reader] for writer, reader in PAIRS}
    text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True)
    RECORD.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        record()
