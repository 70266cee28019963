"""Pictures as text and as PNG files."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import NO_CALLBACKS, ignore_notice
from ncz.zmap.location import location_of
from tests.conftest import ROOT, Run

GOLDEN = ROOT / "tests" / "golden" / "view"

CDL = """netcdf p { types: opaque(2) blob_t ;
dimensions: time = 3 ; lat = 4 ; lon = 6 ; lev = 2 ; nv = 2 ; n = 40 ;
  u = UNLIMITED ;
variables:
  double time(time) ; time:units = "days since 2026-01-01" ;
  float lat(lat) ; lat:units = "degrees_north" ; lat:bounds = "lat_bnds" ;
  float lat_bnds(lat, nv) ;
  float lon(lon) ; lon:units = "degrees_east" ;
  float lev(lev) ; lev:units = "hPa" ; lev:positive = "down" ;
  short t(time, lat, lon) ; t:units = "K" ; t:long_name = "temperature" ;
    t:scale_factor = 0.5 ; t:_FillValue = -1s ;
  float cross(lev, lat) ; float wave(n) ; float one ; float later(u) ;
  string name(n) ; int none(lat, lon) ; blob_t blob ;
data:
  time = 0, 1, 2 ; lat = 40, 45, 50, 55 ; lon = 0, 10, 20, 30, 40, 50 ; lev = 1000, 500 ;
  lat_bnds = 38, 42, 43, 47, 48, 52, 53, 57 ;
  t = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, -1, 22, -1,
     100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117,
     118, 119, 120, 121, 122, 123,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 ;
  cross = 1, 2, 3, 4, 5, 6, 7, 8 ; one = 2.5 ;
  wave = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, _, _, -1, -2, -3, -4, -5, -6,
     -7, -8, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1 ; }
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("view")
    (folder / "p.cdl").write_text(CDL)
    ncz.gen(folder / "p.cdl", folder / "p.zarr", notify=ignore_notice)
    return folder / "p.zarr"


