"""Pages about one dataset, and about two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncz.errors import ignore_notice
from ncz.zmap.location import location_of, parse_location
from tests.commands.view.test_difference import VALUES, cdl
from tests.commands.view.test_difference import pair as pair


class TestPage:
    """The page has the difference, and the values of both datasets."""

    @pytest.fixture
    def server(self, pair):
        pytest.importorskip("tornado", reason="tornado is not installed")
        from ncz.commands.view.server import run_page_server
        from ncz.commands.view.view_options import ViewOptions

        first, second = pair(cdl(VALUES), cdl(VALUES * 2), ".zarr")
        options = ViewOptions(source=parse_location(str(first)), minus=parse_location(str(second)))
        with run_page_server(options) as server:
            yield server

    def test_each_dataset_can_be_requested(self, server):
        from tests.commands.serve.test_requests import ask
        from tests.commands.view.test_server import asked, unpacked

        overview = json.loads(ask(server, "dataset").body)
        assert {name: Path(each).name for name, each in overview["difference"].items()} == {
            "a": "new.zarr", "b": "old.zarr",
        }  # fmt: skip
        assert overview["colormap"] == "polar"
        number = overview["first"]
        expected = {"a": VALUES, "b": VALUES * 2, "": -VALUES}
        for of, values in expected.items():
            body = ask(server, asked("picture", variable=number, x=1, y=0, of=of)).body
            found = unpacked(body)[1]
            assert found is not None
            assert found.tolist() == values.tolist()
            series = asked("series", variable=number, at=[2, 5], along=1, of=of)
            answer = json.loads(ask(server, series).body)
            assert answer["values"] == values[2].tolist()
        assert ask(server, asked("picture", variable=number, x=1, y=0, of="c")).status == 400

    def test_one_dataset_has_no_difference(self, pair):
        from ncz.commands.view.page_dataset import open_explorers, overview
        from ncz.commands.view.view_options import ViewOptions

        options = ViewOptions(source=location_of(pair(cdl(VALUES), cdl(VALUES))[0]))
        with open_explorers(options, ignore_notice) as explorers:
            assert overview(explorers[""], options)["difference"] is None
            assert explorers["a"] is explorers[""]
