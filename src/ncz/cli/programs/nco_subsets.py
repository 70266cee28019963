"""Operators of NCO that write a part of files, join or pack them, as lines of ncz."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ncz.cli.named_datasets import ask_dataset
from ncz.cli.programs.nco_options import OF_FILES, OperatorArguments
from ncz.model.tree import Dataset, base_name, dimensions_by_fqn, variables_by_fqn

_CHOICES = ("-v", "-x", "-d", "-C", "-F", "-g")
"""Options for a part of the sources."""

_PATTERN = re.compile(r"[.*^$\\\[\]()+?|{}]")
"""A character that makes a name a regular expression in NCO."""


def _ncks(typed: OperatorArguments) -> list[str] | None:
    if len(typed.paths) == 2:
        own = (*_CHOICES, *OF_FILES, "--fix_rec_dmn", "--mk_rec_dmn", "-m", "-M", "-H", "-A")
        if not typed.has_only(*own):
            return None
        line = _copy_line(typed, _fixed_option(typed))
        return [*line[:1], "--add", *line[1:]] if line and typed.has("-A") else line
    if len(typed.paths) != 1 or not typed.has_only(*_CHOICES, *_PRINTED):
        return None
    part = _part(typed, printed=True)
    return None if part is None else ["dump", *_form(typed), *part, *typed.paths]


_PRINTED = ("-m", "-M", "-H", "-P", "-V", "--json", "--xml", "--dates", "--dt_fmt")
"""Options of the printed text."""


def _form(typed: OperatorArguments) -> list[str]:
    """Return the options for the printed parts and their form."""
    words = ["--json"] if typed.has("--json") else ["-x"] if typed.has("--xml") else []
    words += ["-t"] if typed.has("--dates") else []
    words += ["-i" if value == "3" else "-t" for value in typed.all("--dt_fmt")[:1]]
    has_data = any(map(typed.has, ("-H", "-P", "-V", "-v", "-d", "--dates", "--dt_fmt")))
    return words if has_data or typed.has("--xml") else [*words, "-h"]


def _copy_line(typed: OperatorArguments, extra: list[str] | None) -> list[str] | None:
    """Return the line that copies a part, with more options; None if ncz lacks one."""
    part, kind = _part(typed), typed.kind
    if part is None or kind is None or extra is None:
        return None
    return ["copy", *extra, *part, *kind, *typed.paths]


def _part(typed: OperatorArguments, *, printed: bool = False) -> list[str] | None:
    """Return the options for a part of the sources; None if ncz cannot choose it."""
    cut, chosen = _dimension_ranges(typed), _choose_names(typed, printed=printed)
    return None if cut is None or chosen is None else [*chosen, *cut]


def _choose_names(typed: OperatorArguments, *, printed: bool) -> list[str] | None:
    """Return the selection of variables and groups, also by regular expressions."""
    groups, names = ",".join(typed.all("-g")), ",".join(typed.all("-v"))
    if groups:
        return None if names or printed or _PATTERN.search(groups) else ["--only-groups", groups]
    if not names:
        return None if typed.has("-x") else []
    has_rest = typed.has("-x") and typed.has("-C")
    if has_rest or _PATTERN.search(names):
        known = ask_dataset(typed.paths[0], _variable_names) or []
        found = [each for each in known if _matches(each, names.split(",")) is not has_rest]
        if not found:
            return None
        names = ",".join(found)
    if typed.has("-x") and not has_rest:
        return ["--exclude", names]
    alone = ["-v", names] if printed and typed.has("-C") else []
    return ["-V", names] if typed.has("-C") and not printed else ["--vars", names, *alone]


def _variable_names(dataset: Dataset) -> list[str]:
    return [fqn.removeprefix("/") for fqn, _ in variables_by_fqn(dataset.root)]


def _matches(name: str, patterns: list[str]) -> bool:
    """Return whether one of the names or regular expressions names a variable."""
    try:
        return any(
            re.search(each, name) if _PATTERN.search(each) else each == name for each in patterns
        )
    except re.error:
        return False


def _dimension_ranges(typed: OperatorArguments) -> list[str] | None:
    """Return the selections of ``-d``: whole numbers are indices, and others are coordinates.

    Several ranges of indices of one dimension are one list, in ascending order.
    """
    ranges: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for text in typed.all("-d"):
        name, *limits = text.split(",")
        if not 1 <= len(limits) <= 3:
            return None
        first, last, stride = [*limits, "", ""][:3]
        last = first if len(limits) == 1 else last
        if all(re.fullmatch(r"(-?\d+)?", each) for each in (first, last)):
            found = _indices(first, last, 1 if typed.has("-F") else 0)
            if found is None:
                return None
            ranges.setdefault(name, []).append(found + (f":{stride}" if stride else ""))
        elif stride or name in others:
            return None
        elif len(limits) == 1:
            others[name] = ["--nearest", "--sel", f"{name}={_number(first)}"]
        else:
            others[name] = ["--sel", f"{name}={_number(first)}:{_number(last)}"]
    if ranges.keys() & others.keys():
        return None
    words: list[str] = []
    for name in dict.fromkeys(text.partition(",")[0] for text in typed.all("-d")):
        indices = _unite(name, ranges[name], typed.paths) if name in ranges else None
        if indices is None and name in ranges:
            return None
        words += others[name] if indices is None else ["--isel", f"{name}={indices}"]
    return words


def _unite(name: str, ranges: list[str], paths: Sequence[str]) -> str | None:
    """Return all indices of several ranges; None if they depend on a length that is not known."""
    if len(ranges) == 1:
        return ranges[0]
    limits = [[int(end) if end else None for end in each.split(":")] for each in ranges]
    ends = [end for each in limits for end in each[:2]]
    whole = [end for end in ends if end is not None and end >= 0]
    size: int | None = max(whole, default=0)
    if len(whole) < len(ends):
        size = ask_dataset(paths[0], partial(_size, name)) if 1 <= len(paths) <= 2 else None
    if size is None:
        return None
    found = {index for each in limits for index in range(size)[slice(*each)]}
    return ",".join(map(str, sorted(found))) or None


def _size(name: str, dataset: Dataset) -> int | None:
    """Return the size of the dimensions with a name; None if none exists, or they differ."""
    known = dimensions_by_fqn(dataset.root).items()
    sizes = {each.size for fqn, each in known if base_name(fqn) == name}
    return sizes.pop() if len(sizes) == 1 else None


def selections_of(texts: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Return the selections of all ``-d``, also of unknown dimensions, for ncz's own message."""
    found = _dimension_ranges(
        OperatorArguments(tuple(("-d", text) for text in texts), tuple(paths))
    )
    if found is not None:
        return found
    return [word for text in texts for word in ("--isel", _as_range(text))]


