"""Settings from files, with the file and the line in which they are written."""

from __future__ import annotations

import json
import re

_SECTION = re.compile(r"\s*\[+([^\[\]][^\]]*)\]")
_KEY = re.compile(r"(\s*)([^\s=:#;\[][^=:]*)[=:]")
_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:\n]')


class Setting(str):
    """The text of a setting; `place` is where it is written, such as "/home/me/.ncrc:3"."""

    place: str

    def __new__(cls, text: str, place: str = "") -> Setting:
        """Return a text that is written at a place; without one, for `pickle`."""
        text_with_place = super().__new__(cls, text)
        text_with_place.place = place
        return text_with_place


def place_of(value: object, otherwise: str = "") -> str:
    """Return where a value is written, and `otherwise` for one that is not from a file."""
    return value.place if isinstance(value, Setting) else otherwise


def place(path: str, line: int | None) -> str:
    """Return a file and a line, if that is known, as messages show them."""
    return f"{path}:{line}" if line else path


def lines_of_sections(text: str) -> dict[tuple[str, str], int]:
    """Return the lines of an INI or TOML file by section and key, which is "" for the section.

    Keys are in lower case. An indented line, which may be a part of a longer value, gives way to
    one that is not indented.
    """
    found: dict[tuple[str, str], int] = {}
    section = ""
    flush: set[tuple[str, str]] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _SECTION.match(line):
            section = header[1].replace('"', "").replace("'", "").strip()
            found.setdefault((section, ""), number)
        elif key := _KEY.match(line):
            at = section, key[2].rstrip().strip("\"'").lower()
            if not key[1] or at not in flush:
                found[at] = number
            if not key[1]:
                flush.add(at)
    return found


def lines_of_json(text: str) -> dict[tuple[str, ...], int]:
    """Return the lines of the keys of a JSON text, by the keys that lead to each of them."""
    found: dict[tuple[str, ...], int] = {}
    above: list[str] = []
    line, last, key = 1, '""', ""
    for token in _JSON.findall(text):
        if token == "\n":
            line += 1
        elif token == ":":
            key = json.loads(last)
            found[(*above[1:], key)] = line
        elif token in "{[":
            above.append(key)
            key = ""
        elif token in "}]":
            key = above.pop() if above else ""
        elif token == ",":
            key = ""
        else:
            last = token
    return found
