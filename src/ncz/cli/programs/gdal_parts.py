"""Bands and views of GDAL's translations as parts of variables, and pictures of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ncz.cli.named_datasets import asked
from ncz.cli.programs.gdal_names import is_gdal_name, path_and_variable

if TYPE_CHECKING:
    from ncz.model.tree import Dataset


def _dimensions(name: str, dataset: Dataset) -> list[str]:
    """Return the names of the dimensions of a variable of the root; none if there is none."""
    found = (each for each in dataset.root.variables if each.name == name)
    return [fqn.rpartition("/")[2] for each in found for fqn in each.dimensions]


def with_parts(typed: Sequence[str]) -> list[str]:
    """Return words whose bands and views of an array are options of ncz: ``-b 1``.

    Words that name no part of one variable stay as they are.
    """
    words = list(typed)
    if "-array" in words[:-1]:
        at = words.index("-array") + 1
        view = re.fullmatch(r"name=/?(\w+),view=\[([-0-9:,]+)\]", words[at])
        paths = [word for word in words if os.path.exists(word)]
        names = asked(paths[0], partial(_dimensions, view[1])) if view and paths else None
        limits = view[2].split(",") if view else []
        if view and names and len(names) == len(limits):
            pairs = zip(names, limits, strict=True)
            cuts = [f"{name}={limit}" for name, limit in pairs if limit != ":"]
            parts = ["--isel", ",".join(cuts)] if cuts else []
            return [*words[:at], view[1], *words[at + 1 :], *parts]
    if "-b" in words[:-1]:
        at = words.index("-b")
        path, variable = path_and_variable(next(filter(is_gdal_name, words), ""))
        names = asked(path, partial(_dimensions, variable)) if variable else None
        if names and len(names) == _RASTER + 1 and re.fullmatch("[1-9][0-9]{0,8}", words[at + 1]):
            part = f"{names[0]}={int(words[at + 1]) - 1}"
            return [*words[:at], *words[at + 2 :], "--isel", part]
    return words


_RASTER = 2
"""The number of dimensions of a band."""


def picture_line(typed: Sequence[str]) -> list[str] | None:
    """Return the line of ``view`` for a translation to a PNG file; None for another one."""
    words = with_parts(typed)
    is_png = "PNG" in [word.upper() for word in words]
    source = next(filter(is_gdal_name, words), None)
    if source is None or not (is_png and words[0][:1] == "-"):
        return None
    path, variable = path_and_variable(source)
    targets = [word for word in words if word.lower().endswith(".png")]
    cut = words[words.index("--isel") :] if "--isel" in words else []
    known = {*_OF_PICTURES, *targets, *cut, source}
    rest = [word for word in words if word not in known and not re.fullmatch("[-0-9.]+", word)]
    if len(targets) != 1 or variable is None or any(word.startswith("-") for word in rest):
        return None
    limits = words[words.index("-scale") + 1 :][:2] if "-scale" in words else []
    scale = (
        ["--range", ":".join(limits)] if all(re.fullmatch("[-0-9.]+", w) for w in limits) else []
    )
    return ["view", path, variable, *cut, *(scale if limits else []), "--plain", "-o", targets[0]]


_OF_PICTURES = ("-of", "-f", "-ot", "-scale", "-outsize", "-a_srs", "-q")
"""Options of a translation that a picture needs, or that do not change it."""
