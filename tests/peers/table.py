"""docs/interop.md from the limits that the matrix asserts: ``make interop``."""

from __future__ import annotations

import json
from collections import defaultdict

from tests.conftest import ROOT
from tests.interop.document import section
from tests.peers import between
from tests.peers.between import CASES
from tests.peers.limits import LIMITS, STORE

PAIRS = (
    ("ncz, NCZarr V2", "ncz", "ncz reads its NCZarr"),
    ("ncz, pure V2", "ncz", "ncz reads its Zarr"),
    ("ncz, NCZarr V3", "ncz", "ncz reads its NCZarr V3"),
    ("ncz, pure V3", "ncz", "ncz reads its Zarr V3"),
    ("ncz, NCZarr V2", "netCDF4 4.10.1", "netCDF4 reads NCZarr"),
    ("ncz, NCZarr V2", "zarr-python 3", "zarr reads NCZarr"),
    ("ncz, NCZarr V2", "xarray", "xarray reads NCZarr"),
    ("ncz, pure V2", "netCDF4 4.10.1", "netCDF4 reads Zarr"),
    ("ncz, pure V2", "zarr-python 3", "zarr reads Zarr"),
    ("ncz, pure V2, zip", "zarr-python 3", "zarr reads zip"),
    ("ncz, pure V2", "xarray", "xarray reads Zarr"),
    ("ncz, NCZarr V3", "zarr-python 3", "zarr reads NCZarr V3"),
    ("ncz, NCZarr V3", "xarray", "xarray reads NCZarr V3"),
    ("ncz, pure V3", "zarr-python 3", "zarr reads Zarr V3"),
    ("ncz, pure V3", "xarray", "xarray reads Zarr V3"),
    ("ncgen 4.9.0, NCZarr", "ncz", "ncz reads ncgen's NCZarr"),
    ("netCDF4 4.10.1, NCZarr", "ncz", "ncz reads netCDF4's NCZarr"),
    ("netCDF4 4.10.1, pure", "ncz", "ncz reads netCDF4's Zarr"),
    ("zarr-python 3, V2", "ncz", "ncz reads zarr's"),
    ("zarr-python 3, V3", "ncz", "ncz reads zarr's V3"),
    ("xarray, V2", "ncz", "ncz reads xarray's"),
    ("xarray, V3", "ncz", "ncz reads xarray's V3"),
)
"""Writer, reader, and what the matrix and the limits call the pair."""

HEAD = """\
# Who reads what

Made by `make interop`, which runs the matrix too: every file of `cdl_examples` that Zarr can hold,
from each writer to each reader, compared by value, dimension and attribute as far as the form holds
them, and by type where ncz is one of the two. A cell says in how many of the {count} cases the
reader sees the dataset as it is; all others are listed below with the reader's or the writer's
limit. A test fails if a limit is gone or a new one comes.

"""

READERS = ("ncz", *between.READERS)


def _limits() -> dict[tuple[str, str], dict[str, set[str]]]:
    """For each pair the cases of each reason."""
    found: dict[tuple[str, str], dict[str, set[str]]] = {}
    for writer, reader, who in PAIRS:
        reasons = found[writer, reader] = defaultdict(set)
        for limit in LIMITS:
            if limit.who == who:
                what = "the whole store of " if STORE in limit.parts else ""
                reasons[limit.reason] |= {f"{what}{case}" for case in limit.cases.split()}
    record = json.loads(between.RECORD.read_text(encoding="utf-8"))
    for writer, reader in between.PAIRS:
        reasons = found[writer, reader] = defaultdict(set)
        for case, why in record[f"{writer} > {reader}"].items():
            reasons[why].add(case)
    return found


def _cell(reasons: dict[str, set[str]] | None) -> str:
    if reasons is None:
        return "reads no V3"
    limited = {case.rpartition(" ")[2] for cases in reasons.values() for case in cases}
    return f"{len(CASES) - len(limited)}"


def table() -> str:
    """The matrix and its limits."""
    limits = _limits()
    writers = dict.fromkeys(writer for writer, _ in limits)
    lines = [f"| writer | {' | '.join(READERS)} |", "|---" * (len(READERS) + 1) + "|"]
    for writer in writers:
        if writer.endswith("zip"):
            continue
        cells = [_cell(limits.get((writer, reader))) for reader in READERS]
        lines.append(f"| {writer} | {' | '.join(cells)} |")
    lines += ["", "## Limits", ""]
    for (writer, reader), reasons in limits.items():
        if reasons:
            lines.append(f"**{writer}, read by {reader}**")
            lines.append("")
            lines += [f"- {_plain(why)}: {', '.join(sorted(c))}" for why, c in reasons.items()]
            lines.append("")
    return HEAD.format(count=len(CASES)) + "\n".join(lines).rstrip() + "\n"


def _plain(text: str) -> str:
    """Text of others among our own: code, if it has signs that mean something in Markdown."""
    return f"`{text}`" if set(text) & set("<>_*[]{}|\\") and "`" not in text else text


DOCUMENT = ROOT / "docs" / "interop.md"


def document() -> str:
    """The whole of docs/interop.md: this table, and that of tests/interop."""
    return f"{table()}\n{section()}"


def write_document() -> None:
    """Write docs/interop.md."""
    DOCUMENT.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    write_document()
