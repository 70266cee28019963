"""Draw a session in a terminal, docs/pictures/terminal.svg: ``make docs``.

A test compares its text with what the commands print.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "pictures" / "terminal.svg"
WIDTH = 80

COMMANDS = (
    "ncz gen weather.cdl -o weather.nc",
    "ncz weather.nc",
    "ncz copy -q --cloud --verify weather.nc weather.zarr",
    "ncz diff weather.nc weather.zarr && echo equal",
)


def session() -> str:
    """Return the commands and what they print in colour, as a terminal receives it."""
    programs = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    environment = {**os.environ, "PATH": programs, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)}
    environment.pop("NO_COLOR", None)
    printed = []
    with tempfile.TemporaryDirectory() as folder:
        text = (ROOT / "cdl_examples" / "weather.cdl").read_bytes()
        (Path(folder) / "weather.cdl").write_bytes(text)
        for command in COMMANDS:
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=folder,
                env=environment,
                check=True,
                encoding="utf-8",
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            printed.append(f"\x1b[32m$\x1b[0m {command}\n{done.stdout}")
    return "".join(printed)


def drawn(text: str) -> str:
    """Return the picture of a session as SVG, which loads no font from elsewhere."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text), highlight=False)
    svg = console.export_svg(title="ncz", theme=DIMMED_MONOKAI, unique_id="ncz")
    return re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL)


if __name__ == "__main__":
    PICTURE.write_text(drawn(session()), encoding="utf-8")
