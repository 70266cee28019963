"""Stores with codecs and data types of zarr-extensions, which many readers do not have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.fuzz.chains import stores

STORES = list(stores())
SCALED = 2
"""The index of the store whose one codec of zarr-extensions is scale_offset."""


def written(path: Path, files: dict[str, bytes]) -> Path:
    for key, data in files.items():
        (path / key).parent.mkdir(parents=True, exist_ok=True)
        (path / key).write_bytes(data)
    return path


def names(codecs: list[dict[str, object]]) -> list[str]:
    """Return the names of all codecs of a list, those within shards too."""
    found = []
    for codec in codecs:
        configuration = codec.get("configuration") or {}
        assert isinstance(configuration, dict)
        found += [str(codec["name"]), *names(configuration.get("codecs", []))]
    return found


def numbers(values: Any) -> Any:
    """Return numbers as complex ones, also from structures of two parts."""
    parts = np.asarray(values)
    if parts.dtype.names is None:
        return parts.astype("c16")
    return parts["r"] + 1j * parts["i"].astype("c16")


@pytest.mark.parametrize("number", range(len(STORES)))
def test_a_copy_keeps_the_codecs_and_the_type(number, tmp_path):
    source = written(tmp_path / "a.zarr", STORES[number])
    ncz.copy(source, tmp_path / "b.zarr", modes=["zarr", "v3"], notify=ignore_notice)
    ours, theirs = (json.loads((tmp_path / n / "values/zarr.json").read_text()) for n in
                    ("a.zarr", "b.zarr"))  # fmt: skip
    assert ours["data_type"] == theirs["data_type"]
    assert names(ours["codecs"]) == names(theirs["codecs"])
    one, other = (tmp_path / name / "values/c/0/0" for name in ("a.zarr", "b.zarr"))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("number", range(len(STORES)))
def test_a_copy_for_zarr_python_is_read_by_it(number, tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3.4", reason="zarr-python 3.4 is not installed")
    source = written(tmp_path / "a.zarr", STORES[number])
    values = numbers(ncz.open(source)["values"][...])
    ncz.copy(
        source, tmp_path / "b.zarr", audience=["zarr-python"], modes=["zarr", "v3"],
        notify=ignore_notice,
    )  # fmt: skip
    array = zarr.open_array(tmp_path / "b.zarr" / "values", mode="r")
    np.testing.assert_array_equal(numbers(array[...]), values)
    assert not ncz.check(tmp_path / "b.zarr", audience=["zarr-python"]).findings


@pytest.mark.parametrize(
    "options", [{"chunks": ["x/4"]}, {"shards": ["x/6", "y/4"], "chunks": ["y/2"]}]
)
@pytest.mark.parametrize("number", range(len(STORES)))
def test_other_chunks_have_the_same_values(number, options, tmp_path):
    source = written(tmp_path / "a.zarr", STORES[number])
    modes = ["zarr", "v3"]
    ncz.copy(source, tmp_path / "b.zarr", modes=modes, notify=ignore_notice, **options)
    np.testing.assert_array_equal(
        ncz.open(tmp_path / "b.zarr")["values"][...], ncz.open(source)["values"][...]
    )


def test_check_names_the_codecs_that_zarr_python_does_not_decode(tmp_path):
    source = written(tmp_path / "a.zarr", STORES[0])
    (found,) = ncz.check(source, audience=["zarr-python"]).findings
    assert "does not decode chunks of other codecs of zarr-extensions" in found.message


def test_zarr_python_decodes_scale_offset_and_a_copy_for_it_keeps_that_codec(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3.4", reason="zarr-python 3.4 is not installed")
    source = written(tmp_path / "a.zarr", STORES[SCALED])
    assert not ncz.check(source, audience=["zarr-python", "xarray", "zarrs"]).findings
    (found,) = ncz.check(source, audience=["tensorstore"]).findings
    assert "chunks of the codec scale_offset" in found.message
    ncz.copy(
        source, tmp_path / "b.zarr", audience=["zarr-python"], modes=["zarr", "v3"],
        notify=ignore_notice,
    )  # fmt: skip
    document = json.loads((tmp_path / "b.zarr/values/zarr.json").read_text())
    assert "scale_offset" in names(document["codecs"])
    array = zarr.open_array(tmp_path / "b.zarr/values", mode="r")
    np.testing.assert_array_equal(array[...], ncz.open(source)["values"][...])
