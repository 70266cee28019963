"""Which S3 server is meant, and who asks: from a URL, configuration files and the environment.

Sources: netcdf-c's cloud document for the order of profiles, regions and keys and for ``.ncrc``
files; Amazon's shared configuration files; S3netCDF4's document for aliases. The order, first found
first taken:

============  =====================================================================================
server        the URL's host, never changed; for ``s3://NAME/...`` the alias NAME, then
              AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's endpoint_url, Amazon's
profile       ``#aws.profile=``, .ncrc's AWS.PROFILE, the alias's, AWS_PROFILE if there is such a
              profile, "default"; "no" is anonymous
region        Amazon's host in the URL, ``#aws.region=``, .ncrc, the alias's, the profile's,
              AWS_REGION, AWS_DEFAULT_REGION, us-east-1
credentials   ``#aws.access_key_id=...``, .ncrc, the alias's, the profile's, the environment's, what
              botocore finds where a profile or the environment names another source; anonymous
============  =====================================================================================

No secret is ever part of a `repr`, and none is written anywhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from dataclasses import fields
from urllib.parse import unquote, urlsplit

from ncz.errors import UrlError, ZmapError
from ncz.record import field, record
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error
from ncz.zmap.s3_url import GOOGLE, is_google, is_s3_host

Environment = Mapping[str, str]

_ELSEWHERE = frozenset(
    {"role_arn", "credential_process", "credential_source", "web_identity_token_file",
     "sso_session", "sso_start_url", "login_session"}
)  # fmt: skip
"""Keys of a profile that name another source of credentials, which botocore knows to ask."""

_CONTAINER = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


@record
class S3Settings:
    """A server, a place on it, and credentials.

    `prefix` is the key of the store's root, without slashes at its ends; "" is the bucket itself.
    Without keys and not `anonymous`, botocore finds credentials for `profile`. `source` says for
    messages where the credentials are from.
    """

    endpoint: str
    bucket: str
    prefix: str
    region: str
    profile: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    anonymous: bool = False
    path_style: bool = True
    source: str = "no credentials"


@record
class Alias:
    """A name for a server, from ``[alias.NAME]`` of ncz's configuration or from .s3nc.json."""

    endpoint: str
    region: str | None = None
    profile: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    anonymous: bool | None = None
    path_style: bool = True


def find_settings(location: Location, environment: Environment | None = None) -> S3Settings:
    """The server and the credentials for `location`, an S3 URL in path form.

    Raises `UrlError` if the URL or a profile that it names is wrong, `ZmapError` if a configuration
    file cannot be read.
    """
    env = os.environ if environment is None else environment
    url = urlsplit(location.path)
    if url.query:
        raise UrlError("an S3 URL has no ?query", location.path, "write %3F if it is in the key")
    bucket, _, prefix = unquote(url.path, errors="surrogateescape").strip("/").partition("/")
    host = (url.hostname or "").lower()
    alias = find_aliases(env).get(bucket) if location.no_server and not is_google(host) else None
    named = bucket if alias else ""
    if alias:
        bucket, _, prefix = prefix.partition("/")
        if not bucket:
            raise UrlError(
                f"the alias {named} needs a bucket", location.display, f"write s3://{named}/BUCKET"
            )
    said = read_rc_files(alias.endpoint if alias else location.path, env)
    said.update({key: value for key, value in location.options.items() if value})
    profiles = read_profiles(said, env)
    profile = _profile(said, alias, profiles, env)
    of_profile = profiles.get(profile, {})
    known_region = host.split(".")[1] if is_s3_host(host) and not location.no_server else None
    region = (
        known_region
        or said.get("aws.region")
        or (alias and alias.region)
        or of_profile.get("region")
        or of_profile.get("aws_region")
        or env.get("AWS_REGION")
        or env.get("AWS_DEFAULT_REGION")
        or said.get("aws.default_region")
        or "us-east-1"
    )
    if alias:
        endpoint = alias.endpoint
    elif not location.no_server:
        endpoint = f"{url.scheme}://{url.netloc}"
    elif is_google(host):
        endpoint = f"https://{GOOGLE}"
    else:
        endpoint = (
            env.get("AWS_ENDPOINT_URL_S3")
            or env.get("AWS_ENDPOINT_URL")
            or of_profile.get("endpoint_url")
            or f"https://s3.{region}.amazonaws.com"
        )
    who = _CredentialsChain.find(said, alias, named, profile, of_profile, env)
    return S3Settings(
        endpoint=endpoint.rstrip("/"),
        bucket=bucket,
        prefix=prefix.strip("/"),
        region=region,
        profile=profile if who.ask_botocore and profile in profiles else None,
        access_key=who.access_key,
        secret_key=who.secret_key,
        session_token=who.session_token,
        anonymous=not who.access_key and not who.ask_botocore,
        path_style=alias.path_style if alias else True,
        source=who.source,
    )


