"""Find the S3 server and the credentials: URL, aliases, configuration files, environment.

The first source that has a value is used:

============  =====================================================================================
server        the URL's host; ``#aws.endpoint_url=``; for ``s3://NAME/...`` the alias NAME;
              .ncrc's AWS.ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's
              endpoint_url, Amazon's
profile       ``#aws.profile=``, the alias's, .ncrc's AWS.PROFILE, AWS_DEFAULT_PROFILE, AWS_PROFILE,
              "default"; "no" means anonymous access
region        Amazon's host in the URL, ``#aws.region=``, .ncrc, the alias's, AWS_REGION,
              AWS_DEFAULT_REGION, the profile's, us-east-1
credentials   ``#aws.access_key_id=...``, a profile that the fragment names, the alias's, .ncrc's
              keys or profile, the environment's, the profile's; botocore's if the profile or the
              environment names another source; anonymous
============  =====================================================================================

The order of the environment and the profile is botocore's. Keys do not leave their source: the
server that a configuration file names receives the keys of this file, or those that the user gives
with the URL, and no others. A secret is never part of a `repr`, and is never written.

Source: botocore's credentials chain and endpoint resolution, netcdf-c's cloud document for
``.ncrc`` files, Amazon's shared configuration files, and S3netCDF4's document for aliases.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from urllib.parse import unquote, urlsplit

from ncz.errors import UrlError, ZmapError, list_names
from ncz.record import field, record
from ncz.zmap.amazon_hosts import AmazonHost, amazon_host, amazon_name
from ncz.zmap.location import Location
from ncz.zmap.s3_url import GOOGLE, check_region, is_google
from ncz.zmap.settings import (
    ALIAS,
    Alias,
    Environment,
    RcSettings,
    Written,
    alias_files,
    find_aliases,
    home_folder,
    lines_of_sections,
    place,
    place_of,
    rc_paths,
    read_file,
    read_rc_files,
)

# Read Amazon's profile files.


def read_profiles(options: Mapping[str, str], env: Environment) -> dict[str, dict[str, str]]:
    """Read the profiles of the ``.aws`` files.

    The ``endpoint_url`` of a profile is that of S3 in its ``services`` section, if there is one.

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
        know where they are written.

    Raises
    ------
    ZmapError
        If a file is not valid.
    """
    folder = os.path.join(home_folder(env), ".aws")
    config = options.get("aws.config_file") or env.get("AWS_CONFIG_FILE")
    shared = env.get("AWS_SHARED_CREDENTIALS_FILE")
    profiles: dict[str, dict[str, str]] = {}
    services: dict[str, Written] = {}
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
        lines = lines_of_sections(text)
        for section in parser.sections():
            name = section.removeprefix("profile ").strip()
            if section.startswith("services "):
                of_s3 = parser[section].get("s3", "")
                line = lines.get((section, "endpoint_url"))
                services[section.removeprefix("services ").strip()] = Written(
                    of_s3, place(path, line)
                )
            elif not section.startswith("sso-session "):
                profiles.setdefault(name, {}).update(
                    (key, Written(value, place(path, lines.get((section, key)))))
                    for key, value in parser.items(section)
                )
    for profile in profiles.values():
        service = services.get(profile.get("services", ""))
        for setting in service.splitlines() if service else ():
            key, _, value = setting.partition("=")
            if service and key.strip() == "endpoint_url":
                profile["endpoint_url"] = Written(value.strip(), service.place)
    return profiles


# The chain of sources of S3 credentials, in botocore's order.
#
# A profile that the user names with the URL, an alias or an .ncrc file comes before the
# environment; one that AWS_PROFILE names, or ``default``, comes after it.
#
# Source: botocore's ``credentials.create_credential_resolver`` and ``session``.

_ELSEWHERE = frozenset(
    {"role_arn", "credential_process", "credential_source", "web_identity_token_file",
     "sso_session", "sso_start_url", "login_session"}
)  # fmt: skip
"""Keys of a profile that name another source of credentials, which botocore can use."""

_CONTAINER = ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI")
_PROFILE_VARIABLES = ("AWS_DEFAULT_PROFILE", "AWS_PROFILE")
_OF_RC = "the .ncrc file"


@record
class Sources:
    """What may name credentials.

    Attributes
    ----------
    explicit
        The keys of the URL's fragment, and of the caller's options.
    rc
        The values of .ncrc files.
    alias, alias_name
        The alias in the URL, if there is one.
    profiles
        The profiles of the ``.aws`` files.
    env
        The environment variables.
    """

    explicit: Mapping[str, str] = field(repr=False)
    rc: Mapping[str, str] = field(repr=False)
    alias: Alias | None
    alias_name: str
    profiles: Mapping[str, Mapping[str, str]] = field(repr=False)
    env: Environment = field(repr=False)


@record
class Credentials:
    """Credentials and their source.

    Attributes
    ----------
    source
        The source, for messages.
    access_key, secret_key, session_token
        The keys.
    ask_botocore
        Whether botocore finds the credentials.
    profile
        The profile that botocore asks; None for the environment.
    explicit
        Whether the user chose them with the URL or an option.
    named_by
        The file that names the profile.
    place
        Where the keys, or what stands for them, are written: a key of the fragment, a variable, or
        a file and line.
    """

    source: str = "no credentials"
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    ask_botocore: bool = False
    profile: str | None = None
    explicit: bool = False
    named_by: str = ""
    place: str = ""


def profile_of(sources: Sources) -> tuple[str, str]:
    """Return the profile, and what names it: "the URL", an alias, .ncrc, a variable, or "".

    Raises `UrlError` if the profile does not exist, with the names of those that do.
    """
    alias = sources.alias
    candidates = [
        (sources.explicit.get("aws.profile"), "the URL"),
        (alias and alias.profile, f"the alias {sources.alias_name}"),
        (sources.rc.get("aws.profile"), _OF_RC),
        *((sources.env.get(name), name) for name in _PROFILE_VARIABLES),
    ]
    name, named_by = next(((n, by) for n, by in candidates if n), ("default", ""))
    assert name is not None
    may_be_absent = not named_by or (name == "no" and named_by not in _PROFILE_VARIABLES)
    if name not in sources.profiles and not may_be_absent:
        available = list_names(sorted(sources.profiles)) or "none"
        place = named_by if named_by in _PROFILE_VARIABLES else "aws.profile"
        raise UrlError(f"the profile {name!r} does not exist", place, f"available: {available}")
    return name, named_by


def find_credentials(sources: Sources) -> Credentials:
    """Return the credentials of the first source that has any.

    Raises `UrlError` for a profile that does not exist, and `ZmapError` for half of a pair of keys
    in the environment.
    """
    explicit, alias, env = sources.explicit, sources.alias, sources.env
    if explicit.get("aws.anon", "").lower() in _YES[:3]:
        return Credentials("no credentials, as aws.anon requests", place="#aws.anon")
    profile, named_by = profile_of(sources)
    named = named_by not in ("", *_PROFILE_VARIABLES)
    if found := _keys(explicit, "aws."):
        return Credentials("the keys of the URL", *found, explicit=True, place="#aws.access_key_id")
    by_user = named_by == "the URL"
    if not by_user and alias and (alias.access_key or alias.anonymous):
        if alias.anonymous:
            return Credentials(
                f"the alias {sources.alias_name}, which is anonymous",
                place=alias.place("anonymous"),
            )
        return Credentials(
            f"the alias {sources.alias_name}",
            alias.access_key, alias.secret_key, alias.session_token,
            place=alias.place("access_key"),
        )  # fmt: skip
    by_alias = alias is not None and bool(alias.profile)
    if not (by_user or by_alias) and (found := _keys(sources.rc, "aws.")):
        return Credentials(_OF_RC, *found, place=place_of(found[0]))
    if profile == "no" and named:
        place = {"the URL": "#aws.profile", _OF_RC: place_of(profile)}.get(named_by, "")
        return Credentials("no credentials, as the profile 'no' requests", place=place)
    if not named:
        if of_environment := _of_environment(env):
            return of_environment
        if env.get("AWS_WEB_IDENTITY_TOKEN_FILE") and "role_arn" not in _of(sources, profile):
            return Credentials(
                "the environment", ask_botocore=True, place="AWS_WEB_IDENTITY_TOKEN_FILE"
            )
    if of_profile := _of_profile(sources, profile, by_user, named_by):
        return of_profile
    if container := next((name for name in _CONTAINER if env.get(name)), None):
        return Credentials("the environment", ask_botocore=True, place=container)
    if alias and alias.anonymous is False:
        source = f"the alias {sources.alias_name}, which delegates to botocore"
        return Credentials(
            source,
            ask_botocore=True,
            named_by=f"the alias {sources.alias_name}",
            place=alias.place("anonymous"),
        )
    return Credentials()


def _of(sources: Sources, profile: str) -> Mapping[str, str]:
    return sources.profiles.get(profile, {})


def _of_environment(env: Environment) -> Credentials | None:
    access, secret = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
    if not env.get(access):
        return None
    if not env.get(secret):
        raise ZmapError(f"{access} is set, but {secret} is not", hint="set both, or neither")
    token = env.get("AWS_SECURITY_TOKEN") or env.get("AWS_SESSION_TOKEN") or None
    return Credentials("the environment", env[access], env[secret], token, place=access)


def _of_profile(sources: Sources, profile: str, by_user: bool, named_by: str) -> Credentials | None:
    values, source = _of(sources, profile), f"the profile {profile}"
    if elsewhere := next((key for key in values if key in _ELSEWHERE), None):
        return Credentials(
            source,
            ask_botocore=True,
            profile=profile,
            explicit=by_user,
            named_by=named_by,
            place=place_of(values[elsewhere]),
        )
    found = _keys(values, "aws_")
    if not found:
        return None
    place = place_of(found[0])
    return Credentials(source, *found, explicit=by_user, named_by=named_by, place=place)


def _keys(values: Mapping[str, str], prefix: str) -> tuple[str, str, str | None] | None:
    access, secret = values.get(f"{prefix}access_key_id"), values.get(f"{prefix}secret_access_key")
    if not access or not secret:
        return None
    token = values.get(f"{prefix}security_token") or values.get(f"{prefix}session_token")
    return access, secret, token or None


@record
class S3Settings:
    """A server, the place of a store on it, and credentials.

    Attributes
    ----------
    endpoint, region
        The URL of the server, and the region of the bucket.
    bucket, prefix
        The bucket, and the key of the store's root without slashes at its ends; "" is the bucket.
    profile
        The profile for which botocore finds credentials if there are no keys.
    access_key, secret_key, session_token
        The credentials.
    anonymous
        Whether requests are not signed.
    path_style
        Whether the bucket is in the path of a request, and not in its host.
    requester_pays
        Whether the user agrees to pay for requests to a bucket whose owner does not.
    source
        The source of the credentials, for messages.
    origins
        Where the server, the region, the profile and the credentials are written, by these names: a
        key of the fragment, a variable, or a file and line.
    alias
        The alias that gives the server, or "".
    not_alias
        For ``s3://NAME/...`` of which NAME is not an alias, the files in which it was looked for.
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
    requester_pays: bool = False
    source: str = "no credentials"
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    not_alias: tuple[str, ...] = field(default=(), compare=False)
    alias: str = ""

    @property
    def url(self) -> str:
        """The URL of the bucket, in which an alias stands for the server."""
        return f"s3://{self.alias}/{self.bucket}" if self.alias else f"s3://{self.bucket}"


