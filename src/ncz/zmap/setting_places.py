"""Settings that know their file."""

from __future__ import annotations


class Setting(str):
    """The text of a setting; `place` is its file, such as "/home/me/.ncrc"."""

    place: str

    def __new__(cls, text: str, place: str = "") -> Setting:
        """Return a text that is written at a place; without one, for `pickle`."""
        text_with_place = super().__new__(cls, text)
        text_with_place.place = place
        return text_with_place


def place_of(value: object, otherwise: str = "") -> str:
    """Return the place of a value; `otherwise` for a value that is in no file."""
    return value.place if isinstance(value, Setting) else otherwise
