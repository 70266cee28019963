"""A dataset that is appended gives the store that the whole dataset would have given."""

from __future__ import annotations

import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

import ncz
from ncz.errors import Notice
from tests.conftest import Run

MODES = ["nczarr", "zarr", "v3", "zarr,v3"]
UNITS = "days since 2000-01-01"


def quiet(_: Notice) -> None:
    """Discard a notice."""


def cdl(times: range, *, units: str = UNITS, lat: str = "10, 20", title: str = "t") -> str:
    """Return the CDL of a dataset of these times; `gap` has chunks without values."""
    count = len(times)
    values = ", ".join(str(1000 * t + x) for t in times for x in range(2))
    rows = ["{" + ", ".join(str(1000 * t + x) for t in times) + "}" for x in range(2)]
    filled = ", ".join("_" if t < 6 or x else str(t) for t in times for x in range(2))
    words = ", ".join(f'"w{t}"' for t in times)
    return f"""netcdf s {{
dimensions: time = UNLIMITED ; lat = 2 ;
variables: double time(time) ; time:units = "{units}" ; float lat(lat) ;
 int t(lat, time) ; t:_ChunkSizes = 1, 4 ; t:_Shuffle = "true" ; t:_DeflateLevel = 1 ;
 int gap(time, lat) ; gap:_ChunkSizes = 3, 1 ; gap:_FillValue = -1 ;
 string words(time) ; words:_ChunkSizes = 2 ; int count(time, lat) ; count:_ChunkSizes = 2, 2 ;
 :title = "{title}" ;
data: time = {", ".join(map(str, times))} ; lat = {lat} ;
 t = {", ".join(rows)} ;
 gap = {filled} ; words = {words} ; count = {values} ;
group: g {{ variables: short u(time) ; u:_ChunkSizes = 4 ;
 data: u = {", ".join(str(7 * t) for t in range(times.start, times.start + count))} ; }}
}}
"""


