"""The versions of Zarr that can be read. A module is imported when its version is first met."""

from __future__ import annotations

from collections.abc import Callable

from ncz.errors import Notify
from ncz.formats.zarr.hierarchy import v2
from ncz.formats.zarr.hierarchy.nodes import ArrayDocument, Root
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON


@record(kw_only=True)
class ZarrVersion:
    """A version of Zarr.

    `mode` selects it in a URL. `roots` are the documents one of which is in every root. `find_root`
    returns None if the store is not of this version, `find_array` if no array is at the prefix;
    both raise `FormatError` for a document that is broken.
    """

    mode: str
    roots: tuple[str, ...]
    find_root: Callable[[Zmap, Notify], Root | None]
    find_array: Callable[[Zmap, str], ArrayDocument | None]


def _find_root_v3(zmap: Zmap, notify: Notify) -> Root | None:
    from ncz.formats.zarr.hierarchy import v3

    return v3.find_root(zmap, notify)


def _find_array_v3(zmap: Zmap, prefix: str) -> ArrayDocument | None:
    from ncz.formats.zarr.hierarchy import v3

    return v3.find_array(zmap, prefix)


VERSIONS = (
    ZarrVersion(mode="v2", roots=v2.ROOTS, find_root=v2.find_root, find_array=v2.find_array),
    ZarrVersion(mode="v3", roots=(ZARR_JSON,), find_root=_find_root_v3, find_array=_find_array_v3),
)
"""All versions, in the order in which a store is tried."""
