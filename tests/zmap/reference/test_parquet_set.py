"""Reference sets in the Parquet layout, and errors of fsspec's reader of it."""

from __future__ import annotations

import contextlib
import json
import sys

import pytest

from ncz.errors import FormatError, NczError, ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.forked import forked
from tests.zmap.reference.sets import open_set

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
pq = pytest.importorskip("pyarrow.parquet")

GROUP = {"zarr_format": 2}


def array(shape, chunks, **parts):
    return {"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "|u1", **parts}


def table(rows, columns=("path", "offset", "size", "raw"), types=None):
    """A table of rows (path, offset, size, raw)."""
    types = {"path": pa.string(), "offset": pa.int64(), "size": pa.int64(), "raw": pa.binary()} | (
        types or {}
    )
    names = ("path", "offset", "size", "raw")
    lists = {name: [row[n] for row in rows] for n, name in enumerate(names)}
    return pa.table({name: pa.array(lists[name], types[name]) for name in columns})


ABSENT = (None, 0, 0, None)


@pytest.fixture
def written(tmp_path):
    """Writes a set: its documents, and the rows or the table of each file."""

    def written(metadata, files, record_size=4):
        folder = tmp_path / "refs.parq"
        folder.mkdir()
        (tmp_path / "data").write_bytes(bytes(range(100)))
        text = json.dumps({"metadata": metadata, "record_size": record_size})
        (folder / ".zmetadata").write_text(text)
        for key, rows in files.items():
            (folder / key).parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(rows if isinstance(rows, pa.Table) else table(rows), folder / key)
        return folder

    return written


def test_rows_are_chunks_in_c_order(written, closing):
    rows = [("data", n, 1, None) for n in range(6)]
    folder = written(
        {".zgroup": GROUP, "a/.zarray": array([2, 3], [1, 1])},
        {"a/refs.0.parq": rows[:4], "a/refs.1.parq": rows[4:] + [ABSENT] * 2},
    )
    zmap = closing(open_set(folder))
    assert {key: zmap.get(f"a/{key}") for key in ("0.0", "0.2", "1.0", "1.2")} == {
        "0.0": b"\0", "0.2": b"\2", "1.0": b"\3", "1.2": b"\5",
    }  # fmt: skip
    assert list(zmap.walk()) == [
        ".zgroup", "a/.zarray", "a/0.0", "a/0.1", "a/0.2", "a/1.0", "a/1.1", "a/1.2",
    ]  # fmt: skip
    assert json.loads(zmap.get("a/.zarray"))["shape"] == [2, 3]
    assert zmap.get(".zmetadata") is None


def test_chunks_in_the_document_of_the_set(written, closing):
    """The specification reserves a place for small arrays there; bytes are base64."""
    folder = written(
        {".zgroup": GROUP, "a/.zarray": array([2], [1]), "a/0": "base64:AP8=", "a/1": "x"}, {}
    )
    zmap = closing(open_set(folder))
    assert (zmap.get("a/0"), zmap.get("a/1"), zmap.size("a/0")) == (b"\x00\xff", b"x", 2)
    assert list(zmap.walk("a")) == ["a/.zarray", "a/0", "a/1"]
    folder = folder.rename(folder.with_name("other.parq"))
    bad = written({".zgroup": GROUP, "a": "base64:A"}, {})
    with pytest.raises(FormatError, match=r"zmetadata: a.*base64 cannot be decoded"):
        open_set(bad)


def test_forms_of_rows(written, closing):
    rows = [
        ("data", 3, 2, None),
        ("data", 0, 0, None),
        ("data", 5, 0, None),
        ("data", 3, 2, b"raw prevails"),
        (None, 0, 0, b""),
        (None, 0, 0, None),
        ("", 0, 0, None),
        (None, 7, 7, None),
    ]
    folder = written({"a/.zarray": array([8], [1])}, {"a/refs.0.parq": rows}, record_size=8)
    zmap = closing(open_set(folder))
    assert [zmap.get(f"a/{n}") for n in range(8)] == [
        b"\3\4", bytes(range(100)), b"", b"raw prevails", b"", None, None, None,
    ]  # fmt: skip
    assert zmap.search("a") == [".zarray", "0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    "types",
    [
        {"path": pa.dictionary(pa.int32(), pa.string())},
        {"path": pa.large_string(), "raw": pa.large_binary()},
        {"offset": pa.int32(), "size": pa.uint64()},
        {"offset": pa.float64()},
    ],
    ids=str,
)
def test_types_of_columns(written, closing, types):
    rows = table([("data", 3, 2, None), ABSENT, (None, 0, 0, b"x")], types=types)
    folder = written({"a/.zarray": array([3], [1])}, {"a/refs.0.parq": rows})
    zmap = closing(open_set(folder))
    assert [zmap.get(f"a/{n}") for n in range(3)] == [b"\3\4", None, b"x"]


def test_columns_that_are_absent(written, closing):
    folder = written(
        {"a/.zarray": array([2], [1]), "b/.zarray": array([2], [1])},
        {
            "a/refs.0.parq": table([("data", 3, 2, None)], ("path", "offset", "size")),
            "b/refs.0.parq": table([(None, 0, 0, b"x")], ("raw",)),
        },
    )
    zmap = closing(open_set(folder))
    assert (zmap.get("a/0"), zmap.get("a/1")) == (b"\3\4", None)
    assert (zmap.get("b/0"), zmap.get("b/1")) == (b"x", None)


def test_a_null_path_of_pandas_is_a_missing_chunk(written, closing):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"path": ["data", None, float("nan")], "offset": [1, 0, 0], "size": [1, 0, 0]}
    )
    folder = written(
        {"a/.zarray": array([3], [1])},
        {"a/refs.0.parq": pa.Table.from_pandas(frame, preserve_index=False)},
    )
    zmap = closing(open_set(folder))
    assert [zmap.get(f"a/{n}") for n in range(3)] == [b"\1", None, None]


