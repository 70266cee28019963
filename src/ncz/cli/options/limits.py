"""Options that limit what a command uses: memory and threads."""

from __future__ import annotations

import re
from typing import Any

import click

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", re.IGNORECASE)


class Size(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A number of bytes: 1000, 10MB, 256MiB, 1.5G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(str(value).strip())
        unit = {**_UNITS, **_BINARY}.get(match[2].lower()) if match else None
        if match is None or unit is None or float(match[1]) * unit < 1:
            self.fail(f"{value!r} is not a valid size; write 10MB or 256MiB", param, ctx)
        return int(float(match[1]) * unit)


memory_option = click.option(
    "--memory", type=Size(), metavar="SIZE", help="Memory for data (default: 256MiB)."
)
"""The option ``--memory``."""

threads_option = click.option(
    "--threads",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of threads (default: one per core).",
)
"""The option ``--threads``."""
