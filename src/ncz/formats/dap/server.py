"""Requests to an OPeNDAP server: the bytes of an answer, with a limit, or the server's error."""

from __future__ import annotations

import re
from http import HTTPStatus

from ncz.errors import FormatError, NczError, StoreMissing, ZmapError
from ncz.formats.dap.scanner import unquote_text
from ncz.zmap import announce_store
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import connect
from ncz.zmap.remote.request_errors import HttpStatusError
from ncz.zmap.remote.requests import Requests
from ncz.zmap.remote.web import Answer, HttpObjects

_MESSAGE = re.compile(rb'message\s*=\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
_MESSAGE_XML = re.compile(rb"<(?:\w+:)?Message>(.*?)</(?:\w+:)?Message>", re.DOTALL)
_ERROR = re.compile(rb"\s*Error\s*\{", re.IGNORECASE)
_ERROR_XML = re.compile(rb"\s*(?:<\?xml[^>]*>)?\s*<(?:\w+:)?Error[\s>]")
_PAGE = re.compile(rb"\s*<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
_LONGEST_MESSAGE = 300
_OF_ERROR = 1 << 16
"""Bytes of an error that are read."""


class DapServer:
    """The server of one dataset.

    Parameters
    ----------
    location
        The URL of the dataset.
    """

    def __init__(self, location: Location) -> None:
        objects, _, self.url = connect(location)
        assert isinstance(objects, HttpObjects)
        self._objects = objects
        self._requests = Requests(objects, self.url)

    @staticmethod
    def open(location: Location) -> DapServer:
        """Connect to the server of a dataset."""
        return announce_store(DapServer(location), location.address)

    def read(self, suffix: str, constraint: str, limit: int, variable: str = "") -> bytes:
        """Return an answer of the server.

        Parameters
        ----------
        suffix
            The suffix of the URL's path, such as ".dods".
        constraint
            The query; "" for none.
        limit
            The most bytes that the answer may have.
        variable
            The FQN of the requested variable, for messages; "" for the dataset.

        Raises
        ------
        StoreMissing
            If the server does not know the dataset.
        ZmapError
            If the server cannot be reached, refuses, or sends more bytes.
        FormatError
            If the server answers with an error of OPeNDAP, or with a page.
        """
        answer = self._requests.attempt(
            "read", variable.lstrip("/"), lambda: self._request_once(suffix, constraint, limit)
        )
        reason = _reason(answer.body)
        if answer.status != HTTPStatus.OK or reason is not None:
            raise self._error(answer, reason, variable)
        if _PAGE.match(answer.body):
            raise self.error(
                "the server answers with a web page, and not as an OPeNDAP server does", variable,
                "check the URL: it must name a dataset, without .html",
            )  # fmt: skip
        if len(answer.body) > limit:
            raise ZmapError(
                f"the server sends more than {limit} bytes, which is more than requested",
                self.where(variable),
            )
        return answer.body

    def where(self, variable: str) -> str:
        """Return the name of a variable for messages, or of the dataset for an empty FQN."""
        return f"{self.url}: {variable}" if variable else self.url

    def error(self, message: str, variable: str = "", hint: str | None = None) -> FormatError:
        """Return the error for an answer that is not valid."""
        return FormatError(message, self.where(variable), hint)

    @property
    def checks(self) -> bool:
        """Whether bytes are compared with the checksums that the server states."""
        return self._objects.checks

    def close(self) -> None:
        """Release the connections."""
        if self._requests.close(wait=False):
            self._objects.close()

    def _request_once(self, suffix: str, constraint: str, limit: int) -> Answer:
        """Request once; raise a status that OPeNDAP does not answer with, so that it is retried."""
        answer = self._objects.answer(suffix, constraint, max(limit, _OF_ERROR))
        is_told = answer.status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
        if not is_told and _reason(answer.body) is None:
            raise HttpStatusError(answer.status)
        return answer

    def _error(self, answer: Answer, reason: str | None, variable: str) -> NczError:
        is_missing = answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
        text = "the server has no such dataset"
        if reason is not None:
            text = f"the server answers with an error: {reason}"
        kind = StoreMissing if is_missing else FormatError
        return kind(text, self.where(variable), "check the URL")


def _reason(body: bytes) -> str | None:
    """Return the message of an error document; None for any other body."""
    start = body[:_OF_ERROR]
    if _ERROR.match(start):
        found = _MESSAGE.search(start)
        return _one_line(unquote_text(found[1]) if found else "")
    if _ERROR_XML.match(start):
        return message_of_xml(start)
    return None


def message_of_xml(document: bytes) -> str:
    """Return the message of an error document of DAP4."""
    from html import unescape

    found = _MESSAGE_XML.search(document)
    return _one_line(unescape(found[1].decode("utf-8", "replace")) if found else "")


def _one_line(text: str) -> str:
    words = " ".join(text.encode("utf-8", "replace").decode().split())
    return words[:_LONGEST_MESSAGE] or "it gives no message"
