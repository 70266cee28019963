"""Programs of GDAL and its names of datasets, as lines of ncz."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ncz.cli.programs.gdal_parts import picture_line, with_parts

_CODECS: Mapping[str, str] = {
    "BLOSC": "blosc", "ZSTD": "zstd", "LZ4": "lz4", "LZMA": "lzma", "GZIP": "gzip",
    "ZLIB": "zlib", "DEFLATE": "zlib", "NONE": "none", "BZ2": "bz2",
}  # fmt: skip

_FORMATS: Mapping[str, list[str]] = {
    "ZARR_V2": ["--zarr-format", "2"],
    "ZARR_V3": ["--zarr-format", "3"],
    "NC": ["--kind", "classic"],
    "NC2": ["--kind", "64-bit-offset"],
    "NC4": ["--kind", "netCDF-4"],
    "NC4C": ["--kind", "netCDF-4 classic model"],
}

_TYPES: Mapping[str, str] = {
    "Float32": "float", "Float64": "double", "Int16": "short", "Int32": "int", "Byte": "ubyte",
    "UInt16": "ushort", "UInt32": "uint",
}  # fmt: skip

_DRIVERS: Mapping[str, list[str]] = {"zarr": [], "netcdf": ["--kind", "netCDF-4"]}

_FLAGS = ("-q", "-strict", "--quiet", "-overwrite", "-stats", "-unscale")


def _translate(typed: Sequence[str]) -> list[str] | None:
    """Return the line for a program that writes another format."""
    picture = picture_line(typed)
    if picture is not None:
        return picture
    words: list[str] = []
    rest = _with_levels(with_parts(typed))
    paths = []
    while rest:
        word = rest.pop(0)
        count = _VALUES.get(word, 0)
        values, rest = rest[:count], rest[count:]
        if len(values) < count:
            return None
        if not word.startswith("-"):
            paths.append(word)
        elif word == "-unscale":
            words.append("--unpack")
        elif word == "-overwrite":
            words.append("--overwrite")
        elif word not in _FLAGS:
            found = _OPTIONS[word](values) if word in _OPTIONS else None
            if found is None:
                return None
            words += found
    return ["copy", *words, *paths] if len(paths) == 2 else None


def _with_levels(typed: Sequence[str]) -> list[str]:
    """Return the words with the level of a codec after its name, as ``COMPRESS=ZSTD:3``."""
    level = re.compile("(?:ZLEVEL|(?:ZLIB|GZIP|ZSTD|LZMA|BLOSC)_(?:C?LEVEL|PRESET))=([0-9]+)")
    levels = [found[1] for word in typed if (found := level.fullmatch(word.upper()))]
    is_named = any(word.upper().startswith("COMPRESS=") for word in typed)
    if len(levels) != 1 or not is_named:
        return list(typed)
    at = next(at for at, word in enumerate(typed) if level.fullmatch(word.upper()))
    words = [*typed[: at - 1], *typed[at + 1 :]]
    return [f"{w}:{levels[0]}" if w.upper().startswith("COMPRESS=") else w for w in words]


def _creation(values: Sequence[str]) -> list[str] | None:
    """Return the options for a creation option of GDAL, such as ``COMPRESS=ZSTD``."""
    name, _, value = values[0].partition("=")
    match name.upper():
        case "COMPRESS" if value.upper().partition(":")[0] in _CODECS:
            codec, colon, level = value.upper().partition(":")
            return ["--codec", f"{_CODECS[codec]}{colon}{level}"]
        case "FORMAT":
            return _FORMATS.get(value.upper())
        case "ZLEVEL":
            return ["--deflate", value]
        case "BLOCKSIZE" if re.fullmatch("[0-9]{1,18}(,[0-9]{1,18})*", value):
            return ["--chunks", value]
    return None


def _array(values: Sequence[str]) -> list[str] | None:
    """Return the option for an array: its name, or ``name=NAME``."""
    name = values[0].removeprefix("name=")
    return None if "," in name or "=" in name else ["--vars", name]


def _subset(values: Sequence[str]) -> list[str] | None:
    """Return the option for ``lat(10,20)`` or ``time("2020-01-01","2020-02-01")``."""
    found = re.fullmatch(r"(\w+)\(([^,()]+)(?:,([^,()]+))?\)", values[0])
    if found is None:
        return None
    limits = ":".join(each.strip(' "') for each in found.groups()[1:] if each)
    return ["--sel", f"{found[1]}={limits}"]


def _window(values: Sequence[str]) -> list[str]:
    west, north, east, south = values
    return ["--sel", f"lon={west}:{east},lat={south}:{north}"]


_OPTIONS: Mapping[str, Callable[[Sequence[str]], list[str] | None]] = {
    "-of": lambda values: _DRIVERS.get(values[0].lower()),
    "-f": lambda values: _DRIVERS.get(values[0].lower()),
    "-co": _creation,
    "-ot": lambda values: ["--type", _TYPES[values[0]]] if values[0] in _TYPES else None,
    "-projwin": _window,
    "-array": _array,
    "-subset": _subset,
    "-group": lambda values: ["--only-groups", values[0]],
    "--isel": lambda values: ["--isel", values[0]],
}
"""Options with values, and their equivalents in ncz; None if ncz does not have it."""

_VALUES = {**dict.fromkeys(_OPTIONS, 1), "-projwin": 4}
"""The number of values of each."""


_STATISTICS = ("-stats", "-approx_stats", "-mm", "-hist")


def _information(typed: Sequence[str]) -> list[str] | None:
    """Return the line for a program that describes a dataset."""
    known = {"-json": "--json", **dict.fromkeys(_STATISTICS, "--stats")}
    ignored = (
        "-nomd", "-noct", "-nogcp", "-norat", "-checksum", "-proj4", "-detailed", "-listmdd",
    )  # fmt: skip
    words = [known.get(word, word) for word in typed if word not in ignored]
    return ["info", *dict.fromkeys(words)]


def _as_json(typed: Sequence[str]) -> list[str] | None:
    """Return the line for a program that describes a dataset in JSON."""
    is_plain = len(typed) == 1 and not typed[0].startswith("-")
    return ["dump", "--json", "-h", *typed] if is_plain else _information(typed)


def _table(typed: Sequence[str]) -> list[str] | None:
    """Return the line for a table of a dataset; the name of the dataset follows the table's."""
    match typed:
        case ["-f", form, target, source] if form.upper() == "CSV":
            return ["dump", "--csv", source, "-o", target]
    return None


def _location(typed: Sequence[str]) -> list[str] | None:
    """Return the line for the values at a place: coordinates, or a pixel."""
    words = [w for w in typed if re.fullmatch(r"-?[0-9.]+", w) or not w.startswith("-")]
    options = {*typed} - {*words}
    if len(words) != 3 or not options <= {"-wgs84", "-geoloc", "-valonly"}:
        return None
    path, x, y = words
    is_place = bool(options & {"-wgs84", "-geoloc"})
    cut = ["--nearest", "--sel"] if is_place else ["--isel"]
    return ["dump", "--csv", *cut, f"lon={x},lat={y}", path]


PROGRAMS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    **dict.fromkeys(
        ("gdal_translate", "gdalmdimtranslate", "mdimtranslate", "translate"),
        lambda _, typed: _translate(typed),
    ),
    **dict.fromkeys(("gdallocationinfo", "locationinfo"), lambda _, typed: _location(typed)),
    "gdalinfo": lambda _, typed: _information(typed),
    **dict.fromkeys(("gdalmdiminfo", "mdiminfo"), lambda _, typed: _as_json(typed)),
    "ogr2ogr": lambda _, typed: _table(typed),
}
"""The programs -> the function that returns the line for the words after them."""
