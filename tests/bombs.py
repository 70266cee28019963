"""Run ncz with little memory on stores that were made to fill it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ncz.record import record
from tests.forked import forked, redirect

MIB = 1 << 20


@record
class Run:
    """The result of a command: exit code, output, errors and growth of memory in bytes."""

    code: int
    out: bytes
    error: str
    grown: int


def run(*arguments: str | Path, seconds: int = 60, before: Callable[[], None] | None = None) -> Run:
    """Run ``ncz`` in a separate process, which has imported everything before.

    `before` is a function of a module, which is called there first.
    """
    with tempfile.TemporaryDirectory() as folder:
        out, error = Path(folder, "out"), Path(folder, "error")
        with forked(_run, list(map(str, arguments)), str(out), str(error), before) as process:
            process.join(seconds)
            assert process.exitcode is not None, f"not done after {seconds} s"
        *lines, peak = error.read_text().splitlines()
        assert peak.startswith("peak "), error.read_text()
        return Run(process.exitcode, out.read_bytes(), "\n".join(lines), int(peak.split()[1]))


def _run(arguments: list[str], out: str, error: str, before: Callable[[], None] | None) -> None:
    """Run ``ncz`` in this process; the last line of `error` is the growth of its memory."""
    import ncz.cli
    from ncz.cli.terminal import run

    if before is not None:
        before()
    redirect(1, out)
    redirect(2, error)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak starts at the resident memory
    resident = _memory("VmRSS")
    try:
        code = run(ncz.cli.ncz, "ncz", arguments)
    finally:
        print("peak", _memory("VmHWM") - resident, file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _memory(name: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))


def is_refused(done: Run, chunk: int = 0) -> bool:
    """Return whether the command ended with one line of error, in the memory that it may have."""
    assert done.code == 1, done
    assert done.error.count("\n") == 0, done.error
    assert done.grown < chunk + 64 * MIB, f"{done.grown >> 20} MiB: {done.error}"
    return True
