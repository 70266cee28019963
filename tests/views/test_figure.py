"""Pictures for slides: their colours at known places, and space for their labels."""

from __future__ import annotations

import io

import numpy as np
import pytest

import ncz
from ncz.views.color_scale import ColorScale
from ncz.views.figure import Figure, FigureAxis, figure_png
from ncz.views.ticks import degree_ticks, number_ticks

image = pytest.importorskip("PIL.Image")

GRAY = (222, 224, 227)
"""The colour of missing values."""


def drawn(figure: Figure, width: int = 1280, height: int = 720) -> np.ndarray:
    return np.asarray(image.open(io.BytesIO(figure_png(figure, width, height))))


def degree_axis(low: float, high: float, letters: str) -> FigureAxis:
    return FigureAxis(title="", ticks=degree_ticks(low, high, 6, letters), ends=(low, high))


def globe(**given) -> Figure:
    values = np.tile(np.linspace(0, 100, 72), (36, 1))
    values[:18, :36] = np.nan
    return Figure(
        **{
            "title": "temperature", "subtitle": "time = 2026-01-01 12:00", "units": "K",
            "values": values, "scale": ColorScale(low=0, high=100, colormap="viridis"),
            "across": degree_axis(-180, 180, "EW"), "down": degree_axis(-90, 90, "NS"),
            "aspect": 2.0, **given,
        }
    )  # fmt: skip


def box_of(picture: np.ndarray) -> tuple[int, int, int, int]:
    """Return the edges of the picture in a figure of `globe`, by its missing values and colours."""
    is_gray = (picture == GRAY).all(axis=-1)
    rows, columns = np.flatnonzero(is_gray.any(axis=1)), np.flatnonzero(is_gray.any(axis=0))
    left, top = columns[0], rows[0]
    width, height = 2 * (columns[-1] + 1 - left), 2 * (rows[-1] + 1 - top)
    return left, top, width, height


@pytest.mark.parametrize("size", [(1280, 720), (640, 480), (300, 700), (3840, 2160)])
def test_values_have_their_colours_at_their_places(size):
    figure = globe()
    picture = drawn(figure, *size)
    assert picture.shape == (size[1], size[0], 3)
    left, top, width, height = box_of(picture)
    assert width == pytest.approx(2 * height, abs=4)
    colors = figure.scale.colors()
    for part in (0.55, 0.7, 0.95):
        x, y = left + int(part * width), top + height // 4
        value = figure.values[9, int(part * 72)]
        assert tuple(picture[y, x]) == colors[int(value / 100 * 254)]


def test_the_paper_is_white_and_labels_are_dark():
    picture = drawn(globe())
    left, top, width, height = box_of(picture)
    assert (picture[[0, -1]] == 255).all()
    for part in (picture[: top - 3], picture[:, : left - 3], picture[top + height + 3 :]):
        assert (part < 120).any()  # title, latitudes, longitudes
    beside = picture[:, left + width + 3 :]
    found = {tuple(color) for color in beside.reshape(-1, 3).tolist()}
    colors = globe().scale.colors()
    assert len(found & set(colors)) > 200  # the bar has the colours of the scale


def test_the_colour_bar_has_its_largest_value_at_the_top():
    picture = drawn(globe())
    left, top, width, height = box_of(picture)
    column = picture[:, left + width + 26]
    colors = globe().scale.colors()
    assert tuple(column[top + 1]) == colors[-1]
    assert tuple(column[top + height - 2]) == colors[0]


def test_coasts_are_dark_lines_at_their_places():
    plain = drawn(globe())
    coast = drawn(globe(coasts=[np.array([[0.0, -45.0], [180.0, -45.0]])]))
    left, top, width, height = box_of(plain)
    changed = (plain != coast).any(axis=-1)
    rows, columns = np.nonzero(changed)
    assert rows.mean() == pytest.approx(top + height * 0.75, abs=2)
    assert columns.min() == pytest.approx(left + width / 2, abs=3)
    assert columns.max() == pytest.approx(left + width, abs=3)
    assert coast[changed].max() < 200


