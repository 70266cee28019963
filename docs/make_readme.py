"""Update the output in the console blocks of README.md: ``make docs``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def output_of(command: str, folder: str) -> str:
    """Return the output of `command`, run in `folder`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def filled(block: str, folder: str) -> str:
    """Return the block with each command followed by its output."""
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    return "".join(f"$ {command}\n{output_of(command, folder)}" for command in commands)


def main() -> None:
    """Rewrite README.md in place."""
    readme = ROOT / "README.md"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "cdl_examples", Path(folder) / "cdl_examples")
        text = re.sub(
            r"(?<=^```console\n)(.*?)(?=^```$)",
            lambda match: filled(match[1], folder),
            readme.read_text(encoding="utf-8"),
            flags=re.MULTILINE | re.DOTALL,
        )
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
