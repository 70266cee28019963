"""One picture of a variable, in a file or a terminal."""

from __future__ import annotations

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import location_of
from tests.commands.view.test_text import pixels


def test_few_chunks_are_read(tmp_path, monkeypatch):
    from ncz.zmap.local.directory import DirectoryZmap

    (tmp_path / "x.cdl").write_text(
        "netcdf x { dimensions: t = 50 ; y = 40 ; x = 40 ; variables: int v(t, y, x) ;"
        " v:_ChunkSizes = 1, 20, 20 ; data: v = 1 ; }"
    )
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.zarr", notify=ignore_notice)
    from ncz.commands.view.command import png_picture
    from ncz.commands.view.view_options import ViewOptions
    from ncz.zmap.location import parse_location

    read: list[str] = []
    get = DirectoryZmap.get

    def counted(self, key, limit=0):
        read.append(key)
        return get(self, key, limit or 1 << 20)

    monkeypatch.setattr(DirectoryZmap, "get", counted)
    png_picture(ViewOptions(source=parse_location(str(tmp_path / "x.zarr")), plain=True))
    assert sorted(k for k in read if k.startswith("v/") and "/.z" not in k) == [
        f"v/0.{y}.{x}" for y in (0, 1) for x in (0, 1)
    ]


def test_infinite_values_are_transparent(tmp_path):
    from ncz.commands.view.command import png_picture
    from ncz.commands.view.view_options import ViewOptions

    text = "netcdf x { dimensions: n = 5 ; m = 2 ; variables: float v(m, n) ; data: v = 1, 2,"
    (tmp_path / "x.cdl").write_text(text + " Infinity, -Infinity, NaN, 1, 1, 1, 1, 1 ; }")
    options = ViewOptions(source=location_of(tmp_path / "x.cdl"), plain=True)
    found = pixels(png_picture(options))[0]
    assert found[0].tolist() == [0, 254, 255, 255, 255]
