"""The files of the page."""

from __future__ import annotations

from pathlib import Path

from ncz.commands.view import page_files


def test_the_script_has_each_module_once():
    folder = Path(page_files.__file__).parent / "page"
    assert sorted(page_files.MODULES) == sorted(path.stem for path in folder.glob("*.js"))
    script = page_files.script()
    for path in folder.glob("*.js"):
        assert script.count(path.read_text()) == 1
