"""Copies to reference sets: from every kind of source, and their errors."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import zipfile
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.chunkspec import parse_chunkspec
from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.sources import location_of_target
from ncz.errors import Callbacks, LossError, Notice, StoreExists, UrlError, ZmapError, ignore_notice
from ncz.formats.create_options import CreateOptions, PieceOptions
from ncz.formats.opening import open_dataset
from ncz.model.data import read_all
from ncz.model.tree import variables_by_fqn
from ncz.zmap.kinds import recognise_kind
from ncz.zmap.location import location_of, parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from tests.sampled import sampled

CDL = """netcdf a {{
dimensions:
  time = UNLIMITED ; // (5 currently)
  x = 30 ;
variables:
  double time(time) ;
    time:units = "days since 2000-01-01" ;
  float t(time, x) ;
    t:_FillValue = -1.f ;
  short y(x) ;
  char name(x) ;
  int scalar ;
  :title = "Kühe" ;
data:
  time = 0, 1, 2, 3, 4 ;
  t = {} ;
  y = {} ;
  name = "abcdefghij" ;
  scalar = 7 ;
}}
""".format(", ".join(map(str, range(150))), ", ".join(map(str, range(30))))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NCZ_ALLOW_TARGETS", raising=False)
    return tmp_path


@pytest.fixture
def refer(here):
    """Makes a set over a source, verifies it, and returns its references."""

    def refer(source, target="refs.json", mode="reference", **options):
        options = {"verify": True, **options}
        create = CreateOptions(
            **{name: options.pop(name) for name in CreateOptions.__annotations__ if name in options}
        )
        copy_dataset(
            CopyOptions(
                source=location_of(source),
                target=location_of_target(target),
                modes=tuple(mode.split(",")),
                create=create,
                **options,
            )
        )
        return json.loads((here / target).read_text())["refs"] if target == "refs.json" else None

    return refer


@pytest.fixture
def store(here):
    """Makes a store from `CDL`."""

    def store(name="a.zarr", **options):
        (here / "a.cdl").write_text(CDL, "utf-8")
        copy_dataset(
            CopyOptions(source=location_of("a.cdl"), target=location_of_target(name), **options)
        )
        return name

    return store


def values(place):
    with open_dataset(parse_location(str(place))) as opened:
        return {
            fqn: read_all(variable.data).tolist()
            for fqn, variable in variables_by_fqn(opened.dataset.root)
            if variable.data is not None
        }


def places(references):
    return {key: value for key, value in references.items() if isinstance(value, list)}


def test_a_directory(refer, store, here):
    references = refer(store(), inline=50)
    assert places(references)
    for url, offset, length in places(references).values():
        assert url.startswith(f"file://{here}/a.zarr/")
        assert (offset, length) == (0, (here / url.removeprefix("file://")).stat().st_size)
    assert values("refs.json") == values("a.zarr")


@pytest.mark.parametrize("mode", ["zip", "zip,v3"])
def test_a_zip_file(refer, store, here, mode):
    references = refer(store("a.zip", modes=tuple(mode.split(","))), inline=0)
    data = (here / "a.zip").read_bytes()
    zmap = open_zmap(parse_location("a.zip"))
    for key, (url, offset, length) in places(references).items():
        assert url == f"file://{here}/a.zip"
        assert data[offset : offset + length] == zmap.get(key)
    zmap.close()
    assert places(references)


def test_compressed_entries_of_a_zip_file_are_held(refer, store, here):
    store()
    with zipfile.ZipFile("b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((here / "a.zarr").rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(here / "a.zarr"))
    assert places(refer("b.zip", inline=0)) == {}


def test_zarr_v3_keeps_its_keys(refer, store):
    references = refer(store("a.zarr", modes=("v3",)), inline=0)
    assert "zarr.json" in references
    assert any("/c/" in key for key in places(references))
    with pytest.raises(LossError, match="for Zarr V2 only"):
        refer("a.zarr", "refs.parquet")


def test_a_set_over_a_set(refer, store, here):
    first = refer(store(), inline=0)
    copy_dataset(
        CopyOptions(
            source=location_of("refs.json"),
            target=location_of_target("again.json"),
            modes=("reference",),
            inline=0,
        )
    )
    again = json.loads((here / "again.json").read_text())["refs"]
    assert places(again) == places(first)


def test_the_parquet_layout(refer, store, here):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    refer(store(), "refs.parquet")
    assert (here / "refs.parquet" / "t" / "refs.0.parq").is_file()
    assert values("refs.parquet") == values("a.zarr")
    copy_dataset(
        CopyOptions(
            source=location_of("refs.parquet"), target=location_of_target("out.zarr"), verify=True
        )
    )


def test_relative_targets(refer, store, here):
    (here / "sets").mkdir()
    store()
    options = {"relative_to": "ref", "inline": 0}
    assert {url for url, *_ in places(refer("a.zarr", **options)).values()} >= {"a.zarr/y/0"}
    refer("a.zarr", "sets/refs.json", verify=False, **options)
    moved = here / "moved"
    moved.mkdir()
    (here / "refs.json").rename(moved / "refs.json")
    (here / "a.zarr").rename(moved / "a.zarr")
    assert values(moved / "refs.json") == values(moved / "a.zarr")


def test_s3(refer, store, s3, monkeypatch):
    server, host, path = s3.partition("//")
    endpoint, _, path = path.partition("/")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"{server}{host}{endpoint}")
    url = f"s3://{path}"
    copy_dataset(
        CopyOptions(source=location_of(store()), target=location_of_target(f"{url}/a.zarr"))
    )
    references = refer(f"{url}/a.zarr", inline=0)
    assert all(place[0].startswith(f"{url}/a.zarr/") for place in places(references).values())
    copy_dataset(
        CopyOptions(
            source=location_of(f"{url}/a.zarr"),
            target=location_of_target(f"{url}/b.json"),
            modes=("reference",),
        )
    )
    assert values(f"{url}/b.json") == values("a.zarr")
    with pytest.raises(StoreExists, match="already exists"):
        copy_dataset(
            CopyOptions(
                source=location_of(f"{url}/a.zarr"),
                target=location_of_target(f"{url}/b.json"),
                modes=("reference",),
            )
        )


@pytest.mark.parametrize("inline", [0, 8 << 20])
def test_the_copy_names_targets_that_readers_must_permit(run, store, here, inline):
    """A set that contains everything leads nowhere."""
    store()
    (here / "sets").mkdir()
    made = run("copy", "a.zarr", "sets/r.json", "--inline", str(inline))
    assert made.code == 0
    if inline:
        assert made.stderr == ""
        assert run("dump", "sets/r.json").code == 0
        return
    line = f"--allow-target {here}"
    assert made.stderr.count("\n") == 1
    assert made.stderr.endswith(f"read it with {line}\n")
    assert run("dump", "sets/r.json").code == 1
    assert run("dump", "sets/r.json", *line.split()).code == 0
    assert run("copy", "a.zarr", "sets/of_v0.json", "--prefix", "/elsewhere").stderr == ""
    assert run("copy", "a.zarr", "next_to_it.json", "--inline", "0").stderr == ""


def test_the_copy_names_the_bucket_that_readers_must_permit(run, store, s3, monkeypatch):
    server, _, path = s3.removeprefix("http://").partition("/")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{server}")
    store()
    assert run("copy", "a.zarr", f"s3://{path}/a.zarr").code == 0
    made = run("copy", f"s3://{path}/a.zarr", "r.json", "--inline", "0")
    bucket = path.partition("/")[0]
    assert made.stderr.endswith(f"read it with --allow-target s3://{bucket}/\n")
    assert run("dump", "r.json", "--allow-target", f"s3://{bucket}/").code == 0


@pytest.fixture
def lab(here, s3, monkeypatch):
    """An empty prefix on a server that only the alias Lab names, and the URL of the server."""
    server, _, path = s3.removeprefix("http://").partition("/")
    (here / "config.toml").write_text(f'[alias.Lab]\nendpoint = "http://{server}"\n')
    monkeypatch.setenv("NCZ_CONFIG", str(here / "config.toml"))
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    return f"s3://Lab/{path}", f"http://{server}", path


@pytest.mark.parametrize("target", sampled(["{url}/r.json", "{url}/below/r.parquet", "r.json"], 3))
def test_references_lead_back_to_the_server_of_an_alias(store, lab, monkeypatch, target):
    url, server, _ = lab
    if target.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    copy_dataset(
        CopyOptions(source=location_of(store()), target=location_of_target(f"{url}/a.zarr"))
    )
    path = target.format(url=url)
    seen: list[Notice] = []
    copy_dataset(
        CopyOptions(
            source=location_of(f"{url}/a.zarr"),
            target=location_of_target(path),
            inline=0,
            verify=True,
        ),
        Callbacks(seen.append),
    )
    needed = ["permission-needed"] if path == target else []
    assert [notice.code for notice in seen] == ["reader-excluded", *needed]
    assert f"the alias Lab of the server {server}" in seen[0].message
    if path == target:
        with pytest.raises(ZmapError, match=r"leads to another server, s3://Lab/.*add --allow-tar"):
            values(path)
        monkeypatch.setenv("NCZ_ALLOW_TARGETS", f"{url}/a.zarr")
    assert values(path) == values("a.zarr")


def test_pieces_lead_back_to_the_server_of_an_alias(store, lab):
    url, _, _ = lab
    pieces = PieceOptions(lengths=(("time", 2),), format="zarr")
    copy_dataset(
        CopyOptions(
            source=location_of(store()),
            target=location_of_target(f"{url}/m.nca"),
            modes=("cfa",),
            create=CreateOptions(pieces=pieces),
        )
    )
    assert values(f"{url}/m.nca") == values("a.zarr")
    copy_dataset(
        CopyOptions(
            source=location_of(f"{url}/m.nca"), target=location_of_target(f"{url}/r.json"), inline=0
        )
    )
    assert values(f"{url}/r.json") == values("a.zarr")


def test_sets_and_masters_lead_to_their_server_from_elsewhere(run, store, lab, here, monkeypatch):
    """They are made here, moved to another folder, and read by users with their own settings."""
    url, server, _ = lab
    source = f"{url}/a.zarr"
    ncz.copy(store(), source, notify=ignore_notice)
    ncz.copy(source, "r.json", inline=0, notify=ignore_notice)
    ncz.aggregate(source, "m.nca", axis="time", notify=ignore_notice)
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    names = ("r.json", "m.nca")
    for name in names:
        assert url.encode() in (here / name).read_bytes()
        (here / name).rename(elsewhere / name)
    monkeypatch.chdir(elsewhere)
    for name in names:
        refused = run("dump", name)
        assert (refused.code, "s3://Lab/" in refused.stderr) == (1, True)
        ran = run("diff", "--data-only", source, name, "--allow-target", url)
        assert (ran.code, ran.stderr) == (0, "")
    (elsewhere / "none.toml").write_text("")
    monkeypatch.setenv("NCZ_CONFIG", str(elsewhere / "none.toml"))
    for name in names:  # Lab would be a bucket on another server
        ran = run("dump", name, "--allow-target", url, "--endpoint-url", server, "--timeout", "5")
        assert (ran.code, "internal error" in ran.stderr) == (1, False)


def test_a_bucket_without_alias_is_on_the_server_of_the_set(store, lab, here):
    """kerchunk names no server in a set."""
    url, _, _ = lab
    copy_dataset(
        CopyOptions(source=location_of(store()), target=location_of_target(f"{url}/a.zarr"))
    )
    copy_dataset(
        CopyOptions(
            source=location_of(f"{url}/a.zarr"), target=location_of_target("r.json"), inline=0
        )
    )
    text = (here / "r.json").read_bytes()
    other = text.replace(b"s3://Lab/", b"s3://")
    for name, data in (("r.json", other), ("else.json", text.replace(b"Lab/", b"Lab/x"))):
        with create_zmap(parse_location(f"{url}/z-{name}")) as zmap:
            zmap.put(name, data)
    assert values(f"{url}/z-r.json/r.json") == values("a.zarr")
    with pytest.raises(ZmapError, match="leads to another server, s3://Lab/x"):
        values(f"{url}/z-else.json/else.json")


def test_a_server_that_a_set_cannot_name_is_said(store, lab, here):
    url, server, path = lab
    copy_dataset(
        CopyOptions(source=location_of(store()), target=location_of_target(f"{url}/a.zarr"))
    )
    seen: list[Notice] = []
    named = f"{server}/{path}/a.zarr#mode=s3"
    copy_dataset(
        CopyOptions(source=location_of(named), target=location_of_target("r.json"), inline=0),
        Callbacks(seen.append),
    )
    assert [notice.code for notice in seen] == ["server-not-named", "permission-needed"]
    assert f"--endpoint-url {server}" in str(seen[0])
    copy_dataset(
        CopyOptions(
            source=location_of(named), target=location_of_target(f"{server}/{path}/r.json#mode=s3")
        ),
        Callbacks(seen.append),
    )
    assert len(seen) == 2


@pytest.fixture
def netcdf(here):
    """Writes a netCDF file of a kind."""
    netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")

    def netcdf(kind, name="a.nc"):
        with netCDF4.Dataset(here / name, "w", format=kind) as file:
            file.createDimension("time", None)
            file.createDimension("x", 30)
            is_hdf5 = kind.startswith("NETCDF4")
            codecs = {"zlib": True, "shuffle": True, "chunksizes": (2, 15)} if is_hdf5 else {}
            t = file.createVariable("t", "f4", ("time", "x"), fill_value=-1, **codecs)
            t.units = "K"
            t[:] = np.arange(150).reshape(5, 30)
            file.createVariable("time", "f8", ("time",))[:] = np.arange(5)
            file.createVariable("y", "i2", ("x",))[:] = np.arange(30)
            file.createVariable("scalar", "i4", ())[...] = 7
            file.createVariable("never", "i4", ("x",))
        return name

    return netcdf


KINDS = (
    "NETCDF4",
    "NETCDF4_CLASSIC",
    "NETCDF3_CLASSIC",
    "NETCDF3_64BIT_OFFSET",
    "NETCDF3_64BIT_DATA",
)


@pytest.mark.parametrize("kind", KINDS)
def test_netcdf_files(refer, netcdf, here, kind):
    references = refer(netcdf(kind), inline=0)
    found = places(references)
    data = (here / "a.nc").read_bytes()
    assert {place[0] for place in found.values()} == {f"file://{here}/a.nc"}
    assert all(offset + length <= len(data) for _, offset, length in found.values())
    counts = {"t": 6, "y": 1, "scalar": 1} if "4" in kind[:7] else {"t": 5, "y": 1, "scalar": 1}
    assert {name: sum(key.startswith(f"{name}/") for key in found) for name in counts} == counts
    assert values("refs.json") == values("a.nc")


@pytest.mark.parametrize("way", ["raw", "recode"])
def test_a_copy_reads_neighbouring_chunks_together(web, here, way):
    import h5py

    data = np.arange(200 * 30, dtype="i4").reshape(200, 30)
    with h5py.File(here / "a.nc", "w") as file:
        file.create_dataset("v", data=data, chunks=(1, 30), compression="gzip")
    copy_dataset(
        CopyOptions(
            source=location_of("a.nc"),
            target=location_of_target("refs.json"),
            modes=("reference",),
            inline=0,
        )
    )
    local = f"file://{here}/".encode()
    references = (here / "refs.json").read_bytes().replace(local, f"{web.endpoint}/".encode())
    web.objects = {"refs.json": references, "a.nc": (here / "a.nc").read_bytes()}
    reshape = Reshape(deflate=9) if way == "recode" else Reshape()
    copy_dataset(
        CopyOptions(
            source=location_of(f"{web.endpoint}/refs.json"),
            target=location_of_target("b.zarr"),
            reshape=reshape,
        )
    )
    assert web.asked("a.nc") <= 4
    np.testing.assert_array_equal(values("b.zarr")["/v"], data)


def test_records_of_the_only_record_variable_are_together(refer, here):
    netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
    with netCDF4.Dataset(here / "a.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("time", None)
        file.createVariable("t", "i2", ("time",))[:] = np.arange(1001)
    found = places(refer("a.nc"))
    assert [(key, place[2]) for key, place in found.items()] == [("t/0", 2002)]
    assert values("refs.json") == values("a.nc")


NAMES = ("a.json", "a.json.zst", "a.json.gz", "a.parq", "A.PARQUET")


@pytest.mark.parametrize("name", NAMES)
def test_names_that_mean_a_reference_set(store, here, name):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    copy_dataset(
        CopyOptions(
            source=location_of(store()), target=location_of_target(name), verify=True, inline=0
        )
    )
    assert recognised_kind(here / name) == "reference"
    assert values(name) == values("a.zarr")


def recognised_kind(path):
    return recognise_kind(str(path), None if path.is_dir() else path.read_bytes())


def test_the_number_of_chunks_in_a_file_of_parquet(run, store, here):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    name = store(reshape=Reshape(chunkspecs=(parse_chunkspec("time/1"),)))
    assert run("copy", name, "r.parq", "--record-size", "2").code == 0
    assert json.loads((here / "r.parq/.zmetadata").read_bytes())["record_size"] == 2
    files = sorted(path.name for path in (here / "r.parq/t").iterdir())
    assert files == ["refs.0.parq", "refs.1.parq", "refs.2.parq"]
    assert values("r.parq") == values(name)
    with pytest.raises(UrlError, match=r"reference\.record_size must be between 1 and"):
        copy_dataset(
            CopyOptions(
                source=location_of(name),
                target=location_of_target("s.parq#reference.record_size=0"),
            )
        )


def test_version_0(store, here):
    copy_dataset(
        CopyOptions(
            source=location_of(store()), target=location_of_target("r.json#reference.version=0")
        )
    )
    text = json.loads((here / "r.json").read_bytes())
    assert text.keys() >= {".zgroup", "t/.zarray"}
    assert "version" not in text
    assert values("r.json") == values("a.zarr")


def test_a_mode_of_stores_overrides_the_name(store, here):
    copy_dataset(
        CopyOptions(
            source=location_of(store()), target=location_of_target("b.json"), modes=("nczarr",)
        )
    )
    assert recognised_kind(here / "b.json") == "directory"


def test_a_name_on_a_server_means_a_reference_set(store, s3):
    target = f"{s3}/b.json.zst#mode=s3"
    copy_dataset(
        CopyOptions(source=location_of(store()), target=location_of_target(target), inline=1 << 20)
    )
    assert values(target) == values("a.zarr")


@pytest.mark.parametrize("target", ["refs.json", "refs.parquet"])
def test_scalars_strings_and_chars_for_xarray_are_zarr_v2(netcdf, here, target):
    """kerchunk's engine reads Zarr V2 only."""
    import h5py

    pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    netcdf("NETCDF4")
    with h5py.File(here / "a.nc", "a") as file:
        file["s"] = np.array(["a", "few", "words"], object)
        file["c"] = np.array([b"x", b"y"], "S1")
    seen: list[Notice] = []
    options = CopyOptions(
        source=location_of("a.nc"),
        target=location_of_target(target),
        modes=("reference",),
        create=CreateOptions(audience=("xarray",), allow_loss=True),
    )
    copy_dataset(options, Callbacks(seen.append))
    with contextlib.closing(open_zmap(parse_location(target))) as zmap:
        arrays = {
            name: json.loads(zmap.get(f"{name}/.zarray") or b"") for name in ("s", "c", "scalar")
        }
    assert arrays["scalar"]["shape"] == []
    assert arrays["s"]["dtype"] == "|O"
    assert arrays["c"]["dtype"] == "|S1"
    assert not [notice for notice in seen if notice.code == "reader-excluded"]