@record
class _Server:
    """A server and the source that names it.

    `source` is "" if the user names the server with the URL or in the environment, or if it is
    Amazon's; otherwise it is that of a configuration file, whose own keys alone may be sent.
    `place` is where the server is written.
    """

    endpoint: str
    source: str = ""
    place: str = ""


_YES = ("true", "1", "yes", "on", "requester")


def _agrees_to_pay(explicit: Mapping[str, str], env: Environment) -> bool:
    """Return whether the URL, or else the environment, agrees to pay for requests."""
    names = ("AWS_REQUEST_PAYER", "AWS_REQUESTER_PAYS")
    of_environment = next((env[name] for name in names if env.get(name)), "")
    return explicit.get("aws.requester_pays", of_environment).lower() in _YES


def find_settings(location: Location, environment: Environment | None = None) -> S3Settings:
    """Find the server and the credentials of an S3 location.

    Parameters
    ----------
    location
        A remote location, whose path is an S3 URL in path form.
    environment
        The environment variables; those of the process if left out.

    Raises
    ------
    UrlError
        If the URL is not valid, or a profile does not exist.
    ZmapError
        If a configuration file cannot be read, or if keys would be sent to the server of another
        source.
    """
    env = os.environ if environment is None else environment
    url = urlsplit(location.path)
    if location.query:
        raise UrlError(
            "an S3 URL cannot have a ?query",
            location.address,
            "for a ? in the key, write https://SERVER/BUCKET/KEY#mode=s3 with %3F",
        )
    bucket, _, prefix = unquote(url.path, errors="surrogateescape").strip("/").partition("/")
    host = (url.hostname or "").lower()
    rc = read_rc_files(location.path, env)
    may_be_alias = _may_be_alias(location, host)
    alias = _alias(bucket, rc, env) if may_be_alias else None
    not_alias = _alias_places(env) if may_be_alias and not alias else ()
    named = bucket if alias else ""
    if alias:
        bucket, _, prefix = prefix.partition("/")
        if not bucket:
            raise UrlError(
                f"the alias {named} needs a bucket", location.address, f"write s3://{named}/BUCKET"
            )
        rc = read_rc_files(alias.endpoint, env)
    explicit = {key: value for key, value in location.options.items() if value}
    profiles = read_profiles(dict(rc.values) | explicit, env)
    sources = Sources(explicit, rc.values, alias, named, profiles, env)
    profile, named_by = profile_of(sources)
    of_profile = profiles.get(profile, {})
    on_amazon = None if location.no_server else amazon_host(host, "us-east-1", location.address)
    region, of_region = _region(sources, on_amazon, of_profile, rc)
    check_region(region, location.address)
    found = find_credentials(sources)
    if alias:
        # The server of the user's own alias may have any keys: the user names it in the URL.
        source = "" if alias.trusted else f"the alias {named}"
        server = _Server(alias.endpoint, source, alias.place("endpoint"))
    elif not location.no_server:
        server = _Server(f"{url.scheme}://{url.netloc}", place="the URL")
    elif is_google(host):
        server = _Server(f"https://{GOOGLE}", place="the URL")
    else:
        server = _named_server(sources, of_profile) or _Server(
            f"https://{amazon_name(region)}", place="default"
        )
    found = _bound(found, server, alias)
    return S3Settings(
        endpoint=_checked_endpoint(server.endpoint, location),
        bucket=bucket,
        prefix=prefix.strip("/"),
        region=region,
        profile=found.profile,
        access_key=found.access_key,
        secret_key=found.secret_key,
        session_token=found.session_token,
        anonymous=not found.access_key and not found.ask_botocore,
        path_style=alias.path_style if alias else on_amazon is None or on_amazon.path_style,
        requester_pays=_agrees_to_pay(explicit, env),
        source=found.source,
        origins={
            "server": server.place,
            "region": of_region,
            "profile": _place_of_profile(profile, named_by, alias),
            "credentials": found.place,
        },
        not_alias=not_alias,
        alias=named,
    )


