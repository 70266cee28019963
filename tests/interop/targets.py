"""The 13 targets: the command lines of ncz that make them of a source store, in process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from click.testing import CliRunner

import ncz.cli
from ncz.cli.terminal import run as run_command
from ncz.record import record
from tests.interop.contents.writing import Version

Route = Literal["copy", "cdl", "json"]


@record
class Target:
    """A form that a store is taken to, and the way there.

    `route` is a copy, or a text that is dumped and made a store again. `zarr_format` is None for a
    copy without options, which keeps the format and the flavour of the source: pure Zarr.
    """

    route: Route
    mode: Literal["nczarr", "zarr"]
    zarr_format: Version | None
    suffix: Literal["zarr", "zip"] = "zarr"

    def format_of(self, version: Version) -> Version:
        """Return the Zarr format of the target for a source of format `version`."""
        return self.zarr_format or version

    @property
    def is_netcdf(self) -> bool:
        """Whether the values pass through netCDF's data model, which has no bool or float16."""
        return self.mode == "nczarr" or self.route != "copy"


TARGETS: Mapping[str, Target] = MappingProxyType(
    {
        "plain-copy": Target("copy", "zarr", None),
        "nczarr-v2": Target("copy", "nczarr", 2),
        "zarr-v2": Target("copy", "zarr", 2),
        "nczarr-v3": Target("copy", "nczarr", 3),
        "zarr-v3": Target("copy", "zarr", 3),
        "cdl-nczarr-v2": Target("cdl", "nczarr", 2),
        "cdl-zarr-v2": Target("cdl", "zarr", 2),
        "cdl-nczarr-v3": Target("cdl", "nczarr", 3),
        "json-zarr-v2": Target("json", "zarr", 2),
        "json-zarr-v3": Target("json", "zarr", 3),
        "zip-nczarr-v2": Target("copy", "nczarr", 2, "zip"),
        "zip-zarr-v2": Target("copy", "zarr", 2, "zip"),
        "zip-zarr-v3": Target("copy", "zarr", 3, "zip"),
    }
)
"""Name of a target -> the target."""


@record
class Done:
    """The result of a run of ncz; `crash` is the first line of an error unknown to ncz."""

    code: int
    notices: tuple[str, ...] = ()
    error: str | None = None
    crash: str | None = None


_FAULT = "internal error"


def run_ncz(*arguments: str, stdin: bytes = b"") -> tuple[Done, bytes]:
    """Run one command of ncz in this process; return its standard output and its outcome."""
    with CliRunner().isolation(input=stdin) as (out, err, _):
        code = run_command(ncz.cli.ncz, "ncz", list(arguments))
        stdout = out.getvalue()  # click 8.2 closes the streams when the block ends
        lines = err.getvalue().decode("utf-8", "replace").splitlines()
    notices = tuple(line for line in lines if line.startswith("ncz: notice:"))
    errors = [line for line in lines if line not in notices and line.strip()]
    told = " / ".join(errors)
    done = Done(
        code,
        notices,
        error=told if code and _FAULT not in told else None,
        crash=told if _FAULT in told else None,
    )
    return done, stdout


def make_target(source: Path, target: Target, destination: Path, *options: str) -> Done:
    """Take `source` to `destination`, which does not exist yet, with `options`."""
    where = options
    if target.zarr_format is not None:
        where += ("--mode", target.mode, "--zarr-format", str(target.zarr_format))
    if target.route == "copy":
        return run_ncz("copy", str(source), str(destination), *where)[0]
    dump = ["dump", str(source)] + (["--json"] if target.route == "json" else [])
    dumped, text = run_ncz(*dump)
    if dumped.code:
        return dumped
    made, _ = run_ncz("gen", "-", "-o", str(destination), *where, stdin=text)
    return Done(made.code, dumped.notices + made.notices, made.error, made.crash)
