"""The description of one variable in a new master, in each form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ncz.formats.aggregation.marks import CFA_ROLE
from ncz.formats.aggregation.modes import FormName
from ncz.formats.piece_layout import PieceLayout
from ncz.late import numpy as np
from ncz.model.data import MemoryArray
from ncz.model.tree import Attribute, Dimension, Group, Variable, base_name, join
from ncz.model.types import Atomic
from ncz.record import record, replace

_UNDEFINED = -2147483647
"""The limits of an undefined partition: the default fill value of int."""


@record(kw_only=True)
class Description:
    """The description of one variable: its marks, and the additions to its group."""

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
    partitions, grid = [], layout.grid
    for number in layout.numbers():
        if number in layout.files:
            box = grid.box(number)
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
    numbers, grid = list(layout.numbers()), layout.grid
    boxes = [grid.box(number) for number in numbers]
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
"""The functions that describe a variable, by form."""