def test_sources_that_kerchunk_and_fsspec_cannot_open_are_named(store, here):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    store("a.zarr", modes=("v3",))
    (here / "g.cdl").write_text("netcdf g { group: h { variables: int v ; data: v = 1 ; } }")
    copy_dataset(CopyOptions(source=location_of("g.cdl"), target=location_of_target("g.zarr")))

    def told(source, target, *modes):
        seen: list[Notice] = []
        copy_dataset(
            CopyOptions(source=location_of(source), target=location_of_target(target), modes=modes),
            Callbacks(seen.append),
        )
        return [notice.message for notice in seen if notice.code == "reader-excluded"]

    assert "Zarr V3" in "".join(told("a.zarr", "a.json"))
    assert told("a.zarr", "b.json", "v3") == []
    assert "groups" in "".join(told("g.zarr", "g.parq"))
    assert told("g.zarr", "g.json") == []


def test_parts_of_nczarr_that_xarray_does_not_see_are_named(netcdf):
    import h5py

    netcdf("NETCDF4")
    with h5py.File("a.nc", "a") as file:
        file["c"] = np.array([b"x", b"y"], "S1")
    seen: list[Notice] = []
    options = CopyOptions(
        source=location_of("a.nc"), target=location_of_target("a.json"), modes=("nczarr",)
    )
    copy_dataset(options, Callbacks(seen.append))
    assert [notice.code for notice in seen] == ["reader-excluded", "scalar-shape"]
    assert "xarray" in seen[0].message
    pure = CopyOptions(
        source=location_of("a.nc"),
        target=location_of_target("b.json"),
        create=CreateOptions(audience=("xarray",), allow_loss=True),
    )
    copy_dataset(pure, Callbacks(seen.append))
    assert "reader-excluded" not in [notice.code for notice in seen[2:]]


