"""Run the blocks of a page: console blocks with their output, and Python blocks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ("ncz", "ncz-gen", "ncz-dump", "ncz-ls", "ncz-copy")
_MARK = "----- the next command -----"


class Page:
    """A page of the documentation, and the folder where its blocks run, one after the other.

    Parameters
    ----------
    path
        The page, from the top of the source tree.
    folder
        An empty folder.
    environment
        The variables for commands (default: the variables of this process). Its PATH leads to
        ``ncz`` and to Python.
    user
        The number of the user who runs commands (default: the current user).
    """

    def __init__(
        self,
        path: str,
        folder: Path,
        environment: dict[str, str] | None = None,
        user: int | None = None,
    ) -> None:
        self.text = (ROOT / path).read_text(encoding="utf-8")
        self.folder = folder
        self.user = user
        self.environment = _of_this_process(folder) if environment is None else environment

    def copy(self, name: str, to: str = "") -> None:
        """Copy a file or folder of the source tree into the folder."""
        source = ROOT / name
        place = shutil.copytree if source.is_dir() else shutil.copyfile
        place(source, self.folder / (to or name))

    def blocks(self, language: str) -> list[str]:
        """Return the code blocks in a language, in order."""
        pattern = rf"^```{language}\n(.*?)^```$"
        return re.findall(pattern, self.text, re.MULTILINE | re.DOTALL)

    def run(self, script: str) -> str:
        """Run a script of bash, and return its output on both streams."""
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, env=self.environment, user=self.user,
            text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
        )  # fmt: skip
        return done.stdout

    def outputs(self, block: str, replace: dict[str, str] | None = None) -> list[tuple[str, str]]:
        """Run the commands of a block; return each with its output."""
        commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
        script = "".join(f"{command}\necho '{_MARK}'\n" for command in commands)
        for shown, real in (replace or {}).items():
            script = script.replace(shown, real)
        return list(zip(commands, self.run(script).split(f"{_MARK}\n"), strict=False))

    def check_console(self, block: str, replace: dict[str, str] | None = None) -> None:
        """Compare the output of each command of a block with the page.

        Raises `AssertionError` with the first command whose output differs.
        """
        steps = [step.partition("\n") for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
        for (_, _, expected), (command, found) in zip(
            steps, self.outputs(block, replace), strict=True
        ):
            if found != expected:
                raise AssertionError(f"$ {command}\n{found}\nand not\n{expected}")

    def check_python(self, block: str) -> None:
        """Run a block of Python, and compare its output with the comments after ``print``."""
        (self.folder / "block.py").write_text(block, encoding="utf-8")
        printed = self.run("python -W error block.py")
        expected = "".join(
            line.partition("  # ")[2] + "\n" for line in block.splitlines() if "print(" in line
        )
        if printed != expected:
            raise AssertionError(f"{block}\nprints\n{printed}")


def _of_this_process(folder: Path) -> dict[str, str]:
    """Return the variables of this process, with programs that run the source tree's ncz."""
    programs = folder / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        entry = "main" if name == "ncz" else "main_" + name.partition("-")[2]
        program = programs / name
        program.write_text(f"#!{sys.executable}\nimport ncz.cli\nncz.cli.{entry}()\n")
        program.chmod(0o755)
    folders = (str(programs), str(Path(sys.executable).parent), os.environ["PATH"])
    variables = os.environ | {"PATH": os.pathsep.join(folders)}
    variables.pop("FORCE_COLOR", None)
    return variables
