"""The function of ls: keys, their kinds, and the text of an object."""

from __future__ import annotations

import pytest

from ncz.commands.key_patterns import LsOptions
from ncz.commands.ls import Entry, list_entries
from ncz.errors import KeyMissing, StoreMissing, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap

V2 = {
    ".zgroup": b'{"zarr_format": 2}',
    ".zattrs": b"{}",
    ".zmetadata": b"{}",
    "x/.zarray": b"{}",
    "x/.zattrs": b"{}",
    "x/0": b"1234",
    "x/10": b"1234",
    "g1/.zgroup": b"{}",
    "g1/v/.zarray": b"{}",
    "g1/v/0.0": b"",
    "g1/v/0.1": b"",
    "g1/g2/.zgroup": b"{}",
    "g1/g2/deep/.zarray": b"{}",
    "g1/g2/deep/0/0/1": b"1",
}


@pytest.fixture
def store(monkeypatch):
    """Makes a store of these objects, and gives its name."""
    monkeypatch.setattr("ncz.zmap.memory.STORES", {})
    numbers = iter(range(100))

    def make(objects):
        name = f"memory://store{next(numbers)}"
        with create_zmap(parse_location(name)) as zmap:
            for key, value in objects.items():
                zmap.put(key, value)
        return name

    return make


def keys(source, pattern="", **options):
    return [
        entry.key
        for entry in list_entries(
            LsOptions(source=parse_location(source), patterns=(pattern,), **options)
        )
    ]


def kinds(source, *, recursive=True):
    options = LsOptions(source=parse_location(source), details=True, recursive=recursive)
    return {entry.key: entry.kind for entry in list_entries(options)}


def test_one_level(store):
    assert keys(store(V2)) == ["/.zattrs", "/.zgroup", "/.zmetadata", "/g1", "/x"]


def test_all(store):
    listed = keys(store(V2), recursive=True)
    assert set(listed) == {"/" + key for key in V2}
    assert listed[:4] == ["/.zattrs", "/.zgroup", "/.zmetadata", "/g1/.zgroup"]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("/", ["/.zattrs", "/.zgroup", "/.zmetadata", "/g1", "/x"]),
        ("/x", ["/x/.zarray", "/x/.zattrs", "/x/0", "/x/10"]),
        ("x/", ["/x/.zarray", "/x/.zattrs", "/x/0", "/x/10"]),
        ("/x/0", ["/x/0"]),
        ("/g1/*", ["/g1/.zgroup", "/g1/g2", "/g1/v"]),
        ("/*/.z*", ["/g1/.zgroup", "/x/.zarray", "/x/.zattrs"]),
        ("/x/?", ["/x/0"]),
        ("/x/[0-9]*", ["/x/0", "/x/10"]),
        ("/x/[!.]*", ["/x/0", "/x/10"]),
        ("/[gx]*", ["/g1", "/x"]),
        ("/g1/**", ["/g1/.zgroup", "/g1/g2/.zgroup", "/g1/g2/deep/.zarray",
                    "/g1/g2/deep/0/0/1", "/g1/v/.zarray", "/g1/v/0.0", "/g1/v/0.1"]),
        ("**/.zarray", ["/g1/g2/deep/.zarray", "/g1/v/.zarray", "/x/.zarray"]),
        ("/g1/**/.zarray", ["/g1/g2/deep/.zarray", "/g1/v/.zarray"]),
        ("/g1/**/v/0.?", ["/g1/v/0.0", "/g1/v/0.1"]),
    ],
)  # fmt: skip
def test_prefixes_and_globs(store, pattern, wanted):
    assert keys(store(V2), pattern) == wanted


def test_a_glob_goes_deeper_with_recursive(store):
    assert keys(store(V2), "/g*/g?", recursive=True) == [
        "/g1/g2/.zgroup", "/g1/g2/deep/.zarray", "/g1/g2/deep/0/0/1",
    ]  # fmt: skip


def test_a_name_with_a_star_in_it_is_found_by_its_name(store):
    objects = {"a*b/.zarray": b"", "a[1]/.zarray": b"", "axb/.zarray": b"", "a[/0": b""}
    source = store(objects)
    assert keys(source, "/a*b") == ["/a*b/.zarray"]
    assert keys(source, "/a[1]") == ["/a[1]/.zarray"]
    assert keys(source, "/a?b") == ["/a*b", "/axb"]
    assert keys(source, "/a[*") == ["/a[", "/a[1]"]


