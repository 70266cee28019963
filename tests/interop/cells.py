"""One cell of the table: a source store, its copy to a target, and a reader of both."""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from ncz.formats.zarr.readers.programs import READERS, WIDESPREAD
from ncz.record import record
from tests.interop.contents.writing import Version
from tests.interop.kinds import write_kind
from tests.interop.readers import Look, read, told
from tests.interop.seen import Seen, differences
from tests.interop.targets import TARGETS, Done, make_target, run_ncz

Outcome = Literal["equal", "refused", "noticed", "widened", "silent", "unopened", "crash", "unread"]
"""The result of a cell.

equal: the reader sees the same in the target as in the source.
refused: ncz ended with an error that says why.
noticed: the reader sees something else, or opens nothing, and ncz reports it. For a reader that is
not widespread, ``check --for`` reports it, and the reader reads a store that is written with
``--for``, or ncz refuses to write it. widened: every value is the same, of another dtype (a mask
makes floats of integers), unsaid. silent: the reader sees something else, and ncz did not report
it. unopened: the reader opens the source and not the target, and ncz did not report it.
crash: ncz ended with an unexpected error. unread: the reader does not read the source
either, so there is nothing to compare.
"""

FAULTS: frozenset[str] = frozenset({"widened", "silent", "unopened", "crash"})
"""The outcomes without a notice."""


@record
class Cell:
    """The result; `differences` are by path, "" is the whole store."""

    outcome: Outcome
    differences: Mapping[str, str]
    notices: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The differences in one line."""
        return "; ".join(f"{path} {why}".strip() for path, why in self.differences.items())


@record
class Made:
    """A target that was made, or was not: see `Done`."""

    store: Path
    done: Done


def make(kind: str, version: Version, target: str, folder: Path) -> Made:
    """Write the source, if it is not there, and take it to the target."""
    source = write_kind(kind, version, folder)
    form = TARGETS[target]
    store = folder / target / f"{kind}-v{version}.{form.suffix}"
    if store.is_dir():
        shutil.rmtree(store)
    else:
        store.unlink(missing_ok=True)
    store.parent.mkdir(exist_ok=True)
    return Made(store, make_target(source, form, store))


@functools.lru_cache(maxsize=4096)
def source_view(look: Look, source: Path) -> Seen | str:
    """The view that a reader has of a source, or the reason that it does not open it."""
    try:
        return read(look, source)
    except Exception as error:
        return told(error, source)


def not_made(done: Done) -> Cell:
    """The cell of a target that was not made."""
    if done.crash:
        return Cell("crash", {"": done.crash}, done.notices)
    return Cell("refused", {"": done.error or ""}, done.notices)


def compare(look: Look, source: Path, target: str, made: Made) -> Cell:
    """Compare a reader's views of the source and of the target."""
    done = made.done
    if done.code:
        return not_made(done)
    before = source_view(look, source)
    if isinstance(before, str):
        return Cell("unread", {"": before}, done.notices)
    try:
        after = read(look, made.store)
    except Exception as error:
        return judge({"": told(error, made.store)}, done, look)
    found = differences(before, after, netcdf=TARGETS[target].is_netcdf, stored=look != "xarray")
    return judge(found, done, look)


def judge(found: Mapping[str, str], done: Done, look: str) -> Cell:
    """Return the cell of differences, by the notices of ncz about them."""
    if not found:
        return Cell("equal", {}, done.notices)
    reader = _CALLED.get(look, look)
    if all(_is_told(path, why, reader, done.notices) for path, why in found.items()):
        return Cell("noticed", found, done.notices)
    if "" in found or all(reason.startswith(UNREADABLE) for reason in found.values()):
        return Cell("unopened", found, done.notices)
    if all(_WIDENED.fullmatch(reason) for reason in found.values()):
        return Cell("widened", found, done.notices)
    return Cell("silent", found, done.notices)


_CALLED = {"xarray-raw": "xarray", "zarr-3": "zarr-python", "zarr-2": "zarr-python-2"}
"""The names of readers in notices."""

UNREADABLE = "cannot be read: "
"""Begins the difference of an array that the reader opens at the source and not at the target."""

_WIDENED = re.compile(r"dtype \w+ became \w+")
"""A difference of dtype without one of values."""


@record
class Telling:
    """A kind of notice, by its `words`, and the differences that it reports.

    `names` says whether the notice must name the reader, the difference, both, or nothing, because
    it applies to all arrays of a kind.
    """

    words: str
    differences: str
    names: Literal["reader", "path", "both", ""] = "path"