def test_coasts_are_bright_over_dark_values():
    line = [np.array([[-175.0, -45.0], [170.0, -45.0]])]
    plain, coast = (drawn(globe(coasts=each)) for each in ([], line))
    left, top, width, height = box_of(plain)
    rows = slice(top + height * 3 // 4 - 4, top + height * 3 // 4 + 5)
    for part, is_dark in ((0.05, True), (0.95, False)):  # viridis: from dark to bright
        x = left + int(part * width)
        change = coast[rows, x].astype(int) - plain[rows, x]
        assert abs(change).max() > 40
        assert (change.sum() > 0) == is_dark


def test_a_line_has_gaps_where_values_are_missing():
    values = np.array([0, 1, 2, 3, np.nan, np.nan, 3, 2, 1, 0.0])
    axis = FigureAxis(title="n", ticks=number_ticks(0, 10, 5), ends=(0, 10))
    figure = globe(values=values, scale=ColorScale(low=0, high=3), across=axis, down=None,
                   aspect=None)  # fmt: skip
    picture = drawn(figure)
    is_line = (abs(picture.astype(int) - (31, 96, 160)) < 8).all(axis=-1)
    columns = np.flatnonzero(is_line.any(axis=0))
    gaps = np.diff(columns)
    assert (gaps > 5).sum() == 1
    assert gaps.max() == pytest.approx(0.3 * np.ptp(columns) / 0.9, rel=0.05)


@pytest.mark.parametrize(
    "title",
    [
        "Température à 2 m",
        "\N{CYRILLIC SMALL LETTER EM}/\N{CYRILLIC SMALL LETTER ES}",
        "a" * 500,
        "m s\N{SUPERSCRIPT MINUS}\N{SUPERSCRIPT ONE}",
        "",
    ],
)
def test_any_title_can_be_drawn(title):
    picture = drawn(globe(title=title, subtitle=title, units=title), 400, 300)
    top = box_of(picture)[1]
    assert (picture[: top - 3] < 130).any() == bool(title)
    assert (picture[:, -2:] == 255).all()  # it does not run out of the paper


def test_letters_without_a_font_are_written_in_others(monkeypatch):
    from ncz.views import figure_text

    monkeypatch.setattr(figure_text, "_fallbacks", lambda size: ())
    _, text = figure_text.fitting_font("Rhône µm s\N{SUPERSCRIPT MINUS}\N{SUPERSCRIPT TWO} 中", 20)
    assert text == "Rhone um s-2 ?"


CDL = """netcdf g { dimensions: time = 3 ; lat = 4 ; lon = 8 ;
variables: double time(time) ; time:units = "hours since 2026-01-01" ;
  double lat(lat) ; lat:units = "degrees_north" ; double lon(lon) ; lon:units = "degrees_east" ;
  float t(time, lat, lon) ; t:long_name = "temperature" ; t:units = "K" ;
data: time = 0, 12, 24 ; lat = -67.5, -22.5, 22.5, 67.5 ;
  lon = 0, 45, 90, 135, 180, 225, 270, 315 ; t = _ ; }"""


@pytest.fixture
def dataset(tmp_path):
    (tmp_path / "g.cdl").write_text(CDL)
    return tmp_path / "g.cdl"


def test_the_default_size_fits_a_slide(dataset, tmp_path, run):
    target = tmp_path / "t.png"
    ncz.view(dataset, "t", png=target)
    assert image.open(io.BytesIO(target.read_bytes())).size == (1280, 720)
    assert run("view", dataset, "t", "--png", target, "--size", "320x200").code == 0
    assert image.open(io.BytesIO(target.read_bytes())).size == (320, 200)


@pytest.mark.parametrize(("size", "what"), [("200x100", "small"), ("16000x16000", "large")])
def test_labels_need_room(dataset, tmp_path, run, size, what):
    ran = run("view", dataset, "t", "--png", tmp_path / "t.png", "--size", size)
    assert ran.code == 2
    assert f"--size {size} is too {what} for a picture with labels; use --plain" in ran.stderr
