"""Bands and views of GDAL's translations as parts of variables, and pictures of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from ncz.cli.named_datasets import ask_dataset
from ncz.cli.programs.gdal_names import is_gdal_name, path_and_variable

if TYPE_CHECKING:
    from ncz.model.tree import Dataset


def _dimensions(name: str, dataset: Dataset) -> list[str]:
    """Return the names of the dimensions of a variable of the root; empty if it does not exist."""
    found = (each for each in dataset.root.variables if each.name == name)
    return [fqn.rpartition("/")[2] for each in found for fqn in each.dimensions]


def with_parts(typed: Sequence[str]) -> list[str]:
    """Return words whose bands and views of an array are options of ncz: ``-b 1``.

    Words that name no part of one variable do not change.
    """
    words = list(typed)
    if "-array" in words[:-1]:
        at = words.index("-array") + 1
        view = re.fullmatch(r"name=/?(\w+),view=\[([-0-9:,]+)\]", words[at])
        paths = [word for word in words if os.path.exists(word)]
        names = ask_dataset(paths[0], partial(_dimensions, view[1])) if view and paths else None
        limits = view[2].split(",") if view else []
        if view and names and len(names) == len(limits):
            pairs = zip(names, limits, strict=True)
            cuts = [f"{name}={limit}" for name, limit in pairs if limit != ":"]
            parts = ["--isel", ",".join(cuts)] if cuts else []
            return [*words[:at], view[1], *words[at + 1 :], *parts]
    if "-b" in words[:-1]:
        at = words.index("-b")
        path, variable = path_and_variable(next(filter(is_gdal_name, words), ""))
        names = ask_dataset(path, partial(_dimensions, variable)) if variable else None
        if names and len(names) == _RASTER + 1 and re.fullmatch("[1-9][0-9]{0,8}", words[at + 1]):
            part = f"{names[0]}={int(words[at + 1]) - 1}"
            return [*words[:at], *words[at + 2 :], "--isel", part]
    return words


_RASTER = 2
"""The number of dimensions of a band."""


def picture_line(typed: Sequence[str]) -> list[str] | None:
    """Return the line of ``view`` for a translation to a PNG file; None for another one."""
    words = with_parts(typed)
    source = next(filter(is_gdal_name, words), "")
    path, variable = path_and_variable(source)
    targets = [word for word in words if word.lower().endswith(".png")]
    options = (w for w in words if w.startswith("-") and not _is_number(w))
    is_picture = "PNG" in map(str.upper, words) and len(targets) == 1 and variable is not None
    if not is_picture or not {*options} <= {*_OF_PICTURES, "--isel"}:
        return None
    cut = words[words.index("--isel") :] if "--isel" in words else []
    after = words[words.index("-scale") + 1 :] if "-scale" in words else []
    limits = [*takewhile(_is_number, after)]
    scale = ["--range", ":".join(limits[:2])] if limits else []
    return ["view", path, str(variable), *cut, *scale, "--plain", "-o", targets[0]]


def _is_number(word: str) -> bool:
    return re.fullmatch("[-0-9.]+", word) is not None


_OF_PICTURES = ("-of", "-f", "-ot", "-scale", "-outsize", "-a_srs", "-q")
"""Options of a translation that a picture needs, or that do not change it."""
