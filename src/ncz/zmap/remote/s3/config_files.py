"""Read Amazon's profile files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError

from ncz.errors import ZmapError
from ncz.zmap.settings.rc_files import Environment, home_folder, read_file


def read_profiles(given: Mapping[str, str], env: Environment) -> dict[str, dict[str, str]]:
    """Read the profiles of the ``.aws`` files.

    The ``endpoint_url`` of a profile is that of S3 in its ``services`` section, if there is one.

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
    services: dict[str, str] = {}
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
            if section.startswith("services "):
                services[section.removeprefix("services ").strip()] = parser[section].get("s3", "")
            elif not section.startswith("sso-session "):
                profiles.setdefault(name, {}).update(parser.items(section))
    for profile in profiles.values():
        of_s3 = services.get(profile.get("services", ""), "")
        for line in of_s3.splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "endpoint_url":
                profile["endpoint_url"] = value.strip()
    return profiles