TELLING: tuple[Telling, ...] = (
    Telling("cannot open", rf"^(?!.* became |.* is new|.* is missing)|{UNREADABLE}", "reader"),
    Telling("cannot decode", UNREADABLE, "both"),
    Telling("have the shape [1]", r"dimensions \(\) became|shape \(\) became", ""),
    Telling("are NaN or infinite", r"nan|inf|cannot be read"),
    Telling("are null, empty lists or JSON", r"^(None|\[.*\]|\{.*\}) became"),
    Telling("are empty lists", r"\[\] became"),
    Telling("how data are stored: data type", r"dtype \S+ became|dimensions \(.*\) became"),
    Telling("get no mask", r"None became|^\d+ of \d+ values|^attribute .* is missing"),
    Telling("fill of texts as base64", r"^\d+ of \d+ values|^b?'.* became"),
    Telling("take the fill_value of texts for base64", r"^\d+ of \d+ values|^b?'.* became"),
    Telling("fill_value of texts is base64", r"^\d+ of \d+ values|^b?'.* became"),
    Telling("more digits than are printed", r"^\d+ of \d+ values|^-?\d.* became|^\[.* became"),
    Telling("printed as strings", r"dimensions \(.*\) became|dtype \S+ became"),
    Telling("elsewhere in", r"dimensions \(.*\) became"),
)
"""The differences that each notice explains; other notices explain none."""


def _is_told(path: str, reason: str, reader: str, notices: tuple[str, ...]) -> bool:
    """Whether a notice of the right kind names the reader, or the difference."""
    return any(
        telling.words in notice
        and re.search(telling.differences, reason)
        and _names(notice, telling, path, reader)
        for notice in notices
        for telling in TELLING
    )


def is_asked_for(look: str) -> bool:
    """Whether ncz mentions a reader only if ``--for`` names it."""
    return _CALLED.get(look, look) not in WIDESPREAD


def lines_of_check(store: Path, reader: str) -> list[str]:
    """Return the lines of ``ncz check --for`` about parts that a reader does not read."""
    out = run_ncz("check", "--for", reader, str(store))[1].decode("utf-8", "replace")
    title = READERS[reader].title
    words = (f" {title} does not ", f" {title} misreads ")
    return [line for line in out.splitlines() if any(word in line for word in words)]


def told_by_check(cell: Cell, store: Path, look: str) -> bool:
    """Whether ``ncz check --for`` the reader reports all differences.

    It names all arrays that are not decoded; for other features it names one array.
    """
    reader = _CALLED.get(look, look)
    lines = lines_of_check(store, reader)
    return all(
        _is_told(path, why, reader, cell.notices)
        or any(
            "does not decode" not in line or (path in line and why.startswith(UNREADABLE))
            for line in lines
        )
        for path, why in cell.differences.items()
    )


def make_for(kind: str, version: Version, target: str, look: str, folder: Path) -> Made:
    """Take the source to the target with ``--for`` the reader."""
    reader = _CALLED.get(look, look)
    store = folder / "for" / f"{reader}-{target}-{kind}-v{version}.zarr"
    shutil.rmtree(store, ignore_errors=True)
    store.parent.mkdir(exist_ok=True)
    source = write_kind(kind, version, folder)
    return Made(store, make_target(source, TARGETS[target], store, "--for", reader))


def refuses(done: Done, look: str) -> bool:
    """Whether ncz refused to write a store for the reader, and said that it cannot read it."""
    return bool(done.code and done.error and _CALLED.get(look, look) in done.error)


def _names(notice: str, telling: Telling, path: str, reader: str) -> bool:
    if telling.names in ("reader", "both"):
        clauses = [part for part in notice.split(";") if telling.words in part]
        named = [part for part in clauses if re.search(rf"\b{reader}\b(?!-)", part)]
        return any(telling.names == "reader" or path in part for part in named)
    variable, _, attribute = path.partition("@")
    name = variable.rpartition("/")[2]
    if attribute and attribute != "_FillValue":  # which notices call the mask or the fill_value
        is_counted = re.search(r", \S*:\S+ and \d+ more", notice)  # a long list of attributes
        return f"{name}:{attribute}" in notice or is_counted is not None
    return not telling.names or (f"/{name}" in f"/{notice}" and variable in notice)
