"""References to files that have changed or are too short."""

from __future__ import annotations

from pathlib import Path

from ncz.formats.zarr.check.contents import read_contents
from ncz.formats.zarr.check.references import check_references
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.zmap.reference.sets import write_set

ARRAY = (
    '{"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "order": "C",'
    ' "compressor": null, "filters": null, "fill_value": 0}'
)


def found(folder: Path, *ranges: tuple[str, int, int]) -> list[tuple[str, str]]:
    references = {f"v/{n}": list(each) for n, each in enumerate(ranges)}
    path = write_set(
        folder / "s.json", {".zgroup": '{"zarr_format": 2}', "v/.zarray": ARRAY, **references}
    )
    location = parse_location(path)
    read, _ = read_contents(open_zmap(location), location, None)
    assert read is not None
    findings = [(each.code, each.key) for each in check_references(read)]
    read.zmap.close()
    return findings


def test_a_target_that_is_too_short_or_missing(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(bytes(20))
    assert found(tmp_path, ("a.bin", 0, 8), ("a.bin", 12, 8)) == []
    assert found(tmp_path, ("a.bin", 0, 8), ("a.bin", 16, 8)) == [("reference-broken", "v/1")]
    assert found(tmp_path, ("b.bin", 0, 8), ("a.bin", 0, 8)) == [("reference-broken", "v/0")]
