"""Read Amazon's profile files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError

from ncz.errors import ZmapError
from ncz.zmap.setting_files import Environment, home_folder, read_file
from ncz.zmap.setting_places import Setting


def read_profiles(options: Mapping[str, str], env: Environment) -> dict[str, dict[str, str]]:
    """Read the profiles of the ``.aws`` files.

    The ``endpoint_url`` of a profile is the one of S3 in its ``services`` section, if any.

    Parameters
    ----------
    options
        The keys of the URL and of .ncrc files; ``aws.config_file`` names another file.
    env
        The environment variables.

    Returns
    -------
    dict
        Keys and values by the name of the profile; the credentials file takes precedence. Values
        know their place in the file.

    Raises
    ------
    ZmapError
        If a file is not valid.
    """
    folder = os.path.join(home_folder(env), ".aws")
    config = options.get("aws.config_file") or env.get("AWS_CONFIG_FILE")
    shared = env.get("AWS_SHARED_CREDENTIALS_FILE")
    profiles: dict[str, dict[str, str]] = {}
    services: dict[str, Setting] = {}
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
                of_s3 = parser[section].get("s3", "")
                services[section.removeprefix("services ").strip()] = Setting(of_s3, path)
            elif not section.startswith("sso-session "):
                profiles.setdefault(name, {}).update(
                    (key, Setting(value, path)) for key, value in parser.items(section)
                )
    for profile in profiles.values():
        service = services.get(profile.get("services", ""))
        for setting in service.splitlines() if service else ():
            key, _, value = setting.partition("=")
            if service and key.strip() == "endpoint_url":
                profile["endpoint_url"] = Setting(value.strip(), service.place)
    return profiles
