"""How a new master describes its pieces: their division, their places, and each form."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ncz.formats.aggregation.conventions import with_convention
from ncz.formats.aggregation.marks import CFA_ROLE
from ncz.model.data import MemoryArray
from ncz.model.grid import Box, Index, IrregularGrid, Shape, irregular_grid
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Storage,
    Variable,
    base_name,
    join,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import record, replace

# Divide a variable into pieces of a largest size.
#
# Each piece of a variable of maps has one member of an ensemble: its length is 1 along dimensions
# that are neither those of a map nor time nor height. Time series and maps are read equally well:
# as long as a piece is too large, either the dimensions of a map or the others are divided further,
# whichever were divided less.
#
# Source: the documentation of S3netCDF4, "File splitting algorithm".

LARGEST = 50_000_000
"""Bytes of the largest piece, by default."""

Lengths = tuple[tuple[int, ...], ...]
"""The lengths of the pieces along each dimension."""


def split(
    shape: Shape, axes: Sequence[str | None], item_size: int, largest: int = LARGEST
) -> Lengths:
    """Return the lengths of the pieces of an array.

    Parameters
    ----------
    shape
        The shape of the array.
    axes
        What each dimension is: "T", "Z", "Y", "X", or anything else.
    item_size
        Bytes of an element.
    largest
        Bytes of the largest piece.
    """
    has_maps = "X" in axes and "Y" in axes
    counts = [
        max(1, length) if has_maps and kind not in ("T", "Z", "Y", "X") else 1
        for length, kind in zip(shape, axes, strict=True)
    ]
    maps = [axis for axis, kind in enumerate(axes) if kind in ("X", "Y")]
    others = [axis for axis, kind in enumerate(axes) if kind not in ("X", "Y")]
    while math.prod(shape) * item_size > largest * math.prod(counts):
        candidates = [
            [axis for axis in group if counts[axis] < shape[axis]] for group in (maps, others)
        ]
        if not any(candidates):
            break
        is_map_next = math.prod(counts[axis] for axis in maps) <= _series(counts, axes)
        axes_to_split = candidates[0 if is_map_next else 1] or candidates[1 if is_map_next else 0]
        counts[min(axes_to_split, key=lambda axis: counts[axis])] += 1
    return tuple(map(_equal, shape, counts))


def _series(counts: Sequence[int], axes: Sequence[str | None]) -> int:
    """Return how often the dimension that stands for time is divided: time, height, or another."""
    for wanted in ("T", "Z"):
        if wanted in axes:
            return counts[axes.index(wanted)]
    others = [count for count, kind in zip(counts, axes, strict=True) if kind not in ("X", "Y")]
    return others[0] if others else math.prod(counts)


def _equal(length: int, count: int) -> tuple[int, ...]:
    """Return the lengths of nearly equal parts."""
    borders = [i * length // count for i in range(count + 1)]
    return tuple(b - a for a, b in itertools.pairwise(borders) if b > a)


def split_by(shape: Shape, names: Sequence[str], lengths: Mapping[str, int]) -> Lengths:
    """Return the lengths of pieces that have a given length along some dimensions.

    `names` are those of the dimensions. Along the others, a piece is as long as the array.
    """
    return tuple(
        tuple(min(step, size - first) for first in range(0, size, step))
        for size, step in (
            (size, lengths.get(name) or max(size, 1))
            for size, name in zip(shape, names, strict=True)
        )
    )


# What a master says of one variable: how it is divided, and where the pieces are.


@record(kw_only=True)
class PieceLayout:
    """The pieces of one variable.

    Attributes
    ----------
    lengths
        The lengths of the partitions along each dimension.
    files
        The files of the partitions, as the master names them; undefined ones are left out.
    address
        The name of the variable in all pieces.
    format
        The format of the pieces.
    """

    lengths: Lengths
    files: Mapping[Index, str]
    address: str
    format: str

    @property
    def grid(self) -> IrregularGrid:
        """The grid of the partitions."""
        return irregular_grid(self.lengths)

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of partitions along each dimension."""
        return tuple(map(len, self.lengths))

    def numbers(self) -> Iterator[Index]:
        """Return the indices of all partitions, in row-major order."""
        return itertools.product(*map(range, self.counts))

    def box(self, number: Index) -> Box:
        """Return the part of the array that a partition covers."""
        return self.grid.box(number)


