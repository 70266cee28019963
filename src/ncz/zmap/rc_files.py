"""Settings in the files .ncrc, .dodsrc and .daprc of netcdf-c."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ncz.record import field, record
from ncz.zmap.location import working_folder
from ncz.zmap.setting_files import Environment, home_folder, read_file
from ncz.zmap.setting_places import Setting, place_of

TRUST = "NCZ_TRUST_FOLDER"
"""The environment variable that trusts files in the working folder like files at home."""

ALIAS = "ncz.alias."
"""The keys ``NCZ.ALIAS.NAME`` give the server of the alias NAME."""

NETRC = "http.netrc"
"""The key with the path of the file of passwords for web servers."""

_NAMES = (".ncrc", ".daprc", ".dodsrc")
"""The names of the files, in netcdf-c's order of reading."""
_HARMLESS = ("aws.region", "aws.default_region")
_HARMLESS_PREFIXES = (ALIAS, "zarr.", "nczarr.")


@record
class RcSettings:
    """The values of the files for one URL, with their places in the files.

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


def rc_paths(env: Environment) -> list[str]:
    """Return the files that `read_rc_files` looks for, the files of the working folder last."""
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
        return RcSettings(_merge([env["NCRCENV_RC"]], url))
    home = os.path.abspath(env.get("NCRCENV_HOME") or home_folder(env))
    files = [os.path.join(home, name) for name in _NAMES]
    folder = working_folder()
    if folder is None or _same_folder(folder, home):
        return RcSettings(_merge(files, url))
    ours = [os.path.join(folder, name) for name in _NAMES]
    if env.get(TRUST) == "1":
        return RcSettings(_merge(files + ours, url))
    used: dict[str, str] = {}
    ignored: dict[str, tuple[str, ...]] = {}
    for path in ours:
        values = _merge([path], url)
        harmless = {key for key in values if key in _HARMLESS or key.startswith(_HARMLESS_PREFIXES)}
        used.update((key, values[key]) for key in harmless)
        rest = tuple(
            Setting(key.upper(), place_of(value))
            for key, value in values.items()
            if key not in harmless and key.startswith("aws.")
        )
        if rest:
            ignored[path] = rest
    return RcSettings(_merge(files, url), used, ignored)


def is_known(key: str) -> bool:
    """Return whether ncz uses a key of a file in the home folder, or reports why it does not."""
    return key == NETRC or key.startswith(("aws.", "ncz.", *_HARMLESS_PREFIXES))


def _same_folder(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return one == other


def _merge(files: list[str], url: str) -> dict[str, str]:
    for_all: dict[str, str] = {}
    for_host: dict[str, str] = {}
    for path in files:
        for line in (read_file(path) or "").splitlines():
            line = line.strip()
            target = for_all
            if line.startswith("["):
                address, _, line = line[1:].partition("]")
                if not _is_below(url, address):
                    continue
                target = for_host
            key, equals, value = line.partition("=")
            if equals and not key.startswith("#"):
                target[key.strip().lower()] = Setting(value.strip(), path)
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
