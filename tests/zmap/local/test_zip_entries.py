"""The entries of zip files as keys."""

from __future__ import annotations

import io
import warnings
from zipfile import BadZipFile, ZipFile

import pytest

from ncz.zmap.local.zip_entries import check_count, store_entries


def file_of(*names: str) -> io.BytesIO:
    file = io.BytesIO()
    with ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are given twice
        for number, name in enumerate(names):
            archive.writestr(name, str(number))
    return file


@pytest.mark.parametrize(
    ("names", "inside", "prefix", "keys"),
    [
        ([".zgroup", "v/.zarray"], "", "", [".zgroup", "v/.zarray"]),
        (["s.zarr/.zgroup", "s.zarr/v/0"], "", "s.zarr/", [".zgroup", "v/0"]),
        (["a/b/zarr.json", "__MACOSX/x"], "", "a/b/", ["zarr.json"]),
        (["./.zgroup", "g/", "g/.zgroup"], "", "", [".zgroup", "g/.zgroup"]),
        ([".zgroup", "g/.zgroup", "g/v/0"], "g", "g/", [".zgroup", "v/0"]),
        (["a.nc", "b.nc"], "", "", ["a.nc", "b.nc"]),
        ([], "", "", []),
    ],
)
def test_keys(names, inside, prefix, keys):
    found = store_entries(ZipFile(file_of(*names)), inside)
    assert (found.prefix, list(found.by_key)) == (prefix, keys)
    assert found.misnamed == ()


def test_of_two_entries_the_last_is_used():
    archive = ZipFile(file_of(".zgroup", "v/0", "v/0"))
    assert archive.read(store_entries(archive).by_key["v/0"]) == b"2"


def test_names_that_lead_out_are_not_keys():
    found = store_entries(ZipFile(file_of(".zgroup", "../v/0", "v\\..\\0", "v\\.zarray")))
    assert list(found.by_key) == [".zgroup", "v\\.zarray"]
    assert sorted(found.ignored) == ["../v/0", "v\\..\\0"]
    assert "v\\.zarray" in found.misnamed


def test_entries_are_counted():
    file = file_of("a", "b")
    check_count(ZipFile(file), file)
    data = bytearray(file.getvalue())
    data[-12:-10] = b"\3\0"
    damaged = io.BytesIO(data)
    with pytest.raises(BadZipFile, match="it counts 3 entries, and lists 2"):
        check_count(ZipFile(file), damaged)


def test_an_end_in_a_comment():
    plain = file_of("a")
    file = io.BytesIO(plain.getvalue())
    with ZipFile(file, "a") as archive:
        archive.comment = file_of("x").getvalue()[-22:]
    with pytest.raises(BadZipFile, match="it has two ends, one of them in a comment"):
        check_count(ZipFile(plain), file)
