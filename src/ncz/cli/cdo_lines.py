"""Lines of CDO: options before the operator, chains of operators, and operators with keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ncz.record import record
from ncz.zmap.whole_numbers import whole_number

_VALUES = ("-f", "-z", "-b", "-P", "-t", "-g", "-k", "-m")
_FLAGS = ("-O", "-s", "-L", "-r", "-a", "-R", "-S", "-W", "-M", "-w", "-v", "--reduce_dim")
_OPERATOR = re.compile(r"-[a-z][a-z0-9]{2,}(?:,.*)?", re.DOTALL)
_TYPES = {"F32": "float", "32": "float", "F64": "double", "64": "double"}


@record
class CdoLine:
    """A line of CDO: what its options are for `ncz copy`, its operators, and its files."""

    options: tuple[str, ...]
    operators: tuple[str, ...]
    files: tuple[str, ...]


def cdo_line(args: Sequence[str]) -> CdoLine | None:
    """Return the parts of a line of CDO; None for any other line, and for options that ncz lacks.

    Such a line begins with an option, or with an operator after a hyphen.
    """
    rest = list(args)
    options: list[str] = []
    while rest and rest[0] in (*_VALUES, *_FLAGS):
        name = rest.pop(0)
        value = rest.pop(0) if name in _VALUES and rest else ""
        found = _option(name, value)
        if found is None:
            return None
        options += found
    operators: list[str] = []
    if rest and not rest[0].startswith("-"):
        operators.append(rest.pop(0))
    while rest and _OPERATOR.fullmatch(rest[0]):
        operators.append(rest.pop(0)[1:])
    is_cdo = bool(operators) and not any(word.startswith("-") for word in rest)
    return CdoLine(tuple(options), tuple(operators), tuple(rest)) if is_cdo else None


def _option(name: str, value: str) -> list[str] | None:
    """Return the options of copy for one of CDO; none for one that ncz does not need."""
    match name:
        case "-f" | "-z":
            return [name, value]
        case "-b":
            return ["--type", _TYPES[value.upper()]] if value.upper() in _TYPES else None
        case "-P":
            return ["--threads", value]
        case "-O":
            return ["--overwrite"]
        case "-t" | "-g" | "-k" | "-m" | "--reduce_dim":
            return None
    return []


def chained(lines: Sequence[Sequence[str]], line: CdoLine) -> list[str] | None:
    """Return one line of ncz for the lines of the operators; None if they are not all copies."""
    count = len(line.files)
    words: list[str] = []
    for each in lines:
        if each[:1] != ["copy"] or tuple(each[len(each) - count :]) != line.files:
            return None
        words += each[1 : len(each) - count]
    if "--nearest" in words and words.count("--sel") > 1:
        return None  # the nearest date is not what a year selects
    return ["copy", *words, *line.options, *line.files]


def _selected(value: str, files: Sequence[str], *, excludes: bool) -> list[str] | None:
    """Return the line for ``select,name=a,b,level=850`` and ``delete,name=a``."""
    keys: dict[str, list[str]] = {}
    for part in value.split(","):
        name, equals, first = part.partition("=")
        if equals:
            keys[name] = [first]
        elif not keys:
            return None
        else:
            keys[[*keys][-1]].append(part)
    if len(files) < 2 or (excludes and [*keys] != ["name"]):
        return None
    if excludes:
        return ["copy", "--exclude", ",".join(keys["name"]), *files]
    words = ["--concat", "time"] if len(files) > 2 else []
    start, stop = ((keys.pop(name, [""]))[0] for name in ("startdate", "enddate"))
    if start or stop:
        words += ["--sel", f"time={start}:{stop}"]
    for name, values in keys.items():
        one = values[0]
        if name == "name":
            words += ["--vars", ",".join(values)]
        elif len(values) > 1 or name not in ("level", "year", "date", "timestep"):
            return None
        elif name == "timestep":
            first, _, last = one.partition("/")
            step, end = whole_number(first), whole_number(last or first)
            if not step or end is None:
                return None
            words += ["--isel", f"time={step - 1}:{end}"]
        else:
            words += ["--sel", f"{'level' if name == 'level' else 'time'}={one.replace('/', ':')}"]
    return ["copy", *words, *files]


def _renamed(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``chname,old,new``, whose result is another file."""
    names = value.split(",")
    if len(files) != 2 or len(names) % 2 or not value:
        return None
    pairs = zip(names[::2], names[1::2], strict=True)
    renames = (word for old, new in pairs for word in ("--rename", f"{old}={new}"))
    return ["edit", files[0], *renames, "-o", files[1]]


def _attribute(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``setattribute,variable@name=value``; one file is changed in place."""
    found = re.fullmatch(r"([^@=,]*)@([^@=,]+)=(.*)", value)
    if found is None or not 1 <= len(files) <= 2:
        return None
    output = ["-o", files[1]] if len(files) == 2 else []
    return ["edit", files[0], f"{found[1]}:{found[2]}={found[3]}", *output]


def _nearest(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``remapnn,lon=10/lat=50``, whose grid is a single point."""
    found = re.fullmatch(rf"lon=({_DEGREES})[/_]lat=({_DEGREES})", value)
    if found is None or len(files) != 2:
        return None
    return ["copy", "--nearest", "--sel", f"lon={found[1]},lat={found[2]}", *files]


_DEGREES = r"[-+]?\d+(?:\.\d*)?"


def _table(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``outputtab,date,lat,value``, if a row of ncz has all these columns."""
    columns = {each.partition(":")[0] for each in value.split(",")}
    return ["dump", "--csv", *files] if len(files) == 1 and columns <= _COLUMNS else None


_COLUMNS = frozenset({"name", "date", "time", "lon", "lat", "lev", "value", "nohead"})


OPERATORS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "select": lambda value, files: _selected(value, files, excludes=False),
    "delete": lambda value, files: _selected(value, files, excludes=True),
    "chname": _renamed,
    "chvar": _renamed,
    "setattribute": _attribute,
    "remapnn": _nearest,
    "outputtab": _table,
}
"""The operators -> the function that returns the line for a value and what was typed after it."""
