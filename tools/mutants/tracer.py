"""Note which tests execute certain lines, in all processes that they start.

A copy of this file is the module ``sitecustomize``, which each process of Python imports first.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from types import CodeType, FrameType
from typing import Any

NOTES = "NCZ_MUTANTS_NOTES"
"""The environment variable with the folder of the notes and of ``targets.json``, lines by file."""


class _Tracer:
    def __init__(self, folder: str, targets: dict[str, list[int]]) -> None:
        self._targets = {file: frozenset(lines) for file, lines in targets.items()}
        self._notes = os.open(os.path.join(folder, "notes"), os.O_WRONLY | os.O_APPEND)
        self._codes: dict[int, tuple[CodeType, bool]] = {}
        self._seen: set[tuple[str, str, int]] = set()

    def call(self, frame: FrameType, event: str, argument: object) -> Any:
        code = frame.f_code
        lines = self._targets.get(code.co_filename)
        if lines is None:
            return None
        known = self._codes.get(id(code))
        if known is None:
            wanted = not lines.isdisjoint(line for *_, line in code.co_lines())
            known = self._codes[id(code)] = code, wanted  # the code is kept, and so is its id
        return self.line if known[1] else None

    def line(self, frame: FrameType, event: str, argument: object) -> Any:
        file, line = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and line in self._targets[file]:
            test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
            if (test, file, line) not in self._seen:
                self._seen.add((test, file, line))
                note = f"\n{json.dumps([test, file, line])}\n"
                with contextlib.suppress(OSError):  # a test may limit the size of files
                    os.write(self._notes, note.encode())  # at once: a process may be killed
        return self.line


def _start(folder: str) -> None:
    with open(os.path.join(folder, "targets.json"), encoding="utf-8") as file:
        tracer = _Tracer(folder, json.load(file))
    sys.settrace(tracer.call)
    threading.settrace(tracer.call)


if NOTES in os.environ:
    _start(os.environ[NOTES])
