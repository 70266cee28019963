"""aggregate: make a master over files that exist, or change where its pieces are."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal

from ncz.commands import fields
from ncz.commands.fields import AGGREGATE, OVERWRITE, JoinOptions, choice
from ncz.commands.joining.agreement import Agreement
from ncz.commands.joining.concatenation import dimension_named
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import numbers_of
from ncz.commands.joining.ordering import AxisPart, arranged, axis_part
from ncz.commands.options import OptionError
from ncz.commands.references import refuse_query
from ncz.errors import (
    NO_CALLBACKS,
    Callbacks,
    FormatError,
    Notice,
    Notify,
    counted,
    ignore_notice,
    note_if_interrupted,
    option,
)
from ncz.formats.aggregation.description import NEEDS_ALL, PACKS_AFTERWARDS, FormName
from ncz.formats.aggregation.master_dataset import master_of
from ncz.formats.aggregation.piece_layout import PieceLayout
from ncz.formats.aggregation.piece_names import with_names
from ncz.formats.aggregation.piece_values import factors_of
from ncz.formats.aggregation.pieces import fields_of
from ncz.formats.aggregation.target import FORM_OF_MODE
from ncz.formats.kinds import CreateOptions
from ncz.formats.opening import create_dataset, open_dataset
from ncz.model.data import MemoryArray, Values, read_all
from ncz.model.grid import Box, Index
from ncz.model.tree import (
    Dataset,
    Dimension,
    Group,
    Variable,
    dimensions_by_fqn,
    each_dimension,
    each_variable,
    join,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import NcType
from ncz.parallel.threads import ThreadPool, cores
from ncz.record import record, replace
from ncz.zmap.location import Location, quote, unquote
from ncz.zmap.removal import stores_below

if TYPE_CHECKING:
    from ncz.model.tree import NetcdfKind


@record(kw_only=True)
class AggregateOptions:
    """What to aggregate; `how` says what to do about differences between the files."""

    target: Location
    sources: tuple[Location, ...]
    axis: str | None = fields.option(
        "--axis",
        default=None,
        metavar="DIM",
        section="Selection",
        common=True,
        help="Dimension along which the files follow each other.",
        python="The dimension along which the files follow each other.",
    )
    mode: Literal["cfa", "cfa0.5", "cfa0.4", "cf"] = fields.option(
        "--mode",
        default="cfa",
        metavar="FORM",
        values=choice(*FORM_OF_MODE),
        section="Output",
        common=True,
        help="Form of OUT: cfa (CFA 0.5, the default), cfa0.4 or cf (CF 1.13).",
        python='The form of the master: "cfa" for CFA 0.5, "cfa0.4", or "cf" for CF 1.13.',
    )
    rebuild: bool = fields.option(
        "--rebuild",
        default=False,
        section="Selection",
        common=True,
        help="Make OUT again from its pieces FILES, or the folders of these.",
        python="Whether to make a lost master again; the sources are its pieces, or the folders of"
        " these.",
    )
    how: JoinOptions = AGGREGATE
    overwrite: bool = OVERWRITE
    allow_loss: bool = fields.allow_loss_option(help="Write OUT even if it cannot hold everything.")
    kind: NetcdfKind | None = None

    @property
    def form(self) -> FormName:
        """The form of the master."""
        return FORM_OF_MODE[self.mode]


@record(kw_only=True)
class _Source:
    """One file: its part of the axis, and its values that the master holds itself."""

    part: AxisPart
    location: Location
    values: dict[str, Values]


_MEMORY = 64 << 20
"""Bytes of values that are compared at a time."""


def aggregate(
    options: AggregateOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> int:
    """Write a master over files, sorted along an axis; return the number of files.

    Raises
    ------
    JoinError
        If something differs between the files besides their values along the axis, if they overlap
        there, or if they have no variables to aggregate.
    NczError
        If a file cannot be read, or the master cannot be written.
    """
    for source in options.sources:
        refuse_query(source)
    if options.axis is None and not options.rebuild:
        raise OptionError(
            f"the files need {option('axis')}, or {option('rebuild', True)} if they are pieces"
        )
    if options.rebuild:
        if options.axis is not None:
            raise OptionError(
                f"{option('axis')} cannot be used with {option('rebuild', True)}: pieces tell where"
                " they are"
            )
        return _rebuild(options, callbacks)
    target = options.target
    assert options.axis is not None
    with note_if_interrupted(f"{target.display} was not changed"), ExitStack() as stack:
        first = stack.enter_context(
            open_dataset(options.sources[0], notify=callbacks.notify)
        ).dataset
        axis = dimension_named(first, options.axis, options.sources[0].display)
        fields = {
            fqn: variable
            for fqn, variable in fields_of(first.root).items()
            if axis in variable.dimensions
        }
        if not fields:
            raise JoinError(f"no variable of numbers has the dimension {axis}")
        known = variables_by_fqn(first.root)
        held = [fqn for fqn, v in known if axis in v.dimensions and fqn not in fields]
        pool = stack.enter_context(ThreadPool(_MEMORY, cores()))
        agreement = Agreement(
            first, options.sources[0].display, {axis}, options.how, pool, keeps_types=True
        )
        callbacks.progress.expect(len(options.sources), "files")
        pieces = _Pieces(agreement, fields)
        sources = []
        for source in options.sources:
            sources.append(
                _read(source, agreement, axis, held, pieces, options.how, callbacks.notify)
            )
            callbacks.progress.advance(sources[-1].part.name, 1, 0)
        agreement.report(callbacks.notify)
        pieces.check()
        fields = {fqn: agreement.variables[fqn] for fqn in fields}
        if options.form in PACKS_AFTERWARDS:
            _refuse_packed(fields)
        times = numbers_of(first.root).get(axis)
        parts = [source.part for source in sources]
        arrangement = arranged(
            parts,
            axis,
            options.how,
            callbacks.notify,
            times=None if times is None else times.times,
            sorts_sources=True,
            hint="leave one of them out, or join them with 'ncz copy --concat'",
        )
        if not arrangement.is_whole(parts):
            raise JoinError(
                f"files that overlap along {axis} would have to be cut",
                target.display,
                "join them with 'ncz copy --concat'",
            )
        assert arrangement.spans is not None
        sources = [sources[span.source] for span in arrangement.spans if span.stop]
        joined = _master_dataset(first, axis, agreement, held, sources)
        lengths = dimensions_by_fqn(joined.root)
        layouts = {
            fqn: _layout(fqn, variable, shape_of(variable, lengths), axis, sources, target, options)
            for fqn, variable in fields.items()
        }
        _create(joined, layouts, options, callbacks.notify)
    return len(sources)


def _create(
    dataset: Dataset, layouts: dict[str, PieceLayout], options: AggregateOptions, notify: Notify
) -> None:
    """Write the master of a dataset."""
    target = options.target
    master = master_of(dataset, layouts, options.form)
    is_store = target.path.rstrip("/").lower().endswith((".zarr", ".zip"))
    kind = options.kind or (None if is_store else "netCDF-4")
    create = CreateOptions(overwrite=options.overwrite, kind=kind, allow_loss=options.allow_loss)
    create_dataset(master, target, create, notify=notify)


def _refuse_packed(fields: dict[str, Variable]) -> None:
    """Raise `JoinError` if a variable is packed: this form would pack its values again."""
    for fqn, variable in fields.items():
        if factors_of(variable) != (1.0, 0.0):
            raise JoinError(
                f"the form CF cannot refer to packed values: {fqn} has scale_factor or add_offset",
                hint=f"use {option('modes', 'cfa')}",
            )


class _Pieces:
    """The variables of the files that become aggregated: whether the master can refer to them."""

    def __init__(self, agreement: Agreement, fields: Collection[str]) -> None:
        self._agreement = agreement
        self._fields = fields
        self._seen: dict[tuple[str, NcType, bool, bool], str] = {}

    def add(self, root: Group, name: str) -> None:
        """Add a file."""
        numbers = numbers_of(root)
        for fqn in self._fields:
            own = numbers[fqn]
            is_unsigned = own.read_as is not own.type
            self._seen.setdefault((fqn, own.type, own.is_packed, is_unsigned), name)

    def check(self) -> None:
        """Raise `JoinError` for values that readers of the master would not convert."""
        for (fqn, nc_type, is_packed, is_unsigned), name in self._seen.items():
            is_unpacked = fqn in self._agreement.unpacked
            is_other = nc_type != self._agreement.variables[fqn].type and not is_packed
            if fqn in self._agreement.converted or (is_unpacked and (is_other or is_unsigned)):
                raise JoinError(
                    f"the values of {fqn} would have to be converted, and a master refers to them"
                    " as they are",
                    name,
                    "join the files with 'ncz copy --concat'",
                )


def _read(
    location: Location,
    agreement: Agreement,
    axis: str,
    held: Sequence[str],
    pieces: _Pieces,
    how: JoinOptions,
    notify: Notify,
) -> _Source:
    """Check a file against the first one, and read what the master holds of it."""
    name = location.display
    with open_dataset(location, notify=notify) as opened:
        agreement.add(opened.dataset, name)
        pieces.add(opened.dataset.root, name)
        alike = agreement.conform(opened.dataset, name)
        variables = dict(variables_by_fqn(alike.root))
        values = {}
        for fqn in held:
            if fqn in agreement.unpacked:
                raise JoinError(
                    f"the packing of {fqn} differs from that of the first file", name,
                    "join the files with 'ncz copy --concat'",
                )  # fmt: skip
            data = variables[fqn].data
            assert data is not None  # checked with the first file
            values[fqn] = read_all(data)
        return _Source(part=axis_part(alike, axis, name, how), location=location, values=values)


def _master_dataset(
    first: Dataset, axis: str, agreement: Agreement, held: Sequence[str], sources: list[_Source]
) -> Dataset:
    """Return the first dataset with the length of all, and all values that the master holds."""
    import numpy as np

    length = sum(source.part.length for source in sources)

    def joined(fqn: str, _: Variable) -> Variable:
        variable = agreement.variables[fqn]
        if fqn not in held:
            return variable
        along = variable.dimensions.index(axis)
        values = np.concatenate([source.values[fqn] for source in sources], along)
        return replace(variable, data=MemoryArray(values, variable.type))

    whole = agreement.with_attributes(each_variable(first, joined))
    return each_dimension(whole, lambda fqn, d: replace(d, size=length) if fqn == axis else d)


def _layout(
    fqn: str,
    variable: Variable,
    shape: tuple[int, ...],
    axis: str,
    sources: list[_Source],
    target: Location,
    options: AggregateOptions,
) -> PieceLayout:
    """Return the pieces of a variable: one for each file."""
    along = variable.dimensions.index(axis)
    lengths: list[tuple[int, ...]] = [(size,) for size in shape]
    lengths[along] = tuple(source.part.length for source in sources)
    is_uri = options.form == "CF-1.13"
    return PieceLayout(
        lengths=tuple(lengths),
        files={
            tuple(i if n == along else 0 for n in range(len(shape))): _name(
                source.location, target, is_uri=is_uri
            )
            for i, source in enumerate(sources)
        },
        address=fqn if fqn.count("/") > 1 else variable.name,
        format="netCDF",
    )


def _name(source: Location, target: Location, *, is_uri: bool) -> str:
    """Return a file as the master names it: from its own folder, if it is below that."""
    if source.kind == "remote":
        ours, theirs = source.address, target.address.rpartition("/")[0] + "/"
        if target.kind == "remote" and ours.startswith(theirs):
            return ours.removeprefix(theirs)
        return ours
    path = os.path.abspath(source.path)
    if target.kind != "remote":
        folder = os.path.join(os.path.dirname(os.path.abspath(target.path)), "")
        if path.startswith(folder):
            name = path.removeprefix(folder).replace(os.sep, "/")
            return quote(name) if is_uri else name
    return f"file://{quote(path)}" if is_uri else path


# Make a lost master again from its pieces, each of which describes itself.
#
# The number of a piece in the grid of its variable is in its name; without numbers, the coordinates
# of the pieces tell. Lengths and coordinates are those of the pieces.


@record(kw_only=True)
class _Tile:
    """One variable of a piece, and what else the piece has.

    `number` is the one in the name of the piece; None for none. `values` has the other variables
    by FQN, in a form in which equal ones are equal, and `sizes` the lengths of dimensions.
    """

    location: Location
    fqn: str
    variable: Variable
    number: Index | None
    sizes: dict[str, int]
    values: dict[str, bytes]

    @property
    def shape(self) -> Index:
        return tuple(self.sizes[name] for name in self.variable.dimensions)


class _Tiles:
    """The pieces, and what they have in common."""

    def __init__(self) -> None:
        self.tiles: dict[str, list[_Tile]] = {}
        self.known: dict[bytes, Values] = {}
        self.groups: dict[str, Group] = {}
        self.variables: dict[str, Variable] = {}
        self.dimensions: dict[str, list[str]] = {}
        self.members: dict[str, list[str]] = {}
        self.differing: set[str] = set()
        self.unlimited: set[str] = set()

    def add(self, dataset: Dataset, location: Location) -> None:
        """Add a piece; raise `JoinError` if it has no variable of numbers."""
        found = fields_of(dataset.root)
        if not found:
            raise JoinError("it has no variable of numbers that is divided", location.display)
        sizes = {fqn: each.size for fqn, each in dimensions_by_fqn(dataset.root).items()}
        values = {}
        for path, group in walk(dataset.root):
            self._add_group(path, group)
            for variable in group.variables:
                fqn = join(path, variable.name)
                self._add_variable(fqn, variable, location)
                if fqn not in found and variable.data is not None:
                    values[fqn] = self._key(read_all(variable.data))
        for fqn, variable in found.items():
            number = _number(location, variable) if len(found) == 1 else None
            tile = _Tile(
                location=location, fqn=fqn, variable=variable, number=number, sizes=sizes,
                values=values,
            )  # fmt: skip
            self.tiles.setdefault(fqn, []).append(tile)

    def _key(self, values: Values) -> bytes:
        """Return what stands for values, of which equal ones are kept once."""
        text = values.tobytes() if values.dtype.kind != "O" else repr(values.tolist()).encode()
        key = f"{values.dtype} {values.shape} ".encode() + text
        self.known.setdefault(key, values)
        return key

    def _add_group(self, path: str, group: Group) -> None:
        first = self.groups.setdefault(path, group)
        if first.attributes != group.attributes:
            self.differing.add(path or "/")
        self.unlimited |= {join(path, d.name) for d in group.dimensions if d.unlimited}
        _insert(self.dimensions.setdefault(path, []), [each.name for each in group.dimensions])
        _insert(self.members.setdefault(path, []), [each.name for each in group.variables])

    def _add_variable(self, fqn: str, variable: Variable, location: Location) -> None:
        first = self.variables.setdefault(fqn, variable)
        for what in ("type", "dimensions", "attributes"):
            if getattr(first, what) != getattr(variable, what):
                raise JoinError(
                    f"the {what} of {fqn} differ from those in other pieces", location.display
                )


def _insert(order: list[str], names: Sequence[str]) -> None:
    """Add names to a list, before the next one that it has."""
    at = len(order)
    for name in reversed(names):
        if name in order:
            at = order.index(name)
        else:
            order.insert(at, name)


def _number(location: Location, variable: Variable) -> Index | None:
    """Return the number of a piece by its name, such as ``all.t.3.0.nc``; None without one."""
    *parts, _ = os.path.basename(location.path.rstrip("/")).split(".")
    rank = len(variable.dimensions)
    names, numbers = parts[:-rank], parts[-rank:]
    if len(names) < 2 or unquote(names[-1]) != variable.name:
        return None
    return tuple(map(int, numbers)) if all(map(str.isdecimal, numbers)) else None


def _numbered(tiles: _Tiles, fqn: str) -> dict[Index, _Tile]:
    """Return the pieces of a variable by their numbers; raise `JoinError` for two with one."""
    own = tiles.tiles[fqn]
    numbers = [tile.number for tile in own]
    if None in numbers:
        numbers = _by_coordinates(tiles, own)
    found: dict[Index, _Tile] = {}
    for number, tile in zip(numbers, own, strict=True):
        assert number is not None
        if number in found:
            raise JoinError(
                f"{fqn} has the same part in {found[number].location.display}",
                tile.location.display,
                "leave one of them out",
            )
        found[number] = tile
    return found


def _by_coordinates(tiles: _Tiles, own: Sequence[_Tile]) -> list[Index | None]:
    """Return the numbers of pieces by the coordinates along each dimension."""
    columns = []
    for dimension in own[0].variable.dimensions:
        keys = [tile.values.get(dimension) for tile in own]
        parts = {key: tiles.known[key] for key in keys if key is not None}
        lengths = {tile.sizes[dimension] for tile in own}
        if not parts:
            if len(own) > 1 and len(lengths) > 1:
                raise JoinError(
                    f"the pieces have no numbers, and {dimension} has no coordinates",
                    own[0].location.display,
                )
            columns.append([0] * len(own))
            continue
        known = [(key, values) for key, values in parts.items() if values.size]
        is_descending = any(values.size > 1 and values[0] > values[-1] for _, values in known)
        known.sort(key=lambda part: float(part[1].ravel()[0]), reverse=is_descending)
        for (_, one), (_, other) in itertools.pairwise(known):
            is_after = one[-1] > other[0] if is_descending else one[-1] < other[0]
            if not is_after:
                raise JoinError(
                    f"pieces overlap along {dimension}: one begins at {other[0]}, and another ends"
                    f" at {one[-1]}",
                    own[0].location.display,
                )
        order = {key: at for at, (key, _) in enumerate(known)}
        if None in keys:
            raise JoinError(f"a piece has no coordinate {dimension}", own[0].location.display)
        columns.append([order[key] for key in keys if key is not None])
    return list(zip(*columns, strict=True))


def _lengths(fqn: str, numbered: Mapping[Index, _Tile]) -> tuple[tuple[int, ...], ...]:
    """Return the lengths of the partitions along each dimension."""
    rank = len(next(iter(numbered)))
    found = []
    for axis in range(rank):
        lengths: dict[int, int] = {}
        for number, tile in numbered.items():
            if lengths.setdefault(number[axis], tile.shape[axis]) != tile.shape[axis]:
                raise JoinError(
                    f"{fqn} has the length {tile.shape[axis]} along"
                    f" {tile.variable.dimensions[axis]}, and pieces beside it have"
                    f" {lengths[number[axis]]}",
                    tile.location.display,
                )
        absent = sorted(set(range(max(lengths) + 1)) - lengths.keys())
        if absent:
            name = next(iter(numbered.values())).variable.dimensions[axis]
            raise JoinError(
                f"no piece of {fqn} has the number {absent[0]} along {name}, so that its length is"
                " not known"
            )
        found.append(tuple(lengths[at] for at in range(len(lengths))))
    return tuple(found)


def _rebuild(options: AggregateOptions, callbacks: Callbacks) -> int:
    """Write the master over pieces that describe themselves; return their number."""
    target = options.target
    with note_if_interrupted(f"{target.display} was not changed"):
        tiles = _Tiles()
        sources = [each for source in options.sources for each in _pieces_at(source)]
        callbacks.progress.expect(len(sources), "files")
        for source in sources:
            with open_dataset(source, notify=callbacks.notify) as opened:
                tiles.add(opened.dataset, source)
            callbacks.progress.advance(source.display, 1, 0)
        for path in sorted(tiles.differing):
            text = f"the attributes of group {path} differ between the pieces; the first are kept"
            callbacks.notify(Notice("attributes-differ", text, target.display))
        layouts: dict[str, PieceLayout] = {}
        sizes: dict[str, int] = {}
        for fqn in tiles.tiles:
            numbered = _numbered(tiles, fqn)
            layouts[fqn] = _tiled(fqn, numbered, options, callbacks.notify)
            variable = tiles.variables[fqn]
            for name, lengths in zip(variable.dimensions, layouts[fqn].lengths, strict=True):
                if sizes.setdefault(name, sum(lengths)) != sum(lengths):
                    raise JoinError(
                        f"the pieces of {fqn} have the length {sum(lengths)} along {name}, and"
                        f" those of other variables {sizes[name]}"
                    )
            if options.form in PACKS_AFTERWARDS:
                _refuse_packed({fqn: variable})
        data: dict[str, tuple[Values, Values]] = {}
        for fqn, layout in layouts.items():
            for number, tile in _numbered(tiles, fqn).items():
                _collect(tiles, tile, layout.box(number), sizes, data)
        _create(_whole(tiles, layouts, sizes, data), layouts, options, callbacks.notify)
    return len(sources)


def _pieces_at(source: Location) -> list[Location]:
    """Return the pieces in a folder, or the piece at a location."""
    is_folder = os.path.isdir(source.path) if source.kind != "remote" else source.path[-1:] == "/"
    return list(stores_below(source)) if is_folder else [source]


def _tiled(
    fqn: str, numbered: Mapping[Index, _Tile], options: AggregateOptions, notify: Notify
) -> PieceLayout:
    """Return the pieces of a variable; those that are not there are undefined."""
    is_uri = options.form == "CF-1.13"
    first = next(iter(numbered.values()))
    is_store = first.location.path.rstrip("/").lower().endswith((".zarr", ".zip"))
    layout = PieceLayout(
        lengths=_lengths(fqn, numbered),
        files={
            number: _name(tile.location, options.target, is_uri=is_uri)
            for number, tile in sorted(numbered.items(), key=lambda item: item[0])
        },
        address=fqn if fqn.count("/") > 1 else first.variable.name,
        format="Zarr" if is_store else "netCDF",
    )
    absent = math.prod(layout.counts) - len(numbered)
    if absent and options.form in NEEDS_ALL:
        raise JoinError(
            f"{fqn} lacks {absent} of {counted(math.prod(layout.counts), 'piece')}, which the form"
            " CF cannot leave out",
            hint=f"use {option('modes', 'cfa')}",
        )
    if absent:
        text = f"{fqn} lacks {absent} of {counted(math.prod(layout.counts), 'piece')}"
        notify(Notice("aggregation-gap", f"{text}, read as fill values", options.target.display))
    return layout


def _collect(
    tiles: _Tiles,
    tile: _Tile,
    box: Box,
    sizes: dict[str, int],
    data: dict[str, tuple[Values, Values]],
) -> None:
    """Put the other variables of a piece into those of the whole, with what is known of them."""
    import numpy as np

    limits = dict(zip(tile.variable.dimensions, zip(box.start, box.stop, strict=True), strict=True))
    for fqn, key in tile.values.items():
        values = tiles.known[key]
        names = tiles.variables[fqn].dimensions
        for name in names:
            sizes.setdefault(name, tile.sizes[name])
        shape = tuple(sizes[name] for name in names)
        if fqn not in data:
            data[fqn] = np.zeros(shape, values.dtype), np.zeros(shape, bool)
        part = tuple(slice(*limits.get(name, (0, sizes[name]))) for name in names)
        whole, is_known = data[fqn]
        known = whole[part]
        is_same = (known == values) | ((known != known) & (values != values))
        if np.any(is_known[part] & ~is_same):
            raise JoinError(
                f"the values of {fqn} differ from those in other pieces", tile.location.display
            )
        whole[part] = values
        is_known[part] = True


def _whole(
    tiles: _Tiles,
    layouts: Collection[str],
    sizes: dict[str, int],
    data: Mapping[str, tuple[Values, Values]],
) -> Dataset:
    """Return the dataset that the pieces are parts of."""

    def variable(fqn: str) -> Variable:
        found = tiles.variables[fqn]
        if fqn in layouts or found.data is None:
            return found
        values, is_known = data[fqn]
        if not is_known.all():
            raise JoinError(f"no piece has all values of {fqn}")
        return replace(found, data=MemoryArray(values, found.type))

    def group(path: str) -> Group:
        first = tiles.groups[path]
        own = [join(path, name) for name in tiles.members[path]]  # coordinates come first
        inner = [each for each in tiles.groups if each and each.rpartition("/")[0] == path]
        return replace(
            first,
            dimensions=tuple(
                Dimension(
                    name=name,
                    size=sizes[join(path, name)],
                    unlimited=join(path, name) in tiles.unlimited,
                )
                for name in tiles.dimensions[path]
                if join(path, name) in sizes
            ),
            variables=tuple(variable(fqn) for fqn in sorted(own, key=layouts.__contains__)),
            groups=tuple(group(each) for each in inner),
        )

    return Dataset(name="", root=group(""))


# Change where a master says that its pieces are.


def move(location: Location, prefix: str, notify: Notify = ignore_notice) -> int:
    """Let the pieces of a master be in another folder, bucket or server; they are not moved.

    Parameters
    ----------
    location
        The master, which is rewritten.
    prefix
        The folder or URL in which the pieces are now; "" for that of the master.

    Returns
    -------
    int
        The number of names that were changed.

    Raises
    ------
    FormatError
        If the dataset is not an aggregation.
    """
    stored = replace(location, modes=location.modes | {"noaggregation"})
    changed = 0

    def rename(file: str) -> str:
        nonlocal changed
        changed += 1
        name = file.rstrip("/").rpartition("/")[2]
        return f"{prefix.rstrip('/')}/{name}" if prefix else name

    with open_dataset(stored, notify=notify) as opened:
        dataset = with_names(opened.dataset, location.address, rename)
        if not changed:
            raise FormatError("the dataset has no pieces to move", location.display)
        kind = dataset.provenance.kind_of_file
        create_dataset(dataset, location, CreateOptions(overwrite=True, kind=kind), notify=notify)
    return changed