def _region(
    sources: Sources, on_amazon: AmazonHost | None, of_profile: Mapping[str, str], rc: RcSettings
) -> tuple[str, str]:
    """Return the region, and what names it."""
    explicit, alias, env = sources.explicit, sources.alias, sources.env
    return _first(
        (on_amazon.region if on_amazon else None, "the URL"),
        (explicit.get("aws.region"), "#aws.region"),
        (rc.values.get("aws.region"), ""),
        (alias.region if alias else None, alias.place("region") if alias else ""),
        (env.get("AWS_REGION"), "AWS_REGION"),
        (env.get("AWS_DEFAULT_REGION"), "AWS_DEFAULT_REGION"),
        (of_profile.get("region"), ""),
        (of_profile.get("aws_region"), ""),
        (rc.folder_values.get("aws.region"), ""),
        (explicit.get("aws.default_region"), "#aws.default_region"),
        (rc.values.get("aws.default_region"), ""),
        (rc.folder_values.get("aws.default_region"), ""),
        ("us-east-1", "default"),
    )


def _first(*candidates: tuple[str | None, str]) -> tuple[str, str]:
    """Return the first value that exists, and its file and line, or else what names it."""
    value, name = next((value, name) for value, name in candidates if value)
    assert value is not None
    return value, place_of(value, name)


