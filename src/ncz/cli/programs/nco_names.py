"""Operators of NCO that change names and attributes, as lines of `ncz edit`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import splitext

import click

from ncz.cli.named_datasets import ask_dataset
from ncz.cli.programs.nco_options import OperatorArguments
from ncz.formats.opening import maintenance
from ncz.model.tree import Attribute, Dataset, dimensions_by_fqn, variables_by_fqn, walk
from ncz.model.types import Atomic
from ncz.text.format_values import Precision, escape_text, format_attribute_values

_RENAMED = ("-v", "-d", "-a", "-g")
"""Options of ncrename with an old name and a new one."""

_TYPES: Mapping[str, str] = {
    "f": "float", "d": "double", "i": "int", "l": "int", "s": "short", "b": "byte", "c": "",
    "char": "", "sng": "string", "string": "string", "ub": "ubyte", "us": "ushort", "u": "uint",
    "ul": "uint", "ll": "int64", "int64": "int64", "ull": "uint64", "float": "float",
    "double": "double", "int": "int", "long": "int", "short": "short", "byte": "byte",
}  # fmt: skip
"""The types of ncatted -> the types of CDL; "" for text."""

_MODES = ("a", "c", "d", "m", "n", "o", "p")

_PATTERN = re.compile(r"[.*^$\\\[\]()+?|{}]")
"""A character that makes a name a regular expression in NCO."""

_PLAIN = re.compile(r"(?!(?:nan|inf|infinity|nil)f?\Z)[A-Za-z][^\"'\\;,{}]*", re.IGNORECASE)
"""A text that `ncz edit` takes without quotation marks."""

Owners = Mapping[str, Sequence[Attribute]]
"""The variables and groups of a dataset -> their attributes.

A variable is named by its path, and a group by that and a slash.
"""


def _ncrename(typed: OperatorArguments) -> list[str] | None:
    pairs = typed.all(*_RENAMED)
    if not typed.has_only(*_RENAMED, "-O") or not 1 <= len(typed.paths) <= 2 or not pairs:
        return None
    if any(text.count(",") != 1 for text in pairs):
        return None
    renames = [word for each in _renames(typed) for word in ("--rename", each)]
    return ["edit", *_edit_words(typed), *renames] if renames else None


def _edit_words(typed: OperatorArguments) -> list[str]:
    """Return the file to change, or the one that is changed in a copy, and the copy."""
    source, *target = typed.paths
    overwrite = ["--overwrite"] if typed.has("-O") else []
    return [source, *(["-o", *target, *overwrite] if target and target != [source] else [])]


def _renames(typed: OperatorArguments) -> Iterator[str]:
    """Yield the renamings; a dimension and a variable of one name are renamed together."""
    given = {option: set(typed.all(option)) for option in ("-v", "-d")}
    known = ask_dataset(typed.paths[0], _names)
    for option, text in typed.options:
        if option not in _RENAMED:
            continue
        is_optional = text.startswith(".")
        old, new = text.lstrip(".").split(",")
        new = new.lstrip(".")
        if option == "-a":
            yield from _renamed_attributes(typed.paths[0], old, new)
        elif is_optional and known is not None and (option, old) not in known:
            continue
        elif text in given["-v"] & given["-d"]:
            yield from [] if option == "-d" else [f"{old}={new}"]
        else:
            kind = {"-v": "variable ", "-d": "dimension "}.get(option, "")
            yield f"{kind}{old}={new}"


def _names(dataset: Dataset) -> set[tuple[str, str]]:
    """Return the options of ncrename and the names of a dataset's members."""
    root = dataset.root
    return {
        *(("-v", fqn.removeprefix("/")) for fqn, _ in variables_by_fqn(root)),
        *(("-d", fqn.removeprefix("/")) for fqn in dimensions_by_fqn(root)),
        *(("-g", fqn.removeprefix("/")) for fqn, _ in walk(root)),
    }


def _renamed_attributes(path: str, old: str, new: str) -> Iterator[str]:
    """Yield the renamings of an attribute: of one variable, or wherever it is."""
    owner, at, name = old.rpartition("@")
    name, new = name.lstrip("."), new.rpartition("@")[2]
    owners = {} if at else ask_dataset(path, _owners) or {}
    places = [place for place, found in owners.items() if any(a.name == name for a in found)]
    for place in [_root(owner)] if at or not places else places:
        node = place.rstrip("/")
        yield f"{node}:{name}={node}:{new}"


def _root(name: str) -> str:
    return "" if name in ("global", "group") else name


def _owners(dataset: Dataset) -> Owners:
    groups = {f"{fqn.removeprefix('/')}/": each.attributes for fqn, each in walk(dataset.root)}
    variables = variables_by_fqn(dataset.root)
    return groups | {fqn.removeprefix("/"): each.attributes for fqn, each in variables}


def _ncatted(typed: OperatorArguments) -> list[str] | None:
    is_known = typed.has_only("-a", "-O", "--glb_att_add")
    if not is_known or not 1 <= len(typed.paths) <= 2 or not typed.options:
        return None
    masks, others = _masks(typed.all("-a"))
    if masks:
        return _with_masks(masks, others, typed)
    owners = ask_dataset(typed.paths[0], _owners)
    words: list[str] = []
    for text in others:
        found = _change(text, owners)
        if found is None:
            return None
        words += found
    for text in typed.all("--glb_att_add"):
        name, _, value = text.partition("=")
        words.append(f":{name}={_text(value)}")
    if words:
        return ["edit", *_edit_words(typed), *words]
    if len(typed.paths) == 2:
        return ["copy", *(["--overwrite"] if typed.has("-O") else []), *typed.paths]
    raise click.UsageError(f"{typed.paths[0]}: nothing to change: no attribute is as -a says")


