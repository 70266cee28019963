"""The contract of all zmaps. A test class supplies `store`, a function from objects to a zmap."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncz.errors import ZmapError
from ncz.zmap import WritableZmap, Zmap
from tests.sampled import share_of

Store = Callable[[Mapping[str, bytes]], Zmap]

TREE = {
    ".zgroup": b'{"zarr_format": 2}',
    ".zattrs": b"{}",
    "g/.zgroup": b'{"zarr_format": 2}',
    "g/v/.zarray": b'{"zarr_format": 2, "shape": [4]}',
    "g/v/0": bytes(range(10)),
    "g/v/10": b"",
    "g/v/9": b"nine",
    "gg/x/.zarray": b"{}",
    "g.h/.zgroup": b"{}",
}

ODD_NAMES = (
    "a b",
    " leading and trailing ",
    "100%",
    "%2F",
    "grün",
    "\u65e5\u672c",
    "\U0001f30a",
    "e\u0301",  # not the same name as é
    "a\\b",
    "a:b",
    'quo"te',
    "it's",
    "*",
    "[x]",
    "#mode=zip",
    "-r",
    "~",
    "...",
    "n" * 200,
)

names = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\\:"),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", "..") and len(name.encode()) < 200)
trees = st.dictionaries(
    st.lists(names, min_size=1, max_size=4).map("/".join), st.binary(max_size=20), max_size=12
)


def in_order(keys):
    """Keys as a walk gives them: depth first, each level by the bytes of its names."""
    return sorted(keys, key=lambda key: [name.encode() for name in key.split("/")])


def without_blocked(objects):
    """The objects that can stand together: none below another."""
    return {
        key: value
        for key, value in objects.items()
        if not any(other != key and key.startswith(other + "/") for other in objects)
    }


class ZmapContract:
    """The reading half; `store` is a fixture of the class that inherits it."""

    def test_get(self, store: Store):
        zmap = store(TREE)
        assert {key: zmap.get(key) for key in TREE} == TREE

    def test_absent_keys_are_an_answer(self, store: Store):
        zmap = store(TREE)
        for key in ("x", "g", "g/v", ".zgroup/x", "g/v/0/x", "g/v/1", ""):
            assert zmap.get(key) is None
            assert zmap.get_range(key, 0, 1) is None
            assert zmap.size(key) is None

    def test_an_object_is_read_up_to_the_limit_of_its_reader(self, store: Store):
        zmap = store(TREE)
        assert zmap.get("g/v/0", 10) == TREE["g/v/0"]
        assert zmap.get("g/v/10", 0) == b""
        assert zmap.get("g/v/none", 0) is None
        for limit in (9, 0):
            with pytest.raises(ZmapError, match=f"larger than the {limit} bytes"):
                zmap.get("g/v/0", limit)

    def test_size(self, store: Store):
        zmap = store(TREE)
        assert {key: zmap.size(key) for key in TREE} == {k: len(v) for k, v in TREE.items()}

    @pytest.mark.parametrize(
        ("start", "count", "wanted"),
        [
            (0, 10, bytes(range(10))),
            (0, 3, b"\0\1\2"),
            (3, 2, b"\3\4"),
            (8, 100, b"\x08\x09"),
            (10, 5, b""),
            (1000, 5, b""),
            (0, 0, b""),
            (-3, 2, b"\7\x08"),
            (-3, 100, b"\7\x08\x09"),
            (-10, 1, b"\0"),
            (-1000, 2, b"\0\1"),
        ],
    )
    def test_get_range(self, store: Store, start, count, wanted):
        assert store(TREE).get_range("g/v/0", start, count) == wanted

    def test_range_of_an_empty_object(self, store: Store):
        zmap = store(TREE)
        assert zmap.get("g/v/10") == b""
        assert zmap.get_range("g/v/10", 0, 5) == b""
        assert zmap.get_range("g/v/10", -5, 5) == b""

    def test_a_range_of_a_negative_count_is_refused(self, store: Store):
        with pytest.raises(ZmapError, match="-1 bytes"):
            store(TREE).get_range("g/v/0", 0, -1)

    def test_reading_a_range_leaves_other_reads_alone(self, store: Store):
        zmap = store(TREE)
        assert zmap.get_range("g/v/0", 2, 2) == b"\2\3"
        assert zmap.get("g/v/9") == b"nine"
        assert zmap.get_range("g/v/9", 1, 2) == b"in"

    @pytest.mark.parametrize(
        ("prefix", "wanted"),
        [
            ("", [".zattrs", ".zgroup", "g", "g.h", "gg"]),
            ("g", [".zgroup", "v"]),
            ("g/v", [".zarray", "0", "10", "9"]),
            ("g/v/0", []),
            ("gg", ["x"]),
            ("absent", []),
            ("g/absent/x", []),
        ],
    )
    def test_search_gives_the_immediate_suffixes(self, store: Store, prefix, wanted):
        assert store(TREE).search(prefix) == wanted

    def test_walk_is_depth_first_with_sorted_levels(self, store: Store):
        assert list(store(TREE).walk()) == [
            ".zattrs", ".zgroup", "g/.zgroup", "g/v/.zarray", "g/v/0", "g/v/10", "g/v/9",
            "g.h/.zgroup", "gg/x/.zarray",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("prefix", "wanted"),
        [
            ("g/v", ["g/v/.zarray", "g/v/0", "g/v/10", "g/v/9"]),
            ("g/v/0", ["g/v/0"]),
            ("gg", ["gg/x/.zarray"]),
            ("absent", []),
        ],
    )
    def test_walk_below_a_prefix(self, store: Store, prefix, wanted):
        zmap = store(TREE)
        assert list(zmap.walk(prefix)) == wanted
        assert in_order(zmap.walk_unsorted(prefix)) == wanted

    def test_an_empty_store(self, store: Store):
        zmap = store({})
        assert zmap.search("") == []
        assert list(zmap.walk()) == []
        assert zmap.get(".zgroup") is None

    @pytest.mark.parametrize("name", ODD_NAMES)
    def test_odd_names(self, store: Store, name):
        zmap = store({f"{name}/{name}": b"content", ".zgroup": b"{}"})
        assert zmap.search("") == in_order([name, ".zgroup"])
        assert zmap.search(name) == [name]
        assert list(zmap.walk(name)) == list(zmap.walk_unsorted(name)) == [f"{name}/{name}"]
        assert zmap.get(f"{name}/{name}") == b"content"

    def test_a_key_of_1024_bytes(self, store: Store):
        key = "/".join(["é" * 63 + "x"] * 8)  # 8 names of 127 bytes, 7 slashes
        key += "y" * (1024 - len(key.encode()))
        assert len(key.encode()) == 1024
        zmap = store({key: b"deep"})
        assert zmap.get(key) == b"deep"
        assert list(zmap.walk()) == [key]

    @pytest.mark.parametrize(
        "key",
        [
            "../x",
            "a/../../x",
            "/etc/passwd",
            "a//b",
            "a/",
            "/",
            ".",
            "./a",
            "..",
            "a\0b",
            "a\ud800",
        ],
    )
    def test_keys_that_could_lead_out_are_refused(self, store: Store, key):
        zmap = store(TREE)
        reads: list[Callable[[str], object]] = [zmap.get, zmap.size, zmap.search]
        reads += [lambda k: list(zmap.walk(k)), lambda k: list(zmap.walk_unsorted(k))]
        for read in reads:
            with pytest.raises(ZmapError, match="a key"):
                read(key)

    def test_reading_after_close_is_an_error(self, store: Store):
        zmap = store(TREE)
        zmap.close()
        reads: list[Callable[[str], object]] = [zmap.get, zmap.size, zmap.search]
        reads += [lambda k: list(zmap.walk(k)), lambda k: list(zmap.walk_unsorted(k))]
        for read in reads:
            with pytest.raises(ZmapError, match="closed"):
                read("g")

    def test_closing_twice_is_closing_once(self, store: Store):
        zmap = store(TREE)
        zmap.close()
        zmap.close()

    def test_it_is_a_zmap(self, store: Store):
        zmap = store(TREE)
        assert isinstance(zmap, Zmap)
        assert zmap.url

    @settings(
        max_examples=share_of(30),
        deadline=None,  # the disk is shared
        suppress_health_check=[  # each example makes a new store, in each class that inherits this
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
    )
    @given(objects=trees.map(without_blocked))
    def test_any_tree(self, store: Store, objects):
        zmap = store(objects)
        assert list(zmap.walk()) == in_order(zmap.walk_unsorted()) == in_order(objects)
        assert {key: zmap.get(key) for key in objects} == objects
        assert zmap.search("") == in_order({key.split("/")[0] for key in objects})
        zmap.close()


class WritableZmapContract(ZmapContract):
    """The writing half; the fixture `empty` gives a new zmap that can be written.

    `longest` is the limit of keys in bytes, which servers have.
    """

    longest: int | None = None

    def test_long_keys_are_refused_where_the_kind_of_store_has_a_limit(self, empty: WritableZmap):
        key = "/".join(["n" * 200] * 10)
        if self.longest is not None:
            with pytest.raises(ZmapError, match=f"S3 allows {self.longest}"):
                empty.put(key, b"deep")
            return
        empty.put(key, b"deep")
        assert empty.get(key) == b"deep"
        assert list(empty.walk()) == [key]

    def test_put_and_replace(self, empty: WritableZmap):
        empty.put(".zattrs", b"first, and longer")
        empty.put(".zattrs", b"second")
        assert empty.get(".zattrs") == b"second"
        assert empty.size(".zattrs") == 6
        assert empty.get_range(".zattrs", 1, 3) == b"eco"
        assert list(empty.walk()) == [".zattrs"]

    def test_new_objects_are_found(self, empty: WritableZmap):
        for key, value in TREE.items():
            empty.put(key, value)
        assert {key: empty.get(key) for key in TREE} == TREE
        assert list(empty.walk()) == in_order(TREE)
        assert empty.search("g") == [".zgroup", "v"]

    def test_delete(self, empty: WritableZmap):
        empty.put("g/.zattrs", b"{}")
        assert empty.delete("g/.zattrs") is True
        assert empty.delete("g/.zattrs") is False
        assert empty.delete("never/there") is False
        assert empty.get("g/.zattrs") is None
        assert empty.search("") == []

    def test_a_key_cannot_be_below_an_object(self, empty: WritableZmap):
        empty.put("a/.b", b"")
        for key in ("a/.b/c", "a", ""):
            with pytest.raises(ZmapError, match=f": /{key}: "):
                empty.put(key, b"")
        assert list(empty.walk()) == ["a/.b"]

    @pytest.mark.parametrize(
        "key", ["../x", "/x", "a//b", "a/", "a\nb", "a\x1b[2J", "a\x7f", "x" * 1025, "a\ud800"]
    )
    def test_illegal_keys_are_refused(self, empty: WritableZmap, key):
        with pytest.raises(ZmapError, match="a key"):
            empty.put(key, b"")
        assert list(empty.walk()) == []

    def test_the_refusal_of_a_long_name_says_the_limit(self, empty: WritableZmap):
        with pytest.raises(ZmapError, match="a name of 1025 bytes, longer than the 1024 that S3"):
            empty.put("é" * 512 + "x", b"")

    def test_writing_after_close_is_an_error(self, empty: WritableZmap):
        empty.close()
        with pytest.raises(ZmapError, match="closed"):
            empty.put(".zgroup", b"{}")

    def test_it_is_writable(self, empty: WritableZmap):
        assert isinstance(empty, WritableZmap)
