"""Variables with few stored chunks print as if every value had been read."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Run

SHAPES = {
    "i4": ((40_000,), (2,)),
    "f8": ((40_000,), (2,)),
    "rows": ((20_000, 5), (1, 4)),
}


@pytest.fixture(params=SHAPES)
def stores(request, tmp_path):
    """Two stores of the same values: one with many chunks, mostly missing, one with one chunk."""
    shape, chunks = SHAPES[request.param]
    dtype = "i4" if request.param == "rows" else request.param
    fill = 9
    values = np.full(shape, fill, dtype)
    for first in (3, 15_000):
        box = np.s_[first * chunks[0] : (first + 1) * chunks[0], : chunks[-1]][: len(shape)]
        values[box] = [1, 2, 3, 4][: chunks[-1]]
        key = f"v/{first}{'.0' * (len(shape) - 1)}"
        write(tmp_path / "many" / key, values[box].tobytes())
    write(tmp_path / "one" / f"v/0{'.0' * (len(shape) - 1)}", values.tobytes())
    for name, parts in (("many", chunks), ("one", shape)):
        document = {
            "zarr_format": 2, "shape": shape, "chunks": parts, "order": "C", "compressor": None,
            "dtype": f"<{dtype}", "fill_value": fill, "filters": None,
        }  # fmt: skip
        write(tmp_path / name / "v/.zarray", json.dumps(document).encode())
        write(tmp_path / name / ".zgroup", b'{"zarr_format": 2}')
    return tmp_path


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.mark.parametrize("options", [[], ["--json"], ["-b", "c"]], ids=["cdl", "json", "brief"])
def test_the_text_matches_an_array_whose_chunks_all_exist(run: Run, stores, options):
    many, one = (
        run("dump", "-j", "1", "-n", "x", *options, stores / name) for name in ("many", "one")
    )
    assert (many.code, one.code) == (0, 0)
    found, expected = many.text, one.text
    if options == ["--json"]:
        found, expected = (
            json.dumps(json.loads(text)["variables"]["v"]["data"]) for text in (found, expected)
        )
    assert len(found) > 10
    assert (found == expected) is True  # without a comparison of long texts


def test_other_commands_give_the_same_values(run: Run, stores):
    many, one = stores / "many", stores / "one"
    assert run("diff", many, one).code == 0
    assert run("diff", many, many).code == 0


def test_an_array_that_is_alone_in_a_folder_keeps_its_name(run: Run, stores):
    (stores / "many/.zgroup").unlink()
    assert " v(" in run("dump", "-h", stores / "many").text
    assert run("copy", stores / "many", stores / "copy.zarr").code == 0
    assert " v(" in run("dump", "-h", stores / "copy.zarr").text
