"""Notices about settings that exist in files or the environment and have no effect."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.errors import (
    Notice,
    list_names,
    option,
)
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.zmap.settings import Environment

_OF_NCZARR = {
    "zarr.dimension_separator": f"use {option('separator')}",
    "zarr.consolidated": f"use {option('modes', 'consolidated')}",
    "nczarr.consolidated": f"use {option('modes', 'consolidated')}",
}
_OF_NCZARR_ENVIRONMENT = {"NCZARR_CONSOLIDATED": f"use {option('modes', 'consolidated')}"}
_DECIDED = "options decide how a store is written"


def ignored_settings(
    location: Location, environment: Environment | None = None, *, creating: bool = False
) -> Iterator[Notice]:
    """Yield a notice for each setting that netcdf-c or a file in the working folder asks in vain.

    Parameters
    ----------
    location
        The location that a command opens.
    environment
        The environment variables; those of the process if left out.
    creating
        Whether a store is created there, so that settings of new stores matter.
    """
    env = os.environ if environment is None else environment
    if creating:
        for name, hint in _OF_NCZARR_ENVIRONMENT.items():
            if env.get(name):
                yield _ignored(name, _DECIDED, hint)
    if not creating and not location.is_s3:
        return
    from ncz.zmap.settings import TRUST, read_rc_files

    found = read_rc_files(location.path, env)
    if creating:
        for key, hint in _OF_NCZARR.items():
            if key in found.values or key in found.folder_values:
                yield _ignored(f"{key.upper()} in .ncrc", _DECIDED, hint)
    if location.is_s3:
        for path, keys in found.ignored.items():
            yield Notice(
                "folder-not-trusted",
                f"{list_names(keys, 3)} of this file are ignored, because it is in the working"
                " folder",
                path,
                f"move them to ~/{os.path.basename(path)}, or set {TRUST}=1",
            )


def _ignored(name: str, reason: str, hint: str) -> Notice:
    return Notice("setting-ignored", f"{name} is ignored: {reason}", hint=hint)
