"""Many sources on servers whose headers are kept until the copy is complete."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.copy import scan
from ncz.commands.copy import source as sources
from ncz.errors import Notice
from ncz.zmap import watch_requests
from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import connect_to_write
from tests.servers.threads import Served

netcdf4 = pytest.importorskip("netCDF4")
pytest.importorskip("s3fs", reason="s3fs is not installed")

MANY = 16
COUNT = MANY + 16
CUT = 20

Put = Callable[[str, bytes], None]


def day_of(folder: Path, day: int, value: float) -> bytes:
    """Return the bytes of a file of a day, whose header is in several places."""
    path = folder / "day.nc"
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("t", None)
        file.createDimension("x", 9000)
        file.createVariable("t", "i4", ("t",))[:] = [day]
        file.createVariable("v", "f8", ("t", "x"))[:] = np.full((1, 9000), value)
        for number in range(9):
            file.createVariable(f"late_{number}", "i4", ()).note = "n" * 500
    return path.read_bytes()


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MANY", MANY)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The bytes of files of a day each."""
    folder = tmp_path_factory.mktemp("days")
    return [day_of(folder, day, day) for day in range(COUNT)]


@pytest.fixture(params=[pytest.param("S3", marks=pytest.mark.long), "http"])
def server(request: pytest.FixtureRequest, files: list[bytes]) -> tuple[list[str], Put]:
    """The URLs of files on a server, and a function that replaces one."""
    if request.param == "S3":
        base = request.getfixturevalue("s3")
        folder = connect_to_write(parse_location(f"{base}/days#mode=s3"))
        urls = [f"{base}/days/{day:03}.nc#mode=s3" for day in range(COUNT)]
        put: Put = folder.put
    else:
        web: Served = request.getfixturevalue("web")
        web.states_md5 = True
        urls = [f"{web.endpoint}/days/{day:03}.nc" for day in range(COUNT)]

        def put(name: str, data: bytes) -> None:
            web.objects[f"days/{name}"] = data

    for day in range(COUNT):
        put(f"{day:03}.nc", files[day])
    return urls, put


@pytest.fixture
def requests() -> Iterator[list[str]]:
    """The requests that servers answered."""
    keys: list[str] = []
    watch_requests(keys.append)
    yield keys
    watch_requests(None)


def join(urls: list[str], target: str = "a.json") -> list[Notice]:
    notices: list[Notice] = []
    ncz.copy(urls, target, concat="t", threads=4, notify=notices.append)
    return notices


def interrupted(urls: list[str], monkeypatch: pytest.MonkeyPatch, target: str = "a.json") -> None:
    """Begin a join, which is interrupted at a source."""
    real = sources._open_one

    def opening(options: Any, how: Any, source: Any, *rest: Any, **named: Any) -> Any:
        if f"{CUT:03}.nc" in source.path:
            raise KeyboardInterrupt
        return real(options, how, source, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(sources, "_open_one", opening)
        with pytest.raises(KeyboardInterrupt):
            join(urls, target)


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.name.startswith(".ncz"))


@pytest.mark.long
def test_the_same_command_requests_only_the_state(
    server: tuple[list[str], Put], requests: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    urls, _ = server
    join(urls, "whole.json")
    whole = len(requests)
    assert left() == []
    interrupted(urls, monkeypatch)
    assert len(left()) == 1
    requests.clear()
    (told,) = [n.message for n in join(urls) if n.code == "scan-resumed"]
    kept = int(told.split()[3])
    assert len(requests) == whole - 2 * kept  # a file is opened with one request instead of three
    assert CUT <= kept < COUNT
    assert left() == []
    refs = [json.loads(Path(name).read_text())["refs"] for name in ("a.json", "whole.json")]
    assert refs[0] == refs[1]


def test_an_object_that_changed_is_read_again(
    server: tuple[list[str], Put], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    urls, put = server
    interrupted(urls, monkeypatch, "a.zarr")
    put("007.nc", day_of(tmp_path, 7, 7.5))
    (told,) = [n.message for n in join(urls, "a.zarr") if n.code == "scan-resumed"]
    assert int(told.split()[3]) >= CUT - 1
    with ncz.open("a.zarr") as dataset:
        assert dataset["t"][:].tolist() == [*range(COUNT)]
        wanted = [7.5 if day == 7 else day for day in range(COUNT)]
        assert dataset["v"][:, 8999].tolist() == wanted


def test_objects_without_a_state_are_not_kept(
    web: Served, files: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    web.objects = {f"days/{day:03}.nc": files[day] for day in range(COUNT)}
    interrupted([f"{web.endpoint}/days/{day:03}.nc" for day in range(COUNT)], monkeypatch)
    assert left() == []
