"""Read Amazon's profile files, and the ``.ncrc`` files of netcdf-c."""

from __future__ import annotations

import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from urllib.parse import urlsplit

from ncz.errors import ZmapError
from ncz.zmap.os_errors import storage_error

Environment = Mapping[str, str]
"""Environment variables by name."""


def home_folder(env: Environment) -> str:
    """Return the user's home folder."""
    return env.get("HOME") or os.path.expanduser("~")


def read_file(path: str) -> str | None:
    """Return the text of a file, or None if it does not exist."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise ZmapError("the configuration file is not UTF-8 text", path) from error
    except (OSError, ValueError) as error:
        raise storage_error(error, path, "read") from error


def read_profiles(given: Mapping[str, str], env: Environment) -> dict[str, dict[str, str]]:
    """Read the profiles of the ``.aws`` files.

    Parameters
    ----------
    given
        The keys of the URL and of .ncrc files; ``aws.config_file`` names another file.
    env
        The environment variables.

    Returns
    -------
    dict
        Keys and values by the name of the profile; the credentials file takes precedence.

    Raises
    ------
    ZmapError
        If a file is not valid.
    """
    folder = os.path.join(home_folder(env), ".aws")
    config = given.get("aws.config_file") or env.get("AWS_CONFIG_FILE")
    shared = env.get("AWS_SHARED_CREDENTIALS_FILE")
    profiles: dict[str, dict[str, str]] = {}
    for path in (
        config or os.path.join(folder, "config"),
        shared or os.path.join(folder, "credentials"),
    ):
        text = read_file(os.path.expanduser(path))
        if text is None:
            continue
        parser = ConfigParser(interpolation=None, strict=False, default_section="\0")
        try:
            parser.read_string(text)
        except ConfigError as error:
            line = getattr(error, "lineno", None)  # the message could contain a secret
            location = f"{path}:{line}" if line else path
            raise ZmapError(
                "the file is not a valid profile file", location, "correct it"
            ) from error
        for section in parser.sections():
            name = section.removeprefix("profile ").strip()
            if not section.startswith(("sso-session ", "services ")):
                profiles.setdefault(name, {}).update(parser.items(section))
    return profiles


def read_rc_files(url: str, env: Environment) -> dict[str, str]:
    """Read the values of ``.ncrc`` and ``.dodsrc`` files for `url`; keys are in lower case.

    Files are merged: first those of the home folder, then those of the current folder, and in each
    .ncrc before .dodsrc. A later value replaces an earlier one, and a line for a host takes
    precedence over a line for all hosts. NCRCENV_RC names a file to use instead, NCRCENV_HOME
    another home folder, and NCRCENV_IGNORE disables all files.
    """
    if env.get("NCRCENV_IGNORE"):
        return {}
    home = env.get("NCRCENV_HOME") or home_folder(env)
    folders = dict.fromkeys([os.path.abspath(home), os.getcwd()])
    files = [os.path.join(folder, name) for folder in folders for name in (".ncrc", ".dodsrc")]
    if env.get("NCRCENV_RC"):
        files = [env["NCRCENV_RC"]]
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
                target[key.strip().lower()] = value.strip()
    return for_all | for_host


def _is_below(url: str, address: str) -> bool:
    """Return whether `url` has the host of an .ncrc line and is below its path."""
    ours, theirs = urlsplit(url), urlsplit(address if "//" in address else f"//{address}")
    above = theirs.path.rstrip("/")
    same_host = ours.netloc.lower() == theirs.netloc.lower()
    return same_host and (ours.path == above or ours.path.startswith(above + "/"))
