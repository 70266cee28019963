"""`ncz serve`: a reader sees the same over HTTP as in the store that a copy writes.

Every kind of content of the matrix is served, and every kind of dataset that ncz opens.
``make test`` takes a few of them, and ``make interop`` all.
"""

from __future__ import annotations

import http.client
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.record import record
from tests.conftest import ROOT
from tests.interop.kinds import KINDS, VERSIONS, write_kind
from tests.interop.peers.peers import MORE, PEERS, Format, Peer, Request, absent, ask
from tests.interop.plain import plain

pytest.importorskip("tornado", reason="tornado is not installed")
xarray = pytest.importorskip("xarray", reason="xarray is not installed")
zarr = pytest.importorskip("zarr", reason="zarr-python is not installed")
for _name in ("fsspec", "aiohttp"):
    pytest.importorskip(_name, reason=f"{_name} is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of types that Zarr V3 does not specify yet

WEATHER, GROUPS = (ROOT / "cdl_examples" / f"{name}.cdl" for name in ("weather", "groups"))
RECORDS = ROOT / "cdl_examples" / "records.cdl"


def _made(source: Path, suffix: str, **given: Any) -> Callable[[Path], Path]:
    """Return a function that makes a dataset of an example."""

    def make(folder: Path) -> Path:
        target = folder / f"{source.stem}{suffix}"
        ncz.copy(source, target, notify=ignore_notice, **given)
        return target

    return make


def _aggregation(folder: Path) -> Path:
    for number in range(2):
        part = {"time": slice(2 * number, 2 * number + 2)}
        ncz.copy(WEATHER, folder / f"{number}.nc", isel=part, notify=ignore_notice)
    parts = [folder / "0.nc", folder / "1.nc"]
    ncz.aggregate(parts, folder / "all.nc", axis="time", notify=ignore_notice)
    return folder / "all.nc"


def _references(folder: Path) -> Path:
    source = _made(WEATHER, ".nc")(folder)
    ncz.copy(source, folder / "all.json", modes="reference", notify=ignore_notice)
    return folder / "all.json"


def _contiguous(folder: Path) -> Path:
    """Return a file whose variables are not in chunks, and are large enough to be compressed."""
    values = np.arange(60_000, dtype="f4").reshape(3, 200, 100)
    source = xarray.Dataset({"v": (("t", "y", "x"), values), "w": ("t", [1, 2, 3])})
    ncz.copy(source, folder / "flat.nc", notify=ignore_notice)
    return folder / "flat.nc"


CONTAINERS: Mapping[str, Callable[[Path], Path]] = MappingProxyType(
    {
        "classic": _made(RECORDS, ".nc", kind="classic"),
        "cdf5": _made(RECORDS, ".nc", kind="cdf5"),
        "netcdf-4-contiguous": _contiguous,
        "netcdf-4-groups": _made(GROUPS, ".nc"),
        "nczarr-v2": _made(GROUPS, ".zarr"),
        "nczarr-v3": _made(WEATHER, ".zarr", modes="nczarr,v3"),
        "zarr-v2": _made(WEATHER, ".zarr", modes="zarr,v2"),
        "zarr-v3": _made(GROUPS, ".zarr", modes="zarr,v3"),
        "shards": _made(
            WEATHER, ".zarr", modes="zarr,v3", chunks=["temperature:2,1,2"],
            shards=["temperature:4,3,4"],
        ),
        "zip": _made(WEATHER, ".zip", modes="zarr,v3"),
        "references": _references,
        "aggregation": _aggregation,
        "text": lambda _: WEATHER,
    }
)  # fmt: skip
"""Kind of dataset -> the function that makes one."""


@record
class Pair:
    """A dataset that is served at an address, and the store that a copy of it is."""

    name: str
    format: Format
    address: str
    store: Path


@pytest.fixture(scope="module", params=["few", pytest.param("all", marks=pytest.mark.long)])
def pairs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Pair]]:
    """Serve a few datasets, or all: datasets of the matrix, and each container in both ways."""
    folder = tmp_path_factory.mktemp(request.param)
    is_few = request.param == "few"
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        matrix = [(kind, version) for kind in KINDS for version in VERSIONS]
        own = [write_kind(*each, folder) for each in (matrix[::9] if is_few else matrix)]
        found = _served(stack, own, None, folder / "copies")
        containers = []
        for name, make in CONTAINERS.items():
            (folder / name).mkdir()
            containers.append(make(folder / name))
        for zarr_format in VERSIONS:
            part = containers[zarr_format - 2 :: 3] if is_few else containers
            found += _served(stack, part, zarr_format, folder / f"copies-{zarr_format}")
        yield found