def test_an_index_beyond_the_grid_is_not_another_chunk(written, closing):
    rows = [("data", n, 1, None) for n in range(9)]
    folder = written({"a/.zarray": array([3, 3], [1, 1])}, {"a/refs.0.parq": rows}, 100)
    zmap = closing(open_set(folder))
    assert zmap.get("a/1.0") == b"\3"
    for key in ("0.3", "0.9", "3.0", "9.9", "0", "0.0.0", "-1.0", "0.-1", "01.0", "0/0", "٣.0"):
        assert zmap.get(f"a/{key}") is None, key


def test_the_separator_of_the_array(written, closing):
    folder = written(
        {"a/.zarray": array([2, 2], [1, 1], dimension_separator="/")},
        {"a/refs.0.parq": [("data", n, 1, None) for n in range(4)]},
    )
    zmap = closing(open_set(folder))
    assert (zmap.get("a/0/1"), zmap.get("a/1/0"), zmap.get("a/0.1")) == (b"\1", b"\2", None)
    assert zmap.search("a") == [".zarray", "0", "1"]
    assert zmap.search("a/1") == ["0", "1"]
    assert list(zmap.walk("a/1")) == ["a/1/0", "a/1/1"]


def test_nested_groups(written, closing):
    metadata = {".zgroup": GROUP, "g/.zgroup": GROUP, "g/h/.zgroup": GROUP}
    folder = written(
        metadata | {"g/h/a/.zarray": array([1], [1])},
        {"g/h/a/refs.0.parq": [(None, 0, 0, b"x")]},
    )
    zmap = closing(open_set(folder))
    assert list(zmap.walk()) == [*metadata, "g/h/a/.zarray", "g/h/a/0"]
    assert (zmap.search(""), zmap.search("g")) == ([".zgroup", "g"], [".zgroup", "h"])
    assert zmap.get("g/h/a/0") == b"x"


def test_files_that_are_short_or_missing(written, closing):
    folder = written(
        {"a/.zarray": array([12], [1])},
        {"a/refs.0.parq": [(None, 0, 0, b"x")], "a/refs.2.parq": [(None, 0, 0, b"y")] * 9},
    )
    zmap = closing(open_set(folder))
    assert [zmap.get(f"a/{n}") for n in (0, 1, 3, 4, 8, 11)] == [b"x", None, None, None, b"y", b"y"]
    assert list(zmap.walk("a")) == ["a/.zarray", "a/0", "a/10", "a/11", "a/8", "a/9"]


