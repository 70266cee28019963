"""Translate operators of NCO and CDO to lines of ncz.

``habits.txt`` has the words that need no more than their arguments in other places.
"""

from __future__ import annotations

import importlib.resources
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from os.path import exists, isdir, isfile, splitext

from ncz.cli.line_order import document_line, is_document
from ncz.cli.plain_words import WORDS
from ncz.cli.programs.cdo import OPERATORS
from ncz.cli.programs.gdal import PROGRAMS as GDAL
from ncz.cli.programs.hdf5 import PROGRAMS as HDF5
from ncz.cli.programs.nco_names import OPERATORS as NAMES
from ncz.cli.programs.nco_options import OperatorArguments, parse_arguments
from ncz.cli.programs.nco_subsets import OPERATORS as SUBSETS
from ncz.cli.programs.nco_subsets import record_dimension
from ncz.cli.programs.unix import PROGRAMS as UNIX
from ncz.cli.programs.unix import is_remote_path, pipe_line


def line_of(word: str, typed: Sequence[str]) -> list[str] | None:
    """Return the arguments of ncz for an operator and the words after it.

    None if ncz has no such line: the operator is unknown, or one of its options is.
    """
    name, _, value = word.partition(",")
    for table in (WORDS, _OTHERS, OPERATORS, GDAL, HDF5, UNIX):
        found = table[name](value, list(typed)) if name in table else None
        if found is not None:
            return found
    operator = _NCO.get(name)
    parts = None if operator is None else parse_arguments(name, typed)
    return None if operator is None or parts is None else operator(parts)


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
    if name in ("cp", "rsync", "scp") and any(map(is_remote_path, typed)):
        return f"ncz copies between folders and servers such as S3, not over ssh; use {line}"
    kept = [each for each in typed if not each.startswith("--delete")]
    is_mirror = name in ("rsync", "sync", "mirror") and len(kept) < len(typed)
    copied = UNIX[name]("", kept) if is_mirror else None
    if copied is not None:
        return f"ncz copy removes nothing; type: ncz {shlex.join(copied)}"
    if name in OPERATORS and ("=" in word or ("," in word and len(typed) > 1)):
        return f"ncz cannot do all of this; use cdo {line}"
    if name in ("buildvrt", "gdalbuildvrt", "vrt") and typed and typed[0].endswith(".vrt"):
        master = shlex.join((f"{splitext(typed[0])[0]}.nca", *typed[1:]))
        return f"ncz writes no VRT; type: ncz aggregate --axis time {master}"
    with_pipe = pipe_line(word, typed)
    return None if with_pipe is None else f"ncz has no {word!r}; type: {with_pipe}"


def only_in_cdo(word: str, typed: Sequence[str]) -> str | None:
    """Return the message for an operator of CDO that ncz lacks; None for other words."""
    name = word.partition(",")[0]
    if name not in _cdo_operators() and "," not in word:
        return None
    if any(re.fullmatch("-[A-Za-z]", each) for each in typed):
        return None  # a program of Unix of the same name, such as "ln -s"
    what = repr(name) if name in _cdo_operators() else "such operator"
    return f"ncz has no {what}; use cdo {shlex.join((word, *typed))}"


def is_of_cdo(name: str) -> bool:
    """Return whether CDO has an operator of this name."""
    return name in _cdo_operators()


def _cdo_operators() -> frozenset[str]:
    """Return the names of all operators of CDO, including the ones that ncz has."""
    table = importlib.resources.files("ncz.cli.programs").joinpath("cdo_operators.txt")
    return frozenset(table.read_text("utf-8").split())


_NCO: Mapping[str, Callable[[OperatorArguments], list[str] | None]] = {**SUBSETS, **NAMES}

_ELSEWHERE = (
    "gdal_translate", "gdalmdimtranslate", "mdimtranslate", "ogr2ogr", "h5dump", "h5ls", "h5repack",
)  # fmt: skip
"""Programs whose other options ncz does not have."""


