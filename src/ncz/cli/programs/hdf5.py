"""Translate command lines of the HDF5 library's programs to lines of ncz."""

from __future__ import annotations

import getopt
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ncz.cli.named_datasets import ask_dataset
from ncz.model.tree import Dataset, base_name, variables_by_fqn, walk

Pairs = list[tuple[str, str]]


def _parse(typed: Sequence[str], short: str, long: Sequence[str]) -> tuple[Pairs, list[str]] | None:
    try:
        return getopt.gnu_getopt(list(typed), short, list(long))
    except getopt.GetoptError:
        return None


def _h5dump(_: str, typed: list[str]) -> list[str] | None:
    long = ("header", "onlyattr", "dataset=", "group=", "contents", "properties", "output=",
            "attribute=", "start=", "count=", "stride=")  # fmt: skip
    parsed = _parse(typed, "HAd:g:npo:w:yira:s:c:S:", long)
    if parsed is None:
        return None
    pairs, paths = parsed
    if any(name in ("-n", "--contents") for name, _ in pairs):
        return ["info", *paths]
    given = {name[2:] if name[:2] == "--" else _LONG.get(name[1:], name): v for name, v in pairs}
    if "attribute" in given:
        return ["dump", "-a", "@".join(given["attribute"].rsplit("/", 1)), *paths]
    words = _box(paths, given)
    if words is None:
        return None
    for name, value in pairs:
        words += {
            "-H": ["-h"], "--header": ["-h"], "-A": ["-h"], "--onlyattr": ["-h"],
            "-d": ["-v", value], "--dataset": ["-v", value], "-g": ["-g", value],
            "--group": ["-g", value], "-p": ["-s"], "--properties": ["-s"], "-o": ["-o", value],
            "--output": ["-o", value], "-w": ["-l", value],
        }.get(name, [])  # fmt: skip
    return ["dump", *words, *paths]


_LONG = {"a": "attribute", "d": "dataset", "s": "start", "c": "count", "S": "stride"}


def _box(paths: Sequence[str], given: Mapping[str, str]) -> list[str] | None:
    """Return the option for a part of a variable by its first indices and the numbers of them.

    None if the part is not known.
    """
    if not given.keys() & {"start", "count", "stride"}:
        return []
    name = given.get("dataset", "").lstrip("/")
    dimensions = ask_dataset(paths[0], partial(_dimensions, name)) if paths else None
    parts = [given.get(each, "").split(",") for each in ("start", "count", "stride")]
    if not dimensions or not all(len(part) == len(dimensions) or part == [""] for part in parts):
        return None
    start, count, stride = (
        [int(each) if each.isdigit() else None for each in part]
        if part != [""]
        else [otherwise] * len(dimensions)
        for part, otherwise in zip(parts, (0, 1, 1), strict=True)
    )
    cuts = []
    for each, first, number, step in zip(dimensions, start, count, stride, strict=True):
        if first is None or not number or not step:
            return None
        end = first + (number - 1) * step + 1
        cuts.append(f"{each}={first}:{end}" + (f":{step}" if step > 1 else ""))
    return ["--isel", ",".join(cuts)]


def _dimensions(name: str, dataset: Dataset) -> list[str]:
    """Return the names of the dimensions of a variable; none if it does not exist."""
    variable = dict(variables_by_fqn(dataset.root)).get(f"/{name}")
    return [] if variable is None else [*map(base_name, variable.dimensions)]


def _h5ls(_: str, typed: list[str]) -> list[str] | None:
    parsed = _parse(typed, "rvlfdsaSeAw:", ("recursive", "verbose", "full", "data"))
    if parsed is None:
        return None
    pairs, paths = parsed
    names = {name for name, _ in pairs}
    if names & {"-d", "--data"}:
        return ["dump", *paths]
    if names & {"-r", "--recursive"} and not names & {"-v", "--verbose"}:
        return ["dump", "--tree", *paths]
    return ["info", *(["--storage"] if names & {"-v", "--verbose"} else []), *paths]


