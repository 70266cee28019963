"""Operators of NCO and CDO, whose options ncz has in another form, as lines of ncz.

``habits.txt`` has the words that need no more than their arguments in other places.
"""

from __future__ import annotations

import getopt
import importlib.resources
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from os.path import exists, isdir, isfile

from ncz.cli.cdo_lines import OPERATORS
from ncz.cli.gdal_programs import PROGRAMS as GDAL
from ncz.cli.hdf5_programs import PROGRAMS as HDF5
from ncz.record import record

_SHORT = "34567AChHMmOPQRrUxa:c:d:D:F:g:G:l:L:n:o:p:s:t:u:v:w:X:"
"""The options of NCO; most operators have some of them."""

_LONG = {
    "overwrite": "-O", "append": "-A", "variable=": "-v", "dimension=": "-d", "attribute=": "-a",
    "exclude": "-x", "dfl_lvl=": "-L", "deflate=": "-L", "output=": "-o", "ulm_nm=": "-u",
    "history": "-h", "hst": "-h", "fix_rec_dmn=": "-u", "cnk_dmn=": "-K", "cdl": "-m",
    "trd": "-m", "metadata": "-m",
}  # fmt: skip
"""Their long names. "-K" stands for lengths of chunks, which have no short name."""

_KINDS = ("-3", "-4", "-5", "-6", "-7")
_IGNORED = ("-h", "-M", "-m", "-R", "-r", "-D", "-l", "-p", "-t")
"""Options that do not change what is written, or where ncz has no such thing."""


@record
class Typed:
    """The words after an operator: its options in order, and its paths."""

    options: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]

    def all(self, *names: str) -> list[str]:
        """Return the values of options of these names."""
        return [value for name, value in self.options if name in names]

    def has(self, name: str) -> bool:
        """Return whether an option was given."""
        return any(name == given for given, _ in self.options)

    @property
    def kind(self) -> list[str]:
        """The options of the new file that both have."""
        kinds = [name for name, _ in self.options if name in _KINDS]
        level = [word for value in self.all("-L") for word in ("-d", value)]
        lengths = ",".join(each.replace(",", "/", 1) for each in self.all("-K"))
        chunks = ["-c", lengths] if lengths else []
        return [*kinds, *level, *chunks, *(["--overwrite"] if self.has("-O") else [])]


def line_of(word: str, typed: Sequence[str]) -> list[str] | None:
    """Return the arguments of ncz for an operator and what was typed after it.

    None if ncz has no such line: the operator is unknown, or one of its options is.
    """
    name, _, value = word.partition(",")
    for table in (_CDO, OPERATORS, GDAL, HDF5):
        found = table[name](value, list(typed)) if name in table else None
        if found is not None:
            return found
    operator = _NCO.get(name)
    if operator is None:
        return None
    try:
        short = _SHORT.replace("M", "M:").replace("P", "P:") if name == "ncpdq" else _SHORT
        pairs, paths = getopt.gnu_getopt(list(typed), short, list(_LONG))
    except getopt.GetoptError:
        return None
    long = {f"--{each.rstrip('=')}": short for each, short in _LONG.items()}
    options = tuple((long.get(given, given), value) for given, value in pairs)
    paths += [value for given, value in options if given == "-o"]
    left = tuple(pair for pair in options if pair[0] not in (*_IGNORED, "-o"))
    return operator(Typed(left, tuple(paths)))


def only_there(word: str, typed: Sequence[str]) -> str | None:
    """Return the message for a program that ncz replaces in part, but not for this line.

    None for other words.
    """
    name = word.partition(",")[0]
    line = shlex.join((word, *typed))
    has_options = any(each.startswith("-") for each in typed)
    if (name in _NCO or name in _ELSEWHERE) and has_options:
        command = "edit" if name in ("ncrename", "ncatted") else "copy"
        return f"ncz cannot do all of this; use {line}, or see ncz {command} --help"
    if name in OPERATORS and "=" in word:
        return f"ncz cannot do all of this; use cdo {line}"
    return None


