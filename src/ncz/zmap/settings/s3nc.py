"""The configuration file of S3netCDF4: hosts, backends, the folder of the cache, and budgets.

Each part is checked where it is used, so that a mistake in one does not stop a command that needs
another.

Source: the documentation of S3netCDF4, "Configuration" and "Resource Usage".
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from ncz.errors import ZmapError
from ncz.record import field, record
from ncz.zmap.settings.rc_files import Environment, home_folder, read_file
from ncz.zmap.settings.written import Written, lines_of_json, place

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGTPEZY]?)B?")
_POWERS = {letter: 1000**power for power, letter in enumerate(("", *"KMGTPEZY"))}
_FILES = ("filehandles", "file_handles", "disk_handles")
"""The names that the documentation has for the number of open files."""
_BUDGETS = "resource_allocation"
_WITHOUT_EFFECT = ("enable_multipart_download", "enable_multipart_upload")
_LONGEST = 999_999
_MOST_PARTS = 256


@record(kw_only=True)
class Budgets:
    """What one process may use; None for what the file at `path` does not limit.

    `memory` is in bytes, `files` the number of pieces of an aggregation that are open, and
    `places` says where each of them is written.
    """

    path: str
    memory: int | None = None
    files: int | None = None
    places: Mapping[str, str] = field(default_factory=dict)


@record(kw_only=True)
class Backend:
    """How requests to a server are made: times in seconds, and the size and number of parts."""

    connect_timeout: float | None = None
    read_timeout: float | None = None
    part_size: int | None = None
    parts: int | None = None


@record(kw_only=True)
class Host:
    """A server, its keys, and its backend; `unused` has the settings without effect in ncz."""

    alias: str
    url: str
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    backend: Backend = Backend()
    places: Mapping[str, str] = field(default_factory=dict)
    unused: Mapping[str, str] = field(default_factory=dict)


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
        found = json.loads(text).get(_BUDGETS) or {}
        name = next((name for name in _FILES if name in found), None)
        files = None if name is None else found[name]
        memory = None if "memory" not in found else parse_size(str(found["memory"]))
        if files is not None and (type(files) is not int or files < 1):
            raise ValueError(f"filehandles is {files!r}, not a number of files")
        if memory == 0:
            raise ValueError("memory is 0")
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        raise ZmapError(
            f"{_BUDGETS} is not valid: {error}", path, 'write "memory": "1GB"'
        ) from error
    lines = lines_of_json(text)
    places = {
        key: place(path, lines.get((_BUDGETS, written or "")))
        for key, written in (("memory", "memory"), ("files", name))
    }
    return Budgets(path=path, memory=memory, files=files, places=places)


def cache_location(env: Environment) -> Written | None:
    """Return the folder for temporary files, which ``cache_location`` names; None without any.

    Raises `ZmapError` if it is not a path.
    """
    path = s3nc_path(env)
    text = read_file(path)
    if text is None:
        return None
    try:
        found = json.loads(text).get("cache_location")
        if not found:
            return None
        if not isinstance(found, str):
            raise ValueError("it is not a path")
    except (ValueError, RecursionError, AttributeError) as error:
        raise ZmapError(
            f"cache_location is not valid: {error}", path, 'write "cache_location": "/FOLDER"'
        ) from error
    line = lines_of_json(text).get(("cache_location",))
    return Written(os.path.expanduser(found), place(path, line))


def temporary_folder(env: Environment) -> str | None:
    """Return the folder for large temporary files; None for that of the system.

    TMPDIR takes precedence over the file.
    """
    return None if any(env.get(name) for name in ("TMPDIR", "TEMP", "TMP")) else cache_location(env)


def read_hosts(env: Environment) -> list[Host]:
    """Read the hosts with their backends; raise `ZmapError` if one is not valid."""
    path = s3nc_path(env)
    text = read_file(path)
    if text is None:
        return []
    try:
        document = json.loads(text)
        hosts: dict[str, Any] = document.get("hosts", {})
        backends: dict[str, Any] = document.get("backends", {})
        lines = lines_of_json(text)
        return [_host(name, host, backends, lines, path) for name, host in hosts.items()]
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        found = f": {error}" if type(error) is _Invalid else ""
        raise ZmapError(
            f"the file is not a valid S3netCDF4 configuration{found}",
            path,
            'hosts need "alias", "url" and "credentials"',
        ) from error


class _Invalid(ValueError):
    """A value that is not valid; the message does not contain a secret."""


def _host(
    name: str,
    host: Mapping[str, Any],
    backends: Mapping[str, Any],
    lines: Mapping[tuple[str, ...], int],
    path: str,
) -> Host:
    url, credentials, backend = host["url"], host.get("credentials", {}), host.get("backend", "")
    above = {
        "url": ("hosts", name, "url"),
        "keys": ("hosts", name, "credentials", "accessKey"),
        "secret": ("hosts", name, "credentials", "secretKey"),
        "api": ("hosts", name, "api"),
    }
    settings = backends.get(backend, {})
    above |= {key: ("backends", backend, key) for key in settings}
    unused = {key: json.dumps(settings[key]) for key in _WITHOUT_EFFECT if key in settings}
    return Host(
        alias=host["alias"],
        url=url if "://" in url else f"https://{url}",
        access_key=credentials.get("accessKey") or None,
        secret_key=credentials.get("secretKey") or None,
        backend=_backend(settings),
        places={key: place(path, lines.get(keys)) for key, keys in above.items()},
        unused=unused | ({"api": str(host["api"])} if "api" in host else {}),
    )


def _backend(settings: Mapping[str, Any]) -> Backend:
    size = settings.get("maximum_part_size")
    parts = settings.get("maximum_parts")
    if parts is not None and (type(parts) is not int or not 0 < parts <= _MOST_PARTS):
        raise _Invalid(f"maximum_parts is {parts!r}, not a number from 1 to {_MOST_PARTS}")
    try:
        part_size = None if size is None else parse_size(str(size))
    except ValueError as error:
        raise _Invalid(f"maximum_part_size: {error}") from error
    return Backend(
        connect_timeout=_seconds(settings, "connect_timeout"),
        read_timeout=_seconds(settings, "read_timeout"),
        part_size=part_size,
        parts=parts,
    )


def _seconds(settings: Mapping[str, Any], name: str) -> float | None:
    value = settings.get(name)
    if value is not None and (type(value) not in (int, float) or not 0 < value <= _LONGEST):
        raise _Invalid(f"{name} is {value!r}, not a number of seconds")
    return None if value is None else float(value)


def parse_size(text: str) -> int:
    """Return the bytes of a size such as "50MB"; the units are kB, MB, GB, TB, PB, EB, ZB and YB.

    Raises ValueError for any other text.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a valid size")
    whole, _, part = found[1].partition(".")
    return int(int(whole + part) * _POWERS[found[2].upper()] // 10 ** len(part))
