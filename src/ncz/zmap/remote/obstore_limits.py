"""Tasks of S3 that obstore cannot do, so that s3fs does them: one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ncz.record import record
from ncz.zmap.remote.checksums import WrongBytesError
from ncz.zmap.remote.credentials import S3Settings
from ncz.zmap.remote.obstore_errors import is_of_obstore
from ncz.zmap.remote.request_errors import HttpStatusError, UnreachableError
from ncz.zmap.remote.s3fs import is_amazon

LIBRARY = "NCZ_S3"
"""The environment variable that disables obstore if it is ``s3fs``."""

_PLAIN = re.compile(r"(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]+")
_TRUSTED = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")
_OTHER_FORM = frozenset({301, 302, 303, 307, 308, 400, 405, 411, 501})


class UncertainListingError(Exception):
    """A part of a listing contains names that obstore may have changed."""


@record(kw_only=True)
class Limit:
    """Something that obstore cannot do, and the reason. One of the conditions says when.

    Attributes
    ----------
    what, reason
        The subject, and the behaviour of obstore.
    settings
        Whether a bucket with these settings, in these environment variables, is left to s3fs.
    request
        Whether a request is: its action, and the path of an object or a folder.
    answer
        Whether s3fs repeats a request that ended with this error, one of ncz where possible. Its
        answer counts.
    """

    what: str
    reason: str
    settings: Callable[[S3Settings, Mapping[str, str]], object] | None = None
    request: Callable[[str, str], object] | None = None
    answer: Callable[[Exception], object] | None = None


LIMITS = (
    Limit(
        what="a bucket that the user leaves to s3fs",
        reason=f"{LIBRARY}=s3fs",
        settings=lambda _, environment: environment.get(LIBRARY) == "s3fs",
    ),
    Limit(
        what="a bucket in the name of the host",
        reason="it does not find all hosts that botocore finds",
        settings=lambda settings, _: not settings.path_style,
    ),
    Limit(
        what="credentials of a profile, a process or a service",
        reason="it does not know them; botocore does",
        settings=lambda settings, _: (
            not (settings.anonymous or (settings.access_key and settings.secret_key))
        ),
    ),
    Limit(
        what="temporary credentials for another server than Amazon's",
        reason="it sends the token to servers that this one redirects to",
        settings=lambda settings, _: settings.session_token and not is_amazon(settings),
    ),
    Limit(
        what="certificates that replace the certificates of the system",
        reason="it does not read the variables that name them",
        settings=lambda settings, environment: (
            not settings.endpoint.startswith("http:")
            and any(environment.get(name) for name in _TRUSTED)
        ),
    ),
    Limit(
        what="names with other characters than letters, digits and ._-",
        reason="it may normalize them",
        request=lambda _, path: path and not _is_plain(path),
    ),
    Limit(
        what="a list of the whole bucket",
        reason="it removes a slash at the start of a name",
        request=lambda action, path: action == "list" and not path,
    ),
    Limit(
        what="a list with empty objects",
        reason="it removes a slash at the end of a name, as folders have it",
        answer=lambda error: isinstance(error, UncertainListingError),
    ),
    Limit(
        what="an ETag that is not the MD5 of the bytes",
        reason="it hides the headers that say whether a body must be decompressed",
        answer=lambda error: isinstance(error, WrongBytesError),
    ),
    Limit(
        what="redirects",
        reason="it follows them without reporting it",
        answer=lambda error: isinstance(error, UnreachableError) and not error.is_late,
    ),
    Limit(
        what="a refusal without a code, as HEAD gets",
        reason="it does not ask again for the body with the reason",
        answer=lambda error: (
            isinstance(error, HttpStatusError) and not error.code and not error.may_pass
        ),
    ),
    Limit(
        what="servers that lack a request, or want it in another form or region",
        reason="it has one form of each, and does not show headers",
        answer=lambda error: isinstance(error, HttpStatusError) and error.status in _OTHER_FORM,
    ),
    Limit(
        what="responses that it does not understand",
        reason="some servers leave out headers, or ignore ranges",
        answer=is_of_obstore,
    ),
)


def serves(settings: S3Settings, environment: Mapping[str, str]) -> bool:
    """Return whether obstore can serve a bucket."""
    return not any(row.settings and row.settings(settings, environment) for row in LIMITS)


def makes(action: str, path: str) -> bool:
    """Return whether obstore can make a request."""
    return not any(row.request and row.request(action, path) for row in LIMITS)


def repeats(error: Exception) -> bool:
    """Return whether s3fs repeats a request that ended with an error."""
    return any(row.answer and row.answer(error) for row in LIMITS)


def _is_plain(path: str) -> bool:
    return bool(_PLAIN.fullmatch(path)) and not {".", ".."} & set(path.split("/"))
