"""Datasets that a server sends by DAP2."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import ncz
from ncz.errors import NczError
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.formats.dap.conftest import OF_DAP2, TEXTS
from tests.sampled import share_of
from tests.servers.dap import DapDataset, Served

HEADER = (Path(__file__).parent / "two.cdl").read_text()


def test_the_header(run, dap):
    ran = run("dump", "-h", f"dods://{dap.address}/two")
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.text == HEADER
    assert {request.partition("?")[0] for request in dap.requests} == {"/two.dds", "/two.das"}


def test_the_values(dap):
    with ncz.open(dap.url("two")) as ds:
        for one in OF_DAP2:
            for part, name in [(p, f"{one.name}.{p.name}") for p in one.parts] or [(one, one.name)]:
                values = ds[name][...]
                expected = part.values
                if name == "signed":
                    expected = expected.view("i1")
                assert values.dtype.kind in (expected.dtype.kind, "T", "U", "O")
                np.testing.assert_array_equal(np.asarray(values, expected.dtype), expected)


def test_an_index_requests_only_its_values(dap):
    large = np.arange(4_000_000, dtype="f8").reshape(400, 100, 100)
    dims = [("t", 400), ("y", 100), ("x", 100)]
    dap.datasets["large"] = DapDataset([Served("v", large, dims)])
    with ncz.open(dap.url("large")) as ds:
        dap.requests.clear()
        assert ds["v"][7, 3, 2] == large[7, 3, 2]
        np.testing.assert_array_equal(ds["v"][390:, 5, ::50], large[390:, 5, ::50])
    sent = [unquote(request) for request in dap.requests]
    assert sent
    for request in sent:
        ends = [part.split(":") for part in request.partition("[")[2][:-1].split("][")]
        count = np.prod([int(last) - int(first) + 1 for first, _, last in ends])
        assert count < 200_000, request


@st.composite
def _arrays(draw):
    dtype = draw(st.sampled_from(["u1", "i2", "u2", "i4", "u4", "f4", "f8", "O"]))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=3, max_side=4))
    if dtype == "O":
        texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
        return draw(arrays.arrays(object, shape, elements=texts))
    return draw(arrays.arrays(dtype, shape))


@given(_arrays(), st.booleans(), st.integers(1, 40))
@settings(max_examples=share_of(150), deadline=None)
def test_any_array_is_read_unchanged(dap, values, is_grid, most):
    dims = [(f"d{axis}", size) for axis, size in enumerate(values.shape)]
    is_grid = is_grid and bool(dims) and values.dtype != object
    dap.datasets["any"] = DapDataset([Served("v", values, dims, maps=is_grid)])
    with open_dataset(parse_location(dap.url("any"))) as opened:
        group = opened.dataset.root
        variable = next(v for v in group.variables if v.name == "v")
        assert tuple(d.size for d in group.dimensions) == values.shape
        names = {v.name for v in group.variables}
        assert names == ({"v", *(name for name, _ in dims)} if is_grid else {"v"})
        assert variable.data is not None
        source = variable.data.split(most)
        for index in source.grid.indices():
            expected = values[source.grid.box(index).slices] if dims else values
            np.testing.assert_array_equal(source.chunk(index), expected)


def test_maps_that_exist_are_not_repeated(dap):
    # A map without a variable with its name becomes one.
    grid = Served("v", np.arange(6, dtype="i4").reshape(2, 3), [("a", 2), ("lat", 3)], maps=True)
    lat = Served("lat", np.array([1, 2, 3], "f4"), [("lat", 3)])
    dap.datasets["maps"] = DapDataset([grid, lat])
    with ncz.open(dap.url("maps")) as ds:
        assert list(ds.variables) == ["v", "lat", "a"]
        assert ds["lat"][:].tolist() == [1, 2, 3]
        assert ds["a"][:].tolist() == [0, 1]


def test_dimensions_of_one_name_and_other_lengths(dap):
    one = Served("a", np.arange(2.0), [("n", 2)])
    other = Served("b", np.arange(3.0), [("n", 3)])
    dap.datasets["lengths"] = DapDataset([one, other, Served("c", np.arange(3.0), [("n", 3)])])
    with ncz.open(dap.url("lengths")) as ds:
        assert ds["a"].dims == ("n",)
        assert ds["b"].dims == ds["c"].dims == ("n_1",)


def test_the_chunks_that_a_server_reports_match_a_copy(run, dap, tmp_path):
    values = np.arange(24, dtype="i4").reshape(4, 6)
    told = {"_ChunkSizes": ("Int32", [2, 3])}
    dap.datasets["chunks"] = DapDataset([Served("v", values, [("y", 4), ("x", 6)], told)])
    assert run("copy", dap.url("chunks"), tmp_path / "c.zarr", "--verify").code == 0
    text = run("dump", "-h", "-s", tmp_path / "c.zarr").text
    assert "v:_ChunkSizes = 2, 3 ;" in text
    assert run("dump", "-h", dap.url("chunks")).text.count("_ChunkSizes") == 0


def test_sequences_are_left_out_by_name(run, dap, tmp_path):
    sequence = Served("log", parts=[Served("z", np.array(1.0))], sequence=True)
    dap.datasets["sequence"] = DapDataset([*OF_DAP2[:1], sequence])
    ran = run("dump", dap.url("sequence"))
    assert "time = 0, 1, 2, 3" in ran.text
    assert (ran.code, "/log: it is a sequence, which ncz cannot read" in ran.stderr) == (1, True)
    assert run("copy", dap.url("sequence"), tmp_path / "s.zarr").code == 1
    ran = run("copy", "--allow-loss", dap.url("sequence"), tmp_path / "s.zarr")
    assert ran.code == 0


def test_attributes_in_containers(dap):
    das = (
        "    HDF_GLOBAL {\n        String made \"by\";\n        Meta { Int32 level 3; }\n    }\n"
        "    Orphan {\n        Float32 x 1.5;\n    }\n    Alias other title;\n"
    )  # fmt: skip
    one = Served("v", np.arange(2.0), [("n", 2)], {"a%20b": ("Int32", [1])})
    dap.datasets["containers"] = DapDataset([one], das=das)
    with ncz.open(dap.url("containers")) as ds:
        assert dict(ds.attrs) == {"made": "by", "Meta.level": 3, "Orphan.x": 1.5}


def test_names_with_slashes_and_flat_containers(dap):
    dds = b"""Dataset {
        Grid { ARRAY: Int16 /A/B/sst[nlat = 2]; MAPS: Float32 /lat[nlat = 2]; } /A/B/sst;
        Structure { Float32 x; } s; Float64 A/t; } x;"""
    das = b"""Attributes { /A/B/sst { String units "K"; Int16 _FillValue -1; }
        s.x { String units "m"; } A/t { Int32 level 7; } }"""
    dap.answers["/flat.dds"], dap.answers["/flat.das"] = (200, {}, dds), (200, {}, das)
    with ncz.open(dap.url("flat")) as ds:
        assert ds["/A/B/sst"].attrs == {"units": "K", "_FillValue": -1}
        assert ds["/A/B/sst"].dims == ds["/lat"].dims == ("nlat",)
        assert ds["s.x"].attrs == {"units": "m"}
        assert ds["/A/t"].attrs == {"level": 7}
        assert dict(ds.attrs) == {}


def test_texts_of_attributes(dap):
    das = (
        '    v {\n String a "one\ntwo \\"q\\" \\\\ \\303\\230";\n'
        '        String b bare words; String c "";\n    }\n'
    )
    dap.datasets["texts"] = DapDataset([], das=das)
    dap.answers["/texts.dds"] = (200, {}, b"Dataset { Float64 v[n = 2]; } x;")
    with ncz.open(dap.url("texts")) as ds:
        assert ds["v"].attrs["a"] == 'one\ntwo "q" \\ Ø'
        assert ds["v"].attrs["b"] == "bare words"
        assert ds["v"].attrs["c"] == ""


def test_other_commands(run, dap, tmp_path):
    url = dap.url("two")
    assert "OPeNDAP, DAP2" in run("info", url).text
    ran = run("copy", "--verify", url, tmp_path / "two.nc")
    assert ran.code == 0, ran.stderr
    assert run("dump", "-k", tmp_path / "two.nc").text == "netCDF-4\n"
    assert run("diff", url, tmp_path / "two.nc").text == ""
    assert run("diff", url, tmp_path / "two.nc").code == 0
    assert "/temp" in run("ls", url).text
    ran = run("copy", "--verify", url, tmp_path / "two.zarr", "--isel", "time=1:3")
    assert ran.code == 0, ran.stderr
    assert "time = 1, 2" in run("dump", "-v", "time", tmp_path / "two.zarr").text
    assert run("copy", url, "--concat", "time", url, tmp_path / "c.zarr").code in (0, 1)


def test_a_dataset_cannot_be_written_to_a_server(run, dap, tmp_path):
    ran = run("copy", dap.url("two"), dap.url("new"))
    assert ran.code == 1
    assert "a dataset on an OPeNDAP server can only be read" in ran.stderr


@pytest.mark.parametrize("command", [["edit", "--set", 'v:a = "b"'], ["consolidate"]])
def test_commands_for_stores_name_the_format(run, dap, command):
    ran = run(*command, dap.url("two"))
    assert ran.code == 1
    assert "this is a dataset on an OPeNDAP server, not a Zarr store; copy it" in ran.stderr


def test_without_a_mode_the_way_is_named(run, dap):
    ran = run("dump", f"http://{dap.address}/two")
    assert (ran.code, "add #mode=dap2" in ran.stderr) == (1, True)


def test_pieces_and_masters(run, dap, tmp_path):
    for number in range(2):
        time = Served("time", np.arange(2.0) + 2 * number, [("time", 2)])
        v = Served(
            "v", np.arange(6, dtype="f4").reshape(2, 3) + 6 * number, [("time", 2), ("x", 3)]
        )
        dap.datasets[f"p{number}"] = DapDataset([time, v], das=EXTRA_TIME)
    urls = [dap.url(f"p{number}") for number in range(2)]
    ran = run("aggregate", tmp_path / "all.nca", *urls, "--axis", "time")
    assert ran.code == 0, ran.stderr
    allowed = ("--allow-target", f"http://{dap.address}/")
    ran = run("dump", "-v", "v,time", tmp_path / "all.nca", *allowed)
    assert ran.code == 0, ran.stderr
    assert "time = 0, 1, 2, 3" in ran.text
    assert "9, 10, 11" in ran.text


def test_a_master_on_a_server(run, dap):
    for number in range(2):
        values = np.arange(3, dtype="f4") + 3 * number
        dap.datasets[f"piece{number}"] = DapDataset([Served("v", values, [("x", 3)])])
    partitions = [
        {
            "index": [number],
            "location": [[3 * number, 3 * number + 2]],
            "subarray": {"ncvar": "v", "file": f"piece{number}", "format": "netCDF", "shape": [3]},
        }
        for number in range(2)
    ]
    attributes = {
        "cf_role": ("String", ["cfa_variable"]),
        "cfa_dimensions": ("String", ["x"]),
        "cfa_array": ("String", [json.dumps({"Partitions": partitions, "pmshape": [2]})]),
    }
    x = Served("x", np.arange(6.0), [("x", 6)])
    master = [x, Served("v", np.array(0, "f4"), attributes=attributes)]
    dap.datasets["master"] = DapDataset(master, {"Conventions": ("String", ["CFA-0.4"])})
    ran = run("dump", "-v", "v", dap.url("master"))
    assert ran.code == 0, ran.stderr
    assert "v = 0, 1, 2, 3, 4, 5 ;" in ran.text


EXTRA_TIME = '    DODS_EXTRA {\n        String Unlimited_Dimension "time";\n    }\n'


def test_xarray(dap):
    xr = pytest.importorskip("xarray", reason="xarray is not installed")
    with xr.open_dataset(dap.url("two"), engine="ncz") as ds:
        assert ds["temp"].dims == ("time", "lat", "lon")
        assert np.isnan(ds["temp"].values[0, 0, 0])
        assert str(ds["time"].values[1])[:10] == "2000-01-02"
        assert ds["names"].values.tolist() == TEXTS.tolist()


@pytest.mark.parametrize(
    ("constraint", "names"),
    [
        ("lat,s", ["lat", "s"]),
        ("temp", ["time", "lat", "lon", "temp"]),
        ("temp.temp", ["temp"]),
        ("part,many.x", ["part.x", "part.y", "many.x"]),
        ("with%20blank,g/inner", ["with blank", "/g/inner"]),
    ],
)
def test_a_constraint_chooses_variables(run, dap, constraint, names):
    url = f"http://{dap.address}/two?{constraint}#mode=dap2"
    with ncz.open(url) as ds:
        found = [*ds.variables, *(f"/g/{name}" for g in ds.groups.values() for name in g.variables)]
        assert sorted(found) == sorted(names)
        assert ds.attrs["title"] == "served"
    assert run("dump", url).code == 0


@pytest.mark.parametrize("protocol", ["dap2", "dap4"])
@pytest.mark.parametrize("constraint", ["lat[0:1:2]", "lat&lat>3", "mean(lat)", "lat,", "lat|x<2"])
def test_other_constraints_are_refused(dap, protocol, constraint):
    sent = constraint if protocol == "dap2" else constraint.replace(",", ";")
    with pytest.raises(NczError, match="can only name whole variables"):
        ncz.open(f"http://{dap.address}/two?{sent}#mode={protocol}")


def test_a_constraint_with_a_name_that_does_not_exist(dap):
    with pytest.raises(NczError, match="no variable is named 'lats'; did you mean 'lat'"):
        ncz.open(f"http://{dap.address}/two?lats#mode=dap2")
    with pytest.raises(NczError, match="no variable is named 'g/bug'; did you mean 'g/big'"):
        ncz.open(f"http://{dap.address}/four?dap4.ce=/g/bug#mode=dap4")
    with ncz.open(f"http://{dap.address}/four?dap4.ce=/g/big;/time#mode=dap4") as ds:
        assert list(ds.variables) == ["time"]
        assert list(ds["g"].variables) == ["big"]
