"""Files that nccopy writes, printed and copied by ncz; two thirds of its options are long."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.sampled import sampled

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed")
pytestmark = [
    NEEDS_NETCDF_BIN,
    pytest.mark.skipif(shutil.which("nccopy") is None, reason="nccopy is not installed"),
]

KINDS = ["classic", "64-bit offset", "cdf5", "netCDF-4", "netCDF-4 classic model"]
OPTIONS = [
    *(["-k", kind] for kind in KINDS),
    ["-k", "classic", "-u"],
    ["-4", "-u"],
    ["-4", "-d", "0"],
    ["-4", "-d", "9", "-s"],
    ["-7", "-d", "1", "-w"],
    ["-3", "-w"],
    ["-4", "-c", "time/2,y/3,x/4", "-d", "2"],
    ["-4", "-c", "t:1,5,7", "-s", "-d", "5"],
    ["-4", "-V", "t"],
    ["-3", "-v", "time"],
    ["-4", "-F", "t,307,9"],
    ["-4", "-F", "t,32015,3"],
    ["-4", "-F", "t,4,32,8"],
    ["-4", "-F", "t,3"],
    ["-4", "-F", "t,2|1,4"],
    ["-4", "-F", "*,2|1,9|3"],
    ["-4", "-d", "1", "-F", "*,none"],
]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A classic file and a netCDF-4 file that every kind can contain."""
    found = {}
    for form in ("NETCDF3_CLASSIC", "NETCDF4"):
        path = found[form] = tmp_path_factory.mktemp("nccopy") / "source.nc"
        with netCDF4.Dataset(path, "w", format=form) as root:
            for name, size in (("time", None), ("y", 5), ("x", 7), ("n", 4)):
                root.createDimension(name, size)
            root.title = "a file to copy"
            time = root.createVariable("time", "f8", ("time",))
            time.units = "days since 2000-01-01"
            time[:] = np.arange(3)
            t = root.createVariable("t", "f4", ("time", "y", "x"), fill_value=-9)
            t.valid_range = np.array([0, 99], "f4")
            t[:] = np.arange(105).reshape(3, 5, 7)
            t[1, 2] = np.ma.masked
            root.createVariable("name", "S1", ("y", "n"))[:] = np.array(list("abcd" * 5)).reshape(
                5, 4
            )
            root.createVariable("flag", "i1", ("time", "x"))[:] = 1
            root.createVariable("crs", "i4", ())
    return found


@pytest.mark.parametrize(
    ("form", "options"),
    sampled(
        [("NETCDF4", options) for options in OPTIONS]
        + [("NETCDF3_CLASSIC", options) for options in OPTIONS[:6]],
        3,
    ),
    ids=str,
)
def test_a_file_of_nccopy(run, sources, tmp_path, form, options):
    path = tmp_path / "x.nc"
    command = ["nccopy", *options, str(sources[form]), str(path)]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if made.returncode:
        pytest.skip(f"nccopy cannot do this: {made.stderr.strip()[:80]}")
    kind = ncdump(path, "-k")
    assert run("dump", "-k", path).text == kind
    # ncdump 4.9.0 fails for CDF-5 with -s, and takes some netCDF-4 files for others.
    for dump in ([], ["-h", "-s"]) if kind != "cdf5\n" else ([],):
        ours = run("dump", *dump, path)
        assert (ours.code, ours.stderr) == (0, "")
        assert ours.text == ncdump(path, *dump).replace("_IsNetcdf4 = 0", "_IsNetcdf4 = 1")
    ran = run("copy", "--verify", path, tmp_path / "x.zarr")
    assert ran.code == 0, ran.stderr
    ran = run("copy", "-q", tmp_path / "x.zarr", tmp_path / "y.nc")
    assert ran.code == 0, ran.stderr
    assert run("diff", path, tmp_path / "y.nc").text == ""


UNLIMITED_NONE = """netcdf d {
dimensions:
  x = 100 ; y = 50 ;
variables:
  int v(x, y) ; v:_ChunkSizes = 10, 10 ;
  float w(x) ; w:_ChunkSizes = 10 ;
  int s ;
group: g { dimensions: z = 40 ; variables: int u(x, z) ; u:_ChunkSizes = 5, 5 ; }
}
"""


@pytest.mark.parametrize(
    "specs",
    [
        ["/"],
        ["//"],
        ["v:"],
        ["v:contiguous"],
        ["v:Contiguous", "w:compact"],
        ["/g/u:compact"],
        ["v: 20,25"],
        ["x/20,y/"],
    ],
    ids=" ".join,
)
def test_chunkspecs_match_nccopy(run, tmp_path, specs):
    (tmp_path / "d.cdl").write_text(UNLIMITED_NONE)
    assert run("gen", tmp_path / "d.cdl", "-o", tmp_path / "d.nc").code == 0
    options = [word for spec in specs for word in ("-c", spec)]
    # 4.9.0 makes variables contiguous that have chunks of less than 8 KiB, unless -M says more.
    subprocess.run(
        ["nccopy", "-M", "1", *options, str(tmp_path / "d.nc"), str(tmp_path / "theirs.nc")],
        check=True,
        timeout=60,
    )
    assert run("copy", *options, tmp_path / "d.nc", tmp_path / "ours.nc").code == 0

    def storage(name):
        lines = ncdump(tmp_path / name, "-h", "-s").splitlines()
        return [line for line in lines if "_Storage" in line or "_ChunkSizes" in line]

    assert storage("ours.nc") == storage("theirs.nc")


@pytest.mark.parametrize(
    ("form", "arguments", "kind"),
    [
        ("NETCDF3_CLASSIC", ["-d", "5", "-s"], "netCDF-4 classic model"),
        ("NETCDF3_64BIT_OFFSET", ["-d", "1"], "netCDF-4 classic model"),
        ("NETCDF3_CLASSIC", ["-s"], "classic"),
        ("NETCDF3_CLASSIC", [], "classic"),
        ("NETCDF3_CLASSIC", ["-k", "classic", "-s"], "classic"),
        ("NETCDF3_CLASSIC", ["-4", "-d", "5"], "netCDF-4"),
        ("NETCDF3_64BIT_DATA", ["-d", "5"], "netCDF-4"),
    ],
)
def test_filters_make_a_classic_file_netcdf_4(run, tmp_path, form, arguments, kind):
    with netCDF4.Dataset(tmp_path / "a.nc", "w", format=form) as root:
        root.createDimension("x", 1000)
        dtype = "u8" if form == "NETCDF3_64BIT_DATA" else "f4"
        root.createVariable("v", dtype, ("x",))[:] = np.zeros(1000)
    ran = run("copy", "--verify", *arguments, tmp_path / "a.nc", tmp_path / "b.nc")
    assert ran.code == 0, ran.stderr
    assert run("dump", "-k", tmp_path / "b.nc").text.strip() == kind
    with netCDF4.Dataset(tmp_path / "b.nc") as root:
        filters = root["v"].filters() if kind.startswith("netCDF-4") else None
        assert (filters is None or filters["zlib"]) is (filters is None or "-d" in arguments)
    # nccopy changes the kind for shuffle alone, which it ignores; it cannot convert cdf5.
    if "-k" not in arguments and arguments != ["-s"] and form != "NETCDF3_64BIT_DATA":
        subprocess.run(["nccopy", *arguments, tmp_path / "a.nc", tmp_path / "c.nc"], check=True)
        assert run("dump", "-k", tmp_path / "c.nc").text.strip() == (
            "netCDF-4" if "-4" in arguments else kind
        )
