"""Aliases from the configuration files of ncz and S3netCDF4."""

from __future__ import annotations

from ncz.errors import ZmapError
from ncz.zmap.alias import Alias
from ncz.zmap.config_file import config_path, read_config
from ncz.zmap.s3netcdf4 import read_s3nc, s3nc_path
from ncz.zmap.setting_files import Environment

_TEXT, _FLAG, _TIME, _COUNT = "a string", "true or false", "a number of seconds", "a whole number"
KEYS = {
    "endpoint": _TEXT, "region": _TEXT, "profile": _TEXT,
    "access_key": _TEXT, "secret_key": _TEXT, "session_token": _TEXT,
    "anonymous": _FLAG, "path_style": _FLAG,
    "connect_timeout": _TIME, "read_timeout": _TIME, "requests": _COUNT, "ahead": _COUNT,
}  # fmt: skip
"""The keys of an alias in ncz's own file, and their meaning."""
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
    return s3nc_path(env), config_path(env)


def aliases_by_file(env: Environment) -> dict[str, dict[str, Alias]]:
    """Read the aliases by the path of their file; aliases in a later file take precedence."""
    theirs, ours = alias_files(env)
    return {theirs: read_s3nc(env), ours: _read_config(ours)}


def _read_config(path: str) -> dict[str, Alias]:
    document = read_config(path)
    tables = document.get("alias", {})
    if not isinstance(tables, dict):
        raise ZmapError("alias is not a table", path, "write [alias.NAME]")
    return {name: _parse_alias(table, name, path) for name, table in tables.items()}


def _parse_alias(table: object, name: str, path: str) -> Alias:
    where = f"{path}: [alias.{name}]"
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
    return Alias(**table, file=path)


def _is_valid(key: str, value: object) -> bool:
    """Return whether a value has the type of its key, and is in its range."""
    if KEYS[key] in (_TEXT, _FLAG):
        return isinstance(value, str if KEYS[key] == _TEXT else bool)
    types = (int, float) if KEYS[key] == _TIME else (int,)
    return type(value) in types and 0 < value <= _LARGEST[key]  # type: ignore[operator]
