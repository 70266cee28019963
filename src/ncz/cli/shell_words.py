"""The words of a line that a shell asks to complete."""

from __future__ import annotations

import shlex
from collections.abc import MutableMapping, Sequence


def words_of(line: str) -> list[str]:
    """Return the words of a line, also of one with a quote that is still open."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def join_urls(environment: MutableMapping[str, str]) -> None:
    """Join the words of the line in the environment that bash divides at colons, as in URLs."""
    words, at = join_words(
        words_of(environment.get("COMP_WORDS", "")), int(environment.get("COMP_CWORD") or 0)
    )
    environment["COMP_WORDS"], environment["COMP_CWORD"] = shlex.join(words), str(at)


def join_words(parts: Sequence[str], at: int) -> tuple[list[str], int]:
    """Return words that had been divided at colons, and the index of the one with the part `at`."""
    words: list[str] = []
    is_open = False
    found = None
    for number, part in enumerate(parts):
        is_colon = bool(part) and not part.strip(":")
        if words and (is_colon or is_open):
            words[-1] += part
        else:
            words.append(part)
        is_open = is_colon
        if number == at:
            found = len(words) - 1
    return words, len(words) + at - len(parts) if found is None else found