def _h5diff(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for two files, and an object that may be named after them."""
    long = ("report", "verbose", "quiet", "delta=", "relative=", "count=", "exclude-path=",
            "follow-symlinks", "nan", "compare", "use-system-epsilon")  # fmt: skip
    parsed = _parse(typed, "rvqcNed:p:n:", long)
    if parsed is None:
        return None
    pairs, (first, second, *objects) = parsed[0], [*parsed[1], "", ""][: max(2, len(parsed[1]))]
    if not second or len({*objects}) > 1:
        return None
    words: list[str] = []
    for name, value in pairs:
        words += {
            "-q": ["--max", "0"], "--quiet": ["--max", "0"], "-d": ["--tolerance", value],
            "--delta": ["--tolerance", value], "-p": ["--rtol", value],
            "--relative": ["--rtol", value], "-n": ["--max", value], "--count": ["--max", value],
            "--exclude-path": ["--exclude", value.lstrip("/")],
        }.get(name, [])  # fmt: skip
    return ["diff", *words, *(["--vars", objects[0]] if objects else []), first, second]


def _nccmp(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``nccmp -dmf A B``: data, metadata, or both."""
    long = (
        "data", "metadata", "global", "force", "tolerance=", "Tolerance=", "variable=", "exclude=",
        "statistics", "report-identical-files", "nans-are-equal", "maxdiff=",
    )  # fmt: skip
    parsed = _parse(typed, "dmgfsqSNbFt:T:v:x:C:c:", long)
    if parsed is None or len(parsed[1]) != 2:
        return None
    names = {name for name, _ in parsed[0]}
    has_data, has_metadata = (
        names & {"-d", "--data"},
        names & {"-m", "--metadata", "-g", "--global"},
    )
    words = [] if bool(has_data) == bool(has_metadata) else ["--data-only" if has_data else "-h"]
    for name, value in parsed[0]:
        if name in ("-T", "--Tolerance"):
            try:
                value = f"{float(value) / 100:g}"
            except ValueError:
                return None
        words += {
            "-t": ["--tolerance", value], "--tolerance": ["--tolerance", value],
            "-T": ["--rtol", value], "--Tolerance": ["--rtol", value], "-v": ["--vars", value],
            "--variable": ["--vars", value], "-x": ["--exclude", value],
            "--exclude": ["--exclude", value], "-C": ["--max", value], "-c": ["--max", value],
            "--maxdiff": ["--max", value],
        }.get(name, [])  # fmt: skip
    return ["diff", *words, *parsed[1]]


def _h5copy(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for one object that is copied to a new file under its name."""
    parsed = _parse(typed, "vi:o:s:d:", ("input=", "output=", "source=", "destination=", "verbose"))
    if parsed is None or parsed[1]:
        return None
    given = {name.lstrip("-")[:1]: value for name, value in parsed[0]}
    source, name = given.get("s", ""), given.get("d", "")
    if not (given.get("i") and given.get("o") and source) or source.strip("/") != name.strip("/"):
        return None
    if os.path.lexists(given["o"]):
        return None
    groups = ask_dataset(given["i"], lambda dataset: [fqn for fqn, _ in walk(dataset.root)]) or []
    option = "--only-groups" if f"/{source.strip('/')}" in groups else "--vars"
    return ["copy", option, source.strip("/"), given["i"], given["o"]]


_FILTERS: Mapping[str, str] = {
    "GZIP": "zlib", "SHUF": "shuffle", "FLET": "fletcher32", "NONE": "none",
}  # fmt: skip


def _h5repack(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for filters and layouts: ``-f GZIP=4``, ``-l v:CHUNK=10x20``."""
    parsed = _parse(typed, "f:l:i:o:vnL", ("filter=", "layout=", "verbose", "latest"))
    if parsed is None:
        return None
    pairs, paths = parsed
    paths = [*paths, *(v for n, v in pairs if n == "-i"), *(v for n, v in pairs if n == "-o")]
    codecs: dict[str, list[str]] = {}
    words: list[str] = []
    for name, value in pairs:
        objects, _, how = value.rpartition(":")
        kind, _, number = how.partition("=")
        if name in ("-f", "--filter"):
            if kind not in _FILTERS:
                return None
            spec = f"{_FILTERS[kind]}:{number}" if number else _FILTERS[kind]
            for each in objects.split(","):
                codecs.setdefault(each, []).append(spec)
        elif name in ("-l", "--layout"):
            lengths = ",".join(number.split("x"))
            layout = {"CHUNK": lengths, "CONTI": "contiguous", "COMPA": "compact"}.get(kind)
            if not objects or not layout or not re.fullmatch(r"[\d,]+|[a-z]+", layout):
                return None
            words += [w for each in objects.split(",") for w in ("-c", f"{each}:{layout}")]
    for each, specs in codecs.items():
        spec = "+".join(specs)
        words += ["--codec", f"{each}={spec}" if each else spec]
    return ["copy", *words, *paths] if len(paths) == 2 else None


PROGRAMS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "h5dump": _h5dump,
    "h5ls": _h5ls,
    **dict.fromkeys(("h5repack", "repack"), _h5repack),
    "h5diff": _h5diff,
    "nccmp": _nccmp,
    "h5copy": _h5copy,
}
"""The programs -> the function that returns the line for the words after them."""
