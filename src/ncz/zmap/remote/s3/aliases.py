"""Aliases: names for S3 servers, from the configuration files of ncz and S3netCDF4."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping

from ncz.errors import ZmapError
from ncz.record import field, record
from ncz.zmap.settings.rc_files import Environment, home_folder, read_file
from ncz.zmap.settings.s3nc import Host, read_budgets, read_hosts, s3nc_path
from ncz.zmap.settings.written import lines_of_sections, place


@record
class Alias:
    """A named server, from ``[alias.NAME]`` of ncz's configuration, .s3nc.json, or .ncrc.

    `trusted` is false for an alias of the working folder, which receives no keys but those that the
    user gives with the URL. The times are in seconds; `requests` is the number of requests under
    way, and `ahead` the number of bytes that are fetched before they are read. `places` says where
    the values are written, "" where the alias begins.
    """

    endpoint: str
    region: str | None = None
    profile: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    anonymous: bool | None = None
    path_style: bool = True
    connect_timeout: float | None = None
    read_timeout: float | None = None
    requests: int | None = None
    ahead: int | None = None
    trusted: bool = True
    places: Mapping[str, str] = field(default_factory=dict, compare=False)
    unused: Mapping[str, str] = field(default_factory=dict, compare=False)

    def place(self, key: str) -> str:
        """Return where a value is written, or else where the alias is."""
        return self.places.get(key) or self.places.get("", "")


_TEXT, _FLAG, _TIME, _COUNT = "a string", "true or false", "a number of seconds", "a whole number"
KEYS = {
    "endpoint": _TEXT, "region": _TEXT, "profile": _TEXT,
    "access_key": _TEXT, "secret_key": _TEXT, "session_token": _TEXT,
    "anonymous": _FLAG, "path_style": _FLAG,
    "connect_timeout": _TIME, "read_timeout": _TIME, "requests": _COUNT, "ahead": _COUNT,
}  # fmt: skip
"""The keys of an alias in ncz's own file, and what their values are."""
_LARGEST = {"connect_timeout": 999_999, "read_timeout": 999_999, "requests": 256, "ahead": 1 << 40}


def find_aliases(env: Environment) -> dict[str, Alias]:
    """Read the aliases by name.

    ncz's own file ($NCZ_CONFIG, ~/.config/ncz/config.toml) takes precedence over S3netCDF4's
    ($S3_NC_CONFIG, ~/.s3nc.json). Raises `ZmapError` if a file is not valid.
    """
    found: dict[str, Alias] = {}
    for aliases in aliases_by_file(env).values():
        found |= aliases
    return found


def alias_files(env: Environment) -> tuple[str, str]:
    """Return the files of aliases: S3netCDF4's, and ncz's own, which takes precedence."""
    folder = env.get("XDG_CONFIG_HOME") or os.path.join(home_folder(env), ".config")
    return s3nc_path(env), env.get("NCZ_CONFIG") or os.path.join(folder, "ncz", "config.toml")


def aliases_by_file(env: Environment) -> dict[str, dict[str, Alias]]:
    """Read the aliases by the path of their file; those of a later file take precedence."""
    theirs, ours = alias_files(env)
    return {theirs: _read_s3nc(env), ours: _read_config(ours)}


def _read_config(path: str) -> dict[str, Alias]:
    text = read_file(path)
    if text is None:
        return {}
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        is_told = isinstance(error, tomllib.TOMLDecodeError)
        reason = error if is_told else "a number or a list in it is too long or too deep"
        raise ZmapError(f"the file is not valid TOML: {reason}", path, "correct it") from error
    tables = document.get("alias", {})
    if not isinstance(tables, dict):
        raise ZmapError("alias is not a table", path, "write [alias.NAME]")
    lines = lines_of_sections(text)
    return {
        name: _alias(
            table,
            f"{path}: [alias.{name}]",
            {
                key: place(path, line)
                for (section, key), line in lines.items()
                if section == f"alias.{name}"
            }
            or {"": path},
        )
        for name, table in tables.items()
    }


def _alias(table: object, where: str, places: Mapping[str, str]) -> Alias:
    if not isinstance(table, dict):
        raise ZmapError(
            "the alias is not a table", where, "write [alias.NAME] and the keys below it"
        )
    for key, value in table.items():
        if key not in KEYS:
            raise ZmapError(f"unknown key {key!r}", where, f"valid keys are {', '.join(KEYS)}")
        if not _is_valid(key, value):
            raise ZmapError(f"{key} must be {KEYS[key]}", where)
    if not str(table.get("endpoint", "")).lower().startswith(("http://", "https://")):
        raise ZmapError("an alias needs an endpoint", where, 'write endpoint = "https://HOST"')
    if bool(table.get("access_key")) != bool(table.get("secret_key")):
        raise ZmapError("access_key and secret_key must be given together", where)
    return Alias(**table, places=places)


def _is_valid(key: str, value: object) -> bool:
    """Return whether a value has the type of its key, and is in its range."""
    if KEYS[key] in (_TEXT, _FLAG):
        return isinstance(value, str if KEYS[key] == _TEXT else bool)
    types = (int, float) if KEYS[key] == _TIME else (int,)
    return type(value) in types and 0 < value <= _LARGEST[key]  # type: ignore[operator]


def _read_s3nc(env: Environment) -> dict[str, Alias]:
    """Read the hosts of S3netCDF4's configuration file.

    As many bytes are fetched ahead as their parts have, but not more than the budget of memory.
    """
    hosts = read_hosts(env)
    memory = read_budgets(env).memory if any(h.backend.part_size for h in hosts) else None
    return {host.alias: _of_host(host, memory) for host in hosts}


def _of_host(host: Host, memory: int | None) -> Alias:
    backend = host.backend
    ahead = None
    if backend.part_size:
        ahead = backend.part_size * (backend.parts or 1)
        ahead = min(ahead, memory) if memory else ahead
    names = {
        "": "url", "endpoint": "url", "access_key": "keys", "secret_key": "secret",
        "ahead": "maximum_part_size", "requests": "maximum_parts",
    }  # fmt: skip
    return Alias(
        endpoint=host.url,
        access_key=host.access_key,
        secret_key=host.secret_key,
        connect_timeout=backend.connect_timeout,
        read_timeout=backend.read_timeout,
        requests=backend.parts,
        ahead=ahead,
        places=dict(host.places) | {ours: host.places.get(k, "") for ours, k in names.items()},
        unused=host.unused,
    )