def test_scalars_and_arrays_without_elements(written, closing):
    folder = written(
        {"s/.zarray": array([], []), "e/.zarray": array([0], [1])},
        {"s/refs.0.parq": [(None, 0, 0, b"x")], "e/refs.0.parq": [(None, 0, 0, b"x")]},
    )
    zmap = closing(open_set(folder))
    assert (zmap.get("s/0"), zmap.get("e/0")) == (b"x", None)


def test_an_empty_dimension_in_chunks_of_length_zero(written, closing):
    folder = written(
        {
            "e/.zarray": array([0, 2], [0, 2]),
            "f/.zarray": array([3, 0], [3, 0]),
            "v/.zarray": array([2], [1]),
        },
        {"v/refs.0.parq": [(None, 0, 0, b"x"), (None, 0, 0, b"y")]},
    )
    zmap = closing(open_set(folder))
    assert [zmap.get(key) for key in ("e/0.0", "f/0.0", "v/1")] == [None, None, b"y"]
    assert sorted(zmap.walk("")) == ["e/.zarray", "f/.zarray", "v/.zarray", "v/0", "v/1"]


def test_documents_that_are_texts(written, closing):
    folder = written(
        {".zgroup": json.dumps(GROUP), "a/.zarray": json.dumps(array([1], [1]))},
        {"a/refs.0.parq": [(None, 0, 0, b"x")]},
    )
    zmap = closing(open_set(folder))
    assert (zmap.get(".zgroup"), zmap.get("a/0")) == (json.dumps(GROUP).encode(), b"x")


@pytest.mark.parametrize(
    ("metadata", "record_size", "message"),
    [
        ({}, 0, "record_size must be between"),
        ({}, 1 << 40, "record_size must be between"),
        ({}, "10", "record_size must be between"),
        ([], 10, "metadata must be an object"),
        ({".zgroup": 1}, 10, "metadata must be an object"),
        ({"a/.zarray": {}}, 10, "the document of an array is not valid"),
        ({"a/.zarray": array([1], [0])}, 10, "the document of an array is not valid"),
        ({"a/.zarray": array([-1], [1])}, 10, "the document of an array is not valid"),
        ({"a/.zarray": array([1, 1], [1])}, 10, "the document of an array is not valid"),
    ],
    ids=str,
)
def test_metadata_that_are_not_valid(written, metadata, record_size, message):
    with pytest.raises(FormatError, match=message):
        open_set(written(metadata, {}, record_size))


def test_a_file_that_is_not_parquet(written, closing):
    folder = written({"a/.zarray": array([1], [1])}, {"a/refs.0.parq": [ABSENT]})
    (folder / "a" / "refs.0.parq").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FormatError, match="this Parquet file cannot be read"):
        closing(open_set(folder)).get("a/0")


def test_a_number_of_rows_that_is_not_theirs(written, closing):
    folder = written({"a/.zarray": array([3], [1])}, {"a/refs.0.parq": [("x", 1, 5, None)] * 3})
    path = folder / "a" / "refs.0.parq"
    whole, found = path.read_bytes(), set()
    for at in [n for n in range(len(whole)) if whole[n] == 6]:  # 3 in the encoding of thrift
        path.write_bytes(whole[:at] + b"\x08" + whole[at + 1 :])
        try:
            list(closing(open_set(folder)).walk("a"))
        except FormatError as error:
            found.add("counts its rows in two ways" in str(error))
        except NczError:
            pass
    assert True in found


def test_a_row_group_of_very_many_rows(written, closing):
    """Arrow would read until it had them all."""
    folder = written({"a/.zarray": array([3], [1])}, {"a/refs.0.parq": [("x", 1, 5, None)] * 3})
    path = folder / "a" / "refs.0.parq"
    whole = path.read_bytes()
    length = int.from_bytes(whole[-8:-4], "little")
    many, refused = b"\xa0\xe0\x9b\xd8\xbe\x93\x09", 0
    for at in (n for n in range(len(whole) - 8 - length, len(whole) - 8) if whole[n] == 6):
        longer = (length + len(many) - 1).to_bytes(4, "little")
        path.write_bytes(whole[:at] + many + whole[at + 1 : -8] + longer + b"PAR1")
        with contextlib.suppress(NczError):
            closing(open_set(folder)).get("a/0")
            continue
        refused += 1
    assert refused > 5


