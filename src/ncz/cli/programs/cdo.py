"""Lines of CDO: options before the operator, chains of operators, and operators with keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from ncz.cli.named_datasets import ask_dataset
from ncz.model.tree import Dataset, base_name, dimensions_by_fqn, text_of, variables_by_fqn
from ncz.record import record
from ncz.zmap.whole_numbers import whole_number

_VALUES: Mapping[str, str] = {
    "-f": "-f", "--format": "-f", "-z": "-z", "--compression_type": "-z", "-b": "-b",
    "--default_datatype": "-b", "-P": "-P", "--num_threads": "-P", "-k": "-k", "--chunktype": "-k",
    **dict.fromkeys(("-t", "-g", "--grid", "-m", "--setmissval", "-i", "--institution"), "-x"),
    **dict.fromkeys(("-C", "--color", "--precision", "--netcdf_hdr_pad", "--history_info"), "-s"),
}  # fmt: skip
"""Options with a value, by meaning; "-s" changes nothing here, and ncz lacks "-x"."""

_FLAGS: Mapping[str, str] = {
    "-O": "-O", "--overwrite": "-O",
    **dict.fromkeys((
        "-s", "--silent", "-L", "--lock_io", "-r", "--relative_time_axis", "-S", "-W", "-M", "-w",
        "-v", "--verbose", "-c", "-u", "--no_history", "--history", "--no_warnings",
        "--disable_warnings", "--pedantic", "--eccodes", "--double", "--float",
        "--no_remap_weights", "--sortname", "--worker", "--has_missval", "--cmor",
        "--check_data_range",
    ), "-s"),
    **dict.fromkeys(
        ("-a", "--absolute_taxis", "-R", "--regular", "-Z", "--compress", "--reduce_dim"), "-x"
    ),
}  # fmt: skip
"""The same for options without a value."""

_OPERATOR = re.compile(r"-[a-z][a-z0-9]{2,}(?:,.*)?", re.DOTALL)
_TYPES = {"F32": "float", "32": "float", "F64": "double", "64": "double"}


@record
class CdoLine:
    """A line of CDO: its options for `ncz copy`, its operators, and its files."""

    options: tuple[str, ...]
    operators: tuple[str, ...]
    files: tuple[str, ...]


def cdo_line(args: Sequence[str]) -> CdoLine | None:
    """Return the parts of a line of CDO; None for any other line, and for options that ncz lacks.

    Such a line begins with an option, or with an operator after a hyphen.
    """
    rest = list(args)
    options: list[str] = []
    while rest and (rest[0] in _VALUES or rest[0] in _FLAGS):
        word = rest.pop(0)
        value = rest.pop(0) if word in _VALUES and rest else ""
        found = _option(_VALUES.get(word) or _FLAGS[word], value)
        if found is None:
            return None
        options += found
    operators: list[str] = []
    if rest and not rest[0].startswith("-"):
        operators.append(rest.pop(0))
    while rest and _OPERATOR.fullmatch(rest[0]):
        operators.append(rest.pop(0)[1:])
    is_cdo = bool(operators) and not any(word.startswith("-") for word in rest)
    files = tuple(word for word in rest if word not in ("[", "]"))
    if len(operators) > 1 and len(files) < len(rest):
        return None  # a part of the operators is for each file
    return CdoLine(tuple(options), tuple(operators), files) if is_cdo else None


def _option(name: str, value: str) -> list[str] | None:
    """Return the options of copy for one of CDO; none for one that ncz does not need."""
    match name:
        case "-f":
            return [name, value]
        case "-z":
            return _codec(value)
        case "-b":
            return ["--type", _TYPES[value.upper()]] if value.upper() in _TYPES else None
        case "-P":
            return ["--threads", value]
        case "-O":
            return ["--overwrite"]
        case "-k":
            return [] if value == "auto" else None
        case "-x":
            return None
    return []


def _codec(value: str) -> list[str] | None:
    """Return the options for a codec of CDO, such as ``zip_4`` or ``zstd``."""
    name, _, level = value.partition("_")
    if name not in ("zip", "zstd") or not re.fullmatch(r"\d*", level):
        return None
    return ["-d", level or "1"] if name == "zip" else ["--codec", f"zstd:{level}".rstrip(":")]


def chain(line: CdoLine, line_of: Callable[[str, list[str]], list[str] | None]) -> list[str]:
    """Return one line of ncz for all operators; empty if ncz does not have one.

    Parameters
    ----------
    line
        The operators; the last one reads the files.
    line_of
        Returns the line of ncz for one operator and its files.
    """
    first = line.operators[0]
    shown = line_of(first, [*line.files])
    if len(line.operators) == 1:
        if shown and shown[0] == "edit" and {*line.options} - {"--overwrite"}:
            return []
        if not shown or shown[0] != "copy":
            return [*(shown or []), *(line.options if shown and "-o" in shown else ())]
        return ["copy", *_words(shown, line.files), *line.options, *line.files]
    is_shown = bool(shown) and shown is not None and shown[0] in ("info", "dump")
    operators = line.operators[1:] if is_shown else line.operators
    files = (*line.files, "out.nc") if is_shown else line.files
    words: list[str] = []
    for at, operator in enumerate(operators):
        paths = files if at == len(operators) - 1 else _PLACES
        found = line_of(operator, [*paths])
        if not found or found[0] != "copy":
            return []
        words += _words(found, paths)
    if "--nearest" in words and words.count("--sel") > 1:
        return []  # a year does not select the nearest date
    if not is_shown or shown is None:
        return ["copy", *words, *line.options, *line.files]
    is_part = {word for word in words if word[:2] == "--"} <= {*_PARTS}
    return [shown[0], *words, *shown[1:]] if is_part else []


_PLACES = ("in.nc", "out.nc")
"""Names for the input of an operator from the next one, and for its output to the one before."""

_PARTS = ("--vars", "--exclude", "--sel", "--isel", "--nearest")
"""Options that choose a part of a dataset, also of one that is only printed."""


def _words(line: Sequence[str], files: Sequence[str]) -> list[str]:
    """Return the options of a line of `ncz copy`, which ends with its files."""
    return [*line[1 : len(line) - len(files)]]


def _select(value: str, files: Sequence[str], *, excludes: bool) -> list[str] | None:
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
        elif name in ("month", "day", "hour", "season"):
            words += ["--sel", f"time.{name}={','.join(values)}"]
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


def _rename(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``chname,old,new``, whose result is another file."""
    names = value.split(",")
    if len(files) != 2 or len(names) % 2 or not value:
        return None
    pairs = zip(names[::2], names[1::2], strict=True)
    renames = (word for old, new in pairs for word in ("--rename", f"{old}={new}"))
    return ["edit", files[0], *renames, "-o", files[1]]


