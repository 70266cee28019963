"""The versions of ncz and of its dependencies."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
import zipfile
from importlib import import_module, metadata

import pytest

from ncz import _version
from tests.conftest import ROOT


def test_versions_match_the_metadata():
    first, second, *others = _version.versions().splitlines()
    assert first == f"ncz {_version.__version__}"
    assert second.startswith(f"python {sys.version.split()[0]} on ")
    for line in others:
        package, _, text = line.partition(" ")
        if text != "is not installed":
            assert text == metadata.version(package)
    assert others[0].startswith("numpy ")


def test_optional_packages_equal_the_extras():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = settings["project"]["optional-dependencies"].values()
    needed = {re.split("[>=!]", each)[0].replace("_", "-") for extra in extras for each in extra}
    usual, all_of_them = _version.versions(), _version.versions(with_optional=True)
    assert all_of_them.startswith(usual)
    added = {line.split()[0] for line in all_of_them.removeprefix(usual).split("\n") if line}
    assert added == needed | {"zarr"}


def test_packages_of_folders_and_of_a_zip_file(tmp_path, monkeypatch):
    folder = tmp_path / "lib"
    for name in ("s3fs-2026.1.dist-info", "Click-8.2-py3.egg-info", "rich.dist-info"):
        (folder / name).mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(folder), str(tmp_path / "absent")])
    assert _version._installed_versions() == {"s3fs": "2026.1", "click": "8.2"}
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as file:
        file.writestr("obstore-0.5.dist-info/METADATA", "Name: obstore\nVersion: 0.5\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "app.zip")])
    assert _version._installed_versions() == {"obstore": "0.5"}


@pytest.mark.parametrize("is_zip", [False, True])
def test_the_version_is_in_the_file_that_the_build_writes(tmp_path, monkeypatch, is_zip):
    built, unbuilt = (tmp_path / "app" / f"{name}_{is_zip}" for name in ("built", "unbuilt"))
    for package in (built, unbuilt):
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        shutil.copy(_version.__file__, package)
    (built / "version.txt").write_text("1.2.3\n")
    app = shutil.make_archive(str(built.parent), "zip", built.parent) if is_zip else built.parent
    monkeypatch.syspath_prepend(app)
    assert import_module(f"{built.name}._version").__version__ == "1.2.3"
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    fallback = settings["tool"]["hatch"]["version"]["fallback-version"]
    assert import_module(f"{unbuilt.name}._version").__version__ == fallback
