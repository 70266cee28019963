"""Dates that are texts, as WRF writes ``2020-01-31_06:00:00`` in a variable of chars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.text.time_units import parse_times
from ncz.text.times import Times

if TYPE_CHECKING:
    from ncz.model.data import Values

_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T_ ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?Z?")


def texts_in(stored: Values) -> list[str]:
    """Return the texts that strings are, or rows of chars without the padding at their ends."""
    if stored.dtype.kind == "S":
        return [row.tobytes().rstrip(b"\0 ").decode("utf-8", "surrogateescape") for row in stored]
    return [text or "" for text in stored.tolist()]


def parse_date_texts(texts: Sequence[str]) -> tuple[list[float], Times] | None:
    """Return the seconds of texts that are dates, and their format; None for other texts."""
    times = parse_times("seconds since 1970-01-01", "standard", " ")
    matches = [_DATE.fullmatch(text.strip()) for text in texts]
    if times is None or not all(matches):
        return None
    try:
        seconds = [float(times.parse(" ".join(filter(None, m.groups())))) for m in matches if m]
    except ValueError:
        return None
    return seconds, times
