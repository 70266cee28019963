"""Write docs/reference/archives.md: ``python -m tests.archives.table``."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from tests.archives.catalogue import ARCHIVES
from tests.archives.joining import Bytes, results
from tests.conftest import ROOT

DOCUMENT = ROOT / "docs" / "reference" / "archives.md"

MARK = "<!-- the table, by python -m tests.archives.table -->\n\n"
"""The line above the table."""


def main() -> None:
    """Join and compare all archives, and write the page."""
    warnings.simplefilter("ignore")
    lines = [*_rows()]
    names = ("xarray", "zarr", "kerchunk", "icechunk")
    programs = ", ".join(f"{name} {version(name)}" for name in names)
    text, mark, _ = DOCUMENT.read_text("utf-8").partition(MARK)
    table = "\n".join(lines)
    DOCUMENT.write_text(f"{text}{mark}{table}\n\nMeasured with {programs}.\n", "utf-8")


def _rows() -> Iterator[str]:
    names = ("archive", "set: referenced", "set: stored", "Icechunk: referenced",
             "Icechunk: stored", "copy")  # fmt: skip
    yield f"| {' | '.join(names)} |"
    yield "|---|---|---|---|---|---|"
    for archive in ARCHIVES:
        with tempfile.TemporaryDirectory() as folder:
            found = results(archive, Path(folder))
        in_set, in_repository, copied = found["JSON"], found["Icechunk"], found["copy"]
        assert isinstance(in_repository, Bytes), (archive.name, in_repository)
        assert isinstance(copied, Bytes), (archive.name, copied)
        assert isinstance(in_set, Bytes), (archive.name, in_set)
        assert found["Parquet"] == in_set, (archive.name, found["Parquet"])
        cells = [f"{in_set.referred:,}", f"{in_set.stored:,}"]
        name = archive.name + ("*" if archive.exceeds else "")
        cells += [f"{in_repository.referred:,}", f"{in_repository.stored:,}", f"{copied.stored:,}"]
        yield f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
