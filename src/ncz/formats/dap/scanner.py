"""Tokens of the texts that describe datasets in DAP2, with limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from ncz.errors import FormatError

DEEPEST = 32
"""The most levels of structures, groups and containers of attributes."""

_TOKEN = re.compile(
    rb'\s*(?:(?P<sign>[{}\[\]=;,])|"(?P<text>(?:[^"\\]|\\.)*)"|(?P<word>[^\s{}\[\]=;,"][^\s{}\[\]=;,]*))',
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"f": b"\f"}


class Tokens:
    """The tokens of a text, which are read one after the other.

    A token is its kind, which is "sign", "text" for a quoted text, or "word", and
    its bytes. At the end of the text, both are empty.

    Parameters
    ----------
    text
        The text.
    what
        Its kind, for messages, such as "DDS".
    location
        The dataset, for messages.
    """

    def __init__(self, text: bytes, what: str, location: str) -> None:
        self._what = what
        self._location = location
        self._tokens = self._split(text)
        self._next: tuple[str, bytes] = next(self._tokens)

    def _split(self, text: bytes) -> Iterator[tuple[str, bytes]]:
        at = 0
        while found := _TOKEN.match(text, at):
            assert found.lastgroup is not None
            yield found.lastgroup, found[found.lastgroup]
            at = found.end()
        if text[at:].strip():
            raise self.error(f"it cannot be read from {text[at : at + 40].strip()!r}")
        while True:
            yield "", b""

    def error(self, reason: str) -> FormatError:
        """Return the error for a text that is not valid."""
        return FormatError(
            f"the server's {self._what} is not valid: {reason}",
            self._location,
            "check the URL: it must name a dataset, without .dds or .html",
        )

    def is_next(self, sign: bytes) -> bool:
        """Return whether the next token is a sign."""
        return self._next == ("sign", sign)

    def take(self) -> tuple[str, bytes]:
        """Return the next token, and go past it."""
        token = self._next
        if not token[0]:
            raise self.error("it ends too early")
        self._next = next(self._tokens)
        return token

    def skip(self, sign: bytes) -> bool:
        """Go past a sign, if that is next; return whether it was."""
        if self.is_next(sign):
            self.take()
            return True
        return False

    def need(self, sign: bytes) -> None:
        """Go past a sign; raise `FormatError` if another token is next."""
        if not self.skip(sign):
            found = self._next[1][:40].decode("utf-8", "replace")
            raise self.error(f"{sign.decode()!r} is missing before {found!r}")

    def word(self) -> bytes:
        """Return the next word; raise `FormatError` if another token is next."""
        kind, text = self.take()
        if kind == "sign":
            raise self.error(f"a name is missing before {text.decode()!r}")
        return text


def unquote_text(text: bytes) -> str:
    """Return a quoted text without its quotation marks, with its escapes decoded."""
    if b"\\" in text:
        text = _ESCAPE.sub(_meaning, text)
    return text.decode("utf-8", "surrogateescape")


def _meaning(escape: re.Match[bytes]) -> bytes:
    name = escape[1]
    if len(name) == 3:
        return bytes([int(name, 8) & 0xFF])
    return _CONTROLS.get(name, name)


def decoded_name(name: bytes) -> str:
    """Return a name with ``%XX`` for characters that names in DAP2 cannot have.

    Slashes separate groups; one at the start, for the root, is left out.
    """
    text = unquote_to_bytes(name).decode("utf-8", "surrogateescape")
    return "/".join(part for part in text.split("/") if part) or text