@record
class _CredentialsChain:
    """Credentials, and where they are from."""

    source: str = "no credentials"
    access_key: str | None = None
    secret_key: str | None = None
    session_token: str | None = None
    ask_botocore: bool = False

    @staticmethod
    def find(
        said: Mapping[str, str],
        alias: Alias | None,
        named: str,
        profile: str,
        of_profile: Mapping[str, str],
        env: Environment,
    ) -> _CredentialsChain:
        if found := _keys(said, "aws.access_key_id", "aws.secret_access_key", "aws.session_token"):
            return _CredentialsChain("the keys of the URL or the .ncrc file", *found)
        if alias and (alias.access_key or alias.anonymous):
            if alias.anonymous:
                return _CredentialsChain(f"the alias {named}, which is anonymous")
            return _CredentialsChain(
                f"the alias {named}", alias.access_key, alias.secret_key, alias.session_token
            )
        if profile == "no":
            return _CredentialsChain("no credentials, as the profile 'no' says")
        names = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
        if found := _keys(of_profile, *names):
            return _CredentialsChain(f"the profile {profile}", *found)
        if _ELSEWHERE.intersection(of_profile):
            return _CredentialsChain(f"the profile {profile}", ask_botocore=True)
        if found := _keys(env, *(name.upper() for name in names)):
            return _CredentialsChain("the environment", *found)
        if any(env.get(name) for name in _CONTAINER):
            return _CredentialsChain("the environment", ask_botocore=True)
        if alias and alias.anonymous is False:
            return _CredentialsChain(
                f"the alias {named}, which leaves it to botocore", ask_botocore=True
            )
        return _CredentialsChain()


def _keys(
    found: Mapping[str, str], access: str, secret: str, token: str
) -> tuple[str, str, str | None] | None:
    if not found.get(access) or not found.get(secret):
        return None
    return found[access], found[secret], found.get(token) or None


def _profile(
    said: Mapping[str, str],
    alias: Alias | None,
    profiles: Mapping[str, Mapping[str, str]],
    env: Environment,
) -> str:
    named = said.get("aws.profile") or (alias and alias.profile)
    if named and named != "no" and named not in profiles:
        there = ", ".join(sorted(profiles)) or "none"
        raise UrlError(f"there is no profile {named!r}", "aws.profile", f"there are: {there}")
    if named:
        return named
    return env["AWS_PROFILE"] if env.get("AWS_PROFILE") in profiles else "default"


# --- the files ------------------------------------------------------------------------------------


def _home(env: Environment) -> str:
    return env.get("HOME") or os.path.expanduser("~")


