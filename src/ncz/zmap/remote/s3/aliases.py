"""Aliases: names for S3 servers, from the configuration files of ncz and S3netCDF4."""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import fields

from ncz.errors import ZmapError
from ncz.record import field, record
from ncz.zmap.settings.rc_files import Environment, home_folder, read_file
from ncz.zmap.settings.s3nc import s3nc_path


@record
class Alias:
    """A named server, from ``[alias.NAME]`` of ncz's configuration, .s3nc.json, or .ncrc.

    `trusted` is false for an alias of the working folder, which receives no keys but those that the
    user gives with the URL.
    """

    endpoint: str
    region: str | None = None
    profile: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    anonymous: bool | None = None
    path_style: bool = True
    trusted: bool = True


def find_aliases(env: Environment) -> dict[str, Alias]:
    """Read the aliases by name.

    ncz's own file ($NCZ_CONFIG, ~/.config/ncz/config.toml) takes precedence over S3netCDF4's
    ($S3_NC_CONFIG, ~/.s3nc.json). Raises `ZmapError` if a file is not valid.
    """
    found: dict[str, Alias] = {}
    for aliases in aliases_by_file(env).values():
        found |= aliases
    return found


def aliases_by_file(env: Environment) -> dict[str, dict[str, Alias]]:
    """Read the aliases by the path of their file; those of a later file take precedence."""
    folder = env.get("XDG_CONFIG_HOME") or os.path.join(home_folder(env), ".config")
    ours = env.get("NCZ_CONFIG") or os.path.join(folder, "ncz", "config.toml")
    theirs = s3nc_path(env)
    return {theirs: _read_s3nc(theirs), ours: _read_config(ours)}


def _read_config(path: str) -> dict[str, Alias]:
    text = read_file(path)
    if text is None:
        return {}
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ZmapError(f"the file is not valid TOML: {error}", path, "correct it") from error
    tables = document.get("alias", {})
    if not isinstance(tables, dict):
        raise ZmapError("alias is not a table", path, "write [alias.NAME]")
    return {name: _alias(table, f"{path}: [alias.{name}]") for name, table in tables.items()}


def _alias(table: object, where: str) -> Alias:
    known = {entry.name: bool if "bool" in str(entry.type) else str for entry in fields(Alias)}
    known.pop("trusted")
    if not isinstance(table, dict):
        raise ZmapError(
            "the alias is not a table", where, "write [alias.NAME] and the keys below it"
        )
    for key, value in table.items():
        if key not in known:
            raise ZmapError(f"unknown key {key!r}", where, f"valid keys are {', '.join(known)}")
        if not isinstance(value, known[key]):
            wanted = "true or false" if known[key] is bool else "a string"
            raise ZmapError(f"{key} must be {wanted}", where)
    if not str(table.get("endpoint", "")).lower().startswith(("http://", "https://")):
        raise ZmapError("an alias needs an endpoint", where, 'write endpoint = "https://HOST"')
    if bool(table.get("access_key")) != bool(table.get("secret_key")):
        raise ZmapError("access_key and secret_key must be given together", where)
    return Alias(**table)


def _read_s3nc(path: str) -> dict[str, Alias]:
    """Read the hosts of S3netCDF4's configuration file."""
    text = read_file(path)
    if text is None:
        return {}
    try:
        document = json.loads(text)
        hosts = document.get("hosts", {}).values()
        return {
            host["alias"]: Alias(
                endpoint=host["url"] if "://" in host["url"] else f"https://{host['url']}",
                access_key=host.get("credentials", {}).get("accessKey") or None,
                secret_key=host.get("credentials", {}).get("secretKey") or None,
            )
            for host in hosts
        }
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise ZmapError(
            "the file is not a valid S3netCDF4 configuration",
            path,
            'hosts need "alias", "url" and "credentials"',
        ) from error