def _masks(changes: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the new values of missing data, as `ncz copy` takes them, and the other changes."""
    masks = []
    others = []
    for text in changes:
        name, variable, mode, kind, value = [*text.split(",", 4), "", "", "", ""][:5]
        is_mask = name == "_FillValue" and mode in ("a", "c", "m", "o") and kind != "c"
        if is_mask and variable and not _PATTERN.search(variable):
            masks.append(f"{variable}={value}")
        else:
            others.append(text)
    return masks, others


def _with_masks(masks: Sequence[str], others: Sequence[str], typed: OperatorArguments) -> list[str]:
    """Return the line for another value of missing data, which changes data too.

    Raises `click.UsageError` with the lines to type if there are other changes, or no new file.
    """
    options = [word for each in masks for word in ("--missing-value", each)]
    source, *target = typed.paths
    if target and not others:
        return ["copy", *(["--overwrite"] if typed.has("-O") else []), *options, *typed.paths]
    new = target[0] if target else f"NEW{splitext(source.rstrip('/'))[1]}"
    line = shlex.join(("ncz", "copy", *options, source, new))
    then = shlex.join(("ncz", "ncatted", *(w for each in others for w in ("-a", each)), new))
    raise click.UsageError(
        "_FillValue changes in a copy, as the missing data do; type: "
        + (f"{line} && {then}" if others else line)
    )


def _change(text: str, owners: Owners | None) -> list[str] | None:
    """Return the options of `ncz edit` for one ``-a``; None without an equivalent.

    Without the dataset (`owners` is None), the names and the mode must say all.
    """
    parts = text.split(",", 4)
    name, variable, mode, kind, value = [*parts, "", "", "", ""][:5]
    if mode not in _MODES or (mode != "d" and (len(parts) < 5 or kind not in _TYPES)):
        return None
    is_plain = bool(name and variable) and not _PATTERN.search(f"{name}{variable}")
    if owners is None and not (is_plain and mode in ("o", "d")):
        return None
    places = [each for each in owners or () if _is_meant(variable, each)]
    if not places and is_plain:  # ncz edit names missing ones
        return _set(f"{_root(variable)}:{name}", None, "d" if mode == "d" else "o", kind, value)
    words: list[str] = []
    for place in places:
        there = {attribute.name: attribute for attribute in (owners or {})[place]}
        names = [each for each in there if _is_named(name, each)]
        if mode in ("o", "a", "c", "p") and not names and name and not _PATTERN.search(name):
            names = [name]
        for each in names:
            node = place.rstrip("/")
            words += _set(f"{node}:{each}", there.get(each), mode, kind, value)
    return words


def _is_meant(variable: str, place: str) -> bool:
    """Return whether a name, or a regular expression, of ncatted names a variable or group."""
    if variable in ("global", "group"):
        return place == "/"
    if not variable or _PATTERN.search(variable):
        return not place.endswith("/") and (not variable or _is_found(variable, place))
    return bool(place.rstrip("/")) and place.rstrip("/") == variable.strip("/")


def _is_named(name: str, attribute: str) -> bool:
    """Return whether an attribute is meant; without a name, all that can be changed are."""
    if not name:
        return not maintenance().describes_storage(attribute)
    return _is_found(name, attribute) if _PATTERN.search(name) else name == attribute


def _is_found(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _set(place: str, before: Attribute | None, mode: str, kind: str, value: str) -> list[str]:
    """Return the words that change one attribute; none if the mode of ncatted changes nothing."""
    if mode == "d":
        return ["--delete", place]
    is_kept = mode == "c" and before is not None
    if is_kept or (mode in ("m", "n") and before is None):
        return []
    if mode in ("a", "n", "p") and before is not None and before.values:
        return [_extend(place, before, value, is_first=mode == "p")]
    if _TYPES[kind] in ("", "string"):
        return [f"{'string ' if _TYPES[kind] else ''}{place}={_text(value)}"]
    return [f"{_TYPES[kind]} {place}={', '.join(each.strip() for each in value.split(','))}"]


def _extend(place: str, before: Attribute, value: str, *, is_first: bool) -> str:
    """Return the assignment of an attribute's old values, with more after or before them."""
    if before.type is Atomic.CHAR:
        old, new = escape_text("".join(before.values)), _escape(value)
        return f'{place}="{new}{old}"' if is_first else f'{place}="{old}{new}"'
    old = format_attribute_values(before.type, before.values, Precision())
    new = f'"{_escape(value)}"' if before.type is Atomic.STRING else value
    word = before.type.word if isinstance(before.type, Atomic) else ""
    return f"{word} {place}={f'{new}, {old}' if is_first else f'{old}, {new}'}"


def _text(value: str) -> str:
    """Return a text as `ncz edit` takes it."""
    return value if _PLAIN.fullmatch(value) and value == value.strip() else f'"{_escape(value)}"'


def _escape(value: str) -> str:
    """Return a text of ncatted for CDL; a backslash begins an escape sequence in both."""
    return re.sub(r'(?<!\\)"', r'\\"', value).replace("\n", "\\n")


OPERATORS: Mapping[str, Callable[[OperatorArguments], list[str] | None]] = {
    "ncrename": _ncrename, "ncatted": _ncatted,
}  # fmt: skip
"""The operators -> the function that returns the line for the words after them."""