def made(path: Path, text: str, mode: str = "nczarr") -> Path:
    source = path.with_suffix(".cdl")
    source.write_text(text)
    ncz.gen(source, f"{path}#mode={mode}", modes=["consolidated"], overwrite=True, notify=quiet)
    return path


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A store of each mode with 5 times, and one with all 9."""
    folder = tmp_path_factory.mktemp("stores")
    found = {mode: made(folder / f"{mode}.zarr", cdl(range(5)), mode) for mode in MODES}
    found |= {f"all {m}": made(folder / f"all-{m}.zarr", cdl(range(9)), m) for m in MODES}
    return found


@pytest.fixture
def store(stores, tmp_path, request) -> Path:
    """A copy of the store of a mode with 5 times."""
    target: Path = tmp_path / "s.zarr"
    shutil.copytree(stores[getattr(request, "param", "nczarr")], target)
    return target


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(("store", "mode"), [(m, m) for m in MODES], indirect=["store"])
@pytest.mark.parametrize("form", ["cdl", "zarr"])
def test_the_store_matches_the_whole_dataset(stores, store, mode, form, tmp_path):
    source = made(tmp_path / "new.zarr", cdl(range(5, 9)), mode)
    new = source if form == "zarr" else source.with_suffix(".cdl")
    summary = ncz.copy(new, store, append="time", verify=True, notify=quiet)
    assert summary.compared > 0
    wanted, found = contents(stores[f"all {mode}"]), contents(store)
    assert found.keys() == wanted.keys()
    padded = mode == "zarr"  # without a fill value, elements outside the shape are undefined
    differ = {key for key in wanted if found[key] != wanted[key]}
    assert not [key for key in differ if not (padded and key[-1].isdigit())]
    whole = ncz.dump(stores[f"all {mode}"], notify=quiet).partition("{")
    assert ncz.dump(store, notify=quiet).partition("{")[1:] == whole[1:]
    assert ncz.check(store, data=True).is_clean


def test_appending_twice_in_another_layout(store, stores, tmp_path):
    for number, times in enumerate((range(5, 8), range(8, 9))):
        text = cdl(times).replace("1, 4 ;", "2, 1 ;").replace("= 3, 1 ;", "= 1, 2 ;")
        new = made(tmp_path / f"{number}.zarr", text)
        ncz.copy(new, store, append="/time", notify=quiet)
    whole = ncz.dump(stores["all nczarr"], notify=quiet)
    assert ncz.dump(store, notify=quiet) == whole.replace("netcdf all-nczarr", "netcdf s")


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
@pytest.mark.parametrize("store", ["zarr", "zarr,v3"], indirect=True)
def test_xarray_reads_it(store, tmp_path):
    xarray = pytest.importorskip("xarray")
    new = made(tmp_path / "new.zarr", cdl(range(5, 9)), "zarr")
    ncz.copy(new, store, append="time", notify=quiet)
    for consolidated in (True, False):
        with xarray.open_zarr(store, consolidated=consolidated, decode_times=False) as dataset:
            assert dataset.time.values.tolist() == list(range(9))
            assert dataset.t.values[1].tolist() == [1000 * t + 1 for t in range(9)]


def test_a_netcdf_file_is_appended(store, stores, tmp_path):
    ncz.gen(made(tmp_path / "n.zarr", cdl(range(5, 9))).with_suffix(".cdl"), tmp_path / "n.nc")
    ncz.copy(tmp_path / "n.nc", store, append="time", verify=True, notify=quiet)
    whole = ncz.dump(stores["all nczarr"], notify=quiet)
    assert ncz.dump(store, notify=quiet) == whole.replace("netcdf all-nczarr", "netcdf s")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            cdl(range(5, 9), units="hours"),
            r'attribute units of /time is "hours", but "days since 2000-01-01" in',
        ),
        (cdl(range(5, 9), lat="10, 21"), r"/lat: \[1\] is 21.0, not 20.0"),
        (cdl(range(5, 9)).replace("short u", "int u"), "/g/u: the type is int, not short"),
        (cdl(range(5, 9)).replace("gap(time, lat)", "gap(time)"), "dimensions of /gap differs"),
        (cdl(range(5, 9)).replace("lat = 2", "lat = 3"), "dimension lat of / differs"),
        (cdl(range(5, 9)).replace("words", "names"), "variable /words is missing"),
        (cdl(range(5, 9)).replace(" :title", " int more ; :title"), "/more is not expected"),
        (
            cdl(range(5, 9)).replace("gap:_FillValue = -1 ;", ""),
            "/gap: it has netCDF's default fill value -2147483647, and no _FillValue",
        ),
    ],
)
def test_datasets_that_do_not_agree_are_refused(store, tmp_path, text, message):
    before = contents(store)
    (tmp_path / "new.cdl").write_text(text)
    with pytest.raises(ncz.NczError, match=message):
        ncz.copy(tmp_path / "new.cdl", store, append="time", notify=quiet)
    assert contents(store) == before


def test_attributes_of_groups_are_kept_with_a_notice(store, tmp_path):
    notices: list[Notice] = []
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9), title="other"))
    ncz.copy(tmp_path / "new.cdl", store, append="time", notify=notices.append)
    assert [n.code for n in notices] == ["attributes-differ"]
    assert ':title = "t" ;' in ncz.dump(store, header_only=True, notify=quiet)


@pytest.mark.parametrize("mode", MODES)
def test_a_zip_file_is_written_again(stores, tmp_path, mode):
    zipped = tmp_path / "s.zip"
    ncz.copy(stores[mode], zipped, notify=quiet)
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    summary = ncz.copy(tmp_path / "new.cdl", zipped, append="time", verify=True, notify=quiet)
    assert summary.chunks
    assert {p.name for p in tmp_path.iterdir()} == {"s.zip", "new.cdl"}
    folder = tmp_path / "s.zarr"
    ncz.copy(stores[mode], folder, notify=quiet)
    ncz.copy(tmp_path / "new.cdl", folder, append="time", notify=quiet)
    with ZipFile(zipped) as found:
        assert len(found.namelist()) == len(set(found.namelist()))
        files = {n: found.read(n) for n in found.namelist() if not n.endswith("/")}
        assert {n.removeprefix("nczarr/"): data for n, data in files.items()} == contents(folder)


def test_variables_of_user_defined_types(tmp_path):
    types = (
        "netcdf s { types: byte enum e {clear = 0, cloudy = 1} ; opaque(2) o ;"
        " compound c { int a ; float b(2) ; } ; int(*) l ;"
        " dimensions: time = UNLIMITED ; variables: e sky(time) ; o raw(time) ; c pair(time) ;"
        " l list(time) ; int n(time) ;"
        " data: sky = %s ; raw = %s ; pair = %s ; list = %s ; n = %s ; }"
    )

    def text(times: range) -> str:
        return types % (
            ", ".join("cloudy" if t % 2 else "clear" for t in times),
            ", ".join(f"0X{t:04X}" for t in times),
            ", ".join(f"{{{t}, {{{t}, {t + 1}}}}}" for t in times),
            ", ".join(f"{{{str([*range(t)])[1:-1]}}}" for t in times),
            ", ".join(map(str, times)),
        )

    for version in ("v2", "v3"):
        first = made(tmp_path / f"{version}.zarr", text(range(1, 6)), f"nczarr,{version}")
        whole = made(tmp_path / f"{version}-all.zarr", text(range(1, 10)), f"nczarr,{version}")
        new = made(tmp_path / f"{version}-new.zarr", text(range(6, 10)), "nczarr")
        ncz.copy(new, first, append="time", verify=True, notify=quiet)
        assert ncz.diff(first, whole, notify=quiet) == []
        assert contents(first).keys() == contents(whole).keys()


def test_other_options_are_refused(store, tmp_path, run: Run):
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    ran = run("copy", "--append", "time", "-d", "5", tmp_path / "new.cdl", store)
    assert (ran.code, "--deflate cannot be used with --append" in ran.stderr) == (2, True)
    ran = run("copy", "--append", "level", tmp_path / "new.cdl", store)
    assert (ran.code, "no variable has the dimension level" in ran.stderr) == (1, True)
