"""docs/interop.md from the limits that the matrix asserts: ``make interop``."""

from __future__ import annotations

from collections import defaultdict

from tests.conftest import EXAMPLES, ROOT
from tests.peers.limits import LIMITS, STORE

REFUSED = ("station_types", "user_types")
"""Cases whose user-defined types no store of Zarr holds."""

CASES = [path.stem for path in EXAMPLES if path.stem not in REFUSED]

PAIRS = (
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
from each writer to each reader, compared by value, type, dimension and attribute as far as the form
holds them. "Same" counts the files that the reader sees as they are; all others are listed below
with the reader's or writer's limit. A test fails if a limit is gone or a new one comes.

netCDF-C reads no Zarr V3 at all. ncz reads what ncz writes, in every form, without an exception
(tests/test_round_trip.py, tests/commands/test_copy.py).

"""


def table() -> str:
    """The whole of docs/interop.md."""
    lines = ["| writer | reader | same | with a limit |", "|---|---|---|---|"]
    for writer, reader, who in PAIRS:
        limited = {c for limit in LIMITS if limit.who == who for c in limit.cases.split()}
        lines.append(
            f"| {writer} | {reader} | {len(CASES) - len(limited)} of {len(CASES)} |"
            f" {len(limited) or '-'} |"
        )
    lines += ["", "## Limits", ""]
    for writer, reader, who in PAIRS:
        reasons: dict[str, set[str]] = defaultdict(set)
        for limit in LIMITS:
            if limit.who == who:
                what = "the whole store of " if STORE in limit.parts else ""
                reasons[limit.reason] |= {f"{what}{case}" for case in limit.cases.split()}
        if reasons:
            lines.append(f"**{writer}, read by {reader}**")
            lines.append("")
            lines += [f"- {reason}: {', '.join(sorted(c))}" for reason, c in reasons.items()]
            lines.append("")
    return HEAD + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "interop.md").write_text(table(), encoding="utf-8")
