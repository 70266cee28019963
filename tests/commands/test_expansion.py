"""Reference sets as JSON of version 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncz.commands.expansion import expand_set
from ncz.commands.key_patterns import LsOptions
from ncz.errors import KeyMissing, ZmapError
from ncz.zmap.location import parse_location
from tests.conftest import Run
from tests.zmap.reference.sets import write_set

REFERENCES = {".zgroup": '{"zarr_format": 2}', "v/.zarray": "{}", "v/0": ["{{u}}/a.nc", 4, 8]}
GEN = {
    "key": "v/{{i}}", "url": "{{u}}/b.nc", "offset": "{{i * 8}}", "length": "8",
    "dimensions": {"i": {"start": 1, "stop": 3}},
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> str:
    return write_set(tmp_path / "s.json", REFERENCES, templates={"u": "data"}, gen=[GEN])


def lines(path: str, *patterns: str) -> list[str]:
    return list(expand_set(LsOptions(source=parse_location(path), patterns=patterns)))


def test_templates_and_generated_references_are_written_out(path: str):
    folder = Path(path).parent / "data"
    assert json.loads("".join(lines(path))) == {
        ".zgroup": '{"zarr_format": 2}',
        "v/.zarray": "{}",
        "v/0": [f"{folder}/a.nc", 4, 8],
        "v/1": [f"{folder}/b.nc", 8, 8],
        "v/2": [f"{folder}/b.nc", 16, 8],
    }


def test_only_selected_keys_are_written(path: str):
    assert [*json.loads("".join(lines(path, "v/[12]")))] == ["v/1", "v/2"]
    with pytest.raises(KeyMissing, match="w does not exist"):
        lines(path, "w")


def test_a_line_has_one_key(path: str, run: Run):
    printed = run("ls", "--references", path)
    assert printed.code == 0
    assert printed.text.splitlines() == lines(path)
    assert len(lines(path)) == 7


def test_a_store_is_no_set(tmp_path: Path):
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    with pytest.raises(ZmapError, match="this is not a reference set"):
        lines(str(tmp_path / "a.zarr"))