FormName = Literal["CFA-0.4", "CFA-0.5", "CF-1.13"]
"""The forms that ncz writes."""

_UNDEFINED = -2147483647
"""The limits of an undefined partition: the default fill value of int."""


@record(kw_only=True)
class Description:
    """What describes one variable: its marks, and what is added to its group."""

    marks: tuple[Attribute, ...]
    dimensions: tuple[Dimension, ...] = ()
    variables: tuple[Variable, ...] = ()
    groups: tuple[Group, ...] = ()


Describe = Callable[[str, Variable, PieceLayout], Description]
"""A function of the FQN of a group, one of its variables, and the variable's pieces."""


def _text(name: str, value: str) -> Attribute:
    return Attribute(name=name, type=Atomic.CHAR, values=(value,))


def _array(
    name: str, dimensions: Sequence[str], shape: Sequence[int], values: Iterable[Any], *, text: bool
) -> Variable:
    """Return a variable of a description, of integers or of texts."""
    import numpy as np

    data: Any
    if text:
        data = np.empty(tuple(shape), object)
        data.ravel()[:] = list(values)
    else:
        data = np.array(list(values), "i4").reshape(tuple(shape))
    kind = Atomic.STRING if text else Atomic.INT
    return Variable(
        name=name, type=kind, dimensions=tuple(dimensions), data=MemoryArray(data, kind)
    )


def _names(variable: Variable) -> str:
    return " ".join(map(base_name, variable.dimensions))


def _cfa04(_: str, variable: Variable, layout: PieceLayout) -> Description:
    partitions = []
    for number in layout.numbers():
        if number in layout.files:
            box = layout.box(number)
            partitions.append(
                {
                    "index": number,
                    "location": [[a, b - 1] for a, b in zip(box.start, box.stop, strict=True)],
                    "subarray": {
                        "ncvar": layout.address,
                        "file": layout.files[number],
                        "format": layout.format,
                        "shape": box.shape,
                    },
                }
            )
    document = {
        "pmshape": layout.counts,
        "pmdimensions": _names(variable).split(),
        "Partitions": partitions,
    }
    return Description(
        marks=(
            _text("cf_role", CFA_ROLE),
            _text("cfa_dimensions", _names(variable)),
            _text("cfa_array", json.dumps(document)),
        )
    )


def _cfa05(group: str, variable: Variable, layout: PieceLayout) -> Description:
    name = f"cfa_{variable.name}"
    fqn = join(group, name)
    rank = len(layout.counts)
    sizes = dict(zip(map(base_name, variable.dimensions), layout.counts, strict=True))
    sizes |= {"ndimensions": rank, "bounds": 2}
    matrix = tuple(join(fqn, base_name(each)) for each in variable.dimensions)
    axes = join(fqn, "ndimensions")
    numbers = list(layout.numbers())
    boxes = [layout.box(number) for number in numbers]
    defined = [number in layout.files for number in numbers]
    limits = [
        end if is_defined else _UNDEFINED
        for box, is_defined in zip(boxes, defined, strict=True)
        for pair in zip(box.start, box.stop, strict=True)
        for end in pair
    ]
    counts = layout.counts

    def texts(variable: str, values: Iterable[str]) -> Variable:
        return _array(variable, matrix, counts, values, text=True)

    def integers(name: str, values: Iterable[int], *ends: Dimension) -> Variable:
        dimensions = (*matrix, axes, *(join(fqn, each.name) for each in ends))
        shape = (*counts, rank, *(each.size for each in ends))
        return _array(name, dimensions, shape, values, text=False)

    described = Group(
        name=name,
        dimensions=tuple(Dimension(name=each, size=size) for each, size in sizes.items()),
        variables=(
            _array("pmshape", (axes,), (rank,), counts, text=False),
            _array("pmdimensions", (), (), [_names(variable).replace(" ", ", ")], text=True),
            integers("index", [n for number in numbers for n in number]),
            integers("location", limits, Dimension(name="bounds", size=2)),
            texts("ncvar", [layout.address if each else "" for each in defined]),
            texts("file", [layout.files.get(number, "") for number in numbers]),
            texts("format", [layout.format if each else "" for each in defined]),
            integers("shape", [n for box in boxes for n in box.shape]),
        ),
    )
    return Description(
        marks=(
            _text("cf_role", CFA_ROLE),
            _text("cfa_dimensions", _names(variable)),
            _text("cfa_group", name),
        ),
        groups=(described,),
    )


