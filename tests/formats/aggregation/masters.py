"""Masters and pieces for tests, in every form, made from one description."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ncz
from ncz.errors import ignore_notice

LENGTHS = ((1, 3), (2, 2, 2))
"""The lengths of the partitions of the variable ``tas(time, lat)``."""

VALUES = np.arange(24, dtype="f4").reshape(4, 6)
FILL = -1.0
UNDEFINED = (0, 2)
"""The partition that has no piece."""

FORMS = ("CFA-0.4", "CFA-0.5", "CFA-0.6", "CF-1.13")

Name = Callable[[tuple[int, ...]], str]
"""The name of a piece in a master, by the number of its partition."""


def numbers() -> list[tuple[int, ...]]:
    """Return the numbers of all partitions."""
    return list(itertools.product(*(range(len(n)) for n in LENGTHS)))


def limits(number: Sequence[int]) -> list[tuple[int, int]]:
    """Return the start and the stop of a partition along each dimension."""
    return [(sum(n[:i]), sum(n[: i + 1])) for n, i in zip(LENGTHS, number, strict=True)]


def part(number: Sequence[int]) -> np.ndarray:
    """Return the values of a partition."""
    return VALUES[tuple(slice(a, b) for a, b in limits(number))]


def expected() -> np.ndarray:
    """Return all values; the undefined partition has fill values."""
    values = VALUES.copy()
    values[tuple(slice(a, b) for a, b in limits(UNDEFINED))] = FILL
    return values


def write(path: Path, text: str, **options: Any) -> Path:
    """Write CDL text to a file or a store."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_name(f".{path.name}.cdl")
    source.write_text(text)
    ncz.gen(source, path, notify=ignore_notice, **options)
    source.unlink()
    return path


def listed(values: np.ndarray | Sequence[object]) -> str:
    """Return values as in CDL."""
    return ", ".join(
        "_" if v is None else json.dumps(v) for v in np.asarray(values).ravel().tolist()
    )


def piece_cdl(
    values: np.ndarray,
    *,
    units: str = "K",
    kind: str = "float",
    attributes: str = "",
    dimensions: Sequence[str] = ("time", "lat"),
) -> str:
    """Return a piece as CDL."""
    sizes = " ".join(f"{d} = {n} ;" for d, n in zip(dimensions, values.shape, strict=True))
    return (
        f"netcdf piece {{ dimensions: {sizes} variables: {kind} tas({', '.join(dimensions)}) ;"
        f' tas:units = "{units}" ; {attributes} data: tas = {listed(values)} ; }}'
    )


def write_pieces(folder: Path, name: Name, change: Mapping[tuple[int, ...], str] = {}) -> None:
    """Write all pieces that are defined; `change` has other texts for some."""
    for number in numbers():
        if number != UNDEFINED:
            write(folder / name(number), change.get(number) or piece_cdl(part(number)))


def plain(number: tuple[int, ...]) -> str:
    """Return the name of a piece below the master."""
    return f"m/tas.{'.'.join(map(str, number))}.nc"


def master_cdl(form: str, name: Name = plain, group: str = "") -> str:
    """Return a master as CDL, with the variable and its description in a group if one is named."""
    marks, described, inner = _DESCRIBE[form](name)
    body = (
        f"dimensions: time = 4 ; lat = 6 ; {described[0]} variables: double time(time) ;"
        f' time:units = "days since 2000-01-01" ; float tas ; tas:units = "K" ;'
        f" tas:_FillValue = {FILL}f ; {marks} {described[1]}"
    )
    data = f"data: time = 0, 1, 2, 3 ; {described[2]} {inner}"
    conventions = f':Conventions = "CF-1.13 {form if form != "CF-1.13" else ""}" ;'
    if not group:
        return f"netcdf master {{ {body} {conventions} {data} }}"
    return f"netcdf master {{ {conventions} group: {group} {{ {body} {data} }} }}"