def _place_of_profile(profile: str, named_by: str, alias: Alias | None) -> str:
    if named_by == "the URL":
        return "#aws.profile"
    if alias is not None and named_by.startswith("the alias"):
        return alias.place("profile")
    return place_of(profile, named_by or "default")


def alias_of(location: Location, environment: Environment | None = None) -> Alias | None:
    """Return the alias in an S3 location; None without one."""
    if not location.no_server:
        return None
    env = os.environ if environment is None else environment
    url = urlsplit(location.path)
    if not _may_be_alias(location, (url.hostname or "").lower()):
        return None
    name = unquote(url.path, errors="surrogateescape").strip("/").partition("/")[0]
    return _alias(name, read_rc_files(location.path, env), env)


def _may_be_alias(location: Location, host: str) -> bool:
    named = "aws.endpoint_url" in location.options
    return location.no_server and not named and not is_google(host)


def _alias_places(env: Environment) -> tuple[str, ...]:
    return (*reversed(alias_files(env)), *rc_paths(env))


def no_alias(settings: S3Settings, most: int) -> str:
    """Return what says that the bucket is not an alias, with some of the files; "" if it may be."""
    if not settings.not_alias:
        return ""
    files = list_names(settings.not_alias, most, whole=True)
    return (
        f"{settings.bucket!r} was taken for a bucket, because none of these files has an alias of"
        f" that name: {files}"
    )


