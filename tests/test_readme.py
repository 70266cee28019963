"""Run the console and Python blocks of the README, and compare their output."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a folder with the examples, and with the commands on the PATH."""
    here = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "cdl_examples", here / "cdl_examples")
    programs = here / "bin"
    programs.mkdir()
    for name in ("ncz", "ncz-gen", "ncz-dump", "ncz-ls"):
        entry = "main" if name == "ncz" else "main_" + name.partition("-")[2]
        program = programs / name
        program.write_text(f"#!{sys.executable}\nimport ncz.cli\nncz.cli.{entry}()\n")
        program.chmod(0o755)
    return here


def run_in(folder: Path, command: list[str]) -> str:
    environment = os.environ | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("FORCE_COLOR", None)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def test_there_are_blocks_to_run():
    assert CONSOLE
    assert PYTHON


def test_console_blocks_print_what_they_say(folder):
    for block in CONSOLE:
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = step.partition("\n")
            assert run_in(folder, ["bash", "-c", command]) == expected, command


def test_python_blocks_run(folder):
    for block in PYTHON:
        printed = run_in(folder, [sys.executable, "-W", "error", "-c", block])
        expected = "".join(
            line.partition("  # ")[2] + "\n" for line in block.splitlines() if "print(" in line
        )
        assert printed == expected
