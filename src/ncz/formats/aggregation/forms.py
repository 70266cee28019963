"""The forms of masters: CFA 0.4 and 0.5, CF 1.13 with CFA 0.6."""

from __future__ import annotations

import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from ncz.errors import FormatError, counted
from ncz.formats.aggregation.marks import text_of
from ncz.model.data import Values, read_all
from ncz.model.grid import Box, Index, IrregularGrid, Shape, irregular_grid
from ncz.model.tree import (
    Dataset,
    Dimension,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.model.data import Values


LARGEST_TABLE = 1 << 26
"""Elements of the largest variable of a master that is read to find pieces."""


@record(kw_only=True)
class Master:
    """The variables and the dimensions of a master by FQN, and its location for messages."""

    url: str
    variables: Mapping[str, Variable]
    dimensions: Mapping[str, Dimension]

    @staticmethod
    def of(dataset: Dataset, url: str) -> Master:
        """Return the master that a dataset is, before it is described."""
        return Master(
            url=url,
            variables=dict(variables_by_fqn(dataset.root)),
            dimensions=dimensions_by_fqn(dataset.root),
        )


@record(kw_only=True)
class Aggregated:
    """One aggregated variable: as it is stored, and the dimensions that it has as a whole."""

    fqn: str
    stored: Variable
    dimensions: tuple[str, ...]
    """The FQNs of its dimensions."""
    shape: tuple[int, ...]
    master: Master

    @property
    def group(self) -> str:
        """The FQN of the group that it is in."""
        return parent(self.fqn)

    @property
    def location(self) -> str:
        """The variable for messages."""
        return f"{self.master.url}: {self.fqn}"

    def error(self, message: str) -> FormatError:
        """Return the error for a description that is not valid."""
        return FormatError(
            message, self.location, "show the file as it is stored with #mode=noaggregation"
        )

    def find(self, name: str, what: str) -> tuple[str, Variable]:
        """Return the FQN and the variable of a name that the description gives.

        Raises `FormatError` if it does not exist; `what` is its role.
        """
        found = resolve(name, self.group, self.master.variables)
        if found is None:
            raise self.error(f"the variable {name!r}, which holds {what}, does not exist")
        return found, self.master.variables[found]

    def table(self, name: str, what: str) -> tuple[Values, Variable]:
        """Return the values of a variable of the description, and the variable."""
        _, variable = self.find(name, what)
        return self.values(variable, what), variable

    def values(self, variable: Variable, what: str) -> Values:
        """Return all values of a variable of the description; texts as objects.

        An array of char is one of texts over all but its last dimension.
        """
        import numpy as np

        from ncz.model.data import fill_array

        shape = tuple(self.master.dimensions[fqn].size for fqn in variable.dimensions)
        if np.prod(shape, dtype=float) > LARGEST_TABLE:
            raise self.error(f"the variable {variable.name!r}, which holds {what}, is too large")
        if variable.data is None:
            fill = variable.mask
            default = variable.type.default_fill if isinstance(variable.type, Atomic) else None
            values = fill_array(shape, variable.type, default if fill is None else fill)
        else:
            values = read_all(variable.data)
        return _texts(values) if variable.type is Atomic.CHAR else values


def _texts(values: Values) -> Values:
    """Return an array of single bytes as one of texts, without its last dimension."""
    import numpy as np

    shape = values.shape[:-1]
    length = values.shape[-1] if values.shape else 1
    texts = np.empty(shape, object)
    rows = np.ascontiguousarray(values).reshape(-1, max(length, 1))
    texts.ravel()[:] = [
        row.tobytes().split(b"\0")[0].rstrip().decode("utf-8", "surrogateescape") for row in rows
    ] if length else [""] * texts.size  # fmt: skip
    return texts


def resolve(name: str, group: str, known: Mapping[str, object]) -> str | None:
    """Return the FQN that a name means in a group: there, or in the nearest group above it."""
    if name.startswith("/"):
        return name if name in known else None
    while True:
        fqn = join(group, name)
        if fqn in known:
            return fqn
        if group in ("", "/"):
            return None
        group = parent(group)


# The model of an aggregated variable: a grid of partitions, and the piece of each.


@record(kw_only=True)
class Piece:
    """The variable of another dataset that has the values of a partition.

    Attributes
    ----------
    files
        The paths or URLs of alternatives, in the order in which they are tried. Without any, the
        variable is in the master itself.
    address
        The name of the variable, or its path.
    format
        The format, as the master names it. It is only shown: the format is detected.
    number
        The index of the partition, as the master counts it.
    """

    files: tuple[str, ...]
    address: str
    format: str | None = None
    number: Index = ()


@record
class UniqueValue:
    """The value of all elements of a partition that has no piece."""

    value: Value


@record(kw_only=True)
class Partitions:
    """The partitions of one variable. Those that `pieces` does not have are undefined: fill."""

    grid: IrregularGrid
    pieces: Mapping[Index, Piece | UniqueValue]


class GridError(ValueError):
    """Partitions that do not divide their array."""


def partitions_of(shape: Shape, located: Iterable[tuple[Box, Piece]]) -> Partitions:
    """Return the partitions of an array from the parts that its pieces cover.

    Raises `GridError` if the parts are not those of an orthogonal grid, or overlap.
    """
    parts = list(located)
    borders = tuple(_borders(axis, length, parts) for axis, length in enumerate(shape))
    pieces: dict[Index, Piece | UniqueValue] = {}
    for box, piece in parts:
        index = tuple(bisect_left(at, n) for at, n in zip(borders, box.start, strict=True))
        ends = tuple(at[i + 1] for at, i in zip(borders, index, strict=True))
        if ends != box.stop:
            raise GridError(f"partition {dotted(piece.number)} does not fit a grid with the others")
        if index in pieces:
            raise GridError(f"partition {dotted(piece.number)} is defined twice")
        pieces[index] = piece
    return Partitions(grid=IrregularGrid(borders), pieces=pieces)


def _borders(axis: int, length: int, parts: list[tuple[Box, Piece]]) -> tuple[int, ...]:
    """Return where partitions begin along one dimension, and at the end its length."""
    found = {0, length}
    for box, piece in parts:
        start, stop = box.start[axis], box.stop[axis]
        if not 0 <= start < stop <= length:
            raise GridError(
                f"partition {dotted(piece.number)} covers {start} to {stop} of a dimension of"
                f" length {length}"
            )
        found |= {start, stop}
    return tuple(sorted(found))


def dotted(number: Index) -> str:
    """Return the number of a partition for messages, such as "3.0"."""
    return ".".join(map(str, number)) or "0"


# What a form of masters must provide.


@record(kw_only=True)
class MasterForm:
    """A form of masters.

    Attributes
    ----------
    name
        The convention and its version.
    recognises
        Whether a variable with the marks of an aggregated variable has this form.
    dimensions
        The attribute with the names of the dimensions.
    own
        The FQNs of the variables and the groups that only describe an aggregated variable.
    partitions
        Parses the description; raises `FormatError` if it is not valid.
    converts
        Whether a piece may have another type and may be packed, as CF permits. Otherwise it has
        the variable's own type and packing.
    has_uris
        Whether the files are named by URIs, in which ``%XX`` is an encoded character.
    """

    name: str
    recognises: Callable[[Variable], bool]
    dimensions: str
    own: Callable[[Aggregated], Iterable[str]]
    partitions: Callable[[Aggregated], Partitions]
    converts: bool
    has_uris: bool


# Arrays of numbers and texts that describe partitions, in which values may be missing.


def missing(values: Values, variable: Variable) -> Values:
    """Return which numbers are missing: the mask, the default fill value, and negative ones."""
    marks = [value for value in (variable.mask,) if value is not None]
    if isinstance(variable.type, Atomic) and variable.type.is_integer:
        marks.append(variable.type.default_fill)
    found: Values = values < 0
    for mark in marks:
        found = found | (values == mark)
    return found


def is_text(value: Any) -> TypeGuard[str]:
    """Return whether a value is a text that is not empty; missing texts are."""
    return isinstance(value, str) and bool(value)


# CFA 0.4: the partitions are JSON text in the attribute ``cfa_array``.
#
# S3netCDF4 numbers the elements of a location from 0, and includes the last one.

_UNSUPPORTED = ("part", "reverse", "flip", "pmembers", "punits", "pcalendar")
"""Members of the first convention 0.4, which change the values of a piece."""


def _partitions_cfa04(aggregated: Aggregated) -> Partitions:
    document = _document(aggregated)
    listed = document.get("Partitions")
    if not isinstance(listed, list):
        raise aggregated.error("cfa_array has no list Partitions")
    base = document.get("base") or ""
    try:
        return partitions_of(
            aggregated.shape, [_partition(aggregated, each, str(base)) for each in listed]
        )
    except GridError as error:
        raise aggregated.error(str(error)) from error


def _document(aggregated: Aggregated) -> dict[str, Any]:
    try:
        document = json.loads(text_of(aggregated.stored, "cfa_array") or "")
    except (ValueError, RecursionError) as error:
        raise aggregated.error(f"cfa_array is not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise aggregated.error("cfa_array is not a JSON object")
    return document


def _partition(aggregated: Aggregated, entry: Any, base: str) -> tuple[Box, Piece]:
    """Return the part of the array that a partition covers, and its piece."""
    rank = len(aggregated.shape)
    subarray = entry.get("subarray") if isinstance(entry, dict) else None
    if not isinstance(subarray, dict):
        raise aggregated.error("a partition of cfa_array has no object subarray")
    number = tuple(_integers(aggregated, entry.get("index", [0] * rank), "index"))
    for name in _UNSUPPORTED:
        if entry.get(name) or subarray.get(name):
            raise aggregated.error(
                f"partition {dotted(number)} has {name!r}, which ncz cannot read"
            )
    names = entry.get("pdimensions")
    if names is not None and names != [base_name(fqn) for fqn in aggregated.dimensions]:
        raise aggregated.error(f"partition {dotted(number)} has other dimensions than the variable")
    location = entry.get("location")
    if not isinstance(location, list) or len(location) != rank:
        raise aggregated.error(
            f"partition {dotted(number)} has no location in {counted(rank, 'dimension')}"
        )
    limits = [_integers(aggregated, pair, "location", 2) for pair in location]
    box = Box(tuple(a for a, _ in limits), tuple(b + 1 for _, b in limits))
    address = subarray.get("ncvar")
    if not isinstance(address, str) or not address:
        raise aggregated.error(f"partition {dotted(number)} names no variable")
    file = subarray.get("file")
    files = () if not file else (posixpath.join(base, str(file)),)
    return box, Piece(files=files, address=address, format=_format(subarray), number=number)


def _format(subarray: dict[str, Any]) -> str | None:
    found = subarray.get("format")
    return found if isinstance(found, str) else None


def _integers(
    aggregated: Aggregated, values: Any, what: str, count: int | None = None
) -> list[int]:
    is_valid = isinstance(values, list) and all(type(n) is int for n in values)
    if not is_valid or (count is not None and len(values) != count):
        raise aggregated.error(f"a partition of cfa_array has a {what} that is not integers")
    return list(values)


CFA_04 = MasterForm(
    name="CFA-0.4",
    recognises=lambda variable: text_of(variable, "cfa_array") is not None,
    dimensions="cfa_dimensions",
    own=lambda _: (),
    partitions=_partitions_cfa04,
    converts=False,
    has_uris=False,
)


# CFA 0.5: the partitions are variables of a group, which ``cfa_group`` names.
#
# The group has dimensions of the names of the variable's own, as long as there are partitions.


def _group(aggregated: Aggregated) -> str:
    name = text_of(aggregated.stored, "cfa_group") or ""
    return name if name.startswith("/") else join(aggregated.group, name)


def _partitions_cfa05(aggregated: Aggregated) -> Partitions:
    import numpy as np

    group = _group(aggregated)

    def table(name: str, what: str) -> tuple[Values, Variable]:
        return aggregated.table(join(group, name), what)

    files, _ = table("file", "the files")
    names, _ = table("ncvar", "the variables")
    rank = len(aggregated.shape)
    if files.ndim != rank or names.shape != files.shape:
        raise aggregated.error("file and ncvar do not have the dimensions of the variable")
    formats: Values | None = None
    if join(group, "format") in aggregated.master.variables:
        formats, _ = table("format", "the formats")
    location, described = table("location", "the locations")
    if location.shape != (*files.shape, rank, 2):
        raise aggregated.error("location does not have two limits for each dimension")
    undefined: Values = np.any(missing(location, described), axis=(-2, -1))
    base = ""
    if join(group, "base") in aggregated.master.variables:
        base = str(table("base", "the base of the files")[0].ravel()[0] or "")

    def located() -> Iterator[tuple[Box, Piece]]:
        for index in _indices(files):
            if not is_text(files[index]) and not is_text(names[index]):
                continue
            box = (
                _equal_part(aggregated.shape, files.shape, index)
                if undefined[index]
                else Box(*(tuple(map(int, ends)) for ends in location[index].T))
            )
            file = posixpath.join(base, files[index]) if is_text(files[index]) else None
            address = names[index] if is_text(names[index]) else aggregated.stored.name
            found = formats[index] if formats is not None else None
            yield (
                box,
                Piece(
                    files=() if file is None else (file,),
                    address=address,
                    format=found if is_text(found) else None,
                    number=index,
                ),
            )

    try:
        return partitions_of(aggregated.shape, located())
    except GridError as error:
        raise aggregated.error(str(error)) from error


def _indices(values: Values) -> Iterator[Any]:
    import numpy as np

    return iter(np.ndindex(values.shape))


def _equal_part(shape: tuple[int, ...], counts: tuple[int, ...], index: Index) -> Box:
    """Return the part of a partition that has no location, if all are equally long."""
    parts = list(zip(shape, counts, index, strict=True))
    return Box(
        tuple(i * n // count for n, count, i in parts),
        tuple((i + 1) * n // count for n, count, i in parts),
    )


CFA_05 = MasterForm(
    name="CFA-0.5",
    recognises=lambda variable: text_of(variable, "cfa_group") is not None,
    dimensions="cfa_dimensions",
    own=lambda aggregated: (_group(aggregated),),
    partitions=_partitions_cfa05,
    converts=False,
    has_uris=False,
)


# CF 1.13 and CFA 0.6: the attribute ``aggregated_data`` names the variables that describe pieces.
#
# CF has ``map`` with the lengths of the partitions, and either ``uris`` and ``identifiers`` or
# ``unique_values``. CFA 0.6 and the drafts of CF have other terms for the same, and CFA 0.6 has
# alternatives of files along a further dimension, and replaces names in them (``substitutions``).

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
    """Return whether the terms are those of CFA 0.6."""
    text = text_of(variable, "aggregated_data")
    terms = {term.lower() for term, _ in _TERM.findall(text or "")}
    return "file" in terms


def _own_cf(aggregated: Aggregated) -> Iterator[str]:
    for name in terms_of(aggregated.stored).values():
        yield aggregated.find(name, "a part of its description")[0]


def files_of(aggregated: Aggregated) -> list[str]:
    """Return the FQN of the variable with the names of the pieces, if there is one."""
    name = _first(terms_of(aggregated.stored), _FILES)
    return [] if name is None else [aggregated.find(name, "the files")[0]]


def _first(terms: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((terms[name] for name in names if name in terms), None)


def _partitions_cf(aggregated: Aggregated) -> Partitions:
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


def _lengths(aggregated: Aggregated, name: str) -> list[list[int]]:
    """Return the lengths of the partitions along each dimension."""
    values, variable = aggregated.table(name, "the lengths of the pieces")
    rank = len(aggregated.shape)
    if values.dtype.kind not in "iu":
        raise aggregated.error(f"{name!r} has lengths that are not integers")
    if rank == 0:
        return []
    if values.ndim != 2 or values.shape[0] != rank:
        raise aggregated.error(
            f"{name!r} does not have a row for each of {counted(rank, 'dimension')}"
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
    aggregated: Aggregated, name: str, counts: tuple[int, ...]
) -> dict[Index, Piece | UniqueValue]:
    values, variable = aggregated.table(name, "the unique values")
    _check_shape(aggregated, name, values.shape, counts)
    absent = {v for v in (variable.mask, aggregated.stored.mask) if v is not None}
    if isinstance(variable.type, Atomic) and variable.type.size != 1 and not absent:
        absent.add(variable.type.default_fill)
    found: dict[Index, Piece | UniqueValue] = {}
    for index in _indices(values):
        value = values[index]
        plain = value.item() if hasattr(value, "item") else value
        if plain not in absent and plain is not None:
            found[index] = UniqueValue(plain)
    return found


def _pieces(
    aggregated: Aggregated,
    counts: tuple[int, ...],
    files_in: str | None,
    addresses_in: str,
    formats_in: str | None,
) -> dict[Index, Piece | UniqueValue]:
    import numpy as np

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

    def substituted(file: str) -> str:
        for name, text in replaced:
            file = file.replace(name, text)
        return file

    found: dict[Index, Piece | UniqueValue] = {}
    for index in np.ndindex(counts):
        address = addresses[index] if addresses.ndim else addresses[()]
        named = tuple(substituted(file) for file in files[index] if is_text(file))
        # A name without a file is that of a variable of the master, unless all pieces share it.
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
    aggregated: Aggregated, name: str, shape: tuple[int, ...], counts: tuple[int, ...]
) -> None:
    if shape != counts:
        raise aggregated.error(
            f"{name!r} has the shape {shape}, but there are {counts} pieces along the dimensions"
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


FORMS = (CFA_04, CFA_05, CFA_06, CF)
"""The forms, in the order in which a variable is compared with them."""


def form_of(variable: Variable) -> MasterForm | None:
    """Return the form of an aggregated variable; None if it describes no pieces."""
    return next((form for form in FORMS if form.recognises(variable)), None)
