"""The figure of a scene."""

from __future__ import annotations

from ncz.views.figure import room
from ncz.zmap.location import location_of
from tests.conftest import Run
from tests.views.test_figure import dataset as dataset


def test_limits_of_a_cut_are_written_with_the_time_of_day(dataset):
    from ncz.commands.sources import open_any
    from ncz.commands.view.scene import scene_of
    from ncz.commands.view.scene_figure import scene_figure
    from ncz.commands.view.view_options import ViewOptions
    from ncz.errors import NO_CALLBACKS
    from ncz.model.selection import Selection

    options = ViewOptions(source=location_of(dataset), subset=Selection(by_index={"time": 1}))
    with open_any(location_of(dataset), NO_CALLBACKS, subset=options.subset) as opened:
        figure = scene_figure(scene_of(opened, "/t", most=(50, 50)), options, room(1280, 720))
    assert (figure.title, figure.units) == ("temperature", "K")
    assert figure.subtitle.startswith("time = 2026-01-01 12:00")
    assert figure.aspect == 2
    assert figure.coasts


def test_a_given_title_is_also_the_title_of_pictures(dataset, run: Run, tmp_path):
    drawn = run("view", dataset, "t", "--text", "--width", "40", "--title", "My title")
    assert drawn.text.splitlines()[0] == "My title"
    with_title, without = tmp_path / "a.png", tmp_path / "b.png"
    assert run("view", dataset, "t", "--png", str(with_title), "--title", "My title").code == 0
    assert run("view", dataset, "t", "--png", str(without)).code == 0
    assert with_title.read_bytes() != without.read_bytes()
    refused = run("view", dataset, "t", "-o", str(tmp_path / "a.svg"))
    assert refused.code == 2
    assert (
        "ncz writes pictures as PNG, not as svg; name it .png, or .html for a page"
        in refused.stderr
    )
    for words in (["--html", str(tmp_path / "a.html")], []):
        refused = run("view", dataset, "t", "--title", "My title", *words)
        assert refused.code == 2
        assert "--title does not change a page" in refused.stderr