def _served(
    stack: ExitStack, sources: list[Path], zarr_format: Format | None, folder: Path
) -> list[Pair]:
    """Copy and serve; each dataset has a number, which is not part of the store."""
    folder.mkdir()
    version = f",v{zarr_format}" if zarr_format else ""
    found = []
    server = stack.enter_context(
        ncz.serve(sources, zarr_format=zarr_format, allow_loss=True, notify=ignore_notice)
    )
    for number, (source, address) in enumerate(
        zip(sources, server.addresses.values(), strict=True)
    ):
        store = folder / f"{number}.zarr"
        modes = f"zarr,consolidated{version}"
        ncz.copy(source, store, modes=modes, allow_loss=True, notify=ignore_notice)
        written: Format = 3 if (store / "zarr.json").exists() else 2
        name = f"{source.parent.name}/{source.name} as {written}"
        found.append(Pair(name, written, address, store))
    return found


def test_all_objects_are_equal(pairs):
    for pair in pairs:
        address = urlsplit(pair.address)
        connection = http.client.HTTPConnection(address.netloc, timeout=60)
        paths = [path for path in pair.store.rglob("*") if path.is_file()]
        assert len(paths) > 1
        for path in [*paths, pair.store / "none"]:
            key = path.relative_to(pair.store).as_posix()
            connection.request("GET", quote(f"{address.path}/{key}"))
            answer = connection.getresponse()
            body = answer.read()
            is_there = path in paths
            assert answer.status == (200 if is_there else 404), (pair.name, key)
            assert not is_there or body == path.read_bytes(), (pair.name, key)
        connection.close()


def test_xarray_sees_the_same(pairs):
    count = 0
    for pair in pairs:
        options = {"engine": "zarr", "consolidated": True, "zarr_format": pair.format}
        try:
            on_disk = xarray.open_groups(str(pair.store), **options)
        except (KeyError, ValueError):  # of dimensions without names, or with several lengths
            with pytest.raises((KeyError, ValueError, TypeError)):  # fsspec raises another one
                xarray.open_groups(pair.address, **options)
            continue
        served = xarray.open_groups(pair.address, **options)
        assert list(served) == list(on_disk)
        for path, theirs in on_disk.items():
            ours = served[path]
            xarray.testing.assert_identical(ours.load(), theirs.load())
            for name, variable in theirs.variables.items():
                assert ours[name].dtype == variable.dtype
                for key in ("chunks", "dtype", "_FillValue", "units", "calendar"):
                    kept = repr(variable.encoding.get(key))
                    assert repr(ours[name].encoding.get(key)) == kept
                count += 1
            theirs.close()
            ours.close()
    assert count > 2 * len(pairs)


def test_zarr_python_sees_the_same(pairs):
    for pair in pairs:
        on_disk, served = (
            zarr.open_group(place, mode="r", zarr_format=pair.format)
            for place in (str(pair.store), pair.address)
        )
        theirs, ours = (dict(group.members(max_depth=None)) for group in (on_disk, served))
        assert ours.keys() == theirs.keys(), pair.name
        for name, node in theirs.items():
            assert repr(dict(ours[name].attrs)) == repr(dict(node.attrs))
            if isinstance(node, zarr.Array):
                assert ours[name].metadata == node.metadata or node.fill_value != node.fill_value
                seen, expected = (plain(np.asarray(array[...])) for array in (ours[name], node))
                np.testing.assert_array_equal(seen, expected)


@pytest.mark.long
def test_ncz_sees_the_same(pairs):
    for pair in pairs:
        assert ncz.dump(pair.address, name="x") == ncz.dump(pair.store, name="x")
        assert ncz.diff(pair.address, pair.store, notify=ignore_notice) == []


ELSEWHERE: dict[str, Peer] = {
    name: peer for name, peer in {**PEERS, **MORE}.items() if name != "netcdf-c"
}
"""The readers with separate environments; netCDF-C reads no Zarr over HTTP."""


@pytest.mark.parametrize("reader", ELSEWHERE)
def test_other_readers_see_the_same(pairs, reader):
    if reason := absent(reader):
        pytest.skip(reason)
    wanted = [pair for pair in pairs if pair.format in ELSEWHERE[reader].formats]
    requests = [
        Request(pair.store, pair.format, address=address)
        for pair in wanted
        for address in (None, pair.address)
    ]
    answers = ask(reader, requests)
    count = 0
    for pair, on_disk, served in zip(wanted, answers[::2], answers[1::2], strict=True):
        assert ("error" in served) == ("error" in on_disk), (pair.name, served, on_disk)
        theirs, ours = on_disk.get("arrays", {}), served.get("arrays", {})
        assert ours.keys() == theirs.keys(), pair.name
        for path, values in theirs.items():
            if "error" in values:  # which names the place
                assert "error" in ours[path], (pair.name, path)
            else:
                assert ours[path] == values, (pair.name, path)
                count += 1
    assert count > len(wanted)
