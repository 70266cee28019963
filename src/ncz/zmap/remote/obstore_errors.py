"""Errors of obstore as errors of ncz. Most are distinguished only by their text."""

from __future__ import annotations

import re

from ncz.zmap.remote.request_errors import (
    BrokenConnectionError,
    HttpStatusError,
    NoAnswerError,
    UnreachableError,
    UntrustedServerError,
)

_STATUS = {"PermissionDeniedError": 403, "UnauthenticatedError": 401}
_BROKEN = frozenset({"Request", "Interrupted", "Decode", "Unknown"})
"""Kinds of errors of connections."""

_WITHIN = re.compile(r"\bIncompleteMessage\b|\bIncompleteBody\b|end of file before message length")
_LATE = re.compile(r"\b(?:kind: Timeout|TimedOut)\b")


def is_of_obstore(error: Exception) -> bool:
    """Return whether obstore raised an error; the classes share only `Exception`."""
    return type(error).__module__.startswith("obstore")


def own_error(error: Exception, *, is_s3: bool) -> Exception:
    """Return an error of obstore as one of ncz, or the error itself if it is unknown.

    A missing object is `FileNotFoundError`; S3 may report that something else is missing.
    """
    if not (is_of_obstore(error) or isinstance(error, FileNotFoundError | PermissionError)):
        return error
    text = str(error)
    status = _STATUS.get(type(error).__name__, 404 if isinstance(error, FileNotFoundError) else 0)
    if found := re.search(r"(?:status code|status): (\d{3})\b", text):
        status = status or int(found[1])
    if status:
        details = dict(re.findall(r"<(Code|Message|Region)>([^<]*)</", text)) if is_s3 else {}
        code = details.get("Code", "")
        is_missing = status == 404 and code in ("", "NoSuchKey")
        return FileNotFoundError() if is_missing else HttpStatusError(status, code, None, details)
    if _LATE.search(text):
        return NoAnswerError()
    if "certificate" in text:
        return UntrustedServerError()
    kind = re.search(r"\bkind: (\w+)", text)
    if kind and kind[1] == "Connect":
        return UnreachableError()
    if kind and kind[1] in _BROKEN:
        return BrokenConnectionError(is_within=bool(_WITHIN.search(text)))
    return error