def only_in_cdo(word: str, typed: Sequence[str]) -> str | None:
    """Return the message for an operator of CDO that ncz lacks; None for other words."""
    name = word.partition(",")[0]
    if name not in _cdo_operators() and "," not in word:
        return None
    what = repr(name) if name in _cdo_operators() else "such operator"
    return f"ncz has no {what}; use cdo {shlex.join((word, *typed))}"


def _cdo_operators() -> frozenset[str]:
    """Return the names of all operators of CDO, also of those that ncz has."""
    table = importlib.resources.files("ncz.cli").joinpath("cdo_operators.txt")
    return frozenset(table.read_text("utf-8").split())


_ELSEWHERE = ("gdal_translate", "gdalmdimtranslate", "mdimtranslate", "h5dump", "h5ls", "h5repack")
"""Programs whose other options ncz does not have."""


def _only(typed: Typed, *names: str) -> bool:
    """Return whether no options were given but these, and the options of the new file."""
    return all(name in (*names, "-O", "-L", "-K", *_KINDS) for name, _ in typed.options)


def _only_edits(typed: Typed, *names: str) -> bool:
    """Return whether only these options were given, for a file that is changed in place."""
    return all(name in (*names, "-O") for name, _ in typed.options)


def _ncks(typed: Typed) -> list[str] | None:
    cut = _cut(typed) if _only(typed, "-v", "-x", "-d", "-C", "-H") else None
    if cut is None or not 1 <= len(typed.paths) <= 2:
        return None
    if len(typed.paths) == 2:
        return ["copy", *_chosen(typed), *cut, *typed.kind, *typed.paths]
    return None if typed.kind else ["dump", *_printed(typed), *cut, *typed.paths]


def _printed(typed: Typed) -> list[str]:
    """Return the options for what is printed: the variables of ``-v`` alone, or the header."""
    variables = ",".join(typed.all("-v"))
    if not variables:
        return [] if typed.has("-H") or typed.has("-d") else ["-h"]
    if typed.has("-x"):
        return ["--exclude", variables]
    return ["--vars", variables, *(["-v", variables] if typed.has("-C") else [])]


def _chosen(typed: Typed) -> list[str]:
    """Return the selection of ``-v``: these variables, or with ``-x`` all others."""
    variables = ",".join(typed.all("-v"))
    choice = "--exclude" if typed.has("-x") else "-V" if typed.has("-C") else "--vars"
    return [choice, variables] if variables else []


def _cut(typed: Typed) -> list[str] | None:
    """Return the selections of ``-d``: whole numbers are indices, and others are coordinates."""
    words: list[str] = []
    for text in typed.all("-d"):
        name, *limits = text.split(",")
        if not 1 <= len(limits) <= 3:
            return None
        first, last, stride = [*limits, "", ""][:3]
        last = first if len(limits) == 1 else last
        if all(re.fullmatch(r"\d*", each) for each in (first, last)):
            stop = str(int(last) + 1) if last else ""
            words += ["--isel", f"{name}={first}:{stop}" + (f":{stride}" if stride else "")]
        elif stride:
            return None
        else:
            words += ["--sel", f"{name}={_number(first)}:{_number(last)}"]
    return words


def _number(text: str) -> str:
    """Return a number of NCO without the point at its end that makes it a coordinate."""
    return text[:-1] if re.fullmatch(r"-?\d+\.", text) else text


def _ncrcat(typed: Typed) -> list[str] | None:
    cut = _cut(typed) if _only(typed, "-v", "-x", "-d") else None
    if cut is None or len(typed.paths) < 2:
        return None
    return ["copy", "--concat", "time", *_chosen(typed), *cut, *typed.kind, *typed.paths]


def _ncecat(typed: Typed) -> list[str] | None:
    if not _only(typed, "-u") or len(typed.paths) < 2:
        return None
    name = [*typed.all("-u"), "record"][0]
    return ["copy", "--new-dimension", name, *typed.kind, *typed.paths]


