"""The values that options take, by the names of their parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ncz.model.tree import Dataset

Complete = Callable[[Sequence[str], str], Sequence[str]]
"""Return the completions of a word, given all words of the line and the start of the word."""

FILES = frozenset({"store", "source", "sources", "target", "first", "second"})
"""Arguments that are paths, which the shell completes itself."""


def _one(known: Callable[[], Iterable[str]], _: Sequence[str], start: str) -> list[str]:
    return [value for value in known() if value.startswith(start)]


def _listed(known: Callable[[Sequence[str]], Iterable[str]], words: Sequence[str], start: str,
            *, after: str = "") -> list[str]:  # fmt: skip
    """Complete the last name of a list with commas; `after` follows each name."""
    before, comma, last = start.rpartition(",")
    taken = set(before.split(","))
    return [
        f"{before}{comma}{name}{after}"
        for name in dict.fromkeys(known(words))
        if name.startswith(last) and name not in taken
    ]


def _variables(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import variables_by_fqn

    return _names(words, lambda dataset: [fqn for fqn, _ in variables_by_fqn(dataset.root)])


def _groups(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import walk

    return _names(words, lambda dataset: [fqn for fqn, _ in walk(dataset.root) if fqn])


def _dimensions(words: Sequence[str]) -> list[str]:
    from ncz.model.tree import dimensions_by_fqn

    return _names(words, lambda dataset: list(dimensions_by_fqn(dataset.root)))


def _names(words: Sequence[str], fqns_of: Callable[[Dataset], list[str]]) -> list[str]:
    """Return names in the first local dataset on the line: those of the root without a slash."""
    from ncz.errors import NczError
    from ncz.formats.opening import open_dataset

    for word in words:
        if word.startswith("-") or not os.path.exists(word.partition("#")[0]):
            continue
        try:
            with open_dataset(word) as opened:
                fqns = fqns_of(opened.dataset)
        except NczError:
            continue
        return [fqn[1:] if fqn.count("/") == 1 else fqn for fqn in fqns]
    return []


def _modes(_: Sequence[str]) -> Iterable[str]:
    from ncz.zmap.fragment import MODES

    return MODES


def _readers(_: Sequence[str]) -> Iterable[str]:
    from ncz.formats.zarr.readers import READERS

    return READERS


def _codecs() -> Iterable[str]:
    from ncz.codec.catalogue import short_names

    return short_names()


def _kinds() -> Iterable[str]:
    return ("nc3", "nc4", "nc5", "nc6", "nc7")


_OF_VARIABLES: Complete = partial(_listed, _variables)
_OF_GROUPS: Complete = partial(_listed, _groups)
_OF_CHUNKS: Complete = partial(_listed, _dimensions, after="/")
_OF_SELECTION: Complete = partial(_listed, _dimensions, after="=")

VALUES: Mapping[str, Complete] = {
    "variables": _OF_VARIABLES,
    "only": _OF_VARIABLES,
    "data_of": _OF_VARIABLES,
    "groups": _OF_GROUPS,
    "only_groups": _OF_GROUPS,
    "data_of_groups": _OF_GROUPS,
    "isel": _OF_SELECTION,
    "sel": _OF_SELECTION,
    "chunkspecs": _OF_CHUNKS,
    "shards": _OF_CHUNKS,
    "mode": partial(_listed, _modes),
    "audience": partial(_listed, _readers),
    "codecs": partial(_one, _codecs),
    "kind": partial(_one, _kinds),
}
"""The name of a parameter -> what completes it."""
