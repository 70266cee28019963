"""Reference sets for the tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ncz.zmap import Zmap
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap


def write_set(path: Path, references: Mapping[str, Any], **parts: Any) -> str:
    """Write a set of version 1 and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"version": 1, "refs": dict(references), **parts}), "utf-8")
    return str(path)


def open_set(place: str | Path, **options: str) -> Zmap:
    """Open the set at a path or URL; options are keys of a fragment for sets."""
    keys = {f"reference.{name}": value for name, value in options.items()}
    return open_zmap(parse_location(str(place), options=keys))
