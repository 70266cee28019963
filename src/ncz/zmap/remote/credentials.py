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
server that a configuration file names receives the keys of this file, or keys that the user gives
with the URL, and no others. A secret is never part of a `repr`, and is never written.

Source: botocore's credentials chain and endpoint resolution, netcdf-c's cloud document for
``.ncrc`` files, Amazon's shared configuration files, and S3netCDF4's document for aliases.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from ncz.errors import UrlError, ZmapError, list_names
from ncz.record import field, record
from ncz.zmap.alias import Alias
from ncz.zmap.aliases import alias_files, find_aliases
from ncz.zmap.amazon_hosts import AmazonHost, amazon_host, amazon_name
from ncz.zmap.location import Location
from ncz.zmap.rc_files import ALIAS, RcSettings, rc_paths, read_rc_files
from ncz.zmap.remote.credential_chain import YES, Credentials, Sources, find_credentials, profile_of
from ncz.zmap.remote.profiles import read_profiles
from ncz.zmap.s3_url import GOOGLE, check_region, is_google
from ncz.zmap.setting_files import Environment
from ncz.zmap.setting_places import place_of


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
        The profile whose credentials botocore finds if no keys are given.
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
        key of the fragment, a variable, or a file.
    alias
        The alias that gives the server, or "".
    not_alias
        For ``s3://NAME/...``, if NAME is not an alias, the files that were searched for it.
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
        """The URL of the bucket, where an alias means the server."""
        return f"s3://{self.alias}/{self.bucket}" if self.alias else f"s3://{self.bucket}"


@record
class _Server:
    """A server and the source that names it.

    `source` is "" if the user names the server with the URL or in the environment, or if it is
    Amazon's; otherwise it comes from a configuration file, whose own keys alone may be sent.
    `place` is the place of this setting.
    """

    endpoint: str
    source: str = ""
    place: str = ""


def _agrees_to_pay(explicit: Mapping[str, str], env: Environment) -> bool:
    """Return whether the URL, or else the environment, agrees to pay for requests."""
    names = ("AWS_REQUEST_PAYER", "AWS_REQUESTER_PAYS")
    of_environment = next((env[name] for name in names if env.get(name)), "")
    return explicit.get("aws.requester_pays", of_environment).lower() in YES


def find_settings(location: Location, environment: Environment | None = None) -> S3Settings:
    """Find the server and the credentials of an S3 location.

    Parameters
    ----------
    location
        A remote location, whose path is an S3 URL in path form.
    environment
        The environment variables; by default the process's own.

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
        server = _Server(alias.endpoint, source, alias.file)
    elif not location.no_server:
        server = _Server(f"{url.scheme}://{url.netloc}", place="the URL")
    elif is_google(host):
        server = _Server(f"https://{GOOGLE}", place="the URL")
    else:
        server = _named_server(sources, of_profile) or _Server(
            f"https://{amazon_name(region)}", place="default"
        )
    found = _bind(found, server, alias)
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
    """Return the region, and its source."""
    explicit, alias, env = sources.explicit, sources.alias, sources.env
    return _first(
        (on_amazon.region if on_amazon else None, "the URL"),
        (explicit.get("aws.region"), "#aws.region"),
        (rc.values.get("aws.region"), ""),
        (alias.region if alias else None, alias.file if alias else ""),
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
    """Return the first value that exists, and its file or other source."""
    value, name = next((value, name) for value, name in candidates if value)
    assert value is not None
    return value, place_of(value, name)


def _place_of_profile(profile: str, named_by: str, alias: Alias | None) -> str:
    if named_by == "the URL":
        return "#aws.profile"
    if alias is not None and named_by.startswith("the alias"):
        return alias.file
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
    """Return a statement that the bucket is not an alias, with some files; "" if it may be one."""
    if not settings.not_alias:
        return ""
    files = list_names(settings.not_alias, most, whole=True)
    return (
        f"{settings.bucket!r} was taken for a bucket, because none of these files has an alias of"
        f" that name: {files}"
    )


def _alias(name: str, rc: RcSettings, env: Environment) -> Alias | None:
    """Return the alias with a name; the user's aliases hide the working folder's."""
    known = find_aliases(env)
    if name in known:
        return known[name]
    for values, trusted in ((rc.values, True), (rc.folder_values, False)):
        endpoint = values.get(ALIAS + name.lower())
        if endpoint:
            return Alias(endpoint, trusted=trusted, file=place_of(endpoint))
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


def _bind(found: Credentials, server: _Server, alias: Alias | None) -> Credentials:
    """Return the credentials if `server` may receive them; raise `ZmapError` otherwise."""
    is_anonymous = not found.access_key and not found.ask_botocore
    if is_anonymous or not server.source or found.explicit or found.source == server.source:
        return found
    if found.named_by == server.source:
        return found  # the file that names the server names the profile too
    if alias is not None:
        return Credentials("no credentials: the alias comes from the working folder")
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
