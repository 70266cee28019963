r"""Paths of Windows: drives, backslashes, and UNC."""

from __future__ import annotations

import contextlib
import io
import ntpath
import os
import types

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap import location as module
from ncz.zmap import opening
from ncz.zmap.location import Location, parse_location
from ncz.zmap.opening import open_zmap


@pytest.fixture
def _windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse locations as on Windows; nothing exists at them."""
    paths = types.SimpleNamespace(
        lexists=lambda _: False,
        isabs=ntpath.isabs,
        join=ntpath.join,
        basename=ntpath.basename,
        abspath=lambda path: ntpath.normpath(ntpath.join("C:\\here", path)),
    )
    system = types.SimpleNamespace(
        name="nt", sep="\\", altsep="/", path=paths, getcwd=lambda: "C:\\here"
    )
    monkeypatch.setattr(module, "os", system)


@pytest.mark.usefixtures("_windows")
@pytest.mark.parametrize(
    "path",
    [
        "C:\\data\\x.zarr", "c:/data/x.zarr", "data\\x.zarr", "x.zarr", "\\\\server\\share\\x.zarr",
        "C:x.zarr", "C:\\a b\\%41#1.zarr", "\\\\?\\C:\\data\\x.zarr",
    ],
)  # fmt: skip
def test_a_path_is_a_path(path):
    found = parse_location(path)
    assert (found.kind, found.path, found.modes) == (None, path, frozenset())
    assert found.display == path
    again = parse_location(found.exact)
    assert ntpath.normcase(again.path) == ntpath.normcase(path)


@pytest.mark.usefixtures("_windows")
def test_a_path_has_a_fragment():
    found = parse_location("C:\\data\\x.zarr#mode=zarr,v3")
    assert found.path == "C:\\data\\x.zarr"
    assert {"zarr", "v3"} <= found.modes
    again = parse_location(found.exact)
    assert ntpath.normcase(again.path) == ntpath.normcase(found.path)
    assert again.modes == found.modes


@pytest.mark.usefixtures("_windows")
@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///C:/data/x.zarr", "C:/data/x.zarr"),
        ("file:///c:/a%20b/x.zarr#mode=zarr", "c:/a b/x.zarr"),
        ("file://localhost/C:/x.zarr", "C:/x.zarr"),
        ("file:x.zarr", "C:\\here\\x.zarr"),
    ],
)
def test_a_file_url_has_a_drive(url, path):
    assert parse_location(url).path == path


@pytest.mark.usefixtures("_windows")
def test_a_group_of_a_zip_file():
    found = parse_location("zip://g::C:\\data\\x.zip")
    assert (found.kind, found.path, found.inside) == ("zip", "C:\\data\\x.zip", "g")
    assert found.address == "zip://g::file:///C:/data/x.zip"
    assert parse_location(found.exact).path.replace("\\", "/") == "C:/data/x.zip"


@pytest.mark.usefixtures("_windows")
@pytest.mark.parametrize("path", ["C:\\data\\x.zarr", "data\\x.zarr", "C:/data/x.zarr"])
def test_the_name_of_the_dataset(path):
    assert parse_location(path).dataset_name() == "x"


def test_a_group_of_a_zip_file_behind_a_backslash(tmp_path, monkeypatch):
    source = io.BytesIO(b"netcdf s { group: g { variables: int v ; } }")
    ncz.gen(source, tmp_path / "a.zip", notify=ignore_notice)
    system = types.SimpleNamespace(path=os.path, sep="\\")
    monkeypatch.setattr(opening, "os", system)
    location = Location(None, f"{tmp_path}\\a.zip\\g".replace(f"{tmp_path}\\", f"{tmp_path}/"))
    with contextlib.closing(open_zmap(location)) as zmap:
        assert zmap.search("") == [".zattrs", ".zgroup", "v"]
