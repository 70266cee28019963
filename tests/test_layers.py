"""The import contracts in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.conftest import ROOT

pytest.importorskip("importlinter", reason="import-linter is not installed (make setup)")


def test_import_linter_keeps_every_contract():
    program = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("package", "tables"), [("formats", set()), ("zmap", {"kinds"})])
def test_the_contracts_name_every_module_of_the_core(package, tables):
    """Modules of formats and of kinds of stores are in separate packages."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    named = {
        module
        for contract in contracts["contracts"]
        if contract["name"].startswith("The core of")
        for module in contract["source_modules"]
    }
    folder = ROOT / "src" / "ncz" / package
    core = {path.stem for path in folder.glob("*.py")} - {"__init__"} - tables
    assert {f"ncz.{package}.{name}" for name in core} <= named
