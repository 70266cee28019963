"""All objects of a store in the form of zmapio, as recorded from netCDF-C 4.10.1."""

from __future__ import annotations

import re

import pytest

from ncz.commands.objects import ObjectsOptionError, ObjectsOptions, objects
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap

STORE = {
    ".zgroup": b"{}",
    ".zmetadata": b'{"metadata": {}}',
    "a/.zarray": b'{"dtype": "<i4"}',
    "a/0": bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]),
    "b/.zarray": b'{"dtype": ">i2"}',
    "b/0/0": bytes([255, 254, 1]),
    "e/0": b"",
    "s/0": "onetwotwo\u00e9\0z".encode(),
    "t/.zarray": b'{"dtype": ">S1"}',
    "t/0": bytes([1, 0, 0, 0]),
    "v/zarr.json": b'{"codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]}',
    "v/c/0": bytes([63, 128, 0, 0]),
}


@pytest.fixture
def printed(monkeypatch):
    """A function that prints the store, and returns the text after each key."""
    monkeypatch.setattr("ncz.zmap.memory.STORES", {})
    with create_zmap(parse_location("memory://store")) as zmap:
        for key, value in STORE.items():
            zmap.put(key, value)

    def show(**options):
        lines = list(objects(ObjectsOptions(source=parse_location("memory://store"), **options)))
        return dict(line.split(" : ", 1) for line in lines)

    return show


def test_indices_count_prefixes_too(printed):
    assert list(printed()) == [
        "[0] /.zgroup", "[1] /.zmetadata", "[3] /a/.zarray", "[4] /a/0", "[6] /b/.zarray",
        "[8] /b/0/0", "[10] /e/0", "[12] /s/0", "[14] /t/.zarray", "[15] /t/0", "[18] /v/c/0",
        "[19] /v/zarr.json",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "key", "shown"),
    [
        ({}, "[0] /.zgroup", "(2) |{}|"),
        ({}, "[4] /a/0", "(12) (ubyte) |1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0|"),
        ({}, "[10] /e/0", "(0) ||"),
        ({"type": "int"}, "[4] /a/0", "(3) (int) |1, 2, 3|"),
        ({"type": "INT", "values": False}, "[4] /a/0", "(3) (INT) |...|"),
        ({"type": "short"}, "[8] /b/0/0", "(2) (short) |-2, 256|"),
        ({"type": "short", "format": "<%04hx>"}, "[8] /b/0/0", "(2) (short) |<fffffffe>, <0100>|"),
        ({"type": "float"}, "[18] /v/c/0", "(1) (float) |1.000000|"),
        ({"type": "float", "format": "%%%5.1lf"}, "[18] /v/c/0", "(1) (float) |%  1.0|"),
        ({"type": "int"}, "[15] /t/0", "(1) (int) |1|"),
        ({"type": "byte"}, "[8] /b/0/0", "(3) (byte) |-1, -2, 1|"),
        ({"type": "char"}, "[18] /v/c/0", "(4) (char) |?, \udc80, \0, \0|"),
        ({"type": "byte", "format": "%c"}, "[18] /v/c/0", "(4) (byte) |?, \udc80, \0, \0|"),
        ({"type": "string/3"}, "[12] /s/0", "(5) |one, two, two,  \u00e9,   z|"),
        ({"type": "string"}, "[12] /s/0", "(1) |onetwotwo\u00e9|"),
        ({"consolidated": False}, "[1] /.zmetadata", "(16) ||"),
        ({}, "[1] /.zmetadata", '(16) |{"metadata": {}}|'),
    ],
)
def test_objects(printed, options, key, shown):
    assert printed(**options)[key].lower() == shown.lower()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "integer"}, "'integer' is not a valid type"),
        ({"type": "int/4"}, "'int/4' is not a valid type"),
        ({"type": "string/-1"}, "'string/-1' is not a valid type"),
        ({"type": "string/3", "format": "%s"}, "cannot be used with strings"),
        ({"type": "int", "format": "%s"}, "'%s' is not a valid format"),
        ({"type": "int", "format": "%n"}, "'%n' is not a valid format"),
        ({"type": "int", "format": "%d %d"}, "'%d %d' is not a valid format"),
        ({"type": "float", "format": "%d"}, "'%d' is not a valid format"),
        ({"type": "int", "format": "%9999d"}, "'%9999d' is not a valid format"),
    ],
)
def test_wrong_types_and_formats(printed, options, message):
    with pytest.raises(ObjectsOptionError, match=re.escape(message)) as caught:
        printed(**options)
    assert caught.value.exit_code == 2
