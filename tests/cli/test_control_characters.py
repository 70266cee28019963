"""Names, texts and paths of others control no terminal, in any command."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest

from ncz.cli.terminal import run as run_command
from tests.conftest import Run

BAD = "a\x1b[31m\x9b31m\u202eb\x07\x85c\u2028\r\n\x7f"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
V2 = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "order": "C",
      "fill_value": 0, "filters": None, "compressor": None}  # fmt: skip
V3 = {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "int32",
      "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
      "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}],
      "fill_value": 0, "attributes": {}}  # fmt: skip


def write(path: Path, objects: dict[str, object]) -> None:
    for key, value in objects.items():
        place = path / key
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(value if isinstance(value, str) else json.dumps(value), newline="")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write stores and texts whose names and values have control characters."""
    monkeypatch.chdir(tmp_path)
    attributes = {BAD: BAD, "units": BAD, "coordinates": BAD, "_ARRAY_DIMENSIONS": [f"x{BAD}"]}
    times = {"units": f"days since {BAD}", "calendar": BAD, "_ARRAY_DIMENSIONS": ["t"]}
    write(tmp_path / f"v2{BAD}", {
        ".zgroup": {"zarr_format": 2}, ".zattrs": {BAD: BAD}, f"v{BAD}/.zarray": V2,
        f"v{BAD}/.zattrs": attributes, "t/.zarray": V2, "t/.zattrs": times,
        f"g{BAD}/.zgroup": {"zarr_format": 2},
    })  # fmt: skip
    write(tmp_path / "faulty", {
        ".zgroup": {"zarr_format": 2}, ".zattrs": {"_nczarr_superblock": {BAD: BAD}},
        "v/.zarray": {**V2, "compressor": {"id": BAD}, "filters": [{"id": BAD, BAD: BAD}],
                      "fill_value": BAD, BAD: BAD},
        "v/.zattrs": {"_ARRAY_DIMENSIONS": [BAD], "_nczarr_array": {BAD: BAD}},
    })  # fmt: skip
    group = {"zarr_format": 3, "node_type": "group", "attributes": {BAD: BAD}}
    unknown = {"data_type": BAD, "codecs": [{"name": BAD}], "fill_value": BAD}
    write(tmp_path / "v3", {
        "zarr.json": {**group, BAD: {"name": BAD, "must_understand": False}},
        "v/zarr.json": {**V3, "dimension_names": [BAD], "attributes": {"units": BAD}},
        "u/zarr.json": {**V3, **unknown},
    })  # fmt: skip
    references = {".zgroup": '{"zarr_format":2}', f"{BAD}/.zarray": BAD, "v/0": [BAD, 0, 8],
                  "v/.zarray": json.dumps(V2), "v/1": [f"s3://{BAD}", 0, 8]}  # fmt: skip
    write(tmp_path, {
        "bad.cdl": f'netcdf {BAD} {{ dimensions: x = 2 ; variables: int v(x) ; v:a = "{BAD}" {BAD}',
        "bad.json": {"format": "ncz-dataset", "version": 1, "variables": {BAD: {"type": BAD}}},
        "refs.json": {"version": 1, "refs": references},
    })  # fmt: skip
    return tmp_path


SOURCES = (f"v2{BAD}", "v3", "faulty", "refs.json", "bad.cdl", "bad.json", f"missing{BAD}",
           f"v3#mode={BAD}", f"v3#{BAD}=1", f"memory://{BAD}", f"s3://{BAD}/x")  # fmt: skip
COMMANDS = (
    ["info", "--stats", "SRC"], ["dump", "-h", "-s", "SRC"], ["dump", "SRC"],
    ["dump", "-v", BAD, "SRC"], ["ls", "-l", "-r", "SRC"], ["ls", "--tree", "SRC"],
    ["check", "--data", "--for", "xarray", "SRC"], ["copy", "--overwrite", "SRC", "out.zarr"],
    ["copy", "--overwrite", "SRC", "out.nc"], ["copy", "--dry-run", "SRC", f"out{BAD}.zarr"],
    ["copy", "--sel", f"{BAD}=1", "SRC", "p.zarr"], ["copy", "-c", f"{BAD}/3", "SRC", "p.zarr"],
    ["copy", "--codec", BAD, "SRC", "p.zarr"], ["copy", "--append", BAD, "SRC", "v3"],
    ["copy", "--mode", BAD, "SRC", "p.zarr"], ["copy", "--for", BAD, "SRC", "p.zarr"],
    ["aggregate", "m.nca", "SRC", "--axis", BAD], ["diff", "SRC", "v3"], ["rm", "--dry-run", "SRC"],
    ["edit", "SRC", "--set", f"{BAD}=1"], ["edit", "SRC", "--rename", f"{BAD}=x"],
    ["consolidate", "SRC"], ["clean", "SRC"], ["gen", "SRC", "-o", "q.zarr"],
    ["--trace", "info", "SRC"], [BAD, "SRC"], ["info", f"--{BAD}", "SRC"],
    ["copy", "--memory", BAD, "SRC", "p.zarr"], ["dump", "-p", BAD, "SRC"],
)  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words[:3]).replace(BAD, "B"))
def test_no_message_controls_a_terminal(run: Run, here, monkeypatch, words):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    for source in SOURCES:
        if "--append" in words and source == "v3":
            continue
        ran = run(*(source if word == "SRC" else word for word in words))
        assert CONTROL.search(ran.stderr) is None, ran.stderr
        if words[0] != "dump":  # text of a file that is not shown on a terminal
            assert CONTROL.search(ran.text.replace("\t", " ")) is None, ran.text


def test_a_warning_of_a_library_is_one_line_that_controls_nothing(capsys, monkeypatch):
    import click

    @click.command()
    def warning() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning(UserWarning(f"odd {BAD}"), UserWarning, "x.py", 1)

    assert run_command(warning, "ncz", []) == 0
    err = capsys.readouterr().err
    assert err.startswith("ncz: warning: odd a\\x1b[31m")
    assert (err.count("\n"), CONTROL.search(err)) == (1, None)


def test_a_shell_gets_no_names_that_control_it(run: Run, here, monkeypatch):
    write(here / "v3", {f"w{BAD}/zarr.json": V3})
    monkeypatch.setenv("_NCZ_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "ncz dump v3 -v ")
    monkeypatch.setenv("COMP_CWORD", "4")
    assert run().text.split() == ["plain,v"]