def _read(path: str) -> str | None:
    """The text of a file, or None if there is none."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise ZmapError("this configuration file is not UTF-8 text", path) from error
    except (OSError, ValueError) as error:
        raise storage_error(error, path, "read") from error


def read_profiles(said: Mapping[str, str], env: Environment) -> dict[str, dict[str, str]]:
    """The profiles of the ``.aws`` files by name; what the credentials file says wins."""
    folder = os.path.join(_home(env), ".aws")
    config = said.get("aws.config_file") or env.get("AWS_CONFIG_FILE")
    shared = env.get("AWS_SHARED_CREDENTIALS_FILE")
    profiles: dict[str, dict[str, str]] = {}
    for path in (
        config or os.path.join(folder, "config"),
        shared or os.path.join(folder, "credentials"),
    ):
        text = _read(os.path.expanduser(path))
        if text is None:
            continue
        parser = ConfigParser(interpolation=None, strict=False, default_section="\0")
        try:
            parser.read_string(text)
        except ConfigError as error:
            line = getattr(error, "lineno", None)  # the message could hold a secret
            location = f"{path}:{line}" if line else path
            raise ZmapError("this is no file of profiles", location, "correct it") from error
        for section in parser.sections():
            name = section.removeprefix("profile ").strip()
            if not section.startswith(("sso-session ", "services ")):
                profiles.setdefault(name, {}).update(parser.items(section))
    return profiles


def read_rc_files(url: str, env: Environment) -> dict[str, str]:
    """What ``.ncrc`` and ``.dodsrc`` say for `url`; keys in small letters.

    Files are merged: those of the home folder, then those of the current one, and in each .ncrc
    before .dodsrc; the later wins, and a line for a host wins over a line for all. NCRCENV_RC names
    the only file, NCRCENV_HOME another home, and NCRCENV_IGNORE leaves all out.
    """
    if env.get("NCRCENV_IGNORE"):
        return {}
    home = env.get("NCRCENV_HOME") or _home(env)
    folders = dict.fromkeys([os.path.abspath(home), os.getcwd()])
    files = [os.path.join(folder, name) for folder in folders for name in (".ncrc", ".dodsrc")]
    if env.get("NCRCENV_RC"):
        files = [env["NCRCENV_RC"]]
    for_all: dict[str, str] = {}
    for_host: dict[str, str] = {}
    for path in files:
        for line in (_read(path) or "").splitlines():
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
    """Whether `url` is at the host of an .ncrc line, and below its path."""
    ours, theirs = urlsplit(url), urlsplit(address if "//" in address else f"//{address}")
    above = theirs.path.rstrip("/")
    same_host = ours.netloc.lower() == theirs.netloc.lower()
    return same_host and (ours.path == above or ours.path.startswith(above + "/"))


def find_aliases(env: Environment) -> dict[str, Alias]:
    """The aliases by name: ncz's own file ($NCZ_CONFIG, ~/.config/ncz/config.toml) wins over
    S3netCDF4's ($S3_NC_CONFIG, ~/.s3nc.json)."""
    theirs = env.get("S3_NC_CONFIG") or os.path.join(_home(env), ".s3nc.json")
    folder = env.get("XDG_CONFIG_HOME") or os.path.join(_home(env), ".config")
    ours = env.get("NCZ_CONFIG") or os.path.join(folder, "ncz", "config.toml")
    return _read_s3nc(theirs) | _read_config(ours)


def _read_config(path: str) -> dict[str, Alias]:
    text = _read(path)
    if text is None:
        return {}
    import tomllib

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ZmapError(f"this is not TOML: {error}", path, "correct it") from error
    tables = document.get("alias", {})
    if not isinstance(tables, dict):
        raise ZmapError("alias is no table", path, "write [alias.NAME]")
    return {name: _alias(table, f"{path}: [alias.{name}]") for name, table in tables.items()}


def _alias(table: object, where: str) -> Alias:
    known = {entry.name: bool if "bool" in str(entry.type) else str for entry in fields(Alias)}
    if not isinstance(table, dict):
        raise ZmapError("this is no table", where, "write [alias.NAME] and the keys below it")
    for key, value in table.items():
        if key not in known:
            raise ZmapError(f"there is no key {key!r}", where, f"keys are {', '.join(known)}")
        if not isinstance(value, known[key]):
            wanted = "true or false" if known[key] is bool else "a text"
            raise ZmapError(f"{key} is not {wanted}", where)
    if not str(table.get("endpoint", "")).lower().startswith(("http://", "https://")):
        raise ZmapError("an alias needs an endpoint", where, 'write endpoint = "https://HOST"')
    if bool(table.get("access_key")) != bool(table.get("secret_key")):
        raise ZmapError("access_key and secret_key need each other", where)
    return Alias(**table)


def _read_s3nc(path: str) -> dict[str, Alias]:
    """The hosts of S3netCDF4's configuration file."""
    text = _read(path)
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
            "this is no S3netCDF4 configuration", path, 'hosts need "alias", "url", "credentials"'
        ) from error
