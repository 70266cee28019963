"""Packages that are installed and cannot be imported are named."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose packages are found before all others."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *sys.path]))
    return folder


def error_of(*arguments: str) -> str:
    """Run ncz in a new process, and return the line of its error."""
    command = [sys.executable, "-m", "ncz", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    return done.stderr


@pytest.mark.parametrize("codec", ["blosc", "zstd:1"])
def test_a_package_that_numcodecs_looks_for(broken, codec):
    text = "netcdf s { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }"
    ncz.gen(io.BytesIO(text.encode()), "s.zarr", notify=ignore_notice)
    ncz.copy("s.zarr", "t.zarr", codecs=[codec], notify=ignore_notice)
    metadata = broken / "zfpy-1.0.1.post1.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.1\nName: zfpy\nVersion: 1.0.1.post1\n")
    expected = (
        "the package numcodecs cannot be imported: numcodecs.zfpy: ValueError: invalid literal for"
        " int() with base 10: 'post1'; reinstall numcodecs, or repair or remove zfpy\n"
    )
    assert error_of("dump", "t.zarr").endswith(f"/v/0: data of /v: {expected}")
    assert expected.partition(";")[0] in error_of("copy", "--codec", codec, "s.zarr", "u.zarr")


@pytest.mark.parametrize(
    ("package", "arguments"),
    [("icechunk", ["info", "repository"]), ("pyarrow", ["info", "r.parq"])],
)
def test_a_package_that_ncz_itself_imports(broken, package, arguments):
    (broken / f"{package}.py").write_text("raise AttributeError('no such version')")
    Path("repository/snapshots").mkdir(parents=True)
    Path("repository/repo").touch()
    Path("r.parq/v").mkdir(parents=True)
    array = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|u1", "compressor": None,
             "filters": None, "fill_value": 0, "order": "C"}  # fmt: skip
    documents = {".zgroup": {"zarr_format": 2}, "v/.zarray": array}
    Path("r.parq/.zmetadata").write_text(json.dumps({"record_size": 1, "metadata": documents}))
    Path("r.parq/v/refs.0.parq").write_bytes(b"PAR1")
    if package == "pyarrow":
        arguments = ["dump", *arguments[1:]]
    assert error_of(*arguments) == (
        f"ncz: the package {package} cannot be imported: {package}: AttributeError: no such"
        f" version; reinstall {package}\n"
    )