def _cf(group: str, variable: Variable, layout: PieceLayout) -> Description:
    own = variable.name
    rank, longest = len(layout.counts), max(layout.counts, default=1)
    fragments = [f"fragment_{base_name(each)}_{own}" for each in variable.dimensions]
    rows, columns = f"fragment_row_{own}", f"fragment_column_{own}"
    sizes = dict(zip(fragments, layout.counts, strict=True)) | {rows: rank, columns: longest}
    padded = [n for row in layout.lengths for n in (*row, *[_UNDEFINED] * (longest - len(row)))]
    names = {term: f"fragment_{term}_{own}" for term in ("map", "uris", "identifiers")}
    matrix = tuple(join(group, each) for each in fragments)
    map_dimensions = (join(group, rows), join(group, columns)) if rank else ()
    lengths = _array(
        names["map"],
        map_dimensions,
        (rank, longest) if rank else (),
        padded if rank else [1],
        text=False,
    )
    mask = Attribute(name="_FillValue", type=Atomic.INT, values=(_UNDEFINED,))
    files = [layout.files[number] for number in layout.numbers()]
    return Description(
        marks=(
            _text("aggregated_dimensions", _names(variable)),
            _text("aggregated_data", " ".join(f"{term}: {name}" for term, name in names.items())),
        ),
        dimensions=tuple(Dimension(name=each, size=size) for each, size in sizes.items())
        if rank
        else (),
        variables=(
            replace(lengths, attributes=(mask,)),
            _array(names["uris"], matrix, layout.counts, files, text=True),
            _array(names["identifiers"], (), (), [layout.address], text=True),
        ),
    )


FORMS: dict[FormName, Describe] = {"CFA-0.4": _cfa04, "CFA-0.5": _cfa05, "CF-1.13": _cf}
"""How each form describes a variable."""

NEEDS_ALL: tuple[FormName, ...] = ("CF-1.13",)
"""The forms that cannot leave a partition undefined beside others with pieces."""

PACKS_AFTERWARDS: tuple[FormName, ...] = ("CF-1.13",)
"""The forms in which the packing of a variable applies to the values that pieces have unpacked."""


# Make the dataset of a master from that which it describes.


def master_of(dataset: Dataset, layouts: Mapping[str, PieceLayout], form: FormName) -> Dataset:
    """Return the master of a dataset.

    Parameters
    ----------
    dataset
        The dataset.
    layouts
        The pieces of the variables that are aggregated, by FQN. The other variables are in the
        master with their values.
    form
        The form of the master.
    """
    unlimited = {
        name
        for fqn, variable in variables_by_fqn(dataset.root)
        if fqn not in layouts
        for name in variable.dimensions
    }
    root = _group(dataset.root, "", layouts, form, unlimited)
    return replace(
        dataset,
        root=replace(root, attributes=with_convention(root.attributes, form)),
        # Pure Zarr needs annotations for dimensions that only aggregated variables have.
        provenance=replace(dataset.provenance, annotated=True),
    )


def _group(
    group: Group, fqn: str, layouts: Mapping[str, PieceLayout], form: FormName, unlimited: set[str]
) -> Group:
    """Return a group with descriptions of its aggregated variables.

    An unlimited dimension is as long as the variables of the file are, so that one without them is
    fixed.
    """
    described: dict[str, Description] = {}
    for variable in group.variables:
        layout = layouts.get(join(fqn, variable.name))
        if layout is not None:
            described[variable.name] = FORMS[form](fqn, variable, layout)
    return replace(
        group,
        dimensions=(
            *(
                replace(each, unlimited=each.unlimited and join(fqn, each.name) in unlimited)
                for each in group.dimensions
            ),
            *(each for added in described.values() for each in added.dimensions),
        ),
        variables=(
            *(_scalar(each, described.get(each.name)) for each in group.variables),
            *(each for added in described.values() for each in added.variables),
        ),
        groups=(
            *(
                _group(each, join(fqn, each.name), layouts, form, unlimited)
                for each in group.groups
            ),
            *(each for added in described.values() for each in added.groups),
        ),
    )


def _scalar(variable: Variable, description: Description | None) -> Variable:
    """Return an aggregated variable as it is in the master; another variable as it is."""
    if description is None:
        return variable
    return replace(
        variable,
        dimensions=(),
        attributes=(*variable.attributes, *description.marks),
        storage=Storage(),
        axis_names=None,
        data=None,
    )
