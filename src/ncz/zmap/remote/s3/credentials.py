"""Find the S3 server and the credentials: from a URL, configuration files and the environment.

The first source that has a value is used:

============  =====================================================================================
server        the URL's host; for ``s3://NAME/...`` the alias NAME, then
              AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile's endpoint_url, Amazon's
profile       ``#aws.profile=``, .ncrc's AWS.PROFILE, the alias's, AWS_PROFILE if this profile
              exists, "default"; "no" means anonymous access
region        Amazon's host in the URL, ``#aws.region=``, .ncrc, the alias's, the profile's,
              AWS_REGION, AWS_DEFAULT_REGION, us-east-1
credentials   ``#aws.access_key_id=...``, .ncrc, the alias's, the profile's, the environment's,
              botocore's if a profile or the environment names another source; anonymous
============  =====================================================================================

A secret is never part of a `repr`, and is never written.

Source: netcdf-c's cloud document for the order of profiles, regions and keys and for ``.ncrc``
files, Amazon's shared configuration files, and S3netCDF4's document for aliases.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from ncz.errors import UrlError
from ncz.record import field, record
from ncz.zmap.location import Location
from ncz.zmap.remote.s3.aliases import Alias, find_aliases
from ncz.zmap.remote.s3.config_files import Environment, read_profiles, read_rc_files
from ncz.zmap.s3_url import GOOGLE, is_google, is_s3_host

_ELSEWHERE = frozenset(
    {"role_arn", "credential_process", "credential_source", "web_identity_token_file",
     "sso_session", "sso_start_url", "login_session"}
)  # fmt: skip
"""Keys of a profile that name another source of credentials, which botocore can use."""

_CONTAINER = (
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)


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
    source
        The source of the credentials, for messages.
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
        If the URL is not valid, or names a profile that does not exist.
    ZmapError
        If a configuration file cannot be read.
    """
    env = os.environ if environment is None else environment
    url = urlsplit(location.path)
    if url.query:
        raise UrlError(
            "an S3 URL cannot have a ?query", location.path, "write %3F for a ? in the key"
        )
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
    given = read_rc_files(alias.endpoint if alias else location.path, env)
    given.update({key: value for key, value in location.options.items() if value})
    profiles = read_profiles(given, env)
    profile = _profile(given, alias, profiles, env)
    of_profile = profiles.get(profile, {})
    known_region = host.split(".")[1] if is_s3_host(host) and not location.no_server else None
    region = (
        known_region
        or given.get("aws.region")
        or (alias and alias.region)
        or of_profile.get("region")
        or of_profile.get("aws_region")
        or env.get("AWS_REGION")
        or env.get("AWS_DEFAULT_REGION")
        or given.get("aws.default_region")
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
    found = _CredentialsChain.find(given, alias, named, profile, of_profile, env)
    return S3Settings(
        endpoint=endpoint.rstrip("/"),
        bucket=bucket,
        prefix=prefix.strip("/"),
        region=region,
        profile=profile if found.ask_botocore and profile in profiles else None,
        access_key=found.access_key,
        secret_key=found.secret_key,
        session_token=found.session_token,
        anonymous=not found.access_key and not found.ask_botocore,
        path_style=alias.path_style if alias else True,
        source=found.source,
    )


@record
class _CredentialsChain:
    """Credentials and their source; the first source of the chain that has any."""

    source: str = "no credentials"
    access_key: str | None = None
    secret_key: str | None = None
    session_token: str | None = None
    ask_botocore: bool = False

    @staticmethod
    def find(
        given: Mapping[str, str],
        alias: Alias | None,
        named: str,
        profile: str,
        of_profile: Mapping[str, str],
        env: Environment,
    ) -> _CredentialsChain:
        if found := _keys(given, "aws.access_key_id", "aws.secret_access_key", "aws.session_token"):
            return _CredentialsChain("the keys of the URL or the .ncrc file", *found)
        if alias and (alias.access_key or alias.anonymous):
            if alias.anonymous:
                return _CredentialsChain(f"the alias {named}, which is anonymous")
            return _CredentialsChain(
                f"the alias {named}", alias.access_key, alias.secret_key, alias.session_token
            )
        if profile == "no":
            return _CredentialsChain("no credentials, as the profile 'no' requests")
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
                f"the alias {named}, which delegates to botocore", ask_botocore=True
            )
        return _CredentialsChain()


def _keys(
    found: Mapping[str, str], access: str, secret: str, token: str
) -> tuple[str, str, str | None] | None:
    if not found.get(access) or not found.get(secret):
        return None
    return found[access], found[secret], found.get(token) or None


def _profile(
    given: Mapping[str, str],
    alias: Alias | None,
    profiles: Mapping[str, Mapping[str, str]],
    env: Environment,
) -> str:
    named = given.get("aws.profile") or (alias and alias.profile)
    if named and named != "no" and named not in profiles:
        there = ", ".join(sorted(profiles)) or "none"
        raise UrlError(
            f"the profile {named!r} does not exist", "aws.profile", f"available: {there}"
        )
    if named:
        return named
    return env["AWS_PROFILE"] if env.get("AWS_PROFILE") in profiles else "default"
