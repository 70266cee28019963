"""Run ncz on a case and judge the result.

The rules for every command: exit code 0 or 1, or 2 for a location that is wrong usage; one line of
error or only notices; no internal error, no warning of a library, no lack of memory. `isolation`
adds: no signal, and limits of time and memory. For the commands together:

- ``copy --check-data`` does not succeed where ``dump`` fails. Without the option, chunks
  whose damage only a decoder sees may be copied.
- An array whose document exists is printed, or something is said.
- Where neither ``dump`` nor ``copy`` says anything, the copy has the same text as the source. The
  memory holds other bytes then, so that bytes which are not of the store differ.
- If two commands change a store at the same time, the result is the same as in one of the two
  orders, or one ends with 1 and changes nothing.
- ``config`` prints no secret of the settings that it reads.
- ``dump`` prints every dataset that ``gen`` creates, and ``gen`` creates the same from this text.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from ncz.errors import NczError
from ncz.zmap.location import parse_location
from tests.fuzz.case import Case
from tests.fuzz.changes import MEANWHILE, judge_changes
from tests.fuzz.commands import CUT, Done, run_ncz

SECONDS = 5
"""Processor time that one command may use."""

Run = Callable[..., Done]

DUMP = ("dump", "-j", "1", "-n", "x")

OTHERS = [
    ("dump", "-j", "1", "--json"), ("dump", "-x"), ("dump", "--summary"), ("dump", "-s", "-h"),
    ("dump", "-j", "1", "-t", "-f", "c"), ("dump", "-k"), ("ls", "-l", "-r"), ("ls", "-x",
    "objdump"),
    ("ls", "--tree"), ("copy", "{}", "z.zip"), ("copy", "{}", "n.nc"), ("copy", "{}", "c.nc",
    "-k", "nc5"),
    ("copy", "{}", "o.zarr", "--codec", "zstd:1"), ("copy", "{}", "o.zarr", "--zarr-format", "3"),
    ("copy", "{}", "o.zarr"), ("copy", "{}", "o.zarr", "-c", "/"),
    ("copy", "{}", "o.zarr", "--verify"), ("copy", "{}", "o.zarr", "--dry-run"),
    ("copy", "{}", "o.zarr", "--mode", "zarr,v3", "--shards", "/"),
    ("dump", "-j", "1", "--no-consolidated"), ("copy", "{}", "o.zarr", "--keep-going"),
]  # fmt: skip
"""One of these is run next to the commands whose results are compared."""


def judge(case: Case, run: Run = run_ncz) -> Iterator[str]:
    """Run ncz on the files of a case, in the current folder, and yield each breach of a rule."""
    if case.subject in ("cdl", "json"):
        yield from _judge_text(case.source, run)
    elif case.subject == "urls":
        yield from _judge_location(case.source, run)
    elif case.subject == "changes":
        yield from judge_changes(case.files[MEANWHILE], run)
    elif case.subject == "config":
        yield from _judge_config(case.source, run)
    else:
        yield from _judge_store(case, run)


def _judge_store(case: Case, run: Run) -> Iterator[str]:
    source = case.source
    dumped = run(*DUMP, source)
    yield from breaches(dumped)
    if dumped.code == 0 and not dumped.error:
        yield from _unnamed(case, dumped)
    copied = run("copy", "--check-data", source, "copy.zarr")
    yield from breaches(copied)
    if dumped.code == 1 and copied.code == 0:
        yield f"copy succeeds where dump fails: {_first(dumped.error)}"
    if (dumped.code, copied.code) == (0, 0) and not dumped.error and not copied.error:
        _fill_free_memory()
        again = run(*DUMP, "copy.zarr")
        yield from breaches(again)
        if again.code == 0 and again.out != dumped.out:
            yield f"the copy differs: {_difference(dumped.out, again.out)}"
        if again.code == 1:
            yield f"the copy cannot be read: {_first(again.error)}"
    words = OTHERS[zlib.crc32(case.name.encode()) % len(OTHERS)]
    if "{}" in words:
        yield from breaches(run(*(source if word == "{}" else word for word in words)))
    else:
        yield from breaches(run(*words, source))


def _judge_text(source: str, run: Run) -> Iterator[str]:
    made = run("gen", "-N", "x", "-o", "made.zarr", source)
    yield from breaches(made)
    if made.code != 0:
        if Path("made.zarr").exists():
            yield "gen fails and leaves a store"
        return
    dumped = run(*DUMP, "made.zarr")
    yield from breaches(dumped)
    if dumped.code == 1:
        yield f"gen creates a dataset that dump refuses: {_first(dumped.error)}"
    if dumped.code != 0 or dumped.error:
        return
    Path("again.cdl").write_bytes(dumped.out)
    made = run("gen", "-o", "again.zarr", "again.cdl")
    yield from breaches(made)
    # JSON may have a list as _FillValue, as HDF5 files do, but not CDL.
    if made.code == 1 and "_FillValue needs exactly one value" not in _first(made.error):
        yield f"gen refuses the text of dump: {_first(made.error)}"
    again = run(*DUMP, "again.zarr")
    # BitGroom sets or clears bits by turns, and so changes even its own results.
    is_groomed = b"BitGroom" in dumped.out
    before, after = map(_without_lengths, (dumped.out, again.out))
    if made.code == 0 and before != after and not is_groomed:
        yield f"the text differs: {_difference(before, after)}"


def _without_lengths(text: bytes) -> bytes:
    """Leave out the comments with the lengths of unlimited dimensions.

    CDL has no other place for the length of one that no variable uses.
    """
    return re.sub(rb"(?<= ; )// \(\d+ currently\)(?=\n)", b"", text)


def _judge_location(source: str, run: Run) -> Iterator[str]:
    try:
        kind = parse_location(source).kind
    except NczError as error:
        if "\n" in str(error):
            yield f"an error of two lines: {error}"
        kind = None
    except Exception as error:
        yield f"parse_location: {type(error).__name__}: {error}"
        return
    if kind != "remote":  # nothing is asked of servers
        yield from breaches(run("dump", "-h", "--", source), usage=True)


def _secrets(source: str) -> list[str]:
    """Return the secrets of the settings, as ncz reads them, that are written nowhere else.

    A mutation can move the text of a secret to a place that is shown. A secret that is unchanged
    from the seed is not among the words that ncz prints.
    """
    from ncz.zmap.alias import Alias
    from ncz.zmap.aliases import find_aliases
    from ncz.zmap.remote.credentials import S3Settings, find_settings

    found: list[Alias | S3Settings] = []
    with contextlib.suppress(NczError):
        found += find_aliases(os.environ).values()
    with contextlib.suppress(NczError):
        found.append(find_settings(parse_location(source)))
    files = [path for path in Path().rglob("*") if path.is_file()]
    text = b"\n".join(path.read_bytes() for path in files)
    secrets = {secret for one in found for secret in (one.secret_key, one.session_token) if secret}
    return [s for s in secrets if "SECRET-of" in s and text.count(s.encode()) == 1]


def _judge_config(source: str, run: Run) -> Iterator[str]:
    before = dict(os.environ)
    os.environ["HOME"] = os.path.abspath("home")
    try:
        secrets = _secrets(source)
        for words in ((), ("--", source)):
            done = run("config", *words)
            yield from breaches(done, usage=True)
            printed = done.out.decode("utf-8", "replace") + done.error
            yield from (f"config prints a secret: {s}" for s in secrets if s in printed)
    finally:
        os.environ.clear()
        os.environ.update(before)


def breaches(done: Done, *, usage: bool = False) -> Iterator[str]:
    """Yield the rules for one command that it broke."""
    told = done.command[0]
    lines = done.error.splitlines()
    errors = [line for line in lines if not line.startswith("ncz: notice: ")]
    if usage and done.code == 2:
        errors = errors[-1:]
    elif done.code not in (0, 1, CUT):
        yield f"{told}: exit code {done.code}: {_first(done.error)}"
    if any(fault in done.error for fault in _FAULTS) and not _wants_much(done):
        yield f"{told}: {errors[-1] if errors else lines[-1]}"
    elif len(errors) > 1 or not all(line.startswith("ncz: ") for line in errors):
        yield f"{told}: {len(errors)} lines of error: {errors[0]}"
    elif done.code == 1 and not lines:
        yield f"{told}: fails without a message"
    elif done.code == 0 and errors:
        yield f"{told}: succeeds with an error: {errors[0]}"
    if done.seconds > SECONDS:
        yield f"{told}: more than {SECONDS} s, with the processes that it started"
    if any(_is_control(character) for line in lines for character in line):
        yield f"{told}: control characters in a message"


def _wants_much(done: Done) -> bool:
    """Return whether the options require chunks that are too large for the memory."""
    asked = "-c" in done.command or "--shards" in done.command
    return asked and "copying one chunk needs" in done.error and "internal" not in done.error


_FAULTS = ("internal error", "Traceback", "not enough memory")


def _is_control(character: str) -> bool:
    return not character.isprintable() and not character.isspace()


def _unnamed(case: Case, dumped: Done) -> Iterator[str]:
    """Yield the arrays whose documents exist, but not their names in the text."""
    for key in case.files:
        path, _, document = key.rpartition("/")
        name = path.rpartition("/")[2]
        is_array = document == ".zarray" or document == "zarr.json"
        if is_array and path != case.source and name.encode() not in dumped.out:
            yield f"/{name} is gone, and nothing is said"


def _fill_free_memory() -> None:
    """Leave known bytes in the memory that the next command is given."""
    blocks = [b"\xc5" * (1 << power) for power in range(6, 21) for _ in range(4)]
    del blocks


def _first(error: str) -> str:
    return (error.splitlines() or ["no message"])[0]


def _difference(one: bytes, other: bytes) -> str:
    lines = zip(one.splitlines(), other.splitlines(), strict=False)
    return next((f"{a!r} and {b!r}" for a, b in lines if a != b), "one is longer")


def signature(breach: str) -> str:
    """Return the text that breaches of one cause share."""
    text = re.sub(r"'(?:[^'\\]|\\.)*'|\"[^\"]*\"", "'...'", breach)
    text = re.sub(r"\S*/\S*", "PATH", text)
    return re.sub(r"-?\d[\d.e+]*", "N", text)[:160]
