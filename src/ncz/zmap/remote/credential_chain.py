"""The chain of sources of S3 credentials, in botocore's order.

A profile that the user names with the URL, an alias or an .ncrc file comes before the environment;
one that AWS_PROFILE names, or ``default``, comes after it.

Source: botocore's ``credentials.create_credential_resolver`` and ``session``.
"""

from __future__ import annotations

from collections.abc import Mapping

from ncz.errors import UrlError, ZmapError, list_names
from ncz.record import field, record
from ncz.zmap.alias import Alias
from ncz.zmap.setting_files import Environment
from ncz.zmap.setting_places import place_of

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
    """Sources that may name credentials.

    Attributes
    ----------
    explicit
        The keys of the URL's fragment, and of the caller's options.
    rc
        The values of .ncrc files.
    alias, alias_name
        The alias in the URL, or None.
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
        Where the keys, or the setting that selects them, are written: a key of the fragment, a
        variable, or a file.
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
    """Return the profile, and its source: "the URL", an alias, .ncrc, a variable, or "".

    Raises `UrlError` with the existing names if the profile does not exist.
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
    if explicit.get("aws.anon", "").lower() in YES[:3]:
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
                place=alias.file,
            )
        return Credentials(
            f"the alias {sources.alias_name}",
            alias.access_key, alias.secret_key, alias.session_token,
            place=alias.file,
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
            place=alias.file,
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


YES = ("true", "1", "yes", "on", "requester")
