"""Whether values have the digests that the annotations keep of them."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import NczError
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.check.contents import StoreContents


def check_digests(read: StoreContents) -> Iterator[Finding]:
    """Read the values whose digest is kept; yield the arrays that have other values.

    Chunks that cannot be read are findings of their own.
    """
    kept = {key: data for key in read.variables if (data := read.data(key)) and data.kept}
    if not kept:
        return
    from ncz.digests.sums import sums_text
    from ncz.digests.variable import variable_sums
    from ncz.parallel.memory import default_memory
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool

    with ThreadPool(default_memory(), cores()) as pool:
        for key, data in kept.items():
            try:
                found = variable_sums(read.variables[key], data.grid.shape, pool)
            except NczError:
                continue
            if sums_text(found) != data.kept:
                yield finding(
                    "digest-mismatch",
                    key,
                    "the values have another digest than the one that is kept",
                    "restore them from another copy; if they were changed on purpose, copy the"
                    " store with --digest",
                )
