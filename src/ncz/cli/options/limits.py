"""Options that limit what a command uses: memory and threads."""

from __future__ import annotations

import os
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


def _budget(_: click.Context, __: click.Parameter, value: int | None) -> int | None:
    """Return the size that is given, or else the budget of S3netCDF4's configuration file."""
    from ncz.zmap.settings.s3nc import read_budgets

    return read_budgets(os.environ).memory if value is None else value


memory_option = click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    callback=_budget,
    help="Memory for data (default: 256MiB, or as ~/.s3nc.json says).",
)
"""The option ``--memory``."""

threads_option = click.option(
    "--threads",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of threads (default: one per core).",
)
"""The option ``--threads``."""
