"""Filters that store numbers in a smaller type, and shuffle, lose nothing in silence."""

from __future__ import annotations

import json

import pytest

CDL = """netcdf x {{
dimensions: time = 7 ; x = 3 ;
variables:
    double v(time, x) ;
        v:_ChunkSizes = 5, 2 ;
        v:_Codecs = "[{codec}]" ;
data:
    v = 270, 271, 272.5, {value}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 ;
}}"""
SCALED = r"{\"id\": \"fixedscaleoffset\", \"offset\": 0, \"scale\": 100, \"dtype\": \"<f8\", "
SCALED += r"\"astype\": \"<i2\"}"


def test_chunks_at_the_edge_need_no_place_for_the_fill_value(run, tmp_path):
    text = CDL.format(codec=SCALED, value=273)
    assert run("gen", "-", "-o", tmp_path / "x.zarr", "-q", stdin=text).code == 0
    numbers = "v = 270, 271, 272.5, 273, 1"
    assert numbers in " ".join(run("dump", tmp_path / "x.zarr").text.split()).replace("\n", "")
    for options in ([], ["-c", "v:2,3"]):
        ran = run("copy", "-q", "--verify", *options, tmp_path / "x.zarr", tmp_path / "y.zarr",
                  "--overwrite")  # fmt: skip
        assert (ran.code, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("value", "shown"), [("_", "9.969209968386869e+36"), ("400", "400.0"), ("NaN", "nan")]
)
def test_a_value_that_does_not_fit_is_an_error(run, tmp_path, value, shown):
    text = CDL.format(codec=SCALED, value=value)
    ran = run("gen", "-", "-o", tmp_path / "x.zarr", stdin=text)
    assert ran.code == 1
    assert f"fixedscaleoffset cannot store {shown} as <i2" in ran.stderr
    assert not (tmp_path / "x.zarr").exists()


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")
@pytest.mark.parametrize("options", [[], ["--cloud"], ["--zarr-format", "3"], ["--mode", "nczarr"]])
@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8"])
def test_zarr_python_decodes_shuffled_and_checked_data_of_netcdf_c(run, tmp_path, dtype, options):
    """HDF5 shuffles the checksum of netCDF-C, which is half an element of double, too."""
    netcdf4, zarr = pytest.importorskip("netCDF4"), pytest.importorskip("zarr")
    source, copy, back = (tmp_path / name for name in ("x.nc", "x.zarr", "y.nc"))
    with netcdf4.Dataset(source, "w") as file:
        file.createDimension("x", 11)
        how = {"zlib": True, "shuffle": True, "fletcher32": True}
        file.createVariable("v", dtype, ("x",), chunksizes=(4,), **how)[:] = range(11)
    ran = run("copy", *options, source, copy)
    assert (ran.code, ran.stderr) == (0, "")
    assert zarr.open_group(copy, mode="r")["v"][:].tolist() == [*range(11)]
    assert run("copy", copy, back).code == 0
    assert run("diff", source, back).code == 0


def test_a_reference_set_says_which_chunks_others_do_not_decode(run, tmp_path):
    netcdf4 = pytest.importorskip("netCDF4")
    source, references = tmp_path / "x.nc", tmp_path / "x.json"
    with netcdf4.Dataset(source, "w") as file:
        file.createDimension("x", 11)
        file.createVariable("v", "f8", ("x",), zlib=True, fletcher32=True)[:] = range(11)
    ran = run("copy", "--inline", "0", source, references)
    cannot = "xarray and zarr-python cannot decode shuffle of a part of an element (/v)"
    assert (ran.code, cannot in ran.stderr) == (0, True)
    ran = run("check", "--for", "xarray", "--allow-target", tmp_path, references)
    assert "shuffle of a part of an element" in ran.text
    ran = run("copy", "--for", "xarray", source, references, "--overwrite")
    assert (ran.code, ran.stderr) == (0, "")  # the set contains the values itself


NARROWED: dict[str, dict[str, object]] = {
    "fixedscaleoffset": {"offset": 0, "scale": 2, "dtype": "<f8", "astype": "<i2"},
    "delta": {"dtype": "<f8", "astype": "<f4"},
    "astype": {"encode_dtype": "<i4", "decode_dtype": "<f8"},
    "zlib": {"level": 1},
    "fletcher32": {},
    "crc32": {},
}


@pytest.mark.parametrize("first", NARROWED)
def test_shuffle_divides_the_elements_that_it_gets(run, tmp_path, first):
    zarr = pytest.importorskip("zarr")
    chain = [{"id": first, **NARROWED[first]}, {"id": "shuffle", "elementsize": 8}, {"id": "zlib"}]
    codecs = json.dumps(chain).replace('"', '\\"')
    text = CDL.format(codec="", value=273).replace('"[]"', f'"{codecs}"')
    assert run("gen", "-", "-o", tmp_path / "x.zarr", "-q", "--mode", "zarr", stdin=text).code == 0
    found = zarr.open_group(tmp_path / "x.zarr", mode="r")["v"][:]
    expected = [270, 271, 272.5, 273, *range(1, 18)]
    if first == "astype":
        expected[2] = 272
    assert found.ravel().tolist() == expected
