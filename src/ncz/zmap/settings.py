"""Settings and aliases in files of ncz, netcdf-c and S3netCDF4, which know where they are written.

Files in the home folder are the user's. A file in the working folder came with the data that is
there, so it is data itself: only its region and its servers of aliases are used. To
trust the folder, set NCZ_TRUST_FOLDER=1.

Source: netcdf-c's documents on ``.ncrc`` files and on the cloud.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from ncz.errors import Notice, ZmapError, list_names, option, storage_error
from ncz.record import field, record, replace
from ncz.zmap.location import Location, working_folder

# Settings from files, which know the file and the line in which they are written.

_SECTION = re.compile(r"\s*\[+([^\[\]][^\]]*)\]")
_KEY = re.compile(r"(\s*)([^\s=:#;\[][^=:]*)[=:]")
_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:\n]')


class Written(str):
    """The text of a setting; `place` is where it is written, such as "/home/me/.ncrc:3"."""

    place: str

    def __new__(cls, text: str, place: str = "") -> Written:
        """Return a text that is written at a place; without one, for `pickle`."""
        text_with_place = super().__new__(cls, text)
        text_with_place.place = place
        return text_with_place


def place_of(value: object, otherwise: str = "") -> str:
    """Return where a value is written, and `otherwise` for one that is not from a file."""
    return value.place if isinstance(value, Written) else otherwise


def place(path: str, line: int | None) -> str:
    """Return a file and a line, if that is known, as messages show them."""
    return f"{path}:{line}" if line else path


def lines_of_sections(text: str) -> dict[tuple[str, str], int]:
    """Return the lines of an INI or TOML file by section and key, which is "" for the section.

    Keys are in lower case. An indented line, which may be a part of a longer value, gives way to
    one that is not indented.
    """
    found: dict[tuple[str, str], int] = {}
    section = ""
    flush: set[tuple[str, str]] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _SECTION.match(line):
            section = header[1].replace('"', "").replace("'", "").strip()
            found.setdefault((section, ""), number)
        elif key := _KEY.match(line):
            at = section, key[2].rstrip().strip("\"'").lower()
            if not key[1] or at not in flush:
                found[at] = number
            if not key[1]:
                flush.add(at)
    return found


def lines_of_json(text: str) -> dict[tuple[str, ...], int]:
    """Return the lines of the keys of a JSON text, by the keys that lead to each of them."""
    found: dict[tuple[str, ...], int] = {}
    above: list[str] = []
    line, last, key = 1, '""', ""
    for token in _JSON.findall(text):
        if token == "\n":
            line += 1
        elif token == ":":
            key = json.loads(last)
            found[(*above[1:], key)] = line
        elif token in "{[":
            above.append(key)
            key = ""
        elif token in "}]":
            key = above.pop() if above else ""
        elif token == ",":
            key = ""
        else:
            last = token
    return found


Environment = Mapping[str, str]
"""Environment variables by name."""

TRUST = "NCZ_TRUST_FOLDER"
"""The environment variable with which files in the working folder are used as those at home."""

ALIAS = "ncz.alias."
"""The keys ``NCZ.ALIAS.NAME`` give the server of the alias NAME."""

NETRC = "http.netrc"
"""The key with the path of the file of passwords for web servers."""

_NAMES = (".ncrc", ".daprc", ".dodsrc")
"""The names of the files, in the order in which netcdf-c reads them."""
_HARMLESS = ("aws.region", "aws.default_region")
_HARMLESS_PREFIXES = (ALIAS, "zarr.", "nczarr.")


@record
class RcSettings:
    """The values of the files for one URL, which know where they are written.

    Attributes
    ----------
    values
        The values by key, in lower case.
    folder_values
        Values from the working folder, which is not trusted: regions and servers of aliases.
    ignored
        The keys of the working folder that are not used, by file.
    """

    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    folder_values: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def home_folder(env: Environment) -> str:
    """Return the user's home folder."""
    return env.get("HOME") or os.path.expanduser("~")


_SETTLED = 2_000_000_000
"""Age of a file, in ns, after which its next change gets another time of modification."""

_texts: dict[str, tuple[tuple[int, ...], str]] = {}
"""What files contain, and their identity when they were read, by path."""


def read_file(path: str) -> str | None:
    """Return the text of a file, or None if it does not exist.

    A file is read again only if it has changed, or has been written just now.
    """
    try:
        found = os.stat(path)
        identity = (
            found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns,
        )  # fmt: skip
        known = _texts.get(path)
        if known is not None and known[0] == identity:
            return known[1]
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise ZmapError("the configuration file is not UTF-8 text", path) from error
    except (OSError, ValueError) as error:
        raise storage_error(error, path, "read") from error
    if stat.S_ISREG(found.st_mode) and time.time_ns() - found.st_mtime_ns > _SETTLED:
        _texts[path] = identity, text
    return text