def _split(rule: str) -> Callable[[str, list[str]], list[str] | None]:
    """Return a function that makes the line for files named after a prefix, as by CDO."""

    def line(value: str, typed: list[str]) -> list[str] | None:
        if value or len(typed) != 2 or typed[1].endswith(("/", ".zarr")):
            return None
        name = typed[1] if "{}" in typed[1] else f"{typed[1]}{{}}.nc"
        return ["copy", "--split", rule, typed[0], name]

    return line


def _splitsel(value: str, typed: list[str]) -> list[str] | None:
    """Return the line for pieces of as many time steps, as by CDO."""
    return _split(f"time={value}")("", typed) if value.isdigit() else None


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


def _cat(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that prints a document of a store, or joins files as CDO's ``cat`` does."""
    *sources, target = typed or [""]
    is_join = len(sources) > 1 and target.endswith((".nc", ".nc4", ".zarr"))
    if is_join and all(map(exists, sources)) and not exists(target):
        return ["copy", "--concat", "time", *typed]
    return document_line(typed[0]) if len(typed) == 1 and is_document(typed[0]) else None


def _rename(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for a dataset, an old name and a new one."""
    if len(typed) == 2 and exists(typed[0]) and not exists(typed[1]) and "=" not in typed[1]:
        ends = {splitext(each.rstrip("/"))[1] for each in typed}
        return ["mv", *typed] if len(ends) == 1 and ends != {""} else None
    if len(typed) == 2 and exists(typed[0]) and re.fullmatch("[^=]+=[^=]+", typed[1]):
        return ["edit", typed[0], "--rename", typed[1]]
    if len(typed) != 3 or not exists(typed[0]) or any(map(exists, typed[1:])):
        return None
    return ["edit", typed[0], "--rename", f"{typed[1]}={typed[2]}"]


def _concat(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that joins files along a dimension: the one that is named, or records."""
    words = list(typed)
    name = ""
    for option in ("--dim", "-d", "--concat-dim", "--axis", "--along", "--dimension", "--concat"):
        if option in words[:-1]:
            at = words.index(option)
            name = words[at + 1]
            del words[at : at + 2]
    for at in (0, -1):
        is_name = words and re.fullmatch(r"[A-Za-z]\w*", words[at]) and not exists(words[at])
        if not name and len(words) > 2 and is_name:
            name = words.pop(at)
    paths = [word for word in words if not word.startswith("-")]
    if len(paths) < 2 or any(word in ("--append", "--new-dimension") for word in words):
        return None
    return ["copy", "--concat", name or record_dimension(paths[0]), *words]


def _references(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that joins files in a reference set; one file has a separate set."""
    return _concat("", typed) if sum(map(exists, typed)) > 1 else None


def _append(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that appends files to a store, which is the last path or the first.

    A store that does not exist is created, as ``to_zarr`` of xarray does.
    """
    *sources, store = typed or [""]
    if not sources or not all(exists(each) or "://" in each for each in sources):
        return None
    if isdir(typed[0]) and all(map(isfile, typed[1:])):
        typed = [*typed[1:], typed[0]]
    elif not exists(store) and "://" not in store:
        return ["copy", *typed] if len(sources) == 1 else _concat("", typed)
    return ["copy", "--append", "time", *typed]


def _man(_: str, typed: list[str]) -> list[str]:
    return [*typed[:1], "--help"]


_OTHERS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "cat": _cat, "print": _cat, "man": _man,
    "migrate": _migrate, "rename": _rename, "append": _append,
    **dict.fromkeys(("concat", "combine", "join"), _concat),
    **dict.fromkeys(("kerchunk", "virtualize", "virtualizarr", "references"), _references),
    "buildvrt": _buildvrt, "gdalbuildvrt": _buildvrt,
    "splityear": _split("time=year"), "splityearmon": _split("time=month"),
    "splitday": _split("time=day"), "splitmon": _split("time=month"),
    "splitlevel": _split("level"), "splitsel": _splitsel,
}  # fmt: skip
"""Words of several programs, whose arguments decide on the line."""
