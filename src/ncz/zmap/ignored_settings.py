"""Settings that exist in files or the environment and have no effect."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ncz.errors import Notice, list_names, option
from ncz.zmap.location import Location
from ncz.zmap.rc_files import TRUST, read_rc_files

_OF_NCZARR = {
    "zarr.dimension_separator": f"use {option('separator')}",
    "zarr.consolidated": f"use {option('modes', 'consolidated')}",
    "nczarr.consolidated": f"use {option('modes', 'consolidated')}",
}
_OF_NCZARR_ENVIRONMENT = {"NCZARR_CONSOLIDATED": f"use {option('modes', 'consolidated')}"}


def ignored_settings(location: Location, *, creating: bool = False) -> Iterator[Notice]:
    """Yield a notice for each setting of netcdf-c, or of a file here, that has no effect.

    Parameters
    ----------
    location
        The location that a command opens.
    creating
        Whether a store is created there, so that settings of new stores matter.
    """
    if creating:
        for name, hint in _OF_NCZARR_ENVIRONMENT.items():
            if os.environ.get(name):
                yield _ignored_notice(name, hint)
    if not creating and not location.is_s3:
        return
    found = read_rc_files(location.path, os.environ)
    if creating:
        for key, hint in _OF_NCZARR.items():
            if key in found.values or key in found.folder_values:
                yield _ignored_notice(f"{key.upper()} in .ncrc", hint)
    if location.is_s3:
        for path, keys in found.ignored.items():
            yield Notice(
                "folder-not-trusted",
                f"{list_names(keys, 3)} of this file are ignored, because it is in the working"
                " folder",
                path,
                f"move them to ~/{os.path.basename(path)}, or set {TRUST}=1",
            )


def _ignored_notice(name: str, hint: str) -> Notice:
    text = f"{name} is ignored: options decide how a store is written"
    return Notice("setting-ignored", text, hint=hint)
