"""Add the manual pages to the wheel. Hatchling calls it when it builds one."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManPages(BuildHookInterface):  # type: ignore[misc]
    """Writes the pages to a temporary folder, and adds them to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the pages, except for an editable installation."""
        self.folder: str | None = None
        if self.target_name != "wheel" or version == "editable":
            return
        root = Path(self.root)
        sys.path[:0] = [str(root / "src"), str(root)]
        from tools.man_pages import pages

        self.folder = tempfile.mkdtemp(prefix="ncz-man-")
        for name, text in pages().items():
            path = Path(self.folder, name)
            path.write_text(text, encoding="utf-8")
            build_data["shared_data"][str(path)] = f"share/man/man1/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        if self.folder is not None:
            shutil.rmtree(self.folder)
