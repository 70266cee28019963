"""``python -m tools.install_group GROUP REASON``: install a group as far as possible.

The pip of this Python installs all requirements of a dependency group together, or else each
separately. One that cannot be installed is named with the reason why that matters, and is not an
error.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path


def main(group: str, reason: str) -> None:
    """Install each requirement of a group."""
    project = Path(__file__).parents[1] / "pyproject.toml"
    groups = tomllib.loads(project.read_text(encoding="utf-8"))["dependency-groups"]
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--prefer-binary"]
    together = subprocess.run([*install, *groups[group]], check=False, stderr=subprocess.DEVNULL)
    for requirement in groups[group] if together.returncode else ():
        if subprocess.run([*install, requirement], check=False).returncode:
            print(f"make: cannot install {requirement}; {reason}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
