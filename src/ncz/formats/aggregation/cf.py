"""CF 1.13 and CFA 0.6: the attribute ``aggregated_data`` names the variables that describe pieces.

CF has ``map`` with the lengths of the partitions, and either ``uris`` and ``identifiers`` or
``unique_values``. CFA 0.6 and the drafts of CF have other terms for the same, and CFA 0.6 has
alternatives of files along a further dimension, and replaces names in them (``substitutions``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import quantity
from ncz.formats.aggregation.marks import text_of
from ncz.formats.aggregation.master_form import MasterForm
from ncz.formats.aggregation.partitions import Partitions, Piece, UniqueValue
from ncz.formats.aggregation.tables import indices_of, is_text, missing
from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.grid import Index, irregular_grid
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.aggregation.master import AggregatedVariable
    from ncz.model.data import Values


_TERM = re.compile(r"([A-Za-z_][\w-]*):\s+(\S+)")
_SUBSTITUTION = re.compile(r"(\$\{[^}\s]+\}):\s+(\S+)")

_MAPS = ("map", "shape")
_FILES = ("uris", "file")
_ADDRESSES = ("identifiers", "address")
_UNIQUE = ("unique_values", "unique_value", "value")


def terms_of(variable: Variable) -> dict[str, str]:
    """Return the variables that ``aggregated_data`` names, by their terms in lower case.

    The term ``location`` has the lengths in CFA 0.6, and the files in drafts of CF.
    """
    text = text_of(variable, "aggregated_data") or ""
    terms = {term.lower(): name for term, name in _TERM.findall(text)}
    if "location" in terms:
        new = "uris" if any(term in terms for term in _MAPS) else "map"
        terms.setdefault(new, terms.pop("location"))
    return terms


def _is_old(variable: Variable) -> bool:
    """Return whether the terms belong to CFA 0.6."""
    text = text_of(variable, "aggregated_data")
    terms = {term.lower() for term, _ in _TERM.findall(text or "")}
    return "file" in terms


def _own_cf(aggregated: AggregatedVariable) -> Iterator[str]:
    for name in terms_of(aggregated.stored).values():
        yield aggregated.find(name, "a part of its description")[0]


def files_of(aggregated: AggregatedVariable) -> list[str]:
    """Return the FQN of the variable with the names of the pieces, as a list of at most one."""
    name = _first(terms_of(aggregated.stored), _FILES)
    return [] if name is None else [aggregated.find(name, "the files")[0]]


def _first(terms: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((terms[name] for name in names if name in terms), None)


def _partitions_cf(aggregated: AggregatedVariable) -> Partitions:
    terms = terms_of(aggregated.stored)
    lengths_in = _first(terms, _MAPS)
    if lengths_in is None:
        raise aggregated.error("aggregated_data has no term map")
    lengths = _lengths(aggregated, lengths_in)
    counts = tuple(map(len, lengths))
    grid = irregular_grid(lengths)
    unique = _first(terms, _UNIQUE)
    files = _first(terms, _FILES)
    if unique is not None and files is None:
        return Partitions(grid=grid, pieces=_unique_values(aggregated, unique, counts))
    addresses = _first(terms, _ADDRESSES)
    if addresses is None:
        raise aggregated.error("aggregated_data has no term identifiers")
    pieces = _pieces(aggregated, counts, files, addresses, terms.get("format"))
    return Partitions(grid=grid, pieces=pieces)


def _lengths(aggregated: AggregatedVariable, name: str) -> list[list[int]]:
    """Return the lengths of the partitions along each dimension."""
    values, variable = aggregated.table(name, "the lengths of the pieces")
    rank = len(aggregated.shape)
    if values.dtype.kind not in "iu":
        raise aggregated.error(f"{name!r} has lengths that are not integers")
    if rank == 0:
        return []
    if values.ndim != 2 or values.shape[0] != rank:
        raise aggregated.error(
            f"{name!r} does not have a row for each of {quantity(rank, 'dimension')}"
        )
    padding = missing(values, variable)
    rows = [[int(n) for n in row[~absent]] for row, absent in zip(values, padding, strict=True)]
    for row, size, fqn in zip(rows, aggregated.shape, aggregated.dimensions, strict=True):
        if size == 0 and row == [0]:
            row.clear()
        if sum(row) != size or not all(row):
            raise aggregated.error(
                f"the lengths of the pieces along {fqn} are {', '.join(map(str, row[:8]))}, which"
                f" do not add up to {size}"
            )
    return rows


def _unique_values(
    aggregated: AggregatedVariable, name: str, counts: tuple[int, ...]
) -> dict[Index, Piece | UniqueValue]:
    values, variable = aggregated.table(name, "the unique values")
    _check_shape(aggregated, name, values.shape, counts)
    absent = {v for v in (variable.mask, aggregated.stored.mask) if v is not None}
    if isinstance(variable.type, Atomic) and variable.type.size != 1 and not absent:
        absent.add(variable.type.default_fill)
    found: dict[Index, Piece | UniqueValue] = {}
    for index in indices_of(values):
        value = values[index]
        plain = value.item() if hasattr(value, "item") else value
        if plain not in absent and plain is not None:
            found[index] = UniqueValue(plain)
    return found


def _pieces(
    aggregated: AggregatedVariable,
    counts: tuple[int, ...],
    files_in: str | None,
    addresses_in: str,
    formats_in: str | None,
) -> dict[Index, Piece | UniqueValue]:
    addresses, _ = aggregated.table(addresses_in, "the names of variables")
    if addresses.ndim:
        _check_shape(aggregated, addresses_in, addresses.shape, counts)
    files: Values = np.empty((*counts, 0), object)
    replaced: list[tuple[str, str]] = []
    if files_in is not None:
        files, variable = aggregated.table(files_in, "the files")
        replaced = _SUBSTITUTION.findall(text_of(variable, "substitutions") or "")
        if files.ndim == len(counts):
            files = files[..., None]  # without alternatives
        _check_shape(aggregated, files_in, files.shape[:-1], counts)
    formats: Values = np.array(None, object)
    if formats_in is not None:
        formats, _ = aggregated.table(formats_in, "the formats")
        if formats.ndim:
            _check_shape(aggregated, formats_in, formats.shape, counts)

    def substitute(file: str) -> str:
        for name, text in replaced:
            file = file.replace(name, text)
        return file

    found: dict[Index, Piece | UniqueValue] = {}
    for index in np.ndindex(counts):
        address = addresses[index] if addresses.ndim else addresses[()]
        named = tuple(substitute(file) for file in files[index] if is_text(file))
        # A name without a file belongs to a variable of the master, unless all pieces share it.
        if not is_text(address) or not (named or addresses.ndim):
            continue
        described = formats[index] if formats.ndim else formats[()]
        found[index] = Piece(
            files=named,
            address=address,
            format=described if is_text(described) else None,
            number=index,
        )
    return found


def _check_shape(
    aggregated: AggregatedVariable, name: str, shape: tuple[int, ...], counts: tuple[int, ...]
) -> None:
    if shape != counts:
        raise aggregated.error(
            f"{name!r} has the shape {shape}, but {counts} pieces exist along the dimensions"
        )


CF = MasterForm(
    name="CF-1.13",
    recognises=lambda variable: text_of(variable, "aggregated_data") is not None,
    dimensions="aggregated_dimensions",
    own=_own_cf,
    partitions=_partitions_cf,
    converts=True,
    has_uris=True,
)


CFA_06 = replace(CF, name="CFA-0.6", recognises=_is_old, has_uris=False)
