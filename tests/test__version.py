"""The versions of ncz and of its dependencies."""

from __future__ import annotations

import sys
import zipfile
from importlib import metadata

from ncz import _version


def test_versions_are_those_of_the_metadata():
    first, second, *others = _version.versions().splitlines()
    assert first == f"ncz {_version.__version__}"
    assert second.startswith(f"python {sys.version.split()[0]} on ")
    for line in others:
        package, _, text = line.partition(" ")
        if text != "is not installed":
            assert text == metadata.version(package)
    assert others[0].startswith("numpy ")


def test_packages_of_folders_and_of_a_zip_file(tmp_path, monkeypatch):
    folder = tmp_path / "lib"
    for name in ("s3fs-2026.1.dist-info", "Click-8.2-py3.egg-info", "rich.dist-info"):
        (folder / name).mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(folder), str(tmp_path / "absent")])
    assert _version._installed() == {"s3fs": "2026.1", "click": "8.2"}
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as file:
        file.writestr("obstore-0.5.dist-info/METADATA", "Name: obstore\nVersion: 0.5\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "app.zip")])
    assert _version._installed() == {"obstore": "0.5"}
