"""How datasets join: one rule for ``copy --concat``, ``copy --append`` and ``aggregate``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import NczError, Notice, Notify
from ncz.model.chunks import ChunkLayout
from ncz.model.data import ChunkSource, fill_array, read_box, read_present
from ncz.model.encoded import EncodedSource, PlacedChunks
from ncz.model.grid import Box, ChunkGrid, Grid, Index
from ncz.model.tree import Dataset, Dimension, Group, Variable, dimensions_by_fqn, join, walk
from ncz.model.types import NcType, Value
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange

# Arrays that are joined along one dimension.


def join_arrays(parts: Sequence[ChunkSource], axis: int) -> ChunkSource:
    """Return the arrays of several files as one, of which the chunks stay as they are if possible.

    That needs the same layout in all parts, and whole chunks along the axis in all but the last.
    """
    joined = joined_chunks(parts, axis)
    if joined is not None:
        return joined
    return replace(
        JoinedValues.of(tuple(parts), axis), misfit=_misfit_joined(_encoded(parts), axis)
    )


def joined_chunks(parts: Sequence[ChunkSource], axis: int) -> JoinedChunks | None:
    """Return the arrays as one whose chunks are theirs; None if that is not possible."""
    encoded = _encoded(parts)
    return (
        None if encoded is None or _misfit_joined(encoded, axis) else JoinedChunks.of(encoded, axis)
    )


def _encoded(parts: Sequence[ChunkSource]) -> tuple[EncodedSource, ...] | None:
    """Return the parts if all have encoded chunks, or can be divided into some."""
    divided = [part.referable() for part in parts]
    encoded = tuple(part for part in divided if isinstance(part, EncodedSource))
    return encoded if len(encoded) == len(parts) else None


def joined_values(parts: Sequence[ChunkSource], axis: int, chunks: tuple[int, ...]) -> JoinedValues:
    """Return the arrays as one, which is read in chunks of that shape."""
    joined = JoinedValues.of(tuple(parts), axis)
    return replace(joined, grid=ChunkGrid(joined.grid.shape, chunks))


def _misfit_joined(parts: Sequence[EncodedSource] | None, axis: int) -> str:
    """Return why the chunks of the parts are not those of one array, or "" if they are."""
    if parts is None:
        return ""
    first = parts[0]
    wanted = replace(first.layout, shape=())
    alike = all(
        replace(part.layout, shape=()) == wanted
        and part.stored_dtype == first.stored_dtype
        and repr(part.fill) == repr(first.fill)  # NaN is not equal to itself
        for part in parts
    )
    if not alike or first.layout.lengths is not None:
        return "its chunks or codecs differ between the sources"
    length = first.layout.chunks[axis]
    for part in parts[:-1]:
        last = part.layout.shape[axis] % length
        if last:
            return f"the last chunk of a source has {last} of {length} along the dimension"
    return ""


def _joined_shape(shapes: Sequence[tuple[int, ...]], axis: int) -> tuple[int, ...]:
    length = sum(shape[axis] for shape in shapes)
    return (*shapes[0][:axis], length, *shapes[0][axis + 1 :])


def _starts(lengths: Sequence[int]) -> tuple[int, ...]:
    """Return where each part begins."""
    starts = [0]
    for length in lengths[:-1]:
        starts.append(starts[-1] + length)
    return tuple(starts)


@record
class JoinedChunks(EncodedSource):
    """An `ncz.model.encoded.EncodedSource` made of the chunks of several.

    `layout` is that of the parts, with the joined shape. `starts` are the indices along the axis at
    which the stored chunks of each part begin, and `grid_starts` those of its grid.
    """

    parts: tuple[EncodedSource, ...]
    axis: int
    layout: ChunkLayout
    starts: tuple[int, ...]
    grid_starts: tuple[int, ...]

    @staticmethod
    def of(parts: tuple[EncodedSource, ...], axis: int) -> JoinedChunks:
        """Join the chunks of `parts`."""
        shape = _joined_shape([part.layout.shape for part in parts], axis)
        return JoinedChunks(
            parts,
            axis,
            replace(parts[0].layout, shape=shape),
            _starts([part.layout.grid.counts[axis] for part in parts]),
            _starts([part.grid.counts[axis] for part in parts]),
        )

    @property
    def grid(self) -> Grid:
        """The shape, and the smallest chunks that can be read alone."""
        return self.layout.reading_grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.parts[0].type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.parts[0].fill

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.parts[0].stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.parts[0].item_size

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        part, inner = self._find(index, self.grid_starts)
        return part.chunk(inner)

    def locate(self, index: Index) -> str:
        """Return where a stored chunk is."""
        part, inner = self._stored(index)
        return part.locate(inner)

    def present(self) -> Iterator[Index]:
        """Yield the indices of the stored chunks."""
        for part, start in zip(self.parts, self.starts, strict=True):
            yield from self._shifted(part.present(), start)

    def _shifted(self, indices: Iterable[Index], start: int) -> Iterator[Index]:
        axis = self.axis
        for index in indices:
            yield (*index[:axis], index[axis] + start, *index[axis + 1 :])

    def encoded(self, index: Index) -> bytes | None:
        """Return a stored chunk without decoding it."""
        part, inner = self._stored(index)
        return part.encoded(inner)

    def place(self, index: Index) -> ByteRange | None:
        """Return where the bytes of a stored chunk are."""
        part, inner = self._stored(index)
        return part.place(inner)

    def places(self) -> tuple[list[PlacedChunks], list[Index]]:
        """Return where all stored chunks are whose places the parts know."""
        tables: list[PlacedChunks] = []
        others: list[Index] = []
        for part, start in zip(self.parts, self.starts, strict=True):
            of_part, rest = part.places()
            for table in of_part:
                indices = table.indices.copy()
                indices[:, self.axis] += start
                tables.append(replace(table, indices=indices))
            others += self._shifted(rest, start)
        return tables, others

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Put a stored chunk into `zmap` under `key`."""
        part, inner = self._stored(index)
        return part.copy_encoded(inner, zmap, key)

    def elements(self, index: Index) -> Values | None:
        """Return the decoded elements of a stored chunk."""
        part, inner = self._stored(index)
        return part.elements(inner)

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        part, inner = self._stored(index)
        return part.values(elements, inner)

    def _stored(self, index: Index) -> tuple[EncodedSource, Index]:
        return self._find(index, self.starts)

    def _find(self, index: Index, starts: Sequence[int]) -> tuple[EncodedSource, Index]:
        """Return the part that has a chunk, and the chunk's index in it."""
        axis = self.axis
        number = bisect_right(starts, index[axis]) - 1
        inner = (*index[:axis], index[axis] - starts[number], *index[axis + 1 :])
        return self.parts[number], inner