def read_each(folder, whole, places):
    """Read a set for each damage of its file; in a process, which Arrow could abort or stop."""
    path = folder / "a" / "refs.0.parq"
    for at, byte in places:
        path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
        with contextlib.suppress(NczError), contextlib.closing(open_set(folder)) as opened:
            opened.get("a/0")


def test_damaged_columns_of_row_groups_do_not_end_the_process(written):
    """Arrow aborts if such a column is requested; 2 and 12 are types of columns in thrift."""
    rows = [("some-name", 1, 5, None)] * 3
    folder = written({"a/.zarray": array([3], [1])}, {"a/refs.0.parq": rows})
    whole = (folder / "a" / "refs.0.parq").read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    damages = [
        (at, byte)
        for at in range(footer, len(whole) - 8)
        for byte in {2: (0, 127), 12: (0, 2)}.get(whole[at], ())
    ]
    assert len(damages) > 20
    with forked(read_each, folder, whole, damages) as process:
        pass
    assert process.exitcode == 0


def test_a_file_whose_bytes_are_damaged_is_an_error_that_names_it(written, closing):
    """pyarrow raises exceptions of several kinds, some of them with several lines."""
    folder = written({"a/.zarray": array([1], [1])}, {"a/refs.0.parq": [("some-name", 1, 5, None)]})
    path = folder / "a" / "refs.0.parq"
    whole, told = path.read_bytes(), []
    at = whole.index(b"some-name")
    damaged = [whole[:at] + b"\xff" + whole[at + 1 :]]
    damaged += [whole[:n] + bytes([whole[n] ^ 255]) + whole[n + 1 :] for n in range(4, 400, 7)]
    damaged += [whole[:-n] + bytes([whole[-n] ^ 255]) + whole[-n + 1 :] for n in range(9, 400, 7)]
    for data in damaged:
        path.write_bytes(data)
        try:
            closing(open_set(folder)).get("a/0")
        except NczError as error:  # some lead elsewhere
            told.append(error)
    unread = [str(error) for error in told if isinstance(error, FormatError)]
    assert len(unread) > 20
    assert all("refs.0.parq" in text and "\n" not in text for text in unread)


@pytest.mark.parametrize("row", [("x", -1, 5, None), ("x", 1, -5, None)])
def test_a_negative_range(written, closing, row):
    folder = written({"a/.zarray": array([1], [1])}, {"a/refs.0.parq": [row]})
    with pytest.raises(FormatError, match="negative offset or size"):
        closing(open_set(folder)).get("a/0")


def test_a_huge_array_is_listed_by_its_files(written, closing):
    folder = written({"a/.zarray": array([10**18], [1])}, {"a/refs.0.parq": [(None, 0, 0, b"x")]})
    assert list(closing(open_set(folder)).walk()) == ["a/.zarray", "a/0"]


def test_without_pyarrow_the_message_names_the_extra(written, closing, monkeypatch):
    folder = written({"a/.zarray": array([1], [1])}, {"a/refs.0.parq": [ABSENT]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    zmap = closing(open_set(folder))
    assert zmap.get("a/.zarray") is not None
    with pytest.raises(ZmapError, match=r"pyarrow is required.*pip install 'ncz\[parquet\]'"):
        zmap.get("a/0")


def test_a_store_with_consolidated_metadata_is_not_a_set(tmp_path, closing):
    folder = tmp_path / "x.zarr"
    folder.mkdir()
    (folder / ".zgroup").write_text("{}")
    (folder / ".zmetadata").write_text('{"metadata": {}, "record_size": 1}')
    assert closing(open_zmap(parse_location(str(folder)))).get(".zmetadata")


def test_a_set_on_a_web_server(web, written, closing):
    folder = written({"a/.zarray": array([9], [1])}, {"a/refs.1.parq": [("data", 7, 2, None)]})
    for path in folder.rglob("*"):
        if path.is_file():
            web.objects[f"s/x/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    web.objects["s/data"] = bytes(range(100))
    for text in (f"{web.endpoint}/s/x", f"{web.endpoint}/s/x#mode=reference"):
        zmap = closing(open_zmap(parse_location(text)))
        assert (zmap.get("a/4"), zmap.get("a/0")) == (b"\7\x08", None)
        assert list(zmap.walk("a")) == ["a/.zarray", "a/4"]
