"""``ncz check``: print errors and suspicious parts of a store."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.command import command
from ncz.cli.options import json_option, option
from ncz.cli.source_options import locate_dataset, reference_options, s3_options
from ncz.cli.spellings import arguments_of, given_arguments, spelling, words
from ncz.cli.terminal import LOST, print_json, print_lines, terminal_of
from ncz.commands.check import check as check_store
from ncz.errors import Callbacks, quantity

if TYPE_CHECKING:
    from ncz.formats.findings import CheckReport

SPELLINGS = {
    "data": spelling("--data", section="Checks", common=True),
    "audience": spelling(
        "--for",
        metavar="READER,...",
        section="Checks",
        repeats=True,
        parse=words,
        common=True,
        completes="readers",
    ),
    "fix": spelling("--fix", section="Repair", common=True),
    "dry_run": spelling(
        "--dry-run", section="Repair", common=True, help="With --fix: print what would change."
    ),
}


@command(
    "check",
    "ncz check weather.zarr",
    "ncz check --data --for xarray,netcdf-c weather.zip",
    "ncz check --json s3://bucket/key",
)
@click.argument("store", metavar="STORE")
@click.argument("others", nargs=-1, metavar="")
@arguments_of(check_store, SPELLINGS)
@option(
    "--census",
    is_flag=True,
    section="Output",
    common=True,
    help="Print the number of chunks of every array.",
)
@option(
    "-r",
    "--recursive",
    is_flag=True,
    section="Checks",
    common=True,
    help="Check all stores and netCDF files in the folder STORE and below it.",
)
@json_option("Print a report as JSON (docs/reference/check.md).")
@s3_options
@reference_options
def check(
    ctx: click.Context,
    /,
    store: str,
    others: tuple[str, ...],
    census: bool,
    recursive: bool,  # of a folder, several datasets are checked (ncz.cli.several_datasets)
    as_json: bool,
    **values: Any,
) -> None:
    """Find errors and possible problems in a store.

    Each line is a finding: its severity, its code, the key and a hint. Errors and warnings
    give exit code 1, notes do not; -q omits the notes. Without --for, notes name the parts that
    xarray, zarr-python and netcdf-c do not read. The codes are in docs/reference/check.md.
    """
    from ncz.cli.progress import ProgressBar

    if others:
        line = shlex.join(("ncz", "diff", store, others[0]))
        raise click.UsageError(f"check takes one dataset; to compare two, type: {line}")
    dry_run = values["dry_run"]
    if dry_run and not values["fix"]:
        raise click.UsageError("--dry-run can only be used with --fix")
    terminal = terminal_of(ctx)
    location, given = locate_dataset(ctx, store), given_arguments(ctx, SPELLINGS)
    with ProgressBar(terminal) as progress:
        report = check_store(location, **given, notify=Callbacks(terminal.notify, progress))
    if as_json:
        print_json(_as_json(report, dry_run))
    else:
        verb = "would fix" if dry_run else "fixed"
        repairs = (f"{verb}: /{repair.key}: {repair.what}" for repair in report.repairs)
        print_lines((*repairs, *_lines(report, census=census, notes=not terminal.quiet)))
    if not report.is_clean:
        ctx.exit(LOST)


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
    for found in report.findings:
        if notes or found.severity != "note":
            yield str(found)
    if census:
        for array in report.arrays or ():
            yield (
                f"/{array.key}: {array.present} of {quantity(array.expected, 'chunk')},"
                f" {quantity(array.bytes, 'byte')}"
            )
    yield report.total