@record
class JoinedValues(ChunkSource):
    """A `ncz.model.data.ChunkSource` whose chunks are read from one or more parts.

    `grid` has the joined shape, in chunks like the first of the first part. `starts` are the
    indices along the axis at which each part begins. `misfit` says why the stored chunks of the
    parts are not those of one array.
    """

    parts: tuple[ChunkSource, ...]
    axis: int
    grid: Grid
    starts: tuple[int, ...]
    misfit: str = ""

    @staticmethod
    def of(parts: tuple[ChunkSource, ...], axis: int) -> JoinedValues:
        """Join the values of `parts`."""
        first = parts[0].grid
        shape = _joined_shape([part.grid.shape for part in parts], axis)
        chunks = first.box((0,) * len(shape)).shape if first.size else (1,) * len(shape)
        starts = _starts([part.grid.shape[axis] for part in parts])
        return JoinedValues(parts, axis, ChunkGrid(shape, chunks), starts)

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.parts[0].type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.parts[0].fill

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing in all parts.

        Missing chunks of some parts are filled.
        """
        import numpy as np

        box, axis = self.grid.box(index), self.axis
        start, stop = box.start[axis], box.stop[axis]
        found: list[tuple[ChunkSource, Box, Values | None]] = []
        number = bisect_right(self.starts, start) - 1
        while start < stop:
            part, first = self.parts[number], self.starts[number]
            high = min(stop, first + part.grid.shape[axis])
            if start < high:
                inner = (*box.start[:axis], start - first, *box.start[axis + 1 :])
                end = (*box.stop[:axis], high - first, *box.stop[axis + 1 :])
                found.append((part, Box(inner, end), read_present(part, Box(inner, end))))
                start = high
            number += 1
        if all(v is None and repr(part.fill) == repr(self.fill) for part, _, v in found):
            return None
        return np.concatenate(
            [fill_array(b.shape, p.type, p.fill) if v is None else v for p, b, v in found], axis
        )


# Join datasets along a dimension, after checking that the rest of them agrees.


class ConcatError(NczError, ValueError):
    """Datasets that cannot be joined."""


def concatenated(
    datasets: Sequence[Dataset], names: Sequence[str], dimension: str, notify: Notify
) -> Dataset:
    """Join datasets along a dimension.

    Parameters
    ----------
    datasets
        The datasets, in order.
    names
        Their paths or URLs, for messages.
    dimension
        The name or the FQN of the dimension.
    notify
        Called with a notice of attributes of groups that differ; those of the first are kept.

    Returns
    -------
    Dataset
        The joined dataset. Variables without the dimension are those of the first dataset.

    Raises
    ------
    ConcatError
        If the dimension does not exist, or anything else differs.
    """
    along = dimension_named(datasets[0], dimension, names[0])
    for other, name in zip(datasets[1:], names[1:], strict=True):
        check_alike(datasets[0].root, other.root, along, name, notify)
    roots = [dataset.root for dataset in datasets]
    return replace(datasets[0], root=_join_groups(roots, "", along, names))


def dimension_named(dataset: Dataset, dimension: str, name: str) -> str:
    """Return the FQN of the dimension that a name or an FQN means.

    Raises `ConcatError` if it does not exist, or several have the name; `name` is the dataset's.
    """
    found = [fqn for fqn in dimensions_by_fqn(dataset.root) if _is_named(fqn, dimension)]
    if len(found) != 1:
        raise ConcatError(
            f"the dimension {dimension} " + ("is ambiguous" if found else "does not exist"),
            name,
            "give its full name, such as /group/time" if found else None,
        )
    return found[0]


def _is_named(fqn: str, dimension: str) -> bool:
    return fqn == dimension or fqn.rpartition("/")[2] == dimension


def check_alike(
    first: Group,
    other: Group,
    along: str,
    name: str,
    notify: Notify,
    ignored: Mapping[str, Collection[str]] = {},
) -> None:
    """Raise `ConcatError` for the first difference that cannot be joined.

    Parameters
    ----------
    first, other
        The roots of the first dataset and of another one.
    along
        The FQN of the dimension along which they are joined.
    name
        The name of the other dataset.
    notify
        Called with a notice of attributes of groups that differ.
    ignored
        The names of attributes that may differ, by the FQN of their variable.
    """
    ours, theirs = dict(walk(first)), dict(walk(other))
    _same(ours.keys(), theirs.keys(), "the groups", name)
    for fqn, group in ours.items():
        match = theirs[fqn]
        _same(_sizes(group, fqn, along), _sizes(match, fqn, along), "the dimensions", name)
        _same(group.types, match.types, "the types", name)
        mine = {variable.name: variable for variable in group.variables}
        yours = {variable.name: variable for variable in match.variables}
        _same(mine.keys(), yours.keys(), f"the variables of group {fqn or '/'}", name)
        for variable in group.variables:
            what = f"variable {join(fqn, variable.name)}"
            twin = yours[variable.name]
            _same(
                (variable.type, variable.dimensions),
                (twin.type, twin.dimensions),
                f"the type or the dimensions of {what}",
                name,
            )
            left_out = ignored.get(join(fqn, variable.name), ())
            attributes = [
                {a.name: (a.type, repr(a.values)) for a in v.attributes if a.name not in left_out}
                for v in (variable, twin)
            ]
            _same(attributes[0], attributes[1], f"the attributes of {what}", name)
            if along not in variable.dimensions and not _same_values(variable, twin):
                raise ConcatError(f"the values of {what} differ from those of the first", name)
        if {a.name: repr(a.values) for a in group.attributes} != {
            a.name: repr(a.values) for a in match.attributes
        }:
            notify(
                Notice(
                    "attributes-differ",
                    f"the attributes of group {fqn or '/'} differ from those of the first source,"
                    " which are kept",
                    name,
                )
            )


def _same(one: object, other: object, what: str, name: str) -> None:
    if one != other:
        raise ConcatError(f"{what} differ from those of the first source", name)


def _sizes(group: Group, fqn: str, along: str) -> dict[str, int | None]:
    """Return the sizes of the dimensions, without that of the one to join along."""
    return {d.name: None if join(fqn, d.name) == along else d.size for d in group.dimensions}


def _same_values(one: Variable, other: Variable) -> bool:
    """Return whether two variables have the same values, a chunk at a time."""
    import numpy as np

    ours, theirs = one.data, other.data
    if ours is None or theirs is None:
        return ours is theirs
    for index in ours.grid.indices():
        box = ours.grid.box(index)
        mine, yours = read_box(ours, box), read_box(theirs, box)
        if mine.dtype.kind == "O":
            if mine.tolist() != yours.tolist():
                return False
        elif not np.array_equal(mine, yours, equal_nan=mine.dtype.kind == "f"):
            return False
    return True


def _join_groups(groups: Sequence[Group], fqn: str, along: str, names: Sequence[str]) -> Group:
    first = groups[0]
    return replace(
        first,
        dimensions=tuple(
            _join_dimension(dimension, groups) if join(fqn, dimension.name) == along else dimension
            for dimension in first.dimensions
        ),
        variables=tuple(
            _join_variable([_named(group, variable.name) for group in groups], fqn, along, names)
            if along in variable.dimensions
            else variable
            for variable in first.variables
        ),
        groups=tuple(
            _join_groups(
                [next(g for g in group.groups if g.name == inner.name) for group in groups],
                join(fqn, inner.name),
                along,
                names,
            )
            for inner in first.groups
        ),
    )


def _join_dimension(dimension: Dimension, groups: Sequence[Group]) -> Dimension:
    sizes = (d.size for group in groups for d in group.dimensions if d.name == dimension.name)
    return replace(dimension, size=sum(sizes))


def _named(group: Group, name: str) -> Variable:
    return next(variable for variable in group.variables if variable.name == name)


def _join_variable(
    variables: Sequence[Variable], fqn: str, along: str, names: Sequence[str]
) -> Variable:
    first = variables[0]
    parts: list[ChunkSource] = []
    for variable, name in zip(variables, names, strict=True):
        if variable.data is None or first.dimensions.count(along) != 1:
            raise ConcatError(f"{join(fqn, first.name)} cannot be joined", name)
        parts.append(variable.data)
    return replace(first, data=join_arrays(parts, first.dimensions.index(along)))