def test_xarray_opens_a_set_with_vlens_as_it_opens_a_store(netcdf):
    import h5py

    netcdf("NETCDF4")
    with h5py.File("a.nc", "a") as file:
        ragged = file.create_dataset("ragged", (2,), h5py.vlen_dtype(np.dtype("f4")))
        ragged[:] = [[1.0], [2.0, 3.0]]
    for target in ("a.zarr", "a.json"):
        seen: list[Notice] = []
        copy_dataset(
            CopyOptions(source=location_of("a.nc"), target=location_of_target(target)),
            Callbacks(seen.append),
        )
        assert "reader-excluded" not in [notice.code for notice in seen]
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("kerchunk")
    with (
        xarray.open_zarr("a.zarr") as store,
        xarray.open_dataset("a.json", engine="kerchunk") as refs,
    ):
        assert store["ragged"].values.tolist() == refs["ragged"].values.tolist()
        assert store["ragged"].values.tolist() == ["[1.0]", "[2.0, 3.0]"]


def test_large_data_that_must_be_recoded(here):
    values = ", ".join(str(n * n * 2654435761 % (1 << 31)) for n in range(300_000))
    big = f"netcdf a {{ dimensions: x = 300000 ; variables: int v(x) ; data: v = {values} ; }}"
    (here / "big.cdl").write_text(big)
    ncz.gen("big.cdl", "big.zarr", notify=ignore_notice)
    reasons: dict[str, tuple[str, dict[str, Any], str]] = {
        "write": ("big.cdl", {}, "/v: its values are not in chunks"),
        "recode": ("big.zarr", {"codecs": "zlib:1"}, "/v: its data type or its codecs would"),
        "rechunk": ("big.zarr", {"chunks": "x/1000"}, "/v: its chunks would change"),
    }
    for way, (source, options, reason) in reasons.items():
        told: list[Notice] = []
        target = here / f"{way}.json"
        ncz.copy(source, str(target), notify=told.append, **options)
        (notice,) = (each for each in told if each.code == "values-beside-set")
        assert reason in notice.message
        assert "keep this folder next to the set" in str(notice)
        assert sum(1 for _ in (here / f"{way}.json.chunks").iterdir()) == 1
        assert ncz.diff("big.zarr", str(target), notify=ignore_notice) == []


