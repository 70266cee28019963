"""The place of a repository, as the library describes it: on the disk or on a server."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ncz.errors import UrlError, ZmapError
from ncz.record import replace
from ncz.zmap.fragment import unquote
from ncz.zmap.icechunk.library import is_old, newer_library_error
from ncz.zmap.kinds import ICECHUNK_ROOTS
from ncz.zmap.location import Location
from ncz.zmap.remote.credentials import S3Settings, find_settings
from ncz.zmap.remote.opening import has_object, policy_of


def storage_of(library: Any, location: Location) -> Any:
    """Return the library's description of where the repository at a location is.

    Raises `ZmapError` for a server that the library does not read from.
    """
    if location.kind != "remote":
        return library.local_filesystem_storage(os.path.abspath(location.path))
    if location.is_s3:
        return _s3_storage(library, location)
    protocol = location.path.partition("://")[0]
    connect = _STORAGES.get(protocol)
    if connect is None or location.caches:
        raise ZmapError(
            "the library icechunk reads from the disk, S3, Google, Azure and web servers only",
            location.address,
            "copy the repository to a disk",
        )
    return connect(library, location)


def has_root(location: Location) -> bool:
    """Return whether a repository has the object that only repositories of format 2 have."""
    if location.kind != "remote":
        return os.path.isfile(os.path.join(location.path, ROOT))
    return has_object(location, ROOT)


ROOT = "repo"


def is_repository(location: Location) -> bool:
    """Return whether a repository is at a location on a server."""
    return any(has_object(location, key) for key in ICECHUNK_ROOTS)


def _s3_storage(library: Any, location: Location) -> Any:
    settings = with_keys(find_settings(location))
    return library.s3_storage(
        bucket=settings.bucket, prefix=settings.prefix, region=settings.region,
        endpoint_url=settings.endpoint, allow_http=settings.endpoint.startswith("http:"),
        access_key_id=settings.access_key, secret_access_key=settings.secret_key,
        session_token=settings.session_token, anonymous=settings.anonymous,
        force_path_style=settings.path_style,
        network_stream_timeout_seconds=max(1, round(policy_of(location).read)),
    )  # fmt: skip


def _web_storage(library: Any, location: Location) -> Any:
    if is_old(library):
        raise newer_library_error(library, "read a repository on a web server", location.address)
    has_root(location)  # a server that redirects to another one is refused
    policy = policy_of(location)
    query = f"?{location.query}" if location.query else ""
    options = {
        "allow_http": "true",
        "connect_timeout": f"{policy.connect:g}s",
        "timeout": f"{policy.timeout:g}s",
    }
    return library.http_storage(location.path.rstrip("/") + query, options)


def _google_storage(library: Any, location: Location) -> Any:
    bucket, prefix = _bucket(location)
    endpoint = os.environ.get("GOOGLE_BASE_URL")
    token = os.environ.get("GOOGLE_BEARER_TOKEN")
    names = (
        "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SERVICE_ACCOUNT_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
    )
    has_keys = any(os.environ.get(name) for name in names)
    return library.gcs_storage(
        bucket=bucket,
        prefix=prefix,
        bearer_token=token,
        from_env=True if has_keys and not token else None,
        anonymous=None if has_keys or token else True,
        config={"google_base_url": endpoint} if endpoint else None,
    )


def _azure_storage(library: Any, location: Location) -> Any:
    account = os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
    if not account:
        raise UrlError(
            "the name of the account is not known", location.address,
            "set AZURE_STORAGE_ACCOUNT_NAME",
        )  # fmt: skip
    container, prefix = _bucket(location)
    endpoint = os.environ.get("AZURE_STORAGE_ENDPOINT")
    has_keys = any(os.environ.get(f"AZURE_STORAGE_{name}") for name in _AZURE_KEYS)
    return library.azure_storage(
        account=account,
        container=container,
        prefix=prefix,
        from_env=True,
        config={**_azure_config(endpoint), "azure_skip_signature": str(not has_keys).lower()},
    )


def _azure_config(endpoint: str | None) -> dict[str, str]:
    if not endpoint:
        return {}
    is_plain = endpoint.startswith("http:")
    return {"azure_storage_endpoint": endpoint, "allow_http": str(is_plain).lower()}


_GOOGLE_KEYS = ("SERVICE_ACCOUNT", "SERVICE_ACCOUNT_KEY", "APPLICATION_CREDENTIALS")
_AZURE_KEYS = ("ACCOUNT_KEY", "SAS_TOKEN", "TOKEN")
"""The variables with credentials, without their common prefix."""

_STORAGES: dict[str, Callable[[Any, Location], Any]] = {
    "http": _web_storage,
    "https": _web_storage,
    "gs": _google_storage,
    "az": _azure_storage,
    "abfs": _azure_storage,
    "abfss": _azure_storage,
}
"""The library's functions that reach a server, by the protocol of its URLs."""


def _bucket(location: Location) -> tuple[str, str]:
    """Return the bucket of a URL, and the path in it."""
    bucket, _, prefix = location.path.partition("://")[2].partition("/")
    return bucket.partition("@")[0], unquote(prefix).strip("/")


def with_keys(settings: S3Settings) -> S3Settings:
    """Return the settings of a server with the keys of the user, or for anonymous requests.

    Keys from other sources, such as the keys of a role, are requested once.
    """
    if settings.anonymous or (settings.access_key and settings.secret_key):
        return settings
    from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]
    from botocore.session import Session  # type: ignore[import-untyped]

    try:
        found = Session(profile=settings.profile).get_credentials()
        frozen = found and found.get_frozen_credentials()
    except BotoCoreError as error:
        raise ZmapError(f"no credentials were found: {error}", settings.endpoint) from error
    if not frozen:
        return replace(settings, anonymous=True)
    return replace(
        settings,
        access_key=frozen.access_key,
        secret_key=frozen.secret_key,
        session_token=frozen.token,
    )