def rc_paths(env: Environment) -> list[str]:
    """Return the files that `read_rc_files` looks for, those of the working folder last."""
    if env.get("NCRCENV_IGNORE"):
        return []
    if env.get("NCRCENV_RC"):
        return [env["NCRCENV_RC"]]
    home = os.path.abspath(env.get("NCRCENV_HOME") or home_folder(env))
    folders = dict.fromkeys((home, working_folder()))
    return [os.path.join(folder, name) for folder in folders if folder for name in _NAMES]


def read_rc_files(url: str, env: Environment) -> RcSettings:
    """Read the values of ``.ncrc``, ``.daprc`` and ``.dodsrc`` files for `url`.

    Files are merged: in each folder .ncrc, .daprc, then .dodsrc. A later value replaces an earlier
    one, and a line for a host takes precedence over a line for all hosts. NCRCENV_RC names a file
    to use instead, NCRCENV_HOME another home folder, and NCRCENV_IGNORE disables all files.
    """
    if env.get("NCRCENV_IGNORE"):
        return RcSettings()
    if env.get("NCRCENV_RC"):
        return RcSettings(_merged([env["NCRCENV_RC"]], url))
    home = os.path.abspath(env.get("NCRCENV_HOME") or home_folder(env))
    files = [os.path.join(home, name) for name in _NAMES]
    folder = working_folder()
    if folder is None or _same_folder(folder, home):
        return RcSettings(_merged(files, url))
    ours = [os.path.join(folder, name) for name in _NAMES]
    if env.get(TRUST) == "1":
        return RcSettings(_merged(files + ours, url))
    used: dict[str, str] = {}
    ignored: dict[str, tuple[str, ...]] = {}
    for path in ours:
        values = _merged([path], url)
        harmless = {key for key in values if key in _HARMLESS or key.startswith(_HARMLESS_PREFIXES)}
        used.update((key, values[key]) for key in harmless)
        rest = tuple(
            Written(key.upper(), place_of(value))
            for key, value in values.items()
            if key not in harmless and key.startswith("aws.")
        )
        if rest:
            ignored[path] = rest
    return RcSettings(_merged(files, url), used, ignored)


def is_known(key: str) -> bool:
    """Return whether ncz uses a key of a file in the home folder, or reports why it does not."""
    return key == NETRC or key.startswith(("aws.", "ncz.", *_HARMLESS_PREFIXES))