def _as_range(text: str) -> str:
    name, _, limits = text.partition(",")
    return f"{name}={limits.replace(',', ':')}"


def _indices(first: str, last: str, base: int) -> str | None:
    """Return the range of Python for two indices that are both included, counted from `base`.

    None if the range goes around the end of the dimension.
    """
    start = _from_zero(first, base)
    end = _from_zero(last, base)
    if start is None or end is None:
        return None
    if last and first and (int(first) < 0) == (int(last) < 0) and int(first) > int(last):
        return None
    return f"{start}:{'' if end in ('', '-1') else int(end) + 1}"


def _from_zero(text: str, base: int) -> str | None:
    """Return an index that is counted from 0, or from the end; None if it is out of range."""
    if not text or text.startswith("-"):
        return text
    return str(int(text) - base) if int(text) >= base else None


def _number(text: str) -> str:
    """Return a number of NCO without the point at its end that makes it a coordinate."""
    return text[:-1] if re.fullmatch(r"-?\d+\.", text) else text


def _fixed_option(typed: OperatorArguments) -> list[str] | None:
    """Return the option for dimensions that are fixed in the copy, or that are not."""
    names = typed.all("--fix_rec_dmn")
    made = typed.all("--mk_rec_dmn")
    if made:
        return None if names else ["--unlimited", ",".join(made)]
    if not names:
        return []
    known = ask_dataset(typed.paths[0], _record_dimensions)
    is_whole = "all" in names or (known is not None and set(known) <= set(names))
    return ["-u"] if is_whole else None


def _record_dimensions(dataset: Dataset) -> list[str]:
    found = dimensions_by_fqn(dataset.root).items()
    return [fqn.removeprefix("/") for fqn, each in found if each.unlimited]


def record_dimension(path: str) -> str:
    """Return the record dimension of a file; "time" without a single one."""
    found = ask_dataset(path, _record_dimensions) or []
    return found[0] if len(found) == 1 else "time"


def _ncrcat(typed: OperatorArguments) -> list[str] | None:
    if not typed.has_only(*_CHOICES, *OF_FILES, "--rec_apn") or len(typed.paths) < 2:
        return None
    name = record_dimension(typed.paths[0])
    if typed.has("--rec_apn"):
        return ["copy", "--append", name, *typed.paths] if len(typed.options) == 1 else None
    return _copy_line(typed, ["--concat", name])


def _ncecat(typed: OperatorArguments) -> list[str] | None:
    if not typed.has_only(*_CHOICES, *OF_FILES, "-u") or len(typed.paths) < 2:
        return None
    name = [*typed.all("-u"), "record"][0]
    return _copy_line(typed, ["--new-dimension", name])


_PACKED: Mapping[str, list[str]] = {
    "flt_sht": ["--pack", "short"], "flt_byt": ["--pack", "byte"], "hgh_sht": ["--pack", "short"],
    "hgh_byt": ["--pack", "byte"], "dbl_flt": ["--type", "float"], "flt_dbl": ["--type", "double"],
}  # fmt: skip
"""The maps of ncpdq -> the options for the types that they make of floating-point data."""


def _ncpdq(typed: OperatorArguments) -> list[str] | None:
    own = (*_CHOICES, *OF_FILES, "-a", "-P", "-M", "-U")
    if not typed.has_only(*own) or len(typed.paths) != 2:
        return None
    words: list[str] = []
    for text in typed.all("-a"):
        names = [name.strip() for name in text.split(",")]
        words += [w for n in names if n[:1] == "-" for w in ("--isel", f"{n[1:]}=::-1")]
        if len(names) > 1:
            words += ["--transpose", ",".join(name.lstrip("-") for name in names)]
    policies, maps = typed.all("-P"), typed.all("-M")
    if typed.has("-U") or {"upk", "pck_upk", "unpack"} & {*policies}:
        return _copy_line(typed, [*words, "--unpack"])
    if policies and policies[-1] not in ("all_new", "pck_all_new_att"):
        return None
    if maps:
        packed = _PACKED.get(maps[-1].removeprefix("pck_map_"))
        return None if packed is None else _copy_line(typed, [*words, *packed])
    if policies or not words:
        words += ["--pack", "short"]
    return _copy_line(typed, words)


OPERATORS: Mapping[str, Callable[[OperatorArguments], list[str] | None]] = {
    "ncks": _ncks, "ncrcat": _ncrcat, "ncecat": _ncecat, "ncpdq": _ncpdq,
}  # fmt: skip
"""The operators -> the function that returns the line for the words after them."""
