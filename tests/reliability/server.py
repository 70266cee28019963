"""Commands that write to, or read from, a server that fails at each request in turn."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ncz.zmap.memory import STORES
from tests.reliability.cases import CDL, make
from tests.reliability.command import Outcome, run_ncz
from tests.reliability.disk import KILL
from tests.reliability.judge import ENDINGS, Case, Expected, Place, faults_of, values
from tests.reliability.signals import SIGNALS, run_signalled
from tests.servers.threads import Served, serving

PASSING = ("503", "reset", "short", "slow", "wrong", "etag")
"""Faults of one request; the same request then succeeds."""

LASTING = (
    "500", "reset", "short", "403", "expired", "hang", "trickle", "slow", "wrong", "etag", "loop",
)  # fmt: skip
"""Faults of every request from then on: a "trickle" is fewer bytes per second than are waited for,
and a "slow" answer begins late; the last three send other bytes than the ETag says, the ETag of
other bytes, and the same page of a listing again and again."""

WAITING = ("hang", "trickle")
"""Faults that end only after a timeout."""


LIBRARIES = ("obstore", "s3fs")


@contextmanager
def s3_server(folder: Path, library: str = "obstore") -> Iterator[Served]:
    """Run a server that the S3 protocol finds without waiting between attempts.

    `library` is one of `LIBRARIES`; s3fs makes requests that obstore cannot make.
    """
    with pytest.MonkeyPatch.context() as patch, serving() as served:
        patch.setenv("HOME", str(folder))
        patch.setenv("AWS_ACCESS_KEY_ID", "any")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
        patch.setenv("NCZ_S3", library)
        patch.setattr("ncz.zmap.remote.requests.sleep", lambda _: None)
        served.states_md5 = True
        yield served


Objects = dict[str, bytes]


def server_cases(served: Served, folder: Path) -> dict[str, Case]:
    """Return the commands; their sources are made in `folder` and on the server."""
    (folder / "in.cdl").write_bytes(CDL)
    for name in ("in.zarr", "in.nc"):
        if not (folder / name).exists():
            make(CDL, folder / name)
    text, source, place = (
        str(folder / "in.cdl"),
        str(folder / "in.zarr"),
        str(folder / "out/o.zarr"),
    )
    here = f"{served.endpoint}/b"
    url = f"{here}/place/o.zarr#mode=s3"
    store = _objects(folder / "in.zarr", "b/place/o.zarr/")
    sources = _objects(folder / "in.zarr", "b/in.zarr/")
    sources["b/in.nc"] = (folder / "in.nc").read_bytes()
    served.objects = dict(sources)
    referred = ("copy", "--mode", "reference", "--inline", "0", f"{here}/in.nc#mode=s3")
    done = run_ncz(*referred, f"{here}/refs.json#mode=s3")
    assert done.code == 0, done.error
    sources["b/refs.json"] = served.objects["b/refs.json"]
    broken = store | {"b/place/o.zarr/.zmetadata": b'{"metadata": 1}'}
    del broken["b/place/o.zarr/g/.zgroup"]

    def begin(objects: Objects) -> Callable[[], None]:
        def put() -> None:
            served.objects = sources | objects

        return put

    def held() -> str | None:
        """Read the store on the server from a copy of its objects in memory."""
        start = "b/place/o.zarr/"
        keys = [key for key in served.objects if key.startswith(start)]
        STORES["judged"] = {key.removeprefix(start): served.objects[key] for key in keys}
        return values("memory://judged")

    def create(name: str, *words: str, to: str = url, resumes: bool = False) -> Case:
        read = (lambda _: held()) if to == url else values
        arguments = (*words, to) if words[0] == "copy" else (*words, "-o", to)
        return Case(name, arguments, to, read=read, begin=begin({}), can_resume=resumes)

    def change(name: str, *words: str, objects: Objects = store, repeats: bool = True) -> Case:
        return Case(
            name, words, url, read=lambda _: held(), begin=begin(objects), changes=True,
            reports=words[0] == "check", repeats=repeats,
        )  # fmt: skip

    cases = (
        create("gen to S3", "gen", text),
        create("copy to S3", "copy", source, resumes=True),
        create("netCDF to S3", "copy", source, to=f"{here}/place/o.nc#mode=s3"),
        create("references to S3", *referred, to=f"{here}/place/o.json#mode=s3"),
        change("consolidate on S3", "consolidate", url),
        change("edit on S3", "edit", url, "--set", 'w:units = "km"'),
        change("append on S3", "copy", "--append", "x", source, url, repeats=False),
        change("check --fix on S3", "check", "--fix", url, objects=broken),
        change("clean on S3", "clean", url, objects=_begun_edit(served, url, store)),
        create("copy from S3", "copy", f"{here}/in.zarr#mode=s3", to=place),
        create("netCDF from S3", "copy", f"{here}/in.nc#mode=s3", to=place),
        create("references from S3", "copy", f"{here}/refs.json#mode=s3", to=place),
    )
    return {case.name: case for case in cases}


def _begun_edit(served: Served, url: str, store: Objects) -> Objects:
    """Return the objects of a store with the journal of a killed edit."""
    for at in range(1, 100):
        served.objects = dict(store)
        served.requests.clear()
        edit = ("edit", url, "--set", 'w:units = "km"', "--set", ':title = "new"')
        done = run_signalled(served, SIGNALS[KILL], at, *edit)
        assert done.code == -SIGNALS[KILL], done.error or "no journal was left by any edit"
        if any(key.endswith("/.ncz-edit") for key in served.objects):
            return dict(served.objects)
    raise AssertionError("the edit does not end")


def _objects(folder: Path, start: str) -> Objects:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {start + path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _reset(case: Case, served: Served, folder: Path) -> None:
    served.faults.clear()
    served.always, served.begin, served.trickles = None, 0, False
    served.changes = lambda _: None
    served.requests.clear()
    case.begin()
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()


def run_server(
    case: Case, served: Served, folder: Path, fault: str, *, lasts: bool, step: int = 1
) -> tuple[int, dict[str, list[str]]]:
    """Run a command with `fault` at each request in turn, or at every request from there on.

    A signal of `SIGNALS` may be the fault. Returns the number of runs, and the errors by the number
    of the request.
    """

    def keys() -> frozenset[str]:
        found = {key for key in served.objects if key.startswith("b/place/")}
        return frozenset(found | {path.name for path in (folder / "out").iterdir()})

    def read() -> str | None:
        return case.read(case.target)

    _reset(case, served, folder)
    old = read() if case.changes else None
    served.requests.clear()
    done = run_ncz(*case.arguments)
    assert done.code == 0, done.error
    count = len(served.requests)
    values = read()
    assert values is not None
    number = SIGNALS.get(fault, 0)
    expected = Expected(
        values, old, ENDINGS.get(fault, ""), "" if number else f"{served.endpoint}/x", number
    )
    wrong = {}
    tried = range(1, count + 1, step)
    for at in tried:
        _reset(case, served, folder)
        place = Place(read, keys, keys(), run_ncz)
        done = _run_failing(case, served, fault, at, lasts=lasts)
        found = faults_of(case, done, expected, place)
        # A wrong ETag cannot be distinguished from the ETag of a changed object.
        is_change = fault == "etag" and "it changed while it was read" in done.error
        if (fault == "slow" or not lasts) and fault in PASSING and done.code and not is_change:
            found.append("a fault that passes ends the command")
        if found:
            wrong[f"{at}: {done.error.strip()}"] = found
    return len(tried), wrong


def _run_failing(case: Case, served: Served, fault: str, at: int, *, lasts: bool) -> Outcome:
    """Run a command with a fault at the request of this number, or a signal that arrives then."""
    if fault in SIGNALS:
        return run_signalled(served, SIGNALS[fault], at, *case.arguments)
    kind = {"expired": "400", "trickle": "short"}.get(fault, fault)
    served.trickles = fault == "trickle"
    served.code = "ExpiredToken" if fault == "expired" else "AccessDenied"
    if lasts:
        served.always, served.begin = kind, at
    else:
        served.faults.extend([*[None] * (at - 1), kind])
    extra = ("--timeout", "0.5") if fault in WAITING else ()
    done = run_ncz(*case.arguments, *extra)
    served.faults.clear()
    served.always, served.trickles = None, False
    return done
