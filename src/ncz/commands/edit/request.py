"""Requests of an edit, in the syntax of CDL.

Attributes are ``v:units = "K"``, ``v:old`` and ``v:old=v:new``; nodes and dimensions ``/g/v`` and
``v=w``, with a word for the kind where one is needed: ``dimension x=lon``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, cast

from ncz.cdl.reader import read_cdl
from ncz.commands.functions import Words, words
from ncz.errors import CdlError, NczError, option
from ncz.formats.edits import Edit, Kind, Removal, Rename
from ncz.formats.opening import maintenance
from ncz.text.format_values import quote

_NAME = r"(?:[^\\:=\s\"]|\\.)+"
_PLACE = re.compile(rf"\s*(?P<node>(?:{_NAME})?):(?P<name>{_NAME})\s*", re.DOTALL)
_SET = re.compile(
    rf"\s*(?:(?P<type>[a-z0-9]+)\s+)?(?P<node>(?:{_NAME})?):(?P<name>{_NAME})\s*=(?P<value>.*)",
    re.DOTALL,
)
_GLOBAL = re.compile(rf"\s*(?P<name>{_NAME})\s*=(?P<value>.*)", re.DOTALL)
"""A global attribute without its colon."""

_AT = re.compile(r"\A(\s*(?:[a-z0-9]+\s+)?\w*)@(\w+\s*(?:=|\Z))")
"""The name of an attribute as NCO and CDO write it: ``v@units``."""

_WHOLE_FLOATS = re.compile(r"\s*[-+]?\d+f(\s*,\s*[-+]?\d+(\.\d*)?f)*\s*")
"""Floats of C; some lack the point that CDL needs."""

_BARE_NUMBER = r"\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|inf(?:inity)?)\s*"
_BARE_NUMBERS = re.compile(rf"{_BARE_NUMBER}(?:,{_BARE_NUMBER})*", re.IGNORECASE)
"""Numbers without the suffix of a type."""

_WORD = r"(?<![\w.+-])(?!(?:nan|inf|infinity|nil)f?\b)(?:[^\W\d_]|[%°])"
_DATE_OR_VERSION = r"\d[-/:]\d|\d\.\d+\."
_PLAIN = re.compile(
    rf"(?!\s*')(?=.*(?:{_WORD}|{_DATE_OR_VERSION}))[^\"\\{{}};]+",
    re.IGNORECASE | re.DOTALL,
)
"""A text whose quotation marks the shell has removed: it has a word, a date or a version."""

_NAME_LIKE = re.compile(r"\s*[0-9][0-9A-Za-z]*[A-Za-z][0-9A-Za-z]*\s*")
_NUMBER = re.compile(
    r"\s*(?:\d+(?:e\d*)?(?:[fd]|u?(?:[bsli]|ll)|u)?|0x.*)\s*", re.IGNORECASE | re.ASCII
)
"""Numbers of CDL without a point or a sign, with their suffixes."""

_RENAME = re.compile(
    rf"\s*(?:(?P<kind>variable|dimension|group)\s+)?(?P<path>{_NAME})\s*=\s*(?P<new>{_NAME})\s*",
    re.DOTALL,
)
_NODE_PATH = re.compile(rf"\s*(?P<path>{_NAME})\s*", re.DOTALL)


class EditError(NczError, ValueError):
    """An edit that is not valid."""

    exit_code = 2


def parse_set(text: str) -> Edit:
    """Parse ``[TYPE] [NODE]:NAME = VALUES`` or ``NAME = VALUES``. Raises `EditError`.

    A text needs no quotation marks, as shells remove them, if it has a word, a date or a version.
    """
    text = _AT.sub(r"\1:\2", text)
    if ":" not in text.partition("=")[0] and _GLOBAL.fullmatch(text):
        owner, point, rest = text.lstrip().partition(".")
        if point and "=" not in owner:
            hint = f"write {owner}:{rest} for the variable, or :{text.lstrip()} for the dataset"
            raise EditError(f"{text!r} may be an attribute of a variable", option("set"), hint)
        text = f":{text.lstrip()}"
    match = _SET.fullmatch(text)
    if match is None:
        is_name = re.fullmatch(r"\w*:\w+", text) is not None
        example = f"{text}=VALUE" if is_name else 'v:units="K"'
        hint = _hint(text.partition("=")[0].strip(), f"write it as {example}")
        raise EditError(f"{text!r} is not an attribute", option("set"), hint)
    if _unescape(match["name"]) == "_FillValue":
        raise _mask_error(_node(match["node"]), match["value"].strip(), option("set"))
    name = _attribute_name(match["name"], option("set"))
    value = match["value"]
    if _WHOLE_FLOATS.fullmatch(value):
        value = re.sub(r"(?<![\d.])(\d+)f", r"\1.f", value)
    if match["type"] in (None, "char", "string") and _PLAIN.fullmatch(value):
        value = f'"{value.strip()}"'
    if match["type"] is None and _NAME_LIKE.fullmatch(value) and not _NUMBER.fullmatch(value):
        value = f'"{value.strip()}"'
    if match["type"] == "json" and not value.lstrip().startswith('"'):
        value = quote(value.strip())
    cdl = f"netcdf edit {{ {match['type'] or ''} :{match['name']} = {value} ; }}"
    try:
        root = read_cdl(cdl.encode("utf-8", "surrogateescape"), source=option("set")).root
    except CdlError as error:
        raise EditError(f"{text!r}: {error.message}", option("set"), error.hint) from error
    is_one = len(root.attributes) == 1 and root.attributes[0].name == name
    if not is_one or root.variables or root.groups or root.dimensions or root.types:
        raise EditError(
            f"{text!r} is not a single attribute",
            option("set"),
            f"give {option('set')} once for each",
        )
    return Edit(
        action="set",
        node=_node(match["node"]),
        name=name,
        attribute=root.attributes[0],
        is_typed=match["type"] is not None or _BARE_NUMBERS.fullmatch(value) is None,
    )


def parse_delete(text: str) -> Edit:
    """Parse ``[NODE]:NAME``, or ``NAME`` of a global attribute. Raises `EditError`."""
    text = _AT.sub(r"\1:\2", text)
    if re.fullmatch(_NAME, text.strip()) and "/" not in text:
        text = f":{text.strip()}"
    node, name = _place(text, option("delete"), text)
    return Edit(action="delete", node=node, name=name)


def _rename_hint(text: str) -> str:
    names = re.split(r"\s*(?:->|,|:|\s)\s*", text.strip())
    pair = "=".join(names) if len(names) == 2 and all(names) else f"{names[0] or 'OLD'}=NEW"
    attribute = f", or {shlex.quote(text)}=NEW for an attribute" if ":" in text else ""
    return f"write it as {shlex.quote(pair)}{attribute}"


def parse_rename(text: str) -> Edit | Rename:
    """Parse ``[NODE]:OLD=[NODE]:NEW`` or ``[KIND] PATH=NEW``. Raises `EditError`."""
    match = _RENAME.fullmatch(text)
    if match is not None:
        return _rename(match, text)
    old, equals, new = text.partition("=")
    if not equals:
        raise EditError(
            f"{text!r} has no new name",
            option("rename"),
            _rename_hint(text),
        )
    node, name = _place(old, option("rename"), text)
    other, renamed = _place(new, option("rename"), text)
    if other != node:
        raise EditError(
            f"{text!r} moves an attribute to another variable",
            option("rename"),
            f"use {option('set')} and {option('delete')}",
        )
    return Edit(action="rename", node=node, name=name, new=renamed)


def _rename(match: re.Match[str], text: str) -> Rename:
    path, new = _node(match["path"]), _node(match["new"])
    group, _, name = new.rpartition("/")
    if group and group != path.rpartition("/")[0]:
        raise EditError(
            f"{text!r} moves a variable to another group",
            option("rename"),
            "only its name can change",
        )
    if not path or not name:
        raise EditError(f"{text!r} lacks a name", option("rename"), "write it as old=new")
    return Rename(path=path, new=name, kind=cast("Kind | None", match["kind"]))


def parse_remove(text: str) -> Removal:
    """Parse the path of a variable or group. Raises `EditError`."""
    match = _NODE_PATH.fullmatch(text)
    path = "" if match is None else _node(match["path"])
    if not path:
        raise EditError(
            f"{text!r} is not the name of a variable or group",
            option("remove"),
            _hint(text, "write it as v or /g/v"),
        )
    return Removal(path=path)


def _place(text: str, option: str, whole: str) -> tuple[str, str]:
    match = _PLACE.fullmatch(text)
    if match is None:
        raise EditError(
            f"{whole!r} is not the name of an attribute",
            option,
            _hint(whole, "write it as v:units or :title"),
        )
    return _node(match["node"]), _attribute_name(match["name"], option)


def _hint(text: str, otherwise: str) -> str:
    """Return a hint for a text that is not a name: a space in it is often not escaped."""
    has_space = re.search(r"(?<!\\) ", text) is not None
    return r"write a space in a name as '\ '" if has_space else otherwise


def _node(text: str) -> str:
    return _unescape(text).strip("/")


def _attribute_name(text: str, option: str) -> str:
    """Return the name of an attribute that can be changed."""
    name = _unescape(text)
    check_name(name, option)
    return name


def check_name(name: str, where: str) -> None:
    """Raise `EditError` for an attribute that cannot be changed alone."""
    if maintenance().describes_storage(name):
        raise EditError(
            f"{name} describes how data are stored, and cannot be changed alone",
            where,
            "write a changed copy with ncz copy, or with ncz dump and ncz gen",
        )


def _mask_error(variable: str, value: str, where: str) -> EditError:
    """Return the error for a mask, which a copy can have."""
    number = re.sub(r"(?<=\d)\.?[a-zA-Z]+$", "", value) or "VALUE"
    chosen = shlex.quote(f"{variable or 'VAR'}={number}")
    return EditError(
        "_FillValue describes how data are stored, and cannot be changed alone",
        where,
        f"write a copy: ncz copy STORE COPY --missing-value {chosen}",
    )


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def renames_and_values(
    rename: Words | Mapping[str, str], attributes: Words | Mapping[str, Any]
) -> list[Edit | Rename]:
    """Return the requests for new names, and then for attributes."""
    return [*map(parse_rename, renames_of(rename)), *map(parse_set, sets_of(attributes))]


def renames_of(names: Words | Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts ``OLD=NEW`` of new names, which may be a mapping."""
    if isinstance(names, Mapping):
        return tuple(f"{old}={new}" for old, new in names.items())
    return words(names)


def sets_of(attributes: Words | Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts ``V:NAME = VALUES`` of attributes, which may be a mapping.

    Its keys are such as ``"v:units"``, or the names of variables, each with a mapping.
    """
    if not isinstance(attributes, Mapping):
        return words(attributes)
    found: list[str] = []
    for name, value in attributes.items():
        if isinstance(value, Mapping):
            found += sets_of({f"{name}:{own}": each for own, each in value.items()})
        else:
            several = value if isinstance(value, (list, tuple)) else [value]
            written = (quote(each) if isinstance(each, str) else str(each) for each in several)
            found.append(f"{name} = {', '.join(written)}")
    return tuple(found)
