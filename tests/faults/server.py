"""Commands that write to, or read from, a server that fails at each request in turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ncz.zmap.memory import STORES
from tests.faults.judge import CDL, Case, faults_of, make_source, values
from tests.faults.run import run_ncz
from tests.servers.threads import Served, serving

PASSING = ("503", "reset", "short", "wrong", "etag")
"""Faults of one request, after which the same request succeeds."""

LASTING = ("500", "reset", "short", "403", "expired", "hang", "wrong", "etag", "loop")
"""Faults of every request from then on: the last three send other bytes than the ETag says, the
ETag of other bytes, and the same page of a listing again and again."""


@contextmanager
def s3_server(folder: Path) -> Iterator[Served]:
    """Run a server that the S3 protocol finds without waiting between attempts."""
    with pytest.MonkeyPatch.context() as patch, serving() as served:
        patch.setenv("HOME", str(folder))
        patch.setenv("AWS_ACCESS_KEY_ID", "any")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
        patch.setenv("NCZ_S3", "s3fs")
        patch.setattr("time.sleep", lambda _: None)
        served.states_md5 = True
        yield served


def server_cases(served: Served, folder: Path) -> dict[str, Case]:
    """Return the commands; their source is made in `folder`."""
    (folder / "in.cdl").write_bytes(CDL)
    if not (folder / "in.zarr").exists():
        make_source(folder / "in.zarr")
    url = f"{served.endpoint}/b/place/o.zarr#mode=s3"
    text, source = str(folder / "in.cdl"), str(folder / "in.zarr")
    cases = (
        Case("gen to S3", ("gen", text, "-o", url), url),
        Case("copy to S3", ("copy", source, url), url, can_resume=True),
        Case("consolidate on S3", ("consolidate", url), url, changes=True),
        Case(
            "copy from S3",
            ("copy", f"{served.endpoint}/b/in.zarr#mode=s3", str(folder / "out/o.zarr")),
            str(folder / "out/o.zarr"),
        ),
    )
    return {case.name: case for case in cases}


def _reset(case: Case, served: Served, folder: Path) -> None:
    import shutil

    served.faults.clear()
    served.always, served.begin = None, 0
    served.requests.clear()
    source = {
        path.relative_to(folder / "in.zarr").as_posix(): path.read_bytes()
        for path in (folder / "in.zarr").rglob("*")
        if path.is_file()
    }
    served.objects = {f"b/in.zarr/{key}": value for key, value in source.items()}
    if case.changes:
        served.objects |= {f"b/place/o.zarr/{key}": value for key, value in source.items()}
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()


def run_server(
    case: Case, served: Served, folder: Path, fault: str, *, lasts: bool, step: int = 1
) -> tuple[int, dict[str, list[str]]]:
    """Run a command with `fault` at each request in turn, or at every request from there on.

    Returns the number of requests, and what was wrong by the number of the request.
    """

    def keys() -> frozenset[str]:
        found = {key for key in served.objects if key.startswith("b/place/")}
        return frozenset(found | {path.name for path in (folder / "out").iterdir()})

    def read() -> str | None:
        """Read the target, if it is on the server from a copy of its objects in memory."""
        if not case.target.startswith("http"):
            return values(case.target)
        start = "b/place/o.zarr/"
        STORES["judged"] = {
            key.removeprefix(start): value
            for key, value in served.objects.items()
            if key.startswith(start)
        }
        return values("memory://judged")

    _reset(case, served, folder)
    done = run_ncz(*case.arguments)
    assert done.code == 0, done.error
    expected = read()
    assert expected is not None
    _reset(case, served, folder)
    run_ncz(*case.arguments)
    count = len(served.requests)
    wrong = {}
    tried = 0
    for at in range(1, count + 1, step):
        tried += 1
        _reset(case, served, folder)
        before = keys()
        kind = "400" if fault == "expired" else fault
        served.code = "ExpiredToken" if fault == "expired" else "AccessDenied"
        if lasts:
            served.always, served.begin = kind, at
        else:
            served.faults.extend([*[None] * (at - 1), kind])
        extra = ("--timeout", "0.5") if fault == "hang" else ()
        done = run_ncz(*case.arguments, *extra)
        served.faults.clear()
        served.always = None
        found = faults_of(
            case, done, expected, read, keys, before, run_ncz, "", served.endpoint + "/x"
        )
        if not lasts and fault in PASSING and done.code:
            found.append("a fault that passes ends the command")
        if found:
            wrong[f"{at}: {done.error.strip()}"] = found
    return tried, wrong
