"""Attributes that are JSON: CDL contains their text after the word `json`.

netCDF has neither objects nor nested lists. Attributes of Zarr can be both, and are shown as text.
"""

from __future__ import annotations

from typing import Final

from ncz.model.json_text import print_json
from ncz.model.tree import Attribute
from ncz.record import replace
from ncz.text.source import SourceText

JSON: Final = "json"
"""The word before an attribute whose text is an object or a list of JSON."""


def as_json(source: SourceText, attribute: Attribute, at: int) -> Attribute:
    """Return an attribute of text as one that Zarr has as an object, or as a list.

    Parameters
    ----------
    source, at
        The text that declares the attribute, and the byte offset of its value, for messages.
    attribute
        The attribute, of type char.

    Raises
    ------
    CdlError
        The value is not JSON, or one that CDL can express.
    """
    import json

    try:
        value = json.loads(attribute.text)
    except (ValueError, RecursionError) as error:
        raise source.error(at, f"attribute {attribute.name} is not JSON: {error}") from None
    is_nested = isinstance(value, list) and any(isinstance(each, dict | list) for each in value)
    if not isinstance(value, dict) and not is_nested:
        raise source.error(
            at,
            f"attribute {attribute.name} is neither an object nor a list of objects or lists",
            f"leave out `{JSON}`, and write the values as CDL has them",
        )
    return replace(attribute, values=(print_json(value),), original=(value,))
