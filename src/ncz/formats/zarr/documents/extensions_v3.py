"""A named extension of a Zarr V3 document: its name and its configuration.

Source: the Zarr core specification version 3, "Extension definition".
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.errors import FormatError
from ncz.formats.zarr.json import Json, show_json


def read_extension(value: Json, what: str, where: str) -> tuple[str, dict[str, Json]] | None:
    """Return the name and the configuration of an object; None if it has no name.

    `what` names it in messages, with ``{}`` for its name. Raises `FormatError`.
    """
    if isinstance(value, str):
        return value, {}
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return None
    configuration = value.get("configuration", {})
    if not isinstance(configuration, dict):
        shown = show_json(configuration)
        text = f"{what.format(name)}: configuration must be an object, not {shown}"
        raise FormatError(text, where)
    return name, configuration


def check_members(
    configuration: dict[str, Json], allowed: Sequence[str], what: str, where: str
) -> None:
    """Raise `FormatError` for a member of a configuration that is not allowed.

    It could change the meaning of the others.
    """
    for name in configuration:
        if name not in allowed:
            raise FormatError(f"{what}: the parameter {name[:40]!r} is not known", where)
