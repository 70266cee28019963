"""Run ``ncz`` in this process."""

from __future__ import annotations

from click.testing import CliRunner

import ncz.cli
from ncz.cli.terminal import run
from ncz.record import record


@record
class Outcome:
    """What a command did."""

    code: int
    error: str
    out: bytes = b""


def run_ncz(*arguments: str) -> Outcome:
    """Run ``ncz`` with these arguments."""
    with CliRunner().isolation() as (output, error, _):
        code = run(ncz.cli.ncz, "ncz", list(arguments))
        told = error.getvalue().decode("utf-8", "replace")
        return Outcome(code, told, output.getvalue())
