"""Make the coastlines of the package from Natural Earth: ``python -m tools.coastlines``.

Natural Earth is in the public domain. The npm package world-atlas has its land as TopoJSON, in two
resolutions. They are written to ``src/ncz/views/coast``; `ncz.views.coastlines` describes the form.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "src" / "ncz" / "views" / "coast"
PACKAGE = "world-atlas@2.0.2"
UNIT = 0.01
"""Degrees of a step."""

Ring = np.ndarray[Any, np.dtype[np.float64]]


def main() -> int:
    """Fetch the package, and write a file for each resolution; return an exit code."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", folder]
        subprocess.run([*command, PACKAGE], check=True)
        for detail in ("110m", "50m"):
            source = Path(folder, "node_modules", "world-atlas", f"land-{detail}.json")
            lines = list(coasts(json.loads(source.read_text(encoding="utf-8"))))
            data = packed(lines)
            (FOLDER / f"{detail}.bin").write_bytes(data)
            points = sum(map(len, lines))
            sys.stdout.write(f"{detail}: {len(lines)} lines, {points} points, {len(data)} bytes\n")
    return 0


def coasts(topology: dict[str, Any]) -> Iterator[Ring]:
    """Yield the lines of the coasts of a topology, in steps of `UNIT`."""
    scale, shift = (np.array(topology["transform"][name]) for name in ("scale", "translate"))
    arcs = [np.cumsum(arc, axis=0) * scale + shift for arc in topology["arcs"]]
    for shape in topology["objects"]["land"]["geometries"]:
        polygons = shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]
        for polygon in polygons:
            for ring in polygon:
                yield from without_edges(joined(arcs, ring))


def joined(arcs: Sequence[Ring], numbers: Sequence[int]) -> Ring:
    """Return the points of a ring; an arc with a negative number is traversed backwards."""
    parts = [arcs[n] if n >= 0 else arcs[~n][::-1] for n in numbers]
    return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])


def without_edges(ring: Ring) -> Iterator[Ring]:
    """Yield the parts of a ring between the places where it follows or crosses the map's edge."""
    first, last = ring[:-1], ring[1:]
    is_edge = (abs(abs(first[:, 0]) - 180) < UNIT) & (abs(abs(last[:, 0]) - 180) < UNIT)
    is_edge |= (first[:, 1] < UNIT - 90) & (last[:, 1] < UNIT - 90)
    is_jump = abs(last[:, 0] - first[:, 0]) > 180
    begin = 0
    head: list[Ring] = []
    for number in np.flatnonzero(is_edge | is_jump):
        line = [*head, ring[begin : number + 1]]
        head = []
        if is_jump[number] and not is_edge[number]:
            leaves, enters = crossing(first[number], last[number])
            line.append(leaves)
            head = [enters]
        yield from steps(np.concatenate(line))
        begin = int(number) + 1
    yield from steps(np.concatenate([*head, ring[begin:]]))


def crossing(one: Ring, other: Ring) -> tuple[Ring, Ring]:
    """Return the point where a line leaves the map at one edge, and enters it at the other."""
    side = np.copysign(180.0, one[0])
    far = other[0] + 2 * side
    part = (side - one[0]) / (far - one[0]) if far != one[0] else 0.0
    latitude = one[1] + part * (other[1] - one[1])
    return np.array([[side, latitude]]), np.array([[-side, latitude]])


def steps(line: Ring) -> Iterator[Ring]:
    """Yield a line in whole steps, without points that are the same, if it has two or more."""
    whole = np.rint(line / UNIT)
    is_new = np.concatenate([[True], (np.diff(whole, axis=0) != 0).any(axis=1)])
    if is_new.sum() > 1:
        yield whole[is_new]


def packed(lines: Sequence[Ring]) -> bytes:
    """Return lines in the form of the package."""
    points = np.concatenate(lines).astype(np.int16)
    moves = np.diff(points, axis=0, prepend=np.zeros((1, 2), np.int16))
    parts = [np.array([len(lines), *map(len, lines)], "<u2").tobytes()]
    for column in (moves[:, 0], moves[:, 1]):
        both = np.ascontiguousarray(column).astype("<i2").view("u1").reshape(-1, 2)
        parts += [both[:, 0].tobytes(), both[:, 1].tobytes()]
    return zlib.compress(b"".join(parts), 9)


if __name__ == "__main__":
    sys.exit(main())
