"""Recreate a lost master from its pieces; each piece describes itself."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping

from ncz.commands.aggregate.master import create_master, name_in_master, refuse_packed
from ncz.commands.aggregate.options import AggregateOptions
from ncz.commands.aggregate.tiles import Tile, Tiles, lengths_of, tiles_by_number
from ncz.commands.joining.error import JoinError
from ncz.errors import Callbacks, Notice, Notify, note_on_interrupt, option, quantity
from ncz.formats.opening import open_dataset
from ncz.formats.piece_layout import PieceLayout
from ncz.late import numpy as np
from ncz.model.data import MemoryArray, Values
from ncz.model.grid import Box, Index
from ncz.model.tree import Dataset, Dimension, Group, Variable, join
from ncz.record import replace
from ncz.zmap.location import Location
from ncz.zmap.stores_below import stores_below


def rebuild(options: AggregateOptions, callbacks: Callbacks) -> int:
    """Write the master over pieces that describe themselves; return their number."""
    target = options.target
    with note_on_interrupt(f"{target.display} was not changed"):
        tiles = Tiles()
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
            numbered = tiles_by_number(tiles, fqn)
            layouts[fqn] = _layout(fqn, numbered, options, callbacks.notify)
            variable = tiles.variables[fqn]
            for name, lengths in zip(variable.dimensions, layouts[fqn].lengths, strict=True):
                if sizes.setdefault(name, sum(lengths)) != sum(lengths):
                    raise JoinError(
                        f"the pieces of {fqn} have the length {sum(lengths)} along {name}, but"
                        f" pieces of other variables have {sizes[name]}"
                    )
            if options.form.packs_afterwards:
                refuse_packed({fqn: variable})
        data: dict[str, tuple[Values, Values]] = {}
        for fqn, layout in layouts.items():
            grid = layout.grid
            for number, tile in tiles_by_number(tiles, fqn).items():
                _collect(tiles, tile, grid.box(number), sizes, data)
        create_master(_dataset_of(tiles, layouts, sizes, data), layouts, options, callbacks.notify)
    return len(sources)


def _pieces_at(source: Location) -> list[Location]:
    """Return the pieces in a folder, or the piece at a location."""
    is_folder = os.path.isdir(source.path) if source.kind != "remote" else source.path[-1:] == "/"
    return list(stores_below(source)) if is_folder else [source]


def _layout(
    fqn: str, numbered: Mapping[Index, Tile], options: AggregateOptions, notify: Notify
) -> PieceLayout:
    """Return the pieces of a variable; missing ones are undefined."""
    first = next(iter(numbered.values()))
    is_store = first.location.path.rstrip("/").lower().endswith((".zarr", ".zip"))
    layout = PieceLayout(
        lengths=lengths_of(fqn, numbered),
        files={
            number: name_in_master(tile.location, options.target, is_uri=options.form.has_uris)
            for number, tile in sorted(numbered.items(), key=lambda item: item[0])
        },
        address=fqn if fqn.count("/") > 1 else first.variable.name,
        format="Zarr" if is_store else "netCDF",
    )
    absent = math.prod(layout.counts) - len(numbered)
    if absent and options.form.needs_all:
        raise JoinError(
            f"{fqn} lacks {absent} of {quantity(math.prod(layout.counts), 'piece')}, which the form"
            " CF cannot leave out",
            hint=f"use {option('modes', 'cfa')}",
        )
    if absent:
        text = f"{fqn} lacks {absent} of {quantity(math.prod(layout.counts), 'piece')}"
        notify(Notice("aggregation-gap", f"{text}, read as fill values", options.target.display))
    return layout


def _collect(
    tiles: Tiles,
    tile: Tile,
    box: Box,
    sizes: dict[str, int],
    data: dict[str, tuple[Values, Values]],
) -> None:
    """Merge the other variables of a piece into the known ones of the whole."""
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
                f"the values of {fqn} differ from the values in other pieces", tile.location.display
            )
        whole[part] = values
        is_known[part] = True


def _dataset_of(
    tiles: Tiles,
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
