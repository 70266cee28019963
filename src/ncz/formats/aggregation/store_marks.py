"""The marks of a store that may be an aggregation; listing a store looks for them."""

from __future__ import annotations

import re

from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON

_CONVENTION = re.compile(rb"\bCFA-0\.\d|\bCF-1\.(?:1[3-9]|[2-9]\d)")


def names_convention(zmap: Zmap) -> bool:
    """Return whether the root of a Zarr store names a convention that has aggregations."""
    return any(_CONVENTION.search(zmap.get(key) or b"") for key in (".zattrs", ZARR_JSON))