@pytest.fixture
def shown(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that returns the text of a picture."""
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("COLUMNS", "80")

    def show(*arguments: str) -> str:
        ran = run("view", store, "--text", *arguments)
        assert ran.code == 0, ran.stderr
        return ran.stdout.decode()

    return show


@pytest.mark.parametrize("depth", ["full", "256", "16", "none"])
@pytest.mark.parametrize("width", [32, 60, 100])
def test_pictures_do_not_change(shown, width, depth):
    """Compare with texts that were looked at in a terminal."""
    found = shown("t", "--width", str(width), "--height", "24", "--colors", depth)
    assert found == (GOLDEN / f"map.{width}.{depth}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [32, 60, 100])
def test_lines_do_not_change(shown, width):
    found = shown("wave", "--width", str(width), "--height", "16")
    assert found == (GOLDEN / f"line.{width}.txt").read_text(encoding="utf-8")
    assert all(len(line) <= width for line in found.splitlines())


@pytest.mark.parametrize(
    ("said", "depth"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm-256color"}, "full"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "xterm"}, "16"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, "none"),
    ],
)
def test_the_terminal_says_its_width_and_colours(shown, monkeypatch, said, depth):
    for name in ("COLORTERM", "TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "60", "LINES": "25", **said}.items():
        monkeypatch.setenv(name, value)
    assert shown("t") == (GOLDEN / f"map.60.{depth}.txt").read_text(encoding="utf-8")


def test_a_picture_has_the_values(shown):
    """Each of the 24 values is a shade that follows from it, north above and west on the left."""
    lines = shown("t", "--colors", "none", "--width", "40", "--height", "14", "--range", "0:12")
    rows = [line[12:].ljust(24) for line in lines.splitlines()[2:-3]]
    values = np.arange(24).reshape(4, 6) * 0.5
    values[3, 3] = values[3, 5] = np.nan
    shades = " ░▒▓█"
    for row, line in zip(values[::-1], _spread(rows, 4), strict=True):
        for value, shade in zip(row, _spread(line, 6), strict=True):
            expected = " " if np.isnan(value) else shades[1 + int(min(value / 12 * 3, 3))]
            assert shade == expected


def _spread(items, count):
    """Return one item of each of a number of equal parts."""
    assert len(items) % count == 0
    return items[:: len(items) // count]


def test_cut_and_missing_parts_are_reported(shown):
    lines = shown("t").splitlines()
    assert lines[0] == "t: temperature (K)"
    assert lines[1] == "time = 2026-01-01"
    assert lines[-2].strip() == "lat by lon"
    assert lines[-1].split()[0] == "0"
    assert lines[-1].split()[-1] == "11"
    later = shown("t", "--isel", "time=1").splitlines()
    assert later[1] == "time = 2026-01-02"
    assert later[-1].split()[0] == "50"
    by_date = shown("t", "--sel", "time=2026-01-02:2026-01-02")
    assert by_date.splitlines() == later


def test_axes_match_cf_or_of_the_option(shown):
    up = shown("cross", "--colors", "none").splitlines()
    assert "lev by lat" in up[-2]
    assert up[1].split()[0] == "500"  # the upper level, as pressure grows downwards
    swapped = shown("cross", "--axes", "lev,lat", "--colors", "none")
    assert "lat by lev" in swapped
    line = shown("t", "--axes", "time").splitlines()
    assert line[1] == "lat = 40, lon = 0"
    assert line[-1].strip() == "time"
    assert line[-2].split() == ["2026-01-01", "2026-01-03"]


def test_the_range_can_be_chosen(shown):
    def ends(*arguments: str) -> list[str]:
        words = shown("t", *arguments).splitlines()[-1].split()
        return [words[0], words[-1]]

    assert ends("--range", "2:8") == ["2", "8"]
    assert ends("--range=-4:") == ["-4", "11"]
    assert ends("--colormap", "polar") == ["-11", "11"]
    low, high = map(float, ends("--range", "robust"))
    assert 0 < low < high < 11


def test_the_largest_variable_is_the_default(shown):
    assert shown() == shown("t")
    assert shown("one").splitlines() == ["one", "2.5"]
    assert shown("none").splitlines()[1] == "all values are missing"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["blob"], "its values are not numbers"),
        (["x"], "no variable is named 'x'"),
        (["t", "--axes", "q"], "has no dimension 'q'"),
        (["t", "--range", "a"], "write LOW:HIGH"),
        (["later"], "it has no values"),
    ],
)
def test_errors_are_one_line(run, store, arguments, said):
    ran = run("view", store, "--text", *arguments)
    assert ran.code in (1, 2)
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_names_cannot_control_the_terminal(run, tmp_path):
    text = 'netcdf x { dimensions: n = 3 ; variables: int v(n) ; v:long_name = "a\\x1b[31m\\nb" ;'
    (tmp_path / "x.cdl").write_text(text + ' v:units = "\\u202e" ; data: v = 1, 2, 3 ; }')
    found = run("view", tmp_path / "x.cdl", "--colors", "none").stdout
    assert b"\x1b" not in found
    assert "\u202e".encode() not in found


def test_a_picture_reads_no_more_than_the_limit(run, tmp_path):
    text = "netcdf x { dimensions: y = 64 ; x = 64 ; variables: int v(y, x) ;"
    (tmp_path / "x.cdl").write_text(text + " v:_ChunkSizes = 8, 8 ; data: v = 1 ; }")
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    ran = run("view", tmp_path / "x.zarr", "--text", "--memory", "4096")
    assert ran.code == 1
    assert "needs 16.4 kB of chunks, more than 4.1 kB; use --stride 16" in ran.stderr
    ran = run("view", tmp_path / "x.zarr", "--text", "--memory", "4096", "--stride", "16")
    assert ran.code == 0
    assert "every 16 along y, every 16 along x" in ran.text


def pixels(data: bytes) -> tuple[np.ndarray, bytes]:
    """Return the numbers of colours of a PNG file, and its palette."""
    parts, at = {}, 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        parts[data[at + 4 : at + 8]] = body = data[at + 8 : at + 8 + size]
        assert (
            zlib.crc32(data[at + 4 : at + 8] + body)
            == struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]
        )
        at += 12 + size
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), "u1").reshape(height, width + 1)
    return rows[:, 1:], parts[b"PLTE"]


def test_png_files(run, store, tmp_path):
    target = tmp_path / "t.png"
    assert run("view", store, "t", "--plain", "--png", target).code == 0
    numbers, colors = pixels(target.read_bytes())
    assert numbers.shape == (4, 6)
    assert (numbers[0] == 255).tolist() == [False, False, False, True, False, True]
    assert (numbers[-1, 0], numbers[0, 4]) == (0, 254)
    assert len(colors) == 3 * 256
    assert (
        run("view", store, "t", "--plain", "--png", target, "--size", "60x20").code == 0
    )  # replaced
    assert pixels(target.read_bytes())[0].shape == (20, 60)
    assert run("view", store, "wave", "--plain", "--png", target, "--size", "80x30").code == 0
    line = pixels(target.read_bytes())[0] != 255
    assert line.shape == (30, 80)
    assert line[0].any()
    assert line[-1].any()
    other = tmp_path / "other"
    other.write_text("text")
    refused = run("view", store, "t", "--png", other)
    assert (refused.code, other.read_text()) == (1, "text")
    assert run("view", store, "t", "--png", "-").stdout.startswith(b"\x89PNG")
    assert run("view", store, "t", "--png", target, "--size", "0x9").code == 2


NAMED = """netcdf f { types: byte enum sky_t { cloudy = 0, clear = 1, rain = 5 } ;
dimensions: x = 6 ; y = 3 ; n = 4 ;
variables: sky_t sky(y, x) ; int x(x) ; string s(x) ; char c(y, x, n) ; char one(n) ; string empty ;
  byte flag(x) ; flag:flag_masks = 1b, 2b ; flag:flag_meanings = "wet cold" ;
data: sky = 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1 ; flag = 0, 1, 2, 3, 0, 0 ;
  x = 10, 20, 30, 40, 50, 60 ; s = "a", "é", "", "a\x1b[31m", "a long text", "f" ;
  c = "ab", "c", "defg", "", "h", "i" ; one = "word" ; empty = "" ; }"""


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    (folder / "f.cdl").write_text(NAMED, encoding="utf-8")
    ncz.gen(folder / "f.cdl", folder / "f.nc", notify=ignore_notice)
    return folder / "f.nc"


def test_text_is_a_table(named, run):
    assert ncz.view(named, "s", width=12, height=8).splitlines() == [
        "s", "10  a", "20  é", "30", "40  a\x1b[31m", "50  a lon...", "... and 1 more",
    ]  # fmt: skip
    assert ncz.view(named, "c", isel={"x": slice(1, 3)}).splitlines() == ["c", "20  c", "30  defg"]
    assert ncz.view(named, "one").splitlines() == ["one", "word"]
    assert ncz.view(named, "empty").splitlines() == ["empty"]
    shown = run("view", named, "s", "--text", "--colors", "none").stdout
    assert b"\x1b" not in shown


def test_values_of_enums_and_flags_have_their_names(named):
    lines = ncz.view(named, "sky", width=60, height=20).splitlines()
    assert lines[:2] == ["sky", "0 cloudy, 1 clear"]  # rain does not occur
    assert ncz.view(named, "flag").splitlines()[1] == "1 wet, 2 cold, 3 wet, cold"


VERTICAL = """netcdf v {{ dimensions: z = 3 ; x = 2 ;
variables: {} ; int v(z, x) ; data: {} ; v = 1, 1, 2, 2, 3, 3 ; }}"""


@pytest.mark.parametrize(
    ("declared", "data", "top"),
    [
        ('float z(z) ; z:units = "hPa"', "z = 1000, 500, 10", 3),  # as ERA5, without `positive`
        ('float z(z) ; z:units = "Pa"', "z = 10, 500, 1000", 1),
        ('float z(z) ; z:units = "hPa" ; z:positive = "up"', "z = 1000, 500, 10", 1),
        ('float z(z) ; z:units = "m" ; z:standard_name = "depth"', "z = 1, 5, 9", 1),
        ('float z(z) ; z:units = "m" ; z:standard_name = "height"', "z = 1, 5, 9", 3),
        ('float z(z) ; z:units = "1"', "z = 1, 5, 9", 1),
        ('float y(z, x) ; y:units = "degrees_north"', "y = 1, 2, 3, 4, 5, 6", 3),
        ('float y(z, x) ; y:standard_name = "latitude"', "y = 6, 5, 4, 3, 2, 1", 1),
        ('float y(z, x) ; y:units = "degrees_east"', "y = 1, 2, 3, 4, 5, 6", 1),
    ],
)
def test_higher_values_are_drawn_above(tmp_path, declared, data, top):
    from ncz.commands.sources import open_any
    from ncz.commands.view.scene import scene_of

    (tmp_path / "v.cdl").write_text(VERTICAL.format(declared, data))
    with open_any(location_of(tmp_path / "v.cdl"), NO_CALLBACKS) as dataset:
        values = scene_of(dataset, "/v", most=(9, 9)).values
    assert values[:, 0].tolist() == ([1, 2, 3] if top == 1 else [3, 2, 1])


def test_heights_and_times_fill_the_terminal(tmp_path):
    """A map keeps its shape, so that a map of 700 times and 4 longitudes would have two columns."""
    values = ", ".join(["1"] * 2800)
    (tmp_path / "x.cdl").write_text(
        "netcdf x { dimensions: time = 700 ; lon = 4 ; y = 700 ; x = 4 ;"
        f" variables: int v(time, lon) ; int w(y, x) ; data: v = {values} ; w = {values} ; }}"
    )
    filled, kept = (
        ncz.view(tmp_path / "x.cdl", name, width=60, height=20).splitlines() for name in "vw"
    )
    assert filled[1] == "every 50 along time"
    assert kept[1] == "every 50 along y, every 4 along x"
    assert filled[3].split() == ["░" * 48]
    assert kept[3].split() == ["░░"]  # two characters are a square


def test_the_picture_of_the_documentation_matches_its_command(run, tmp_path):
    """Letters may differ between versions of Pillow, which has the font."""
    image = pytest.importorskip("PIL.Image")
    source, drawn = tmp_path / "weather.nc", tmp_path / "map.png"
    assert run("gen", ROOT / "cdl_examples" / "weather.cdl", "-o", source).code == 0
    assert run("view", source, "temperature", "--png", drawn).code == 0
    for page in ("README.md", "docs/index.md", "docs/reference/view.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "ncz view weather.nc temperature --png map.png" in text
    shown = ROOT / "docs" / "pictures" / "map.png"
    found, known = (np.asarray(image.open(path).convert("RGB")) for path in (drawn, shown))
    assert found.shape == known.shape
    assert (found != known).any(axis=-1).mean() < 0.02


def test_rows_that_are_not_printed_do_not_count_as_read(run: Run, tmp_path):
    rows = ", ".join('"x"' for _ in range(400))
    cdl = tmp_path / "x.cdl"
    cdl.write_text(
        f"netcdf x {{dimensions: n = 400; l = 64; variables: char v(n, l); v:_ChunkSizes = 1, 64;"
        f" data: v = {rows};}}"
    )
    assert run("gen", cdl, "-o", tmp_path / "x.zarr").code == 0
    ran = run("view", tmp_path / "x.zarr", "v", "--text", "--memory", "4096")
    assert (ran.code, ran.stderr) == (0, "")
    assert "more" in ran.text.splitlines()[-1]


def test_each_colour_map_can_be_chosen_and_reversed(shown):
    from ncz.views.colormaps import COLORMAPS

    pictures = {
        shown("t", "--colormap", name, "--colors", "full", "--range", "-11:11", *turned)
        for name in COLORMAPS
        for turned in ([], ["--reverse"])
    }
    assert len(pictures) == 2 * len(COLORMAPS)
    plain, turned = (shown("t", "--colors", "none", *given) for given in ([], ["--reverse"]))
    assert plain != turned
    assert plain.translate(str.maketrans("░▒▓█", "█▓▒░")) == turned
    with pytest.raises(ncz.NczError, match="colormap cannot be 'jet'; choose"):
        ncz.view("x.zarr", colormap="jet")  # type: ignore[arg-type]


LOGARITHMIC = """netcdf l { dimensions: y = 2 ; x = 3 ; n = 3 ;
variables: float v(y, x) ; float w(n) ; float none(n) ; float a(n) ; a:units = "degrees" ;
data: v = 0.01, 1, 100, 0, -3, 10 ; w = 1, 10, 100 ; none = 0, -1, -2 ; a = 10, 20, 30 ; }"""


@pytest.fixture(scope="module")
def logarithmic(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "l.cdl"
    path.write_text(LOGARITHMIC)
    return path


def test_ends_suit_the_kind_of_a_colour_map(logarithmic):
    def ends(variable: str, **given: Any) -> list[str]:
        words = ncz.view(logarithmic, variable, **given).splitlines()[-1].split()
        return [words[0], words[-1]]

    assert ends("v", colormap="polar") == ["-100", "100"]
    words = ncz.view(logarithmic, "v", colormap="polar", log=True, range=":").splitlines()[-1]
    assert words.split()[0] == "0.01"
    assert ends("v", colormap="compass") == ["-3", "100"]


DIGITS = """netcdf d { dimensions: n = 2 ; m = 2 ; x = 2 ; variables:
  float single ; double double ; short packed ; packed:scale_factor = 0.1 ; int64 whole ;
  int64 huge ; float line(n) ; double x(x) ; float m(m) ; short v(x, m) ; double wide(n) ;
data: single = 101325.26 ; double = 0.1234567890123 ; packed = 3 ; whole = 123456789 ;
  huge = 9007199254740993 ;
  line = 0.1, 101325.3 ; x = 1234567.5, 1234600.25 ; m = 0.1, 0.2 ; v = 1, 2, 3, 4 ;
  wide = 0.1234567890123, 1e10 ; }"""


@pytest.mark.parametrize(
    ("variable", "expected"),
    [
        ("single", "101325.26"), ("double", "0.1234567890123"), ("packed", "0.3"),
        ("whole", "123456789"), ("huge", "about 9007199254740992"),
    ],
)  # fmt: skip
def test_a_value_has_the_digits_of_its_type(tmp_path, variable, expected):
    (tmp_path / "d.cdl").write_text(DIGITS)
    assert ncz.view(tmp_path / "d.cdl", variable).splitlines()[-1] == expected


def test_coordinates_and_ends_have_the_digits_of_their_types(tmp_path):
    (tmp_path / "d.cdl").write_text(DIGITS)
    line = ncz.view(tmp_path / "d.cdl", "line").splitlines()
    assert (line[1].split()[0], line[-4].split()[0]) == ("101325.3", "0.1")
    text = ncz.view(tmp_path / "d.cdl", "v", axes=("m", "x"))
    assert "1234567.5" in text
    assert text.splitlines()[-3].split() == ["0.1", "0.2"]
    cut = ncz.view(tmp_path / "d.cdl", "v", axes="m", isel={"x": slice(1, 2)})
    assert cut.splitlines()[1] == "x = 1234600.25"
    wide = ncz.view(tmp_path / "d.cdl", "wide").splitlines()
    assert (wide[1].split()[0], wide[-4].split()[0]) == ("10000000000", "0.123457")