def _ncpdq(typed: Typed) -> list[str] | None:
    if not _only(typed, "-a", "-P", "-U") or len(typed.paths) != 2:
        return None
    words: list[str] = []
    for text in typed.all("-a"):
        names = [name.strip() for name in text.split(",")]
        words += [w for n in names if n[:1] == "-" for w in ("--isel", f"{n[1:]}=::-1")]
        if len(names) > 1:
            words += ["--transpose", ",".join(name.lstrip("-") for name in names)]
    if typed.has("-U"):
        words.append("--unpack")
    elif typed.has("-P") or not words:
        words += ["--pack", "short"]
    return ["copy", *words, *typed.kind, *typed.paths]


_RENAMED = ("-v", "-d", "-a", "-g")
"""Options of ncrename with an old name and a new one."""


def _ncrename(typed: Typed) -> list[str] | None:
    pairs = typed.all(*_RENAMED)
    if not _only_edits(typed, *_RENAMED) or not 1 <= len(typed.paths) <= 2 or not pairs:
        return None
    if any(text.count(",") != 1 for text in pairs):
        return None
    renames = (word for each in _renames(typed) for word in ("--rename", each))
    return ["edit", *_edited(typed), *renames]


def _edited(typed: Typed) -> list[str]:
    """Return the file to change, or the one that is changed in a copy, and the copy."""
    overwrite = ["--overwrite"] if typed.has("-O") else []
    return [typed.paths[0], *(["-o", typed.paths[1], *overwrite] if typed.paths[1:] else [])]


def _renames(typed: Typed) -> list[str]:
    """Return the renamings; a dimension and a variable of one name are renamed together."""
    names = {option: set(typed.all(option)) for option in ("-v", "-d")}
    renames = []
    for option, text in typed.options:
        if option not in _RENAMED:
            continue
        old, new = (part.lstrip(".") for part in text.split(","))
        if option == "-a":
            variable, _, attribute = old.rpartition("@")
            variable = "" if variable == "global" else variable
            renames.append(f"{variable}:{attribute}={variable}:{new.rpartition('@')[2]}")
        elif text in names["-v"] & names["-d"]:
            renames += [] if option == "-d" else [f"{old}={new}"]
        else:
            kind = {"-v": "variable ", "-d": "dimension "}.get(option, "")
            renames.append(f"{kind}{old}={new}")
    return renames


_SUFFIXES = {"f": "f", "s": "s", "b": "b", "us": "us", "ub": "ub", "u": "u", "ul": "u"}


def _ncatted(typed: Typed) -> list[str] | None:
    if not _only_edits(typed, "-a") or not 1 <= len(typed.paths) <= 2 or not typed.has("-a"):
        return None
    words: list[str] = []
    for text in typed.all("-a"):
        parts = text.split(",", 4)
        name, variable, mode, kind, value = [*parts, "", "", "", ""][:5]
        place = f"{'' if variable == 'global' else variable}:{name}"
        if mode == "d":
            words += ["--delete", place]
        elif mode not in ("o", "c", "m") or len(parts) < 5:
            return None
        elif kind in ("c", "sng", "char", "string"):
            quoted = '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
            words.append(f"{place}={quoted if re.fullmatch(_LIKE_NUMBER, value) else value}")
        else:
            numbers = (f"{each.strip()}{_SUFFIXES.get(kind, '')}" for each in value.split(","))
            words.append(f"{place}={', '.join(numbers)}")
    return ["edit", *_edited(typed), *words]


_LIKE_NUMBER = r"[-+\d.].*"

_NCO: Mapping[str, Callable[[Typed], list[str] | None]] = {
    "ncks": _ncks, "ncrcat": _ncrcat, "ncecat": _ncecat, "ncpdq": _ncpdq,
    "ncrename": _ncrename, "ncatted": _ncatted,
}  # fmt: skip


def _seltimestep(value: str, typed: list[str]) -> list[str] | None:
    """Return the line for time steps that are counted from 1: one, or a range such as 1/12."""
    found = re.fullmatch(r"(\d+)(?:/(\d+)(?:/(\d+))?)?", value)
    if found is None or len(typed) != 2 or int(found[1]) < 1:
        return None
    stop, stride = found[2] or found[1], f":{found[3]}" if found[3] else ""
    return ["copy", "--isel", f"time={int(found[1]) - 1}:{stop}{stride}", *typed]