def test_small_data_that_must_be_recoded_is_held(refer, store):
    references = refer(store(), reshape=Reshape(deflate=5), inline=0)
    assert places(references).keys() <= {"scalar/0"}  # a scalar has no codecs


def test_options_and_targets_that_are_not_valid(refer, store, here):
    name = store()
    with pytest.raises(UrlError, match="cannot be written relative to the working folder"):
        refer(name, relative_to="cwd")
    with pytest.raises(UrlError, match=r"reference\.inline must be between 0 and"):
        refer(name, inline=1 << 40)
    with pytest.raises(UrlError, match="would contain the query"):
        refer("https://host/a.zarr?sig=secret")
    (here / "refs.json").write_text('{"name": "package"}')
    with pytest.raises(StoreExists, match="a file of another kind"):
        refer(name, overwrite=True)
    with pytest.raises(StoreExists, match="already exists"):
        refer(name, verify=False)


def test_without_pyarrow_nothing_is_written(refer, store, here, monkeypatch):
    name = store()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ZmapError, match=r"pip install 'ncz\[parquet\]'"):
        refer(name, "refs.parquet", verify=False)
    assert not (here / "refs.parquet").exists()


def test_a_creation_that_fails_leaves_nothing(here):
    def create():
        with create_zmap(parse_location("refs.json#mode=reference")) as zmap:
            zmap.put(".zgroup", b"{}")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        create()
    assert list(here.iterdir()) == []


