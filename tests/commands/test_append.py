"""A dataset that is appended gives the store that the whole dataset would have given."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

import ncz
from ncz.errors import Notice, ZmapError
from ncz.zmap.journal import Journal
from ncz.zmap.key import JOURNAL
from ncz.zmap.local.writable import WritableDirectoryZmap
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
def test_the_store_is_that_of_the_whole_dataset(stores, store, mode, form, tmp_path):
    source = made(tmp_path / "new.zarr", cdl(range(5, 9)), mode)
    new = source if form == "zarr" else source.with_suffix(".cdl")
    summary = ncz.copy(new, store, append="time", verify=True, notify=quiet)
    assert summary.compared > 0
    wanted, found = contents(stores[f"all {mode}"]), contents(store)
    assert found.keys() == wanted.keys()
    padded = mode == "zarr"  # without a fill value, what is beyond the shape is undefined
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


@pytest.mark.parametrize("store", ["zarr,v3"], indirect=True)
def test_whole_chunks_are_copied_without_decoding(tmp_path, store, run: Run):
    first = made(tmp_path / "a.zarr", cdl(range(12)), "zarr,v3")
    new = made(tmp_path / "b.zarr", cdl(range(12, 24)), "zarr,v3")
    ran = run("copy", "--append", "time", "--dry-run", new, first)
    assert "/t  raw  12 to 24  6 chunks" in ran.text.splitlines()
    before = contents(first)
    ran = run("copy", "--append", "time", "--json", "--verify", new, first)
    assert (ran.code, '"raw": 5' in ran.text, '"recode": 1' in ran.text) == (0, True, True)
    after = contents(first)
    assert {key for key in before if before[key] != after[key]} == {
        *(f"{name}/zarr.json" for name in ("time", "t", "gap", "words", "count")),
        "g/u/zarr.json",
        "zarr.json",
        "time/c/0",
    }
    assert ncz.open(first)["t"][1].tolist() == [1000 * t + 1 for t in range(24)]


@pytest.mark.parametrize("mode", ["v3", "zarr,v3"])
def test_shards(tmp_path, mode):
    paths = [tmp_path / f"{name}.zarr" for name in ("a", "b", "all")]
    for path, times in zip(paths, (range(5), range(5, 9), range(9)), strict=True):
        made(path, cdl(times))
        target = f"{path}.sharded#mode={mode}"
        ncz.copy(path, target, chunks=["t:1,2"], shards=["t:2,4"], allow_loss=True, notify=quiet)
    first, new, whole = (f"{path}.sharded" for path in paths)
    ncz.copy(new, first, append="time", verify=True, notify=quiet)
    assert contents(Path(first)) == contents(Path(whole))


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
def test_what_does_not_agree_is_refused(store, tmp_path, text, message):
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


@pytest.mark.parametrize("failing", ["chunk", "document"])
def test_an_error_leaves_what_readers_see(store, tmp_path, monkeypatch, failing):
    before = ncz.dump(store, notify=quiet)
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    put = WritableDirectoryZmap.put

    def full(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        if key == ("g/u/1" if failing == "chunk" else "words/.zarray"):
            monkeypatch.undo()
            raise ZmapError("no space left on the device", key)
        put(zmap, key, value)

    monkeypatch.setattr(WritableDirectoryZmap, "put", full)
    with pytest.raises(ZmapError, match="no space left"):
        ncz.copy(tmp_path / "new.cdl", store, append="time", notify=quiet)
    assert ncz.dump(store, notify=quiet) == before
    ncz.copy(tmp_path / "new.cdl", store, append="time", verify=True, notify=quiet)
    assert ncz.open(store)["time"].shape == (9,)


def test_a_killed_append_is_completed(store, stores, tmp_path, monkeypatch, run: Run):
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    put = WritableDirectoryZmap.put
    is_dead = False

    def killed(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        nonlocal is_dead
        is_dead |= key == "words/.zarray"
        if is_dead:
            raise KeyboardInterrupt
        put(zmap, key, value)

    with monkeypatch.context() as patch:
        patch.setattr(WritableDirectoryZmap, "put", killed)
        patch.setattr(WritableDirectoryZmap, "delete", lambda *_: False)
        with pytest.raises(KeyboardInterrupt):
            ncz.copy(tmp_path / "new.cdl", store, append="time", notify=quiet)
    assert (store / JOURNAL).exists()
    assert "run 'ncz clean'" in run("copy", "--append", "time", tmp_path / "new.cdl", store).stderr
    assert run("clean", store).text.startswith("completed ")
    assert contents(store) == contents(stores["all nczarr"])


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


def test_a_process_that_ended_before_it_changed_anything_is_no_obstacle(store, tmp_path, run: Run):
    (tmp_path / "new.cdl").write_text(cdl(range(5, 9)))
    (store / JOURNAL).write_bytes(Journal(put={}).to_bytes())
    assert run("copy", "--append", "time", tmp_path / "new.cdl", store).code == 0
    assert not (store / JOURNAL).exists()
    members = json.loads(Journal(put={}).to_bytes())
    (store / JOURNAL).write_text(json.dumps({**members, "by": "\nelsewhere 1"}))
    ran = run("copy", "--append", "time", tmp_path / "new.cdl", store)
    assert (ran.code, "began to write this store" in ran.stderr) == (1, True)


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


@pytest.mark.parametrize("journal", [b"", b'{"by": '])
def test_a_journal_of_which_only_a_part_was_written(run: Run, tmp_path, journal):
    """A process that is killed while it creates the journal has changed nothing."""
    text = b"netcdf x { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    target, more = tmp_path / "x.zarr", tmp_path / "more.zarr"
    for each in (target, more):
        assert run("gen", "-", "-o", str(each), stdin=text).code == 0
    (target / JOURNAL).write_bytes(journal)
    assert run("clean", "--dry-run", str(target)).code == 0
    assert (target / JOURNAL).read_bytes() == journal
    assert run("copy", "--append", "x", str(more), str(target)).code == 0
    assert not (target / JOURNAL).exists()
    (target / JOURNAL).write_bytes(journal)
    assert run("clean", str(target)).code == 0
    assert not (target / JOURNAL).exists()
    assert b" v = 1, 2, 1, 2 ;" in run("dump", str(target)).stdout


@pytest.mark.parametrize("mode", ["nczarr,v2", "zarr,v2", "nczarr,v3", "zarr,v3"])
def test_missing_chunks_are_what_readers_take_for_them(tmp_path, mode):
    netcdf4, xarray = pytest.importorskip("netCDF4"), pytest.importorskip("xarray")
    for name, chunks, start in (("a", (0, 1), 0), ("b", (1,), 2)):
        with netcdf4.Dataset(tmp_path / f"{name}.nc", "w") as file:
            file.createDimension("t", None)
            file.createVariable("t", "f8", ("t",))[:] = [start, start + 1]
            for kind, fill in (("v", None), ("w", 7)):
                variable = file.createVariable(kind, "i4", ("t",), chunksizes=(1,), fill_value=fill)
                for chunk in chunks:
                    variable[chunk] = 5
            variable = file.createVariable("u", "i4", ("t",), chunksizes=(1 + start // 2,))
            if name == "a":
                variable[:] = 5
    store = tmp_path / "a.zarr"
    ncz.copy(tmp_path / "a.nc", f"{store}#mode={mode}", notify=quiet)
    ncz.copy(tmp_path / "b.nc", store, append="t", notify=quiet)
    default = netcdf4.default_fillvals["i4"]
    options = {"mask_and_scale": False, "consolidated": False}
    with xarray.open_dataset(store, engine="zarr", **options) as dataset:
        assert dataset["v"].values.tolist() == [5, 5, default, 5]
        assert dataset["w"].values.tolist() == [5, 5, 7, 5]
        assert dataset["u"].values.tolist() == [5, 5, default, default]
    ncz.copy(store, tmp_path / "back.nc", notify=quiet)
    with netcdf4.Dataset(tmp_path / "back.nc") as file:
        assert file["v"][:].mask.tolist() == [False, False, True, False]
        assert file["w"][:].mask.tolist() == [False, False, True, False]
    assert "_NoFill" not in ncz.dump(tmp_path / "back.nc", special=True, notify=quiet)
