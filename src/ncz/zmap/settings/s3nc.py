"""The budgets in S3netCDF4's configuration file: memory and open files.

Source: the documentation of S3netCDF4, "Resource Usage".
"""

from __future__ import annotations

import json
import os
import re

from ncz.errors import ZmapError
from ncz.record import record
from ncz.zmap.settings.rc_files import Environment, home_folder, read_file

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGTPEZY]?)B?")
_POWERS = {letter: 1000**power for power, letter in enumerate(("", *"KMGTPEZY"))}
_FILES = ("filehandles", "file_handles", "disk_handles")
"""The names that the documentation has for the number of open files."""


@record(kw_only=True)
class Budgets:
    """What one process may use; None for what the file at `path` does not limit.

    `memory` is in bytes, `files` the number of pieces of an aggregation that are open.
    """

    path: str
    memory: int | None = None
    files: int | None = None


def s3nc_path(env: Environment) -> str:
    """Return the path of the file: $S3_NC_CONFIG, or ~/.s3nc.json."""
    return env.get("S3_NC_CONFIG") or os.path.join(home_folder(env), ".s3nc.json")


def read_budgets(env: Environment) -> Budgets:
    """Read the budgets; raise `ZmapError` if they are not valid."""
    path = s3nc_path(env)
    text = read_file(path)
    if text is None:
        return Budgets(path=path)
    try:
        found = json.loads(text).get("resource_allocation") or {}
        files = next((found[name] for name in _FILES if name in found), None)
        memory = None if "memory" not in found else parse_size(str(found["memory"]))
        if files is not None and (type(files) is not int or files < 1):
            raise ValueError(f"filehandles is {files!r}, not a number of files")
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise ZmapError(
            f"resource_allocation is not valid: {error}", path, 'write "memory": "1GB"'
        ) from error
    return Budgets(path=path, memory=memory, files=files)


def parse_size(text: str) -> int:
    """Return the bytes of a size such as "50MB"; the units are kB, MB, GB, TB, PB, EB, ZB and YB.

    Raises ValueError for any other text.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a valid size")
    whole, _, part = found[1].partition(".")
    return int(int(whole + part) * _POWERS[found[2].upper()] // 10 ** len(part))
