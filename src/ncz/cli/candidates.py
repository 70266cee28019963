"""The values that options take, for the completion of a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from ncz.cli.named_datasets import keys_in, names_in

Complete = Callable[[Sequence[str], str], Sequence[str]]
"""Return the completions of a word, given all words of the line and the start of the word."""


def _one(known: Callable[[], Iterable[str]], _: Sequence[str], start: str) -> list[str]:
    return [value for value in known() if value.startswith(start)]


def _complete_list(
    known: Callable[[Sequence[str]], Iterable[str]],
    words: Sequence[str],
    start: str,
    *,
    after: str = "",
) -> list[str]:
    """Complete the last name of a list with commas; `after` follows each name."""
    before, comma, last = start.rpartition(",")
    earlier = set(before.split(","))
    return [
        f"{before}{comma}{name}{after}"
        for name in dict.fromkeys(known(words))
        if name.startswith(last) and name not in earlier
    ]


def _variables(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import variables_by_fqn

    return names_in(words, lambda dataset: [fqn for fqn, _ in variables_by_fqn(dataset.root)])


def _groups(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import walk

    return names_in(words, lambda dataset: [fqn for fqn, _ in walk(dataset.root) if fqn])


def _dimensions(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import dimensions_by_fqn

    return names_in(words, lambda dataset: list(dimensions_by_fqn(dataset.root)))


def _modes(_: Sequence[str]) -> Iterable[str]:
    from ncz.zmap.fragment import MODES

    return MODES


def _readers(_: Sequence[str]) -> Iterable[str]:
    from ncz.formats.opening import maintenance

    return maintenance().readers()


def _codecs() -> Iterable[str]:
    from ncz.codec.catalogue import short_names

    return short_names()


def _kinds() -> Iterable[str]:
    return ("nc3", "nc4", "nc5", "nc6", "nc7")


VALUES: Mapping[str, Complete] = {
    "variables": partial(_complete_list, _variables),
    "groups": partial(_complete_list, _groups),
    "keys": keys_in,
    "selection": partial(_complete_list, _dimensions, after="="),
    "chunks": partial(_complete_list, _dimensions, after="/"),
    "modes": partial(_complete_list, _modes),
    "readers": partial(_complete_list, _readers),
    "codecs": partial(_one, _codecs),
    "kinds": partial(_one, _kinds),
}
"""The values that a parameter `completes` -> the function that completes them."""