def _split(rule: str) -> Callable[[str, list[str]], list[str] | None]:
    """Return a function that makes the line for files named after a prefix, as by CDO."""

    def line(value: str, typed: list[str]) -> list[str] | None:
        if value or len(typed) != 2 or typed[1].endswith(("/", ".zarr")):
            return None
        name = typed[1] if "{}" in typed[1] else f"{typed[1]}{{}}.nc"
        return ["copy", "--split", rule, typed[0], name]

    return line


def _du(_: str, typed: list[str]) -> list[str] | None:
    paths = [word for word in typed if not re.fullmatch("-[shkc]+", word)]
    return ["ls", "--totals", *paths] if paths else None


def _migrate(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``migrate v3 STORE``, as in zarr-python."""
    is_v3 = len(typed) == 2 and typed[0].lower() in ("v3", "3")
    return ["edit", typed[1], "--zarr-format", "3"] if is_v3 else None


def _buildvrt(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for a master over files, whose name comes first and is new."""
    is_master = len(typed) > 1 and typed[0].endswith((".nca", ".nc", ".zarr"))
    is_plain = not any(word.startswith("-") for word in typed)
    return (
        ["aggregate", "--axis", "time", *typed]
        if is_master and is_plain and not exists(typed[0])
        else None
    )


_DOCUMENTS = (".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json", ".nczarray")


def _cat(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that prints a document of a store, or joins files as CDO's ``cat`` does."""
    *sources, target = typed or [""]
    is_join = len(sources) > 1 and target.endswith((".nc", ".nc4", ".zarr"))
    if is_join and all(map(exists, sources)) and not exists(target):
        return ["copy", "--concat", "time", *typed]
    if len(typed) != 1 or not typed[0].endswith(_DOCUMENTS):
        return None
    folder, _, name = typed[0].replace("\\", "/").rpartition("/")
    store, end, inside = folder.partition(".zarr/")
    store, inside = (f"{store}.zarr", inside) if end else (folder, "")
    return ["ls", store or ".", "--cat", f"/{inside}/{name}".replace("//", "/")]


def _rename(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for a dataset, an old name and a new one."""
    if len(typed) != 3 or not exists(typed[0]) or any(map(exists, typed[1:])):
        return None
    return ["edit", typed[0], "--rename", f"{typed[1]}={typed[2]}"]


def _select(value: str, typed: list[str]) -> list[str] | None:
    """Return the line for a part that options choose, or the names between the two paths."""
    if value:
        return None
    if any(word.startswith("-") for word in typed):
        return ["copy", *typed]
    *between, target = typed[1:] or [""]
    is_plain = bool(between) and not any(map(exists, (*between, target)))
    return ["copy", "--vars", ",".join(between), typed[0], target] if is_plain else None


def _append(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that appends a file to a store, whichever is named first."""
    if len(typed) != 2 or not all(map(exists, typed)):
        return None
    if isdir(typed[0]) and isfile(typed[1]):
        typed = [typed[1], typed[0]]
    return ["copy", "--append", "time", *typed]


def _man(_: str, typed: list[str]) -> list[str]:
    return [*typed[:1], "--help"]


_CDO: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "seltimestep": _seltimestep, "cat": _cat, "print": _cat, "du": _du, "man": _man,
    "migrate": _migrate, "rename": _rename, "append": _append,
    **dict.fromkeys(
        ("subset", "select", "extract", "slice", "crop", "cut", "clip", "sel", "isel"), _select
    ),
    "buildvrt": _buildvrt, "gdalbuildvrt": _buildvrt,
    "splityear": _split("time=year"), "splityearmon": _split("time=month"),
    "splitday": _split("time=day"), "splitmon": _split("time=month"),
    "splitlevel": _split("level"),
}  # fmt: skip