def _same_folder(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return one == other


def _merged(files: list[str], url: str) -> dict[str, str]:
    for_all: dict[str, str] = {}
    for_host: dict[str, str] = {}
    for path in files:
        for number, line in enumerate((read_file(path) or "").splitlines(), 1):
            line = line.strip()
            target = for_all
            if line.startswith("["):
                address, _, line = line[1:].partition("]")
                if not _is_below(url, address):
                    continue
                target = for_host
            key, equals, value = line.partition("=")
            if equals and not key.startswith("#"):
                target[key.strip().lower()] = Written(value.strip(), place(path, number))
    return for_all | for_host


def _is_below(url: str, address: str) -> bool:
    """Return whether `url` has the host of an .ncrc line and is below its path."""
    from urllib.parse import urlsplit

    try:
        ours, theirs = urlsplit(url), urlsplit(address if "//" in address else f"//{address}")
    except ValueError:
        return False
    above = theirs.path.rstrip("/")
    same_host = ours.netloc.lower() == theirs.netloc.lower()
    return same_host and (ours.path == above or ours.path.startswith(above + "/"))


# The configuration file of S3netCDF4: hosts, backends, the folder of the cache, and budgets.
#
# Each part is checked where it is used, so that a mistake in one does not stop a command that needs
# another.
#
# Source: the documentation of S3netCDF4, "Configuration" and "Resource Usage".

_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([kKMGTPEZY]?)B?")
_POWERS = {letter: 1000**power for power, letter in enumerate(("", *"KMGTPEZY"))}
_FILES = ("filehandles", "file_handles", "disk_handles")
"""The names that the documentation has for the number of open files."""
_BUDGETS = "resource_allocation"
_OF_BACKEND = {"maximum_part_size": "ahead", "maximum_parts": "requests"}
"""The keys of an alias for those of a backend that have other names."""
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


# ncz's own file, $NCZ_CONFIG or ~/.config/ncz/config.toml.


def config_path(env: Environment) -> str:
    """Return the path of ncz's own file."""
    folder = env.get("XDG_CONFIG_HOME") or os.path.join(home_folder(env), ".config")
    return env.get("NCZ_CONFIG") or os.path.join(folder, "ncz", "config.toml")


def read_config(path: str) -> tuple[dict[str, Any], str]:
    """Return what ncz's own file has, and its text; raise `ZmapError` if it is not TOML."""
    text = read_file(path)
    if text is None:
        return {}, ""
    import tomllib

    try:
        return tomllib.loads(text), text
    except (ValueError, RecursionError) as error:
        is_told = isinstance(error, tomllib.TOMLDecodeError)
        reason = error if is_told else "a number or a list in it is too long or too deep"
        raise ZmapError(f"the file is not valid TOML: {reason}", path, "correct it") from error


def usual_readers(env: Environment) -> Written:
    """Return the readers for whom stores are written if no option chooses their form.

    They are names with commas: $NCZ_FOR, or `for` in ncz's own file. Raises `ZmapError`.
    """
    if env.get("NCZ_FOR"):
        return Written(env["NCZ_FOR"], "NCZ_FOR")
    path = config_path(env)
    document, text = read_config(path)
    found = document.get("for", "")
    if not isinstance(found, str):
        raise ZmapError("for must be a string", path, 'write for = "xarray"')
    return Written(found, place(path, lines_of_sections(text).get(("", "for"))))


# The file of S3netCDF4.


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
            raise _Invalid(f"{name} is not a number of files")
        return Budgets(
            path=file.path,
            memory=_bytes(found, "memory"),
            files=files,
            places={
                "memory": file.place(_BUDGETS, "memory"),
                "files": file.place(_BUDGETS, name),
            },
        )


def cache_location(env: Environment) -> Written | None:
    """Return the folder for temporary files, which ``cache_location`` names; None without any.

    Raises `ZmapError` if it is not a path.
    """
    with _File(env).part(
        "cache_location is not valid", 'write "cache_location": "/FOLDER"'
    ) as file:
        found = _text(file.document, "cache_location")
        if not found:
            return None
        return Written(os.path.expanduser(found), file.place("cache_location"))


def temporary_folder(env: Environment) -> str | None:
    """Return the folder for large temporary files; None for that of the system.

    TMPDIR takes precedence over the file.
    """
    return None if any(env.get(name) for name in ("TMPDIR", "TEMP", "TMP")) else cache_location(env)


def _read_s3nc(env: Environment) -> dict[str, Alias]:
    """Read the hosts of S3netCDF4's configuration file.

    As many bytes are fetched ahead as their parts have, but not more than the budget of memory.
    """
    fault = "the file is not a valid S3netCDF4 configuration"
    with _File(env).part(fault, 'hosts need "alias", "url" and "credentials"') as file:
        found = dict(_host(name, file) for name in _table(file.document, "hosts"))
    memory = read_budgets(env).memory if any(alias.ahead for alias in found.values()) else None
    return {
        name: replace(alias, ahead=min(alias.ahead, memory)) if alias.ahead and memory else alias
        for name, alias in found.items()
    }


class _Invalid(ValueError):
    """A part of the file is not valid. The message has no values, which may be secrets."""


class _File:
    """The file, and what messages say of it."""

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
        except _Invalid as error:
            raise ZmapError(f"{fault}: {error}", self.path, hint) from error

    def place(self, *keys: str) -> str:
        """Return where the value is written to which keys lead."""
        return place(self.path, self._lines.get(keys))

    @cached_property
    def _lines(self) -> Mapping[tuple[str, ...], int]:
        return {} if self._text is None else lines_of_json(self._text)


def _read_document(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
        json.dumps(document, ensure_ascii=False).encode()  # as messages are
    except UnicodeEncodeError:
        raise _Invalid("it has half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        raise _Invalid(str(error)) from None
    except (ValueError, RecursionError):
        raise _Invalid("a number or a list in it is too long or too deep") from None
    if not isinstance(document, dict):
        raise _Invalid("it is not a JSON object")
    return document


def _table(above: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return an object in another one; an empty one if it is missing."""
    found = above.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise _Invalid(f"{name} is not a JSON object")
    return found


def _text(above: Mapping[str, Any], name: str) -> str:
    """Return a text in an object; an empty one if it is missing."""
    found = above.get(name)
    if found is not None and not isinstance(found, str):
        raise _Invalid(f"{name} is not text")
    return found or ""


def _host(name: str, file: _File) -> tuple[str, Alias]:
    """Return the alias of a host, and the server with its keys and its backend."""
    host = _table(_table(file.document, "hosts"), name)
    credentials, backend = _table(host, "credentials"), _text(host, "backend")
    settings = _table(_table(file.document, "backends"), backend)
    above = {
        "": ("hosts", name, "url"),
        "access_key": ("hosts", name, "credentials", "accessKey"),
        "secret_key": ("hosts", name, "credentials", "secretKey"),
        "api": ("hosts", name, "api"),
    }
    above |= {_OF_BACKEND.get(key, key): ("backends", backend, key) for key in settings}
    unused = {key: json.dumps(settings[key]) for key in _WITHOUT_EFFECT if key in settings}
    alias, url = _text(host, "alias"), _text(host, "url")
    if not (alias and url):
        raise _Invalid("a host has no alias or no url")
    parts = settings.get("maximum_parts")
    if parts is not None and (type(parts) is not int or not 0 < parts <= _MOST_PARTS):
        raise _Invalid(f"maximum_parts is not a number from 1 to {_MOST_PARTS}")
    return alias, Alias(
        endpoint=url if "://" in url else f"https://{url}",
        access_key=_text(credentials, "accessKey") or None,
        secret_key=_text(credentials, "secretKey") or None,
        connect_timeout=_seconds(settings, "connect_timeout"),
        read_timeout=_seconds(settings, "read_timeout"),
        requests=parts,
        ahead=(_bytes(settings, "maximum_part_size") or 0) * (parts or 1) or None,
        places={key: file.place(*keys) for key, keys in above.items()},
        unused=unused | ({"api": _text(host, "api")} if "api" in host else {}),
    )


def _bytes(settings: Mapping[str, Any], name: str) -> int | None:
    value = settings.get(name)
    if value is None:
        return None
    with contextlib.suppress(ValueError):
        if size := parse_size(str(value)):
            return size
    raise _Invalid(f"{name} is not a size")


def _seconds(settings: Mapping[str, Any], name: str) -> float | None:
    value = settings.get(name)
    if value is not None and (type(value) not in (int, float) or not 0 < value <= _LONGEST):
        raise _Invalid(f"{name} is not a number of seconds")
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


# Aliases: names for S3 servers, from the configuration files of ncz and S3netCDF4.


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
    return s3nc_path(env), config_path(env)


def aliases_by_file(env: Environment) -> dict[str, dict[str, Alias]]:
    """Read the aliases by the path of their file; those of a later file take precedence."""
    theirs, ours = alias_files(env)
    return {theirs: _read_s3nc(env), ours: _read_config(ours)}


def _read_config(path: str) -> dict[str, Alias]:
    document, text = read_config(path)
    tables = document.get("alias", {})
    if not isinstance(tables, dict):
        raise ZmapError("alias is not a table", path, "write [alias.NAME]")
    lines = lines_of_sections(text)
    return {
        name: _parse_alias(
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


def _parse_alias(table: object, where: str, places: Mapping[str, str]) -> Alias:
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


# Settings that exist in files or the environment and have no effect.

_OF_NCZARR = {
    "zarr.dimension_separator": f"use {option('separator')}",
    "zarr.consolidated": f"use {option('modes', 'consolidated')}",
    "nczarr.consolidated": f"use {option('modes', 'consolidated')}",
}
_OF_NCZARR_ENVIRONMENT = {"NCZARR_CONSOLIDATED": f"use {option('modes', 'consolidated')}"}


def ignored_settings(location: Location, *, creating: bool = False) -> Iterator[Notice]:
    """Yield a notice for each setting that netcdf-c or a file in the working folder asks in vain.

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
                yield _ignored(name, hint)
    if not creating and not location.is_s3:
        return
    found = read_rc_files(location.path, os.environ)
    if creating:
        for key, hint in _OF_NCZARR.items():
            if key in found.values or key in found.folder_values:
                yield _ignored(f"{key.upper()} in .ncrc", hint)
    if location.is_s3:
        for path, keys in found.ignored.items():
            yield Notice(
                "folder-not-trusted",
                f"{list_names(keys, 3)} of this file are ignored, because it is in the working"
                " folder",
                path,
                f"move them to ~/{os.path.basename(path)}, or set {TRUST}=1",
            )


def _ignored(name: str, hint: str) -> Notice:
    text = f"{name} is ignored: options decide how a store is written"
    return Notice("setting-ignored", text, hint=hint)
