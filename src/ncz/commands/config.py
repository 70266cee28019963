"""config: the current settings, and where each comes from; never a secret."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping

from ncz.errors import UrlError
from ncz.formats.open_datasets import MOST_OPEN
from ncz.parallel.memory import default_memory
from ncz.record import record
from ncz.zmap.alias import Alias
from ncz.zmap.aliases import KEYS, alias_files, aliases_by_file
from ncz.zmap.config_file import usual_readers
from ncz.zmap.location import Location, parse_location
from ncz.zmap.rc_files import RcSettings, is_known, rc_paths, read_rc_files
from ncz.zmap.remote.credentials import S3Settings, alias_of, find_settings, no_alias
from ncz.zmap.remote.opening import policy_of
from ncz.zmap.s3netcdf4 import read_budgets, temporary_folder
from ncz.zmap.setting_files import Environment
from ncz.zmap.setting_places import place_of

_VARIABLES = re.compile(
    r"NCZ_\w+|NCRCENV_\w+|AWS_\w+|S3_NC_CONFIG|XDG_CONFIG_HOME|TMPDIR|NCTRACING|SSL_CERT_FILE"
    r"|REQUESTS_CA_BUNDLE|HTTPS?_PROXY|https?_proxy"
)
_SECRET = re.compile(r"secret|token|password|access_key", re.IGNORECASE)
_LIMITS = {"connect_timeout": "connect", "read_timeout": "read", "requests": "parallel"}
"""The limits of an alias, and their names in `RetryPolicy`."""

SourceText = Callable[[str], str]
"""A function that returns the source of a setting for people."""


@record
class Setting:
    """A setting: its name, its value for people, and where the value comes from."""

    name: str
    value: str
    source: str


def settings(
    url: str | None = None,
    environment: Environment | None = None,
    options: Mapping[str, str] | None = None,
) -> Iterator[Setting]:
    """Yield the settings in force; settings of a URL come last.

    Parameters
    ----------
    url
        The URL of an S3 store.
    environment
        The environment variables; by default the process's own.
    options
        The options of the command, as keys of a fragment.

    Yields
    ------
    Setting
        The source of a setting is an option, a key of the fragment, a variable, or a file.

    Raises
    ------
    UrlError
        If the URL is not valid, or is not a URL of an S3 store.
    ZmapError
        If a configuration file is not valid.
    """
    env = os.environ if environment is None else environment
    from_options = options or {}
    location = None if url is None else parse_location(url, options=from_options)
    yield from _limits(env)
    yield from _files(env)
    yield from _aliases(env)
    for name in sorted(filter(_VARIABLES.fullmatch, env)):
        yield Setting(name, _without_secret(name, env[name]), "environment")
    yield from _of_rc(read_rc_files("" if location is None else location.path, env))
    from_fragment = {} if url is None else parse_location(url).options
    for key, value in (dict(from_options) | dict(from_fragment)).items():
        source = "fragment of the URL" if key in from_fragment else _option(key)
        yield Setting(f"#{key}", _without_secret(key, value), source)
    if location is not None:
        if not location.is_s3:
            raise UrlError(
                "only URLs of S3 have settings", location.display, "give s3://BUCKET/KEY"
            )
        yield from _of_location(
            location, env, lambda name: _source_name(name, from_options, from_fragment)
        )


def _limits(env: Environment) -> Iterator[Setting]:
    """Yield the limits of a process."""
    budgets = read_budgets(env)
    yield Setting(
        "open pieces of an aggregation",
        str(budgets.files or MOST_OPEN),
        budgets.path if budgets.files else "default",
    )
    yield Setting(
        "memory for data",
        f"{budgets.memory or default_memory()} bytes",
        budgets.path if budgets.memory else "default",
    )
    readers = usual_readers(env)
    yield Setting(
        "readers of new stores", readers or "not given", readers.place if readers else "default"
    )
    folder = temporary_folder(env)
    variable = next((name for name in ("TMPDIR", "TEMP", "TMP") if env.get(name)), "default")
    yield Setting(
        "folder for temporary files", folder or tempfile.gettempdir(), place_of(folder, variable)
    )


def _files(env: Environment) -> Iterator[Setting]:
    """Yield the configuration files; existing ones are read."""
    theirs, ours = alias_files(env)
    named = {
        "file of ncz": (ours, "NCZ_CONFIG"),
        "file of S3netCDF4": (theirs, "S3_NC_CONFIG"),
    }
    for name, (path, variable) in named.items():
        source = variable if env.get(variable) else "default"
        yield Setting(name, path + ("" if os.path.exists(path) else " (does not exist)"), source)
    for path in rc_paths(env):
        if os.path.exists(path):
            name = f"file of netCDF-C, {os.path.basename(path)}"
            source = "NCRCENV_RC" if env.get("NCRCENV_RC") else "default"
            yield Setting(name, path, source)


def _aliases(env: Environment) -> Iterator[Setting]:
    """Yield the aliases with their settings."""
    known: set[str] = set()
    for path, aliases in reversed(aliases_by_file(env).items()):
        for name, alias in aliases.items():
            remark = " (replaced)" if name in known else ""
            server = _without_secret("endpoint", alias.endpoint) + remark
            yield Setting(f"alias {name}", server, path)
            if not remark:
                yield from _of_alias(name, alias)
            known.add(name)


def _of_alias(name: str, alias: Alias) -> Iterator[Setting]:
    default = Alias(alias.endpoint)
    for key in KEYS:
        value = getattr(alias, key)
        if value == getattr(default, key):
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield Setting(f"alias {name}, {key}", _without_secret(key, text), alias.file)
    for key, value in alias.unused.items():
        yield Setting(f"alias {name}, {key}", f"{value} (no effect in ncz)", alias.file)


def _of_rc(rc: RcSettings) -> Iterator[Setting]:
    """Yield the settings of .ncrc, .daprc and .dodsrc files."""
    for values in (rc.values, rc.folder_values):
        for key, value in values.items():
            printed = _without_secret(key, value) if is_known(key) else "*** (no effect in ncz)"
            yield Setting(key.upper(), printed, place_of(value))
    for path, keys in rc.ignored.items():
        for key in keys:
            yield Setting(key, "ignored", f"{place_of(key, path)}, which is not trusted")


def _of_location(location: Location, env: Environment, named: SourceText) -> Iterator[Setting]:
    """Yield the server of a URL, and how requests to it are made."""
    found = find_settings(location, env)
    alias, policy = alias_of(location, env), policy_of(location, env)
    if found.not_alias:
        yield Setting("alias", "none", no_alias(found, len(found.not_alias)))
    yield Setting("server", found.endpoint, named(found.origins["server"]))
    yield Setting("bucket", found.bucket, "the URL")
    yield Setting("region", found.region, named(found.origins["region"]))
    yield Setting("credentials", _credentials(found), _with_place(found, named))
    timeout = "#timeout" if "timeout" in location.options else ""
    for key, name in _LIMITS.items():
        is_set = alias is not None and getattr(alias, key) is not None
        by_timeout = bool(timeout) and key != "requests"
        place = alias.file if alias is not None and is_set else "default"
        value = getattr(policy, name)
        yield Setting(
            key.replace("_", " "),
            f"{value:g} s" if key != "requests" else f"{value} at a time",
            named(timeout) if by_timeout else place,
        )
    yield Setting("timeout", f"{policy.timeout:g} s", named(timeout or "default"))


def _credentials(found: S3Settings) -> str:
    if found.anonymous:
        return "anonymous"
    return "***" if found.access_key else "found by botocore"


def _with_place(found: S3Settings, named: SourceText) -> str:
    place = named(found.origins["credentials"])
    return f"{found.source} ({place})" if place else found.source


def _source_name(
    name: str, from_options: Mapping[str, str], from_fragment: Mapping[str, str]
) -> str:
    """Return a source for people: keys that are not in the fragment are options."""
    if not name.startswith("#"):
        return name
    key = name[1:]
    return (
        _option(key) if key in from_options and key not in from_fragment else f"{name} of the URL"
    )


def _option(key: str) -> str:
    return "option --" + key.removeprefix("aws.").replace("_", "-")


def _without_secret(name: str, value: str) -> str:
    """Return a value without secrets."""
    if _SECRET.search(name):
        return "***"
    return re.sub(r"(?<=://)[^/@]*@", "***@", re.sub(r"(?s)(?<=\?).*", "***", value))
