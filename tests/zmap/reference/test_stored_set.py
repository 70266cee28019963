"""Sets of each form, opened without their targets."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ncz.errors import FormatError, StoreMissing
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.location import parse_location
from ncz.zmap.reference.reference_set import ReferenceSet
from ncz.zmap.reference.stored_set import open_set
from tests.zmap.reference.sets import write_set

REFERENCES = {".zgroup": "{}", "v/0": ["a.nc", 4, 8]}


def opened(path: Path) -> ReferenceSet:
    return open_set(parse_location(str(path)))


def test_a_json_text_of_each_version(tmp_path: Path):
    write_set(tmp_path / "one.json", REFERENCES)
    (tmp_path / "zero.json").write_text(json.dumps(REFERENCES))
    for name, version in (("one", 1), ("zero", 0)):
        references = opened(tmp_path / f"{name}.json")
        assert references.version == version
        assert [*references.walk("")] == [".zgroup", "v/0"]
        assert references.find("v/0") == ByteRange("a.nc", 4, 8)
        assert not references.seals


def test_a_compressed_text(tmp_path: Path):
    write_set(tmp_path / "a.json", REFERENCES)
    (tmp_path / "a.json").write_bytes(gzip.compress((tmp_path / "a.json").read_bytes()))
    assert opened(tmp_path / "a.json").find("v/0") == ByteRange("a.nc", 4, 8)


def test_a_folder_of_parquet(tmp_path: Path):
    pytest.importorskip("pyarrow")
    folder = Path(__file__).parents[2] / "stores" / "kerchunk" / "ranges.parq"
    references = opened(folder)
    assert references.find(".zgroup") is not None
    assert any(key.startswith("t/") for key in references.walk(""))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 1, "refs": 5}'])
def test_another_text_is_no_set(tmp_path: Path, text: str):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(FormatError, match=r"a\.json"):
        opened(tmp_path / "a.json")


def test_nothing_and_an_empty_folder(tmp_path: Path):
    with pytest.raises((StoreMissing, FormatError)):
        opened(tmp_path / "missing.json")
    (tmp_path / "empty.parq").mkdir()
    with pytest.raises((StoreMissing, FormatError)):
        opened(tmp_path / "empty.parq")
