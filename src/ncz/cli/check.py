"""``ncz check``: print what is wrong or suspicious in a store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ncz.cli.options import (
    COMMON_NAMES,
    REFERENCE_NAMES,
    S3_NAMES,
    Command,
    S3Options,
    common_options,
    examples,
    names,
    option,
    reference_options,
    s3_options,
)
from ncz.cli.terminal import LOST, Terminal, pass_terminal, standard_output, visible

if TYPE_CHECKING:
    from ncz.commands.check.finding import CheckReport


@click.command(
    "check",
    cls=Command,
    sections={
        "Checks": ("data", "audience"),
        "Repair": ("fix", "dry_run"),
        "Output": ("census", "as_json"),
        "Reference sets": REFERENCE_NAMES,
        "Remote stores": S3_NAMES,
        "Options": COMMON_NAMES,
    },
    epilog=examples(
        "ncz check weather.zarr",
        "ncz check --data --for xarray,netcdf-c weather.zip",
        "ncz check --json s3://bucket/key",
    ),
)
@click.argument("store", metavar="STORE")
@click.option("--data", is_flag=True, help="Decode every chunk and verify its checksum.")
@option(
    "--for",
    "audience",
    completes="readers",
    metavar="READER,...",
    callback=names,
    help="Report as errors what these programs do not read: xarray, netcdf-c, zarr-python,"
    " zarr-python-2, tensorstore, zarrs, zarrita, gdal.",
)
@click.option("--fix", is_flag=True, help="Mend documents where nothing is lost.")
@click.option("--dry-run", is_flag=True, help="With --fix: print what would change.")
@click.option("--census", is_flag=True, help="Print the number of chunks of every array.")
@click.option("--json", "as_json", is_flag=True, help="Print a report as JSON (docs/check.md).")
@s3_options
@reference_options
@common_options
@pass_terminal
def check(
    terminal: Terminal,
    store: str,
    data: bool,
    audience: tuple[str, ...],
    fix: bool,
    dry_run: bool,
    census: bool,
    as_json: bool,
    s3: S3Options,
) -> None:
    """Find what is wrong or suspicious in a store.

    Each line is a finding: its severity, its code, the key and what to do. Errors and warnings
    give exit code 1, notes do not; -q omits the notes. Documents, keys and consolidated metadata
    are always checked, and the contents of chunks with --data. Without --for, notes name what
    xarray, zarr-python and netcdf-c do not read. The codes are explained in docs/check.md.
    With --fix, the findings are those that remain.
    """
    from ncz.cli.progress import Progress
    from ncz.commands.check.command import CheckOptions
    from ncz.commands.check.command import check as carry_out

    if dry_run and not fix:
        raise click.UsageError("--dry-run can only be used with --fix")
    options = CheckOptions(
        source=s3.locate(terminal, store), data=data, readers=audience, fix=fix, dry_run=dry_run
    )
    with Progress(terminal) as progress:
        report = carry_out(options, progress)
    with standard_output() as write:
        if as_json:
            write((json.dumps(_as_json(report, dry_run)) + "\n").encode())
        else:
            for repair in report.repairs:
                verb = "would fix" if dry_run else "fixed"
                write(f"{visible(f'{verb}: /{repair.key}: {repair.what}')}\n".encode())
            for line in _lines(report, census=census, notes=not terminal.quiet):
                write(f"{visible(line)}\n".encode())
    if not report.is_clean:
        click.get_current_context().exit(LOST)


def _as_json(report: CheckReport, dry_run: bool) -> dict[str, object]:
    arrays = None
    if report.arrays is not None:
        arrays = [
            {
                "key": f"/{a.key}",
                "expected": a.expected,
                "present": a.present,
                "missing": a.missing,
                "empty": a.empty,
                "bytes": a.bytes,
            }
            for a in report.arrays
        ]
    findings = [
        {
            "code": f.code,
            "severity": f.severity,
            "key": f"/{f.key}",
            "message": f.message,
            "advice": f.advice,
        }
        for f in report.findings
    ]
    return {
        "format": "ncz-check",
        "version": 1,
        "findings": findings,
        "arrays": arrays,
        "dry_run": dry_run,
        "fixes": [{"key": f"/{r.key}", "what": r.what} for r in report.repairs],
    }


def _lines(report: CheckReport, *, census: bool, notes: bool) -> Iterator[str]:
    from ncz.commands.check.finding import counted

    for found in report.findings:
        if notes or found.severity != "note":
            yield str(found)
    if census:
        for array in report.arrays or ():
            yield (
                f"/{array.key}: {array.present} of {counted(array.expected, 'chunk')},"
                f" {counted(array.bytes, 'byte')}"
            )
    yield report.total