def _alias(name: str, rc: RcSettings, env: Environment) -> Alias | None:
    """Return the alias of that name; those of the user hide those of the working folder."""
    known = find_aliases(env)
    if name in known:
        return known[name]
    for values, trusted in ((rc.values, True), (rc.folder_values, False)):
        endpoint = values.get(ALIAS + name.lower())
        if endpoint:
            return Alias(endpoint, trusted=trusted, places={"": place_of(endpoint)})
    return None


def _named_server(sources: Sources, of_profile: Mapping[str, str]) -> _Server | None:
    """Return the server that the environment or a file names for ``s3://BUCKET``."""
    env = sources.env
    if sources.explicit.get("aws.endpoint_url"):
        return _Server(sources.explicit["aws.endpoint_url"], place="#aws.endpoint_url")
    if of_rc := sources.rc.get("aws.endpoint_url"):
        return _Server(of_rc, "the .ncrc file", place_of(of_rc))
    if env.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true":
        return None
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"):
        if env.get(name):
            return _Server(env[name], place=name)
    if of_profile.get("ignore_configured_endpoint_urls", "").lower() == "true":
        return None
    if endpoint := of_profile.get("endpoint_url"):
        return _Server(endpoint, f"the profile {profile_of(sources)[0]}", place_of(endpoint))
    return None


def _bound(found: Credentials, server: _Server, alias: Alias | None) -> Credentials:
    """Return the credentials if `server` may receive them; raise `ZmapError` otherwise."""
    is_anonymous = not found.access_key and not found.ask_botocore
    if is_anonymous or not server.source or found.explicit or found.source == server.source:
        return found
    if found.named_by == server.source:
        return found  # the file that names the server names the profile too
    if alias is not None:
        return Credentials("no credentials: the alias is that of the working folder")
    raise ZmapError(
        f"{server.source} names a server that would receive the credentials of {found.source}",
        _shown_endpoint(server.endpoint),
        "give the server with #aws.endpoint_url=URL or AWS_ENDPOINT_URL, or name the profile with"
        " #aws.profile=NAME",
    )


def _checked_endpoint(endpoint: str, location: Location) -> str:
    try:
        url = urlsplit(endpoint)
        is_valid = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or url.username or url.password or url.query or url.fragment:
        raise UrlError(
            "the URL of the server is not valid", location.address, "write https://HOST:PORT"
        )
    return endpoint.rstrip("/")


def _shown_endpoint(endpoint: str) -> str:
    return endpoint if "@" not in endpoint and "?" not in endpoint else "the server"
