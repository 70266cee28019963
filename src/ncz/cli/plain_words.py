"""Names of parts and attributes of a dataset, and values, that a line has without options."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from os.path import exists

from ncz.cli.dataset_endings import WITH_CDL, is_named

_TARGETS = (*WITH_CDL, ".csv")
"""Formats that a line may write: tables, too."""


def _divide(typed: Sequence[str]) -> tuple[str, str, list[str]] | None:
    """Return the dataset, the new one, and the other words; None if these are not known."""
    places = [word for word in typed if exists(word)]
    targets = [
        word for word in typed if not exists(word) and "=" not in word and is_named(word, _TARGETS)
    ]
    if len(places) != 1 or len(targets) != 1 or any(word.startswith("-") for word in typed):
        return None
    return places[0], targets[0], [word for word in typed if word not in (*places, *targets)]


def _choose_names(option: str) -> Callable[[str, list[str]], list[str] | None]:
    """Return a function that makes the line for names of variables and ``dim=...``, in any order.

    `option` is the option for the range of a dimension.
    """

    def line(value: str, typed: list[str]) -> list[str] | None:
        parts = None if value else _divide(typed)
        if parts is None:
            return ["copy", *typed] if not value and any(w[:1] == "-" for w in typed) else None
        source, target, others = parts
        cuts = [word for each in others if "=" in each for word in (option, each)]
        names = ",".join(each for each in others if "=" not in each)
        if not others:
            return None
        return ["copy", *(["--vars", names] if names else []), *cuts, source, target]

    return line


def _copy_with(
    option: str, form: str = "{}", *, repeats: bool = False
) -> Callable[[str, list[str]], list[str] | None]:
    """Return a function that makes the line of a copy with an option for the other words.

    `form` has a place for a word. The option takes all words, or `repeats` for each.
    """

    def line(value: str, typed: list[str]) -> list[str] | None:
        parts = None if value else _divide(typed)
        if parts is None or not parts[2]:
            return None
        source, target, others = parts
        values = [form.format(word) for word in others]
        groups = values if repeats else [",".join(values)]
        return ["copy", *(word for each in groups for word in (option, each)), source, target]

    return line


def _attribute(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that sets an attribute: ``FILE VAR:ATT=VALUE`` or ``FILE VAR ATT VALUE``.

    Without a value, the attribute is printed.
    """
    words = [word for word in typed if word != "set"] if typed[:1] == ["set"] else list(typed)
    if not words or not exists(words[0]) or any(word.startswith("-") for word in words):
        return None
    path, *rest = words
    if rest and all(re.fullmatch(r"[^=]+=.*", word, re.DOTALL) for word in rest):
        return ["edit", path, *rest]
    match rest:
        case [variable, attribute, text] if ":" not in variable:
            return ["edit", path, f"{variable}:{attribute}={text}"]
        case [place, text] if ":" in place:
            return ["edit", path, f"{place}={text}"]
        case [owner, name] if ":" not in name and "=" not in name:
            return ["dump", "-a", f"{owner}:{name}", path]
        case [name] if "=" not in name:
            return ["dump", "-a", name, path]
    return None


def _set(value: str, typed: list[str]) -> list[str] | None:
    """Return the line that sets an attribute; ``FILE ATT VALUE`` is one of the dataset."""
    match typed:
        case [path, name, text] if exists(path) and re.fullmatch(r"\w+", name) and "=" not in text:
            return ["edit", path, f":{name}={text}"]
    return _attribute(value, typed)


def _values(value: str, typed: list[str]) -> list[str] | None:
    """Return the line that prints variables of a dataset."""
    if value or len(typed) < _WITH_NAME or not exists(typed[0]) or any(map(exists, typed[1:])):
        return None
    has_option = any(word.startswith("-") for word in typed)
    return None if has_option else ["dump", "-v", ",".join(typed[1:]), typed[0]]


_EACH = {
    **dict.fromkeys(("year", "years", "yearly", "y"), "time=year"),
    **dict.fromkeys(("month", "months", "monthly", "m"), "time=month"),
    **dict.fromkeys(("day", "days", "daily", "d"), "time=day"),
}
"""The words for a way to split a dataset -> the rule of ncz."""


def _split(value: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``SRC FOLDER --by month``, ``--by station`` or ``SRC month``."""
    words = list(typed)
    rule = ""
    for option in ("--by", "-b", "--freq", "--every", "--dim", "--along"):
        if option in words[:-1]:
            at = words.index(option)
            rule = words[at + 1]
            del words[at : at + 2]
    if not rule and len(words) > 1 and words[-1] in _EACH and not exists(words[-1]):
        rule = words.pop()
    if value or not rule or not words or not exists(words[0]):
        return None
    folder = words[1:] or [f"{re.sub(r'[.][a-z0-9]+$', '', words[0].rstrip('/'))}-by-{rule}/"]
    return ["copy", "--split", _EACH.get(rule.lower(), rule), words[0], *folder]


def _pack_line(value: str, typed: list[str]) -> list[str] | None:
    """Return the line that packs values as the type of an option, such as ``--dtype int16``."""
    options = {"--dtype": "--pack", "--type": "--pack", "--to": "--pack"}
    words = [options.get(word, word) for word in typed]
    return None if value or "--pack" not in words else ["copy", *words]


def _get_line(value: str, typed: list[str]) -> list[str] | None:
    """Return the line for a variable or an attribute of a dataset: ``FILE VAR.ATT``."""
    if value or len(typed) != 2 or not exists(typed[0]) or exists(typed[1]):
        return None
    found = re.fullmatch(r"(\w+)([.:@]\w+)?", typed[1])
    if found is None or is_named(typed[1], _TARGETS):
        return None
    return ["dump", "-a", typed[1], typed[0]] if found[2] else ["dump", "-v", found[1], typed[0]]


def _extremes(value: str, typed: list[str]) -> list[str] | None:
    """Return the line for the least and the greatest values of one dataset."""
    is_one = not value and typed[:1] and exists(typed[0]) and not any(map(exists, typed[1:]))
    return ["info", "--stats", *typed] if is_one and len(typed) <= _WITH_NAME else None


_WITH_NAME = 2
"""The words of a dataset and a variable."""

WORDS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    **dict.fromkeys(
        ("subset", "select", "extract", "crop", "cut", "clip", "sel"), _choose_names("--sel")
    ),
    "isel": _choose_names("--isel"),
    **dict.fromkeys(("drop", "drop_vars", "drop-vars", "exclude"), _copy_with("--exclude")),
    "rechunk": _copy_with("--chunks"),
    "transpose": _copy_with("--transpose"),
    "reorder": _copy_with("--transpose"),
    **dict.fromkeys(
        ("attr", "attribute", "getattr", "ncatt_get", "ncatt_put", "ncreadatt", "ncwriteatt",
         "att.get.nc"),
        _attribute,
    ),
    **dict.fromkeys(("set", "setattr", "set-attr", "set_attr", "setatt"), _set),
    **dict.fromkeys(("flip", "reverse", "invert"), _copy_with("--isel", "{}=::-1", repeats=True)),
    **dict.fromkeys(("astype", "cast"), _copy_with("--type", repeats=True)),
    **dict.fromkeys(("values", "value", "data", "var", "variable"), _values),
    "split": _split,
    "pack": _pack_line,
    "get": _get_line,
    "min": _extremes,
    "max": _extremes,
}  # fmt: skip
"""The words -> the function that returns the line for the words after them."""
