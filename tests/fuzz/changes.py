"""Two commands that change one store: the second runs while the first is at some step.

A case contains the store and a text, ``ONE OTHER STEP``: the names of the commands, and the number
of the file that the first opens or renames when the second runs from its start to its end.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from ncz.record import record
from tests.fuzz.commands import Done, run_ncz

MEANWHILE = "meanwhile"
"""The name of the file with the text."""

CDL = b"""netcdf s {
dimensions: x = UNLIMITED ; y = 3 ;
variables: int v(x, y) ; v:_ChunkSizes = 2, 3 ; byte b(y) ; b:units = "m" ;
data: v = 1, 2, 3, 4, 5, 6 ; b = 1, 2, 3 ;
group: g { variables: short s(y) ; data: s = 7, 8, 9 ; } }"""

COMMANDS: dict[str, tuple[str, ...]] = {
    "set": ("edit", "{}", "--set", 'b:units = "km"', "--set", ":n = 1"),
    "rename": ("edit", "{}", "--rename", "b=z", "--rename", "dimension y=lat"),
    "remove": ("edit", "{}", "--remove", "g"),
    "append": ("copy", "--append", "x", "more.zarr", "{}"),
    "consolidate": ("consolidate", "{}"),
    "fix": ("check", "--fix", "{}"),
    "replace": ("copy", "--overwrite", "more.zarr", "{}"),
}
_STEPS = 120
_EVENTS = ("open", "os.rename", "os.remove", "os.link")


def change_meanwhile(text: bytes, random: Random) -> bytes:
    """Return another pair of commands, or another step."""
    one, other, step = text.decode().split()
    chosen = random.randrange(3)
    if chosen == 0:
        one = random.choice(sorted(COMMANDS))
    elif chosen == 1:
        other = random.choice(sorted(COMMANDS))
    else:
        step = str(random.randrange(_STEPS))
    return f"{one} {other} {step}".encode()


@record
class _Hook:
    """The function that is called at an event of this process; hooks cannot be removed."""

    calls: list[Callable[[], None]]


_hook = _Hook([])


def _heard(event: str, _: object) -> None:
    if event in _EVENTS and _hook.calls:
        _hook.calls[0]()


def judge_changes(case_text: bytes, run: Callable[..., Done]) -> Iterator[str]:
    """Run two commands on copies of ``store.zarr``; yield results that neither order explains."""
    one, other, step = case_text.decode().split()
    alone = [_after(run, name) for name in (one, other)]
    serial = [_after(run, one, other), _after(run, other, one)]
    shutil.copytree("store.zarr", "both.zarr")
    codes = _at_once(_line(one, "both.zarr"), _line(other, "both.zarr"), int(step))
    found = _contents("both.zarr")
    if codes == (0, 0):
        if found not in serial:
            yield f"{one} and {other} in parallel end with 0, as in no order"
    elif 0 in codes:
        if found != alone[codes.index(0)]:
            yield f"{one} and {other} in parallel: one ends with 0, and the store is another"
    elif found != _contents("store.zarr"):
        yield f"{one} and {other} in parallel both fail and change the store"
    left = sorted(name for name in os.listdir() if name.startswith(".ncz-"))
    if left:
        yield f"{one} and {other} in parallel leave files behind"


def _line(name: str, store: str) -> tuple[str, ...]:
    return tuple(store if word == "{}" else word for word in COMMANDS[name])


def _after(run: Callable[..., Done], *names: str) -> dict[str, bytes] | None:
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree("one.zarr")
    shutil.copytree("store.zarr", "one.zarr")
    codes = [run(*_line(name, "one.zarr")).code for name in names]
    return None if any(codes) else _contents("one.zarr")


def _contents(store: str) -> dict[str, bytes]:
    paths = (path for path in Path(store).rglob("*") if path.is_file())
    return {path.relative_to(store).as_posix(): path.read_bytes() for path in paths}


def _at_once(one: tuple[str, ...], other: tuple[str, ...], step: int) -> tuple[int, int]:
    """Run a command, and another in a forked process at a step of it; return both codes."""
    codes: list[int] = []
    steps = 0

    def meanwhile() -> None:
        nonlocal steps
        steps += 1
        if steps == step + 1:
            _hook.calls.clear()
            codes.append(_forked(other))

    sys.addaudithook(_heard)
    _hook.calls.append(meanwhile)
    try:
        code = run_ncz(*one).code
    finally:
        _hook.calls.clear()
    return code, codes[0] if codes else run_ncz(*other).code


def _forked(line: tuple[str, ...]) -> int:
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = run_ncz(*line).code
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
