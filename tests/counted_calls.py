"""Count calls of Python functions, which are the same in every run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_of(function: Callable[..., object], *arguments: Any, **named: Any) -> int:
    """Return the number of Python functions that a call runs, generators each time they continue.

    Another call before is not counted, because it may import modules.
    """
    function(*arguments, **named)
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*arguments, **named)
    finally:
        sys.setprofile(before)
    return counted
