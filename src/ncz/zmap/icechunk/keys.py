"""The keys for S3 that the icechunk library is given."""

from __future__ import annotations

from ncz.errors import ZmapError
from ncz.record import field, record
from ncz.zmap.remote.s3.credentials import S3Settings


@record
class S3Keys:
    """The keys of a user, which are never shown."""

    access: str = field(repr=False)
    secret: str = field(repr=False)
    token: str | None = field(default=None, repr=False)


def find_keys(settings: S3Settings) -> S3Keys | None:
    """Return the keys for a server; None if requests are anonymous.

    Keys that come from elsewhere, such as those of a role, are asked for once.
    """
    if settings.anonymous:
        return None
    if settings.access_key and settings.secret_key:
        return S3Keys(settings.access_key, settings.secret_key, settings.session_token)
    from botocore.exceptions import BotoCoreError  # type: ignore[import-untyped]
    from botocore.session import Session  # type: ignore[import-untyped]

    try:
        found = Session(profile=settings.profile).get_credentials()
        frozen = found and found.get_frozen_credentials()
    except BotoCoreError as error:
        raise ZmapError(f"no credentials were found: {error}", settings.endpoint) from error
    return S3Keys(frozen.access_key, frozen.secret_key, frozen.token) if frozen else None
