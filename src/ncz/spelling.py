"""The spelling of an option on the command line and in Python; imported for a message only."""

from __future__ import annotations

_LETTERS = {
    "audience": "--for", "chunks": "-c", "codecs": "--codec", "drop_attributes": "--drop-attribute",
    "modes": "--mode", "types": "--type",
}  # fmt: skip
"""Options of the command line whose names differ from the argument in Python."""

_LISTS = ("audience", "codecs", "modes")
"""Arguments that are lists in Python."""


def spell(field: str, value: str | int | None = None) -> tuple[str, str]:
    """Return an option in the command line and in Python: ``--allow-loss``, ``allow_loss=True``.

    Parameters
    ----------
    field
        The name of the argument in Python.
    value
        The value to give; without it, the option is only named: ``--kind`` or ``kind``. True and
        False are the values of a flag; for ``memory`` it is a number of bytes.
    """
    name = _LETTERS.get(field) or f"--{field.replace('_', '-')}"
    if value is None:
        return name, "modes" if field == "zarr_format" else field
    if isinstance(value, bool):
        return name if value else f"--no-{name[2:]}", f"{field}={value}"
    if field == "memory":  # rounded up
        size = -(-int(value) >> 20)
        return f"{name} {size}MiB", f"{field}={size} * 2**20"
    if field == "zarr_format":
        return f"{name} {value}", f'modes=["v{value}"]'
    if (field, value) == ("modes", "consolidated"):
        return "--consolidated", 'modes=["consolidated"]'
    printed = f'"{value}"' if isinstance(value, str) else f"{value}"
    python = f"{field}=[{printed}]" if field in _LISTS else f"{field}={printed}"
    return f"{name} {value}", python