def test_text_that_looks_like_base64_is_kept(here):
    with create_zmap(parse_location("refs.json#mode=reference")) as zmap:
        zmap.put(".zgroup", b"{}")
        zmap.put("a", b"base64:AAAA")
        zmap.put("b", bytes(range(256)))
        assert (zmap.get("a"), zmap.size("b"), zmap.search("")) == (
            b"base64:AAAA", 256, [".zgroup", "a", "b"],
        )  # fmt: skip
    written = open_zmap(parse_location("refs.json"))
    assert (written.get("a"), written.get("b")) == (b"base64:AAAA", bytes(range(256)))
    written.close()


_renamed: list[str] = []


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "os.rename":
        _renamed.append(os.fsdecode(arguments[0]))


def test_chunks_of_a_set_are_written_under_their_names(here):
    """A set has the size of each chunk, so that a resumed copy recognizes complete ones."""
    form = "dimensions: t = 40 ; x = 600 ; variables: int v(t, x) ; v:_ChunkSizes = 1, 600 ;"
    values = ", ".join(map(str, range(40 * 600)))
    (here / "d.cdl").write_text(f"netcdf d {{ {form} data: v = {values} ; }}")
    ncz.gen(here / "d.cdl", here / "d.nc", kind="netCDF-4", notify=ignore_notice)
    ncz.copy(here / "d.nc", here / "d.json", notify=ignore_notice)
    sys.addaudithook(_heard)
    _renamed.clear()
    ncz.copy(here / "d.json", here / "d.zarr", notify=ignore_notice)
    assert len([*(here / "d.zarr/v").iterdir()]) >= 40
    assert len(_renamed) <= 2  # the store, and nothing within it
    assert ncz.diff(here / "d.nc", here / "d.zarr", notify=ignore_notice) == []
