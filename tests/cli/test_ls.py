"""``ncz ls`` on the command line."""

from __future__ import annotations

import json
import zipfile

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT
from tests.zmap.local.test_directory import fill

STORE = {
    ".zgroup": b'{"zarr_format": 2}',
    "v/.zarray": b'{"zarr_format":2}',
    "v/0": b"\0\1",
    "v/1": b"",
    "g/.zgroup": b"{}",
    "g/w/.zarray": b"{}",
    "g/w/0/0": b"1",
}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path / "x.zarr", STORE)
    return "x.zarr"


def test_one_level(run, store):
    assert run("ls", store).text == "/.zgroup\n/g\n/v\n"


def test_a_prefix_and_a_glob(run, store):
    assert run("ls", store, "/v").text == "/v/.zarray\n/v/0\n/v/1\n"
    assert run("ls", store, "/*/.z*").text == "/g/.zgroup\n/v/.zarray\n"


def test_several_patterns(run, store):
    ran = run("ls", store, "/v", "/*/.z*", "v/*")
    assert ran.text == "/v/.zarray\n/v/0\n/v/1\n/g/.zgroup\n"
    ran = run("ls", store, "/v", "/gone")
    assert (ran.code, "key /gone does not exist" in ran.stderr) == (1, True)


def test_exclude_and_kind(run, store):
    assert run("ls", "-r", store, "--exclude", "g", "--exclude", "/v/1").text == (
        "/.zgroup\n/v/.zarray\n/v/0\n"
    )
    assert run("ls", "-r", store, "--exclude", "**/w").text.count("/g/") == 1
    assert run("ls", "-r", store, "--kind", "chunk").text == "/g/w/0/0\n/v/0\n/v/1\n"
    assert run("ls", store, "--kind", "array", "--kind", "group").text == "/.zgroup\n/g\n/v\n"


def test_totals(run, store):
    assert run("ls", "--totals", store).text == (
        "       bytes    objects     chunks  kind    key\n"
        "          42          7          3  group   /\n"
        "           5          3          1  group   /g\n"
        "           3          2          1  array   /g/w\n"
        "          19          3          2  array   /v\n"
    )
    rows = json.loads(run("ls", "--totals", "--json", store, "/v").text)
    assert rows[-1] == {"key": "/v", "kind": "array", "objects": 3, "chunks": 2, "size": 19}


def test_the_sum_of_each_store_is_a_line(run, store):
    assert run("ls", "--sum", store).text == f"          42  {store}\n"
    assert run("ls", "--sum", store, store).text == f"          42  {store}\n" * 2
    assert run("ls", "--sum", "--json", store, "/g", "/v").text == (
        '[\n {"key": "/", "kind": "group", "objects": 6, "chunks": 3, "size": 24}\n]\n'
    )


def test_the_tree_of_a_netcdf_file_has_its_variables(run, tmp_path):
    ncz.gen(ROOT / "cdl_examples/weather.cdl", tmp_path / "w.nc", notify=ignore_notice)
    tree = run("ls", "--tree", tmp_path / "w.nc").text
    assert "├── lat/\n│   └── 1 chunk\n" in tree


def test_human_sizes(run, tmp_path):
    fill(tmp_path / "x.zarr", {".zgroup": b"{}", "v/.zarray": b"{}", "v/0": b"x" * 12_345})
    text = run("ls", "-rl", "--human", tmp_path / "x.zarr").text
    assert "     12.3 kB  chunk       /v/0\n" in text
    assert "      12.3 kB" not in run("ls", "-rl", tmp_path / "x.zarr").text


def test_contents(run, tmp_path):
    cdl = b"netcdf x { dimensions: x = 30 ; variables: int v(x) ; v:_ChunkSizes = 30 ;"
    values = ", ".join(map(str, range(30)))
    target = tmp_path / "x.zarr"
    run("gen", "-", "-o", target, stdin=cdl + b" data: v = " + values.encode() + b" ; }")
    ran = run("ls", "--contents", "-r", target, "/v", "--exclude", ".zattrs", "--most", "3")
    assert ran.code == 0
    assert ran.text.splitlines()[:5] == [
        f"==> /v/.zarray (array, {(target / 'v/.zarray').stat().st_size} bytes) <==",
        "{",
        '  "zarr_format": 2,',
        '  "shape": [30],',
        "...",
    ]
    assert ran.text.endswith("==> /v/0 (chunk, 120 bytes) <==\n0, 1, 2, ...\n")
    rows = json.loads(run("ls", "--contents", "--json", "--most", "0", target, "/v/0").text)
    assert rows[0]["lines"] == [values]
    (target / "v/0").write_bytes(b"123")
    ran = run("ls", "--contents", target, "/v/0")
    assert (ran.code, ran.text) == (1, "==> /v/0 (chunk, 3 bytes) <==\n")
    assert "ncz: notice:" in ran.stderr


def test_a_consolidated_group_is_a_group(run, tmp_path):
    array = '{"zarr_format": 3, "node_type": "array"}'
    group = '{"attributes": {"node_type": "array"}, "consolidated_metadata": {"metadata": '
    group += f'{{"v": {array}}}}}, "zarr_format": 3, "node_type": "group"}}'
    fill(tmp_path / "x.zarr", {"zarr.json": group.encode(), "v/zarr.json": array.encode()})
    text = run("ls", "-rl", tmp_path / "x.zarr").text
    assert [line.split()[1:] for line in text.splitlines()] == [
        ["array", "/v/zarr.json"],
        ["group", "/zarr.json"],
    ]


