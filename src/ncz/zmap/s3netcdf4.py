"""The configuration file of S3netCDF4: hosts, backends, the folder of the cache, and budgets.

Each part is checked when it is used, so that a mistake in one does not stop a command that needs
another.

Source: the documentation of S3netCDF4, "Configuration" and "Resource Usage".
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ncz.errors import ZmapError
from ncz.record import record, replace
from ncz.zmap.alias import Alias
from ncz.zmap.setting_files import Environment, home_folder, read_file
from ncz.zmap.setting_places import Setting

_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([kKMGTPEZY]?)B?")
_POWERS = {letter: 1000**power for power, letter in enumerate(("", *"KMGTPEZY"))}
_FILES = ("filehandles", "file_handles", "disk_handles")
"""The names that the documentation has for the number of open files."""
_BUDGETS = "resource_allocation"
_WITHOUT_EFFECT = ("enable_multipart_download", "enable_multipart_upload")
_LONGEST = 999_999
_MOST_PARTS = 256


@record(kw_only=True)
class Budgets:
    """The limits of one process; None for limits that the file at `path` does not set.

    `memory` is in bytes, `files` the number of pieces of an aggregation that are open, and `path`
    the file.
    """

    path: str
    memory: int | None = None
    files: int | None = None


def s3nc_path(env: Environment) -> str:
    """Return the path of the file: $S3_NC_CONFIG, or ~/.s3nc.json."""
    return env.get("S3_NC_CONFIG") or os.path.join(home_folder(env), ".s3nc.json")


def read_budgets(env: Environment) -> Budgets:
    """Read the budgets; raise `ZmapError` if they are not valid."""
    with _File(env).part(f"{_BUDGETS} is not valid", 'write "memory": "1GB"') as file:
        found = _table(file.document, _BUDGETS)
        name = next((name for name in _FILES if name in found), "")
        files = found.get(name)
        if files is not None and (type(files) is not int or not 0 < files <= _LONGEST):
            raise _InvalidSetting(f"{name} is not a number of files")
        return Budgets(path=file.path, memory=_bytes(found, "memory"), files=files)


def cache_location(env: Environment) -> Setting | None:
    """Return the folder for temporary files, which ``cache_location`` names; None without any.

    Raises `ZmapError` if it is not a path.
    """
    with _File(env).part(
        "cache_location is not valid", 'write "cache_location": "/FOLDER"'
    ) as file:
        found = _text(file.document, "cache_location")
        if not found:
            return None
        return Setting(os.path.expanduser(found), file.path)


def temporary_folder(env: Environment) -> str | None:
    """Return the folder for large temporary files; None for the system's.

    TMPDIR takes precedence over the file.
    """
    return None if any(env.get(name) for name in ("TMPDIR", "TEMP", "TMP")) else cache_location(env)


def read_s3nc(env: Environment) -> dict[str, Alias]:
    """Read the hosts of S3netCDF4's configuration file.

    The bytes of parts are fetched ahead, but not more than the budget of memory.
    """
    fault = "the file is not a valid S3netCDF4 configuration"
    with _File(env).part(fault, 'hosts need "alias", "url" and "credentials"') as file:
        found = dict(_host(name, file) for name in _table(file.document, "hosts"))
    memory = read_budgets(env).memory if any(alias.ahead for alias in found.values()) else None
    return {
        name: replace(alias, ahead=min(alias.ahead, memory)) if alias.ahead and memory else alias
        for name, alias in found.items()
    }


class _InvalidSetting(ValueError):
    """A part of the file is not valid. The message has no values, which may be secrets."""


class _File:
    """The file, and its description in messages."""

    def __init__(self, env: Environment) -> None:
        self.path = s3nc_path(env)
        self.document: Mapping[str, Any] = {}
        self._text = read_file(self.path)

    @contextlib.contextmanager
    def part(self, fault: str, hint: str) -> Iterator[_File]:
        """Read the document, and turn an error about a part of it into `ZmapError`."""
        try:
            if self._text is not None:
                self.document = _read_document(self._text)
            yield self
        except _InvalidSetting as error:
            raise ZmapError(f"{fault}: {error}", self.path, hint) from error


def _read_document(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
        json.dumps(document, ensure_ascii=False).encode()  # as messages are
    except UnicodeEncodeError:
        raise _InvalidSetting("it has half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise _InvalidSetting(str(error)) from None
    except (ValueError, RecursionError):
        raise _InvalidSetting("a number or a list in it is too long or too deep") from None
    if not isinstance(document, dict):
        raise _InvalidSetting("it is not a JSON object")
    return document


def _table(above: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object in another one; an empty one if it is missing."""
    found = above.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise _InvalidSetting(f"{name} is not a JSON object")
    return found


def _text(above: Mapping[str, Any], name: str) -> str:
    """Return a text in an object; an empty one if it is missing."""
    found = above.get(name)
    if found is not None and not isinstance(found, str):
        raise _InvalidSetting(f"{name} is not text")
    return found or ""


def _host(name: str, file: _File) -> tuple[str, Alias]:
    """Return the alias of a host, and the server with its keys and its backend."""
    host = _table(_table(file.document, "hosts"), name)
    credentials, backend = _table(host, "credentials"), _text(host, "backend")
    settings = _table(_table(file.document, "backends"), backend)
    unused = {key: json.dumps(settings[key]) for key in _WITHOUT_EFFECT if key in settings}
    alias, url = _text(host, "alias"), _text(host, "url")
    if not (alias and url):
        raise _InvalidSetting("a host has no alias or no url")
    parts = settings.get("maximum_parts")
    if parts is not None and (type(parts) is not int or not 0 < parts <= _MOST_PARTS):
        raise _InvalidSetting(f"maximum_parts is not a number from 1 to {_MOST_PARTS}")
    return alias, Alias(
        endpoint=url if "://" in url else f"https://{url}",
        access_key=_text(credentials, "accessKey") or None,
        secret_key=_text(credentials, "secretKey") or None,
        connect_timeout=_seconds(settings, "connect_timeout"),
        read_timeout=_seconds(settings, "read_timeout"),
        requests=parts,
        ahead=(_bytes(settings, "maximum_part_size") or 0) * (parts or 1) or None,
        file=file.path,
        unused=unused | ({"api": _text(host, "api")} if "api" in host else {}),
    )


def _bytes(settings: Mapping[str, Any], name: str) -> int | None:
    value = settings.get(name)
    if value is None:
        return None
    with contextlib.suppress(ValueError):
        if size := parse_size(str(value)):
            return size
    raise _InvalidSetting(f"{name} is not a size")


def _seconds(settings: Mapping[str, Any], name: str) -> float | None:
    value = settings.get(name)
    if value is not None and (type(value) not in (int, float) or not 0 < value <= _LONGEST):
        raise _InvalidSetting(f"{name} is not a number of seconds")
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
