"""Errors of packages that fail while they are imported."""

from __future__ import annotations

import importlib

import pytest

from ncz.failed_imports import failed_import


def error_of(name: str) -> BaseException:
    with pytest.raises(Exception, match="broken") as raised:
        importlib.import_module(name)
    return raised.value


def test_the_package_and_the_module_are_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "outer_of_ncz.py").write_text("import inner_of_ncz")
    (tmp_path / "inner_of_ncz.py").write_text("raise RuntimeError('broken')")
    found = failed_import(error_of("outer_of_ncz"))
    assert found is not None
    assert str(found) == (
        "the package outer_of_ncz cannot be imported: inner_of_ncz: RuntimeError: broken;"
        " reinstall outer_of_ncz, or repair or remove inner_of_ncz"
    )


def test_other_errors_are_not_failed_imports():
    assert failed_import(ValueError("broken")) is None