def test_long(run, store):
    assert run("ls", "-l", "-r", store, "/v").text == (
        "          17  array       /v/.zarray\n"
        "           2  chunk       /v/0\n"
        "           0  chunk       /v/1\n"
    )
    assert run("ls", "-l", store).text == (
        "          18  group       /.zgroup\n"
        "           -  group       /g\n"
        "           -  array       /v\n"
    )


def test_json(run, store):
    ran = run("ls", "--json", store)
    assert json.loads(ran.text) == [
        {"key": "/.zgroup", "size": 18, "kind": "group"},
        {"key": "/g", "size": None, "kind": "group"},
        {"key": "/v", "size": None, "kind": "array"},
    ]
    assert len(ran.text.splitlines()) == 5  # an entry a line


def test_json_of_nothing(run, tmp_path):
    assert json.loads(run("ls", "--json", tmp_path).text) == []


def test_tree(run, store):
    assert run("ls", "--tree", store).text == (
        "x.zarr\n"
        "├── .zgroup\n"
        "├── g/\n"
        "│   ├── .zgroup\n"
        "│   └── w/\n"
        "│       ├── .zarray\n"
        "│       └── 1 chunk\n"
        "└── v/\n"
        "    ├── .zarray\n"
        "    └── 2 chunks\n"
    )


def test_tree_with_every_chunk(run, store):
    text = run("ls", "--tree", "-r", store, "/g").text
    assert text.endswith("        ├── .zarray\n        └── 0/\n            └── 0\n")


def test_colour_only_where_asked(run, store):
    assert b"\x1b" not in run("ls", "--tree", store).stdout
    assert b"\x1b[" in run("ls", "--tree", "--color=always", store).stdout


def test_names_are_no_markup(run, tmp_path):
    fill(tmp_path / "y", {"[bold]x[/bold]/.zarray": b"", ":smile:/0": b""})
    text = run("ls", "--tree", tmp_path / "y").text
    assert "[bold]x[" in text
    assert ":smile:/" in text


def test_cat(run, store):
    assert run("ls", store, "--cat", "/.zgroup").text == '{\n  "zarr_format": 2\n}\n'
    assert run("ls", store, "--cat", "v/0").text == (
        "00000000  00 01                                             |..|\n00000002\n"
    )


def test_options_that_exclude_each_other(run, store):
    for arguments in (
        ["--decode"],
        ["--cat", "/v/0", "-l"],
        ["--tree", "--json"],
        ["--tree", "-l"],
        ["--tree", "--totals"],
        ["--contents", "--cat", "/v/0"],
        ["-x", "objdump", "--kind", "chunk"],
    ):
        ran = run("ls", store, *arguments)
        assert ran.code == 2
        assert ran.stdout == b""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.zarr"], "ncz: gone.zarr: no file or store exists at this path; check the path\n"),
        (["x.zarr", "/vv"], "ncz: x.zarr: key /vv does not exist; did you mean /v?\n"),
        (
            ["x.zarr", "--cat", "/v/7"],
            "ncz: x.zarr: key /v/7 does not exist; /v holds .zarray, 0, 1\n",
        ),
        (["dap9://b/k"], "unknown protocol 'dap9'"),
        (["x.zarr#mode=nope"], "unknown mode 'nope'"),
    ],
)
def test_errors_are_one_line(run, store, arguments, says):
    ran = run("ls", *arguments)
    assert ran.code == 1
    assert says in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert ran.stdout == b""


def test_a_broken_store_is_listed(run, tmp_path):
    fill(tmp_path / "broken", {".zgroup": b"\xff\0{", "v/.zarray": b"[" * 100_000, "v/0": b""})
    ran = run("ls", "-rl", tmp_path / "broken")
    assert ran.code == 0
    assert [line.split()[1] for line in ran.text.splitlines()] == ["group", "array", "chunk"]
    assert run("ls", tmp_path / "broken", "--cat", ".zgroup").stdout == b"\xff\0{\n"


def test_names_do_not_steer_a_terminal(run, tmp_path):
    fill(tmp_path / "evil", {"a\x1b[2Jb\nc/.zarray": b"", "\x9b/0": b"", "grün/0": b""})
    for arguments in (["-r"], ["-rl"], ["--tree"], ["--json"], []):
        text = run("ls", *arguments, tmp_path / "evil").text
        assert not set(text) & {"\x1b", "\x9b"}
    assert run("ls", tmp_path / "evil").text == "/a\\x1b[2Jb\\nc\n/grün\n/\\x9b\n"
    listed = json.loads(run("ls", "--json", tmp_path / "evil").text)
    assert {entry["key"] for entry in listed} == {"/a\x1b[2Jb\nc", "/\x9b", "/grün"}


def test_hostile_zip_entries_are_not_listed(run, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name in ("../../evil", "/abs/.zarray", ".zgroup", "v\x1b]0;title\x07/.zarray"):
            archive.writestr(name, b"{}")
    assert run("ls", "-r", tmp_path / "x.zip").text == "/.zgroup\n/v\\x1b]0;title\\x07/.zarray\n"


def test_a_zip_lists_like_the_directory_it_was_made_of(run, store, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for key, value in STORE.items():
            archive.writestr("x.zarr/" + key, value)
    assert run("ls", "-rl", "x.zip").stdout == run("ls", "-rl", store).stdout


def test_many_keys(run, tmp_path):
    fill(tmp_path / "big", {"v/.zarray": b"{}"})
    for number in range(5000):
        (tmp_path / "big" / "v" / str(number)).touch()
    assert len(run("ls", "-r", tmp_path / "big").stdout.splitlines()) == 5001