def _attribute(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``setattribute,variable@name=value``; one file is changed in place."""
    words = []
    for part in value.split(","):
        found = re.fullmatch(r"(?:([^@=]*)@)?([^@=]+)=(.+)", part)
        if found is None:
            return None
        words.append(f"{found[1] or ''}:{found[2]}={found[3]}")
    return _change(files, words)


def _without_attribute(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``delattribute,variable@name``."""
    words = []
    for part in value.split(","):
        variable, at, name = part.rpartition("@")
        if not name or (at and not variable):
            return None
        words += ["--delete", f"{variable}:{name}"]
    return _change(files, words)


def _change(files: Sequence[str], words: Sequence[str]) -> list[str] | None:
    """Return the line that makes changes in a copy, or in place if there is one file."""
    if not 1 <= len(files) <= 2:
        return None
    return ["edit", files[0], *words, *(["-o", files[1]] if len(files) == 2 else [])]


def _data_variables(dataset: Dataset) -> dict[str, str]:
    """Return the variables that are neither coordinates nor bounds -> their units."""
    root = dataset.root
    names = {base_name(fqn) for fqn in dimensions_by_fqn(root)}
    found = {}
    for fqn, variable in variables_by_fqn(root):
        attributes = {each.name: each for each in variable.attributes}
        names |= {*text_of(attributes.get("bounds")).split()}
        names |= {*text_of(attributes.get("coordinates")).split()}
        found[fqn.removeprefix("/")] = text_of(attributes.get("units"))
    return {name: units for name, units in found.items() if base_name(name) not in names}


def _only_variable(files: Sequence[str]) -> str | None:
    found = (ask_dataset(files[0], _data_variables) if files else None) or {}
    return next(iter(found)) if len(found) == 1 else None


def _set_name(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``setname,new``, which renames the only variable with data."""
    name = _only_variable(files)
    is_new = name is not None and value and "," not in value
    return _change(files, ["--rename", f"{name}={value}"]) if is_new else None


def _unit(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``setunit,units`` of the only variable with data."""
    name = _only_variable(files)
    return _change(files, [f"{name}:units={value}"]) if name is not None and value else None


def _other_unit(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``chunit,old,new``."""
    old, comma, new = value.partition(",")
    found = (ask_dataset(files[0], _data_variables) if files else None) or {}
    words = [f"{name}:units={new}" for name, units in found.items() if units == old]
    return _change(files, words) if comma and "," not in new and words else None


_N = "[0-9]{1,18}"
"""A whole number."""


def _numbers(value: str) -> tuple[int, int, int] | None:
    """Return the first, the last and the step of ``1/12``, ``1/12/3``, ``1,2,3`` or ``4``.

    None for numbers with several steps between them.
    """
    if not re.fullmatch(rf"-?{_N}(?:/-?{_N}(?:/{_N})?)?|{_N}(?:,{_N})*", value):
        return None
    numbers = [int(each) for each in re.split("[,/]", value)]
    if "/" in value:
        return numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 1
    steps = {second - first for first, second in pairwise(numbers)} or {1}
    return (numbers[0], numbers[-1], steps.pop()) if len(steps) == 1 and min(steps) > 0 else None


def _indices(dimension: str) -> Callable[[str, Sequence[str]], list[str] | None]:
    """Return a function that makes the line for indices of a dimension, counted from 1."""

    def line(value: str, files: Sequence[str]) -> list[str] | None:
        found = _numbers(value)
        if found is None or len(files) != 2 or found[0] == 0 or found[1] == 0:
            return None
        first, last, step = found
        start = first - 1 if first > 0 else first
        stop = "" if last == -1 else str(last if last > 0 else last + 1)
        stride = f":{step}" if step > 1 else ""
        return ["copy", "--isel", f"{dimension}={start}:{stop}{stride}", *files]

    return line


def _index_box(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``selindexbox,1,10,5,20``."""
    if len(files) != 2 or not re.fullmatch(rf"{_N}(?:,{_N}){{3}}", value):
        return None
    left, right, low, high = (int(each) for each in value.split(","))
    if not (0 < left <= right and 0 < low <= high):
        return None
    return ["copy", "--isel", f"lon={left - 1}:{right},lat={low - 1}:{high}", *files]


def _years(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for years that follow each other."""
    found = _numbers(value)
    if found is None or len(files) != 2 or found[2] != 1 or not 0 < found[0] <= found[1]:
        return None
    first, last, _ = found
    years = f"{first:04}" if first == last else f"{first:04}:{last:04}"
    return ["copy", "--sel", f"time={years}", *files]


def _dates(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``seldate,FIRST,LAST``, or for one date."""
    dates = [re.sub(r"^(\d{4})(\d\d)(\d\d)$", r"\1-\2-\3", each) for each in value.split(",")]
    if len(files) != 2 or not all(dates) or len(dates) > 2:
        return None
    return ["copy", "--sel", f"time={':'.join(dates)}", *files]


def _hours(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``seltime,00:00:00,12:00:00``: whole hours."""
    hours = [re.fullmatch(r"(\d\d):00(?::00)?", each) for each in value.split(",")]
    if len(files) != 2 or None in hours:
        return None
    named = ",".join(str(int(hour[1])) for hour in hours if hour is not None)
    return ["copy", "--sel", f"time.hour={named}", *files]


def _level(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for one level."""
    is_one = len(files) == 2 and re.fullmatch(r"-?\d+(?:\.\d*)?", value)
    return ["copy", "--sel", f"level={value}", *files] if is_one else None


def _pieces(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``splitsel,12``, whose files are named after a prefix."""
    if len(files) != 2 or not whole_number(value) or files[1].endswith(("/", ".zarr")):
        return None
    return ["copy", "--split", f"time={value}", files[0], f"{files[1]}{{}}.nc"]


def _difference(value: str, files: Sequence[str]) -> list[str] | None:
    """Return the line for ``diffn,abslim=0.1``."""
    options = {"abslim": "--tolerance", "rellim": "--rtol"}
    words: list[str] = []
    for part in value.split(",") if value else []:
        name, _, number = part.partition("=")
        if name not in options or not number:
            return None
        words += [options[name], number]
    return ["diff", *words, *files] if len(files) == 2 else None


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


def join_files(word: str, files: Sequence[str]) -> list[str]:
    """Return the line for a command of ncz that CDO has, too; its ``copy`` joins several files."""
    is_join = word == "copy" and len(files) > _OF_COPY
    return [word, *(["--concat", "time"] if is_join else []), *files]


_OF_COPY = 2
"""The files of a copy that joins nothing."""

OPERATORS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "select": lambda value, files: _select(value, files, excludes=False),
    "delete": lambda value, files: _select(value, files, excludes=True),
    "chname": _rename,
    "chvar": _rename,
    "setattribute": _attribute,
    "remapnn": _nearest,
    "outputtab": _table,
    "delattribute": _without_attribute,
    "setname": _set_name,
    "setvar": _set_name,
    "setunit": _unit,
    "chunit": _other_unit,
    "seltimestep": _indices("time"),
    "sellevidx": _indices("level"),
    "selindexbox": _index_box,
    "selyear": _years,
    "seldate": _dates,
    "seltime": _hours,
    "sellevel": _level,
    "splitsel": _pieces,
    **dict.fromkeys(("diffn", "diffv", "diffc", "diffp"), _difference),
}
"""The operators -> the function that returns the line for a value and the words after it."""