def _cfa04(name: Name) -> tuple[str, tuple[str, str, str], str]:
    partitions = [
        {
            "index": number,
            "location": [[a, b - 1] for a, b in limits(number)],
            "subarray": {
                "ncvar": "tas",
                "file": name(number),
                "format": "NETCDF4",
                "shape": part(number).shape,
            },
        }
        for number in numbers()
        if number != UNDEFINED
    ]
    array = {"pmshape": [2, 3], "pmdimensions": ["time", "lat"], "Partitions": partitions}
    text = json.dumps(json.dumps(array))
    marks = (
        f'tas:cf_role = "cfa_variable" ; tas:cfa_dimensions = "time lat" ; tas:cfa_array = {text} ;'
    )
    return marks, ("", "", ""), ""


def _cfa05(name: Name) -> tuple[str, tuple[str, str, str], str]:
    defined = [number != UNDEFINED for number in numbers()]
    files = [name(number) if number != UNDEFINED else "" for number in numbers()]
    fill = -2147483647
    location = [
        end if number != UNDEFINED else fill
        for number in numbers()
        for pair in limits(number)
        for end in pair
    ]
    shapes = [n for number in numbers() for n in part(number).shape]
    inner = (
        "group: cfa_tas { dimensions: time = 2 ; lat = 3 ; ndimensions = 2 ; bounds = 2 ;"
        " variables: int pmshape(ndimensions) ; string pmdimensions ;"
        " int index(time, lat, ndimensions) ;"
        " int location(time, lat, ndimensions, bounds) ; int shape(time, lat, ndimensions) ;"
        " string ncvar(time, lat) ; string file(time, lat) ; string format(time, lat) ;"
        f' data: pmshape = 2, 3 ; pmdimensions = "time, lat" ; index = {listed(numbers())} ;'
        f" location = {listed(location)} ; shape = {listed(shapes)} ;"
        f" ncvar = {listed(['tas' if d else '' for d in defined])} ; file = {listed(files)} ;"
        f" format = {listed(['netCDF'] * 6)} ; }}"
    )
    marks = (
        'tas:cf_role = "cfa_variable" ; tas:cfa_dimensions = "time lat" ;'
        ' tas:cfa_group = "cfa_tas" ;'
    )
    return marks, ("", "", ""), inner


def _described(
    terms: str, dimensions: str, variables: str, data: str
) -> tuple[str, tuple[str, str, str], str]:
    marks = f'tas:aggregated_dimensions = "time lat" ; tas:aggregated_data = "{terms}" ;'
    return marks, (dimensions, variables, data), ""


_MAP = "1, 3, _, 2, 2, 2"


def _cfa06(name: Name) -> tuple[str, tuple[str, str, str], str]:
    files = [
        other
        for number in numbers()
        for other in (
            (f"${{GONE}}{name(number)}", name(number)) if number != UNDEFINED else ("", "")
        )
    ]
    addresses = ["tas" if number != UNDEFINED else "" for number in numbers()]
    return _described(
        "location: loc file: fil format: fmt address: adr tracking_id: trk",
        "f_time = 2 ; f_lat = 3 ; i = 2 ; j = 3 ; alternatives = 2 ;",
        "int loc(i, j) ; string fil(f_time, f_lat, alternatives) ;"
        ' fil:substitutions = "${GONE}: gone/" ;'
        " string fmt ; string adr(f_time, f_lat) ; string trk(f_time, f_lat) ;",
        f'loc = {_MAP} ; fil = {listed(files)} ; fmt = "nc" ; adr = {listed(addresses)} ;'
        f" trk = {listed(['id'] * 6)} ;",
    )


def _cf(name: Name) -> tuple[str, tuple[str, str, str], str]:
    files = [name(number) if number != UNDEFINED else "" for number in numbers()]
    return _described(
        "map: fragment_map uris: fragment_uris identifiers: fragment_identifiers",
        "f_time = 2 ; f_lat = 3 ; i = 2 ; j = 3 ;",
        "int fragment_map(i, j) ; string fragment_uris(f_time, f_lat) ;"
        " string fragment_identifiers ;",
        f'fragment_map = {_MAP} ; fragment_uris = {listed(files)} ; fragment_identifiers = "tas" ;',
    )


_DESCRIBE = {"CFA-0.4": _cfa04, "CFA-0.5": _cfa05, "CFA-0.6": _cfa06, "CF-1.13": _cf}