@pytest.mark.parametrize(
    "pattern", ["/[^a]", "/[a&&b]", "/[\\]", "/[a-]", "/(x|g1)", "/x+", "/[]]"]
)
def test_characters_that_only_regular_expressions_use(store, pattern):
    with pytest.raises(KeyMissing):
        keys(store(V2), pattern)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("/g11", "key /g11 does not exist; did you mean /g1?"),
        ("/g1/w", "key /g1/w does not exist; /g1 holds .zgroup, g2, v"),
        ("/g1/vv/0.0", "key /g1/vv/0.0 does not exist; did you mean /g1/v?"),
        ("/q*", "no key matches /q*; / holds .zattrs, .zgroup, .zmetadata, g1, x"),
        ("/x/0/1", "key /x/0/1 does not exist"),
        ("/g1/../x", "a key cannot contain the segment '..'"),
    ],
)
def test_a_missing_key_names_similar_keys(store, pattern, says):
    with pytest.raises(ZmapError) as caught:
        keys(store(V2), pattern)
    assert says in str(caught.value)


def test_an_empty_store_has_no_keys_and_that_is_no_error(store):
    assert keys(store({})) == []
    assert keys(store({}), recursive=True) == []


def test_a_missing_store():
    with pytest.raises(StoreMissing):
        keys("/no/such/store")


def test_details_are_sizes_and_kinds(store):
    source = store(V2)
    assert list(
        list_entries(LsOptions(source=parse_location(source), patterns=("/x",), details=True))
    ) == [
        Entry("/x/.zarray", 2, "array"),
        Entry("/x/.zattrs", 2, "attributes"),
        Entry("/x/0", 4, "chunk"),
        Entry("/x/10", 4, "chunk"),
    ]
    assert list(
        list_entries(
            LsOptions(source=parse_location(source), patterns=("/g1/g2/deep/*",), details=True)
        )
    )[1] == Entry("/g1/g2/deep/0", None, "chunk")
    assert list(list_entries(LsOptions(source=parse_location(source), patterns=("/x/0",)))) == [
        Entry("/x/0")
    ]


def test_kinds_of_v2(store):
    found = kinds(store(V2))
    assert {key for key, kind in found.items() if kind == "chunk"} == {
        "/x/0", "/x/10", "/g1/v/0.0", "/g1/v/0.1", "/g1/g2/deep/0/0/1",
    }  # fmt: skip
    assert found["/.zgroup"] == "group"
    assert found["/g1/v/.zarray"] == "array"
    assert found["/.zattrs"] == "attributes"
    assert found["/.zmetadata"] == "other"
    one_level = kinds(store(V2), recursive=False)
    assert (one_level["/g1"], one_level["/x"]) == ("group", "array")


def test_kinds_of_version_1(store):
    names = [".nczarr", ".nczgroup", "v/.nczarray", "v/.nczattr", "v/.zarray", "v/0"]
    found = kinds(store(dict.fromkeys(names, b"{}")))
    assert [found["/" + name] for name in names] == [
        "group", "group", "array", "attributes", "array", "chunk",
    ]  # fmt: skip


def test_kinds_of_v3(store):
    group = b'{"zarr_format": 3, "node_type": "group"}'
    array = b'{"zarr_format":3,"node_type":"array"}'
    objects = {
        "zarr.json": group,
        "v/zarr.json": array,
        "v/c/0/1": b"",
        "w/zarr.json": array,
        "w/0.1": b"",
        "s/zarr.json": array,
        "s/c": b"",
        "c/zarr.json": group,
        "c/0/zarr.json": array,
        "c/0/c/3": b"",
        "bad/zarr.json": b"[",
    }
    assert kinds(store(objects)) == {
        "/zarr.json": "group",
        "/v/zarr.json": "array",
        "/v/c/0/1": "chunk",
        "/w/zarr.json": "array",
        "/w/0.1": "chunk",
        "/s/zarr.json": "array",
        "/s/c": "chunk",
        "/c/zarr.json": "group",
        "/c/0/zarr.json": "array",
        "/c/0/c/3": "chunk",
        "/bad/zarr.json": "other",
    }


def test_an_object_in_no_array_is_no_chunk(store):
    found = kinds(store({"0": b"", "g/.zgroup": b"{}", "g/0": b"", "g/1/2": b"", "x/readme": b""}))
    assert set(found.values()) - {"group"} == {"other"}


def test_a_root_that_is_an_array(store):
    assert kinds(store({".zarray": b"{}", "0.0": b"", "1/2": b"", "notes": b""})) == {
        "/.zarray": "array",
        "/0.0": "chunk",
        "/1/2": "chunk",
        "/notes": "other",
    }
