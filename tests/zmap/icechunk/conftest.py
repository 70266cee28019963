"""Fixtures with Icechunk repositories."""

from __future__ import annotations

import shutil

import pytest

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed (make setup)")


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    """The path of a repository with two snapshots, and their names."""
    from tests.zmap.icechunk.repositories import write_versions

    icechunk.set_logs_filter("off")
    path = tmp_path_factory.mktemp("icechunk") / "repo"
    return path, write_versions(icechunk.local_filesystem_storage(str(path)))


@pytest.fixture
def broken(versions, tmp_path):
    """A copy of the repository, to be damaged."""
    return shutil.copytree(versions[0], tmp_path / "repo")
