"""config: the settings in force, and where each comes from; never a secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ncz.errors import UrlError
from ncz.formats.aggregation.budget import DEFAULT_PIECES
from ncz.record import record
from ncz.zmap.location import parse_location
from ncz.zmap.remote.s3.aliases import aliases_by_file
from ncz.zmap.remote.s3.credentials import find_settings
from ncz.zmap.settings.rc_files import Environment, read_rc_files
from ncz.zmap.settings.s3nc import read_budgets

_VARIABLES = re.compile(r"NCZ_\w+|NCRCENV_\w+|AWS_\w+|S3_NC_CONFIG|XDG_CONFIG_HOME")
_SECRET = re.compile(r"secret|token|password|access_key", re.IGNORECASE)


@record
class Setting:
    """A setting: its name, its value for people, and where the value comes from."""

    name: str
    value: str
    source: str


def settings(url: str | None = None, environment: Environment | None = None) -> Iterator[Setting]:
    """Yield the settings in force, those for a URL last.

    Raises
    ------
    UrlError
        If the URL is not valid, or not that of an S3 store.
    ZmapError
        If a configuration file is not valid.
    """
    env = os.environ if environment is None else environment
    budgets = read_budgets(env)
    yield Setting(
        "open pieces of an aggregation",
        str(budgets.files or DEFAULT_PIECES),
        f"{budgets.path}: resource_allocation" if budgets.files else "default",
    )
    known: set[str] = set()
    for path, aliases in reversed(aliases_by_file(env).items()):
        for name, alias in aliases.items():
            hidden = " (replaced)" if name in known else ""
            yield Setting(f"alias {name}", alias.endpoint + hidden, path)
            known.add(name)
    for name in sorted(filter(_VARIABLES.fullmatch, env)):
        yield Setting(name, _shown(name, env[name]), "environment")
    location = None if url is None else parse_location(url)
    rc = read_rc_files("" if location is None else location.path, env)
    for values, source in ((rc.values, "home folder"), (rc.folder_values, "working folder")):
        for key, value in values.items():
            yield Setting(key.upper(), _shown(key, value), f".ncrc or .dodsrc of the {source}")
    for path, keys in rc.ignored.items():
        for key in keys:
            yield Setting(key, "ignored", f"{path}, which is not trusted")
    if location is not None:
        if not {"s3", "gs3"} & location.modes:
            raise UrlError(
                "only URLs of S3 have settings", location.display, "give s3://BUCKET/KEY"
            )
        found = find_settings(location, env)
        yield Setting("server", found.endpoint, location.display)
        yield Setting("bucket", found.bucket, location.display)
        yield Setting("region", found.region, location.display)
        yield Setting("credentials", "anonymous" if found.anonymous else "***", found.source)


def _shown(name: str, value: str) -> str:
    """Return a value without secrets."""
    if _SECRET.search(name):
        return "***"
    return re.sub(r"(?<=://)[^/@]*@", "***@", value)
