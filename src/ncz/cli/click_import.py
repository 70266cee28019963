"""Import click without `inspect`, which it imports and hardly uses.

`inspect` and what it imports (`ast`, `dis`, `tokenize`) take longer than the rest of click. click
calls `inspect.cleandoc` for the help of each option, which is one line, and other functions for
prompts and the like. While click is imported, a module that imports `inspect` on its first other
use has its place. Other programs and packages get the real module.

Imported first of all modules of ncz.cli, which import click themselves.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Inspect(ModuleType):
    """What click sees as `inspect`."""

    def cleandoc(self, text: str) -> str:
        """Return a docstring without its indentation, as `inspect.cleandoc` does."""
        if "\n" not in text and "\t" not in text:
            return text.lstrip()
        cleaned: str = self.__getattr__("cleandoc")(text)
        return cleaned

    def __getattr__(self, name: str) -> Any:
        _withdraw(self)
        return getattr(import_module("inspect"), name)


def _withdraw(module: ModuleType) -> None:
    """Let the next import of a module find the real one."""
    if sys.modules.get(module.__name__) is module:
        del sys.modules[module.__name__]


def _import_click() -> None:
    was_enabled = gc.isenabled()
    gc.disable()  # what is imported is no garbage
    stand_in = _Inspect("inspect")
    sys.modules.setdefault("inspect", stand_in)
    try:
        import_module("click")
    finally:
        _withdraw(stand_in)
        if was_enabled:
            gc.enable()


_import_click()
