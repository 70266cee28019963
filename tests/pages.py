"""Run the blocks of a page: console blocks with their output, and Python blocks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

PROGRAMS = ("ncz", "ncz-gen", "ncz-dump", "ncz-ls", "ncz-copy")
_MARK = "----- the next command -----"


class Page:
    """A page of the documentation, and the folder in which its blocks run, one after the other."""

    def __init__(self, path: str, folder: Path) -> None:
        self.text = (ROOT / path).read_text(encoding="utf-8")
        self.folder = folder
        programs = folder / "bin"
        programs.mkdir()
        for name in PROGRAMS:
            entry = "main" if name == "ncz" else "main_" + name.partition("-")[2]
            program = programs / name
            program.write_text(f"#!{sys.executable}\nimport ncz.cli\nncz.cli.{entry}()\n")
            program.chmod(0o755)

    def copy(self, name: str, to: str = "") -> None:
        """Copy a file or folder of the source tree into the folder."""
        source = ROOT / name
        place = shutil.copytree if source.is_dir() else shutil.copyfile
        place(source, self.folder / (to or name))

    def blocks(self, language: str) -> list[str]:
        """Return the code blocks in a language, in order."""
        pattern = rf"^```{language}\n(.*?)^```$"
        return re.findall(pattern, self.text, re.MULTILINE | re.DOTALL)

    def run(self, script: str, **environment: str) -> str:
        """Run a script of bash, and return what it prints on both streams."""
        of_folder = {"PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        variables = os.environ | of_folder | environment
        variables.pop("FORCE_COLOR", None)
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, env=variables, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.stdout

    def check_console(self, block: str, replace: dict[str, str] | None = None) -> None:
        """Run the commands of a block, and compare what each prints with what the page says."""
        steps = [step.partition("\n") for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
        script = "".join(f"{command}\necho '{_MARK}'\n" for command, _, _ in steps)
        for shown, real in (replace or {}).items():
            script = script.replace(shown, real)
        printed = self.run(script).split(f"{_MARK}\n")
        assert printed.pop() == ""
        for (command, _, expected), found in zip(steps, printed, strict=True):
            assert found == expected, f"$ {command}\n{found}"

    def check_python(self, block: str) -> None:
        """Run a block of Python, and compare what it prints with the comments behind ``print``."""
        (self.folder / "block.py").write_text(block, encoding="utf-8")
        printed = self.run(f"'{sys.executable}' -W error block.py")
        assert printed == "".join(
            line.partition("  # ")[2] + "\n" for line in block.splitlines() if "print(" in line
        )
