"""The versions of Zarr that can be read. A module is imported when its version is first met."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ncz.errors import Notify
from ncz.formats.zarr.hierarchy import v2
from ncz.formats.zarr.hierarchy.nodes import ArrayDocument, Root
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key


@record(kw_only=True)
class ZarrVersion:
    """A version of Zarr.

    `mode` selects it in a URL. `roots` are the documents one of which is in every root. `find_root`
    returns None if the store is not of this version, `find_array` if no array is at the prefix;
    both raise `FormatError` for a document that is broken. The second argument of `find_root` says
    whether to use consolidated metadata: True raises `FormatError` if there is none, False ignores
    it, and None uses it if it is there.
    """

    mode: str
    roots: tuple[str, ...]
    find_root: Callable[[Zmap, bool | None, Notify], Root | None]
    find_array: Callable[[Zmap, str], ArrayDocument | None]


def _find_root_v3(zmap: Zmap, consolidated: bool | None, notify: Notify) -> Root | None:
    data = zmap.get(ZARR_JSON)
    if data is None:
        return None
    from ncz.formats.zarr.hierarchy import v3

    return v3.find_root(zmap, data, consolidated)


def _find_array_v3(zmap: Zmap, prefix: str) -> ArrayDocument | None:
    if zmap.size(join_key(prefix, ZARR_JSON)) is None:
        return None
    from ncz.formats.zarr.hierarchy import v3

    return v3.find_array(zmap, prefix)


VERSIONS = (
    ZarrVersion(mode="v3", roots=(ZARR_JSON,), find_root=_find_root_v3, find_array=_find_array_v3),
    ZarrVersion(mode="v2", roots=v2.ROOTS, find_root=v2.find_root, find_array=v2.find_array),
)
"""All versions, in the order in which a store is tried.

V3 is the first, as in zarr-python: only V3 has a `zarr.json`, but any store may have a stray
document of V2.
"""


def find_root(
    zmap: Zmap, modes: Collection[str], consolidated: bool | None, notify: Notify
) -> Root | None:
    """Return the root of the store, of the version that `modes` select if they do."""
    selected = [version for version in VERSIONS if version.mode in modes]
    for version in selected or VERSIONS:
        root = version.find_root(zmap, consolidated, notify)
        if root is not None:
            return root
    return None
