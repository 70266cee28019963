"""Apply nccopy's options to a dataset: other chunks, filters, dimensions or variables.

Only the description of the dataset changes here; data are converted when they are written.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from ncz.commands.chunkspec import Chunkspec
from ncz.commands.copy.codec_options import (
    check_deflate,
    deflated,
    of_hdf5_filters,
    parse_codecs,
    parse_filterspec,
    shuffled,
    with_objects,
)
from ncz.commands.names import chosen_variables, is_in_group, is_named, named
from ncz.commands.shards import with_shards
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    dimensions_by_fqn,
    join,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.user_types.sizes import fixed_size
from ncz.record import record, replace


@record(kw_only=True)
class Reshape:
    """What to change, as spelled on the command line; () or None changes nothing."""

    chunkspecs: tuple[str, ...] = ()
    """nccopy's -c: "time/100,lat/", "/", "v:10,20", "v:"."""
    shards: tuple[str, ...] = ()
    """Chunkspecs of shards, or "none"."""
    deflate: int | None = None
    shuffle: bool = False
    filters: tuple[str, ...] = ()
    """nccopy's -F: "v|w,32015,5", "*,none", "none"."""
    codecs: tuple[str, ...] = ()
    """"zstd:5", "shuffle+zlib:5", "none", a JSON object or list, or "NAME=" before one."""
    chunk_size: int | None = None
    """Largest size of a chunk, in bytes."""
    least_chunk: int | None = None
    """nccopy's -M: variables of fixed shape with chunks of fewer bytes are written as one chunk."""
    balanced: bool = True
    """Whether chunks of a given size are balanced, or shaped as netcdf-c shapes them."""
    fixed: bool = False
    """Make unlimited dimensions fixed."""
    data_of: tuple[str, ...] | None = None
    """Copy the data of these variables only."""
    only: tuple[str, ...] | None = None
    """Copy these variables only."""
    data_of_groups: tuple[str, ...] | None = None
    """Copy the data of these groups only."""
    only_groups: tuple[str, ...] | None = None
    """Copy these groups only."""

    @property
    def changes_codecs(self) -> bool:
        """Whether other codecs are asked for."""
        return bool(self.deflate is not None or self.shuffle or self.filters or self.codecs)


def reshaped(dataset: Dataset, reshape: Reshape) -> Dataset:
    """Return `dataset` with the changes that `reshape` describes.

    Parameters
    ----------
    dataset
        The source of a copy.
    reshape
        What to change.

    Returns
    -------
    Dataset
        The changed description, with the data of `dataset`.

    Raises
    ------
    OptionError
        If an option is not valid, or names something that the dataset does not have.
    """
    root = dataset.root
    if reshape.only is not None:
        root = _only(root, chosen_variables(root, reshape.only, is_named))
    if reshape.only_groups is not None:
        root = _only(root, chosen_variables(root, reshape.only_groups, is_in_group))
    if reshape.fixed:
        root = _fixed(root)
    changed = replace(dataset, root=root)
    changed = replace(changed, root=_stored_otherwise(changed, reshape))
    return with_shards(changed, reshape.shards)


def with_data(root: Group, reshape: Reshape) -> frozenset[str]:
    """Return the FQNs of the variables whose data are to be copied. Raises `OptionError`."""
    chosen = frozenset(fqn for fqn, _ in variables_by_fqn(root))
    if reshape.data_of is not None:
        chosen &= chosen_variables(root, reshape.data_of, is_named)
    if reshape.data_of_groups is not None:
        chosen &= chosen_variables(root, reshape.data_of_groups, is_in_group)
    return chosen


def _each(group: Group, change: Callable[[str, Variable], Variable], fqn: str = "") -> Group:
    return replace(
        group,
        variables=tuple(change(join(fqn, v.name), v) for v in group.variables),
        groups=tuple(_each(g, change, join(fqn, g.name)) for g in group.groups),
    )


# --- which variables ------------------------------------------------------------------------------


def _only(root: Group, chosen: frozenset[str]) -> Group:
    """Return the group with the chosen variables, and the groups and dimensions they need."""

    def trimmed(group: Group, fqn: str) -> Group:
        groups = [trimmed(g, join(fqn, g.name)) for g in group.groups]
        return replace(
            group,
            variables=tuple(v for v in group.variables if join(fqn, v.name) in chosen),
            groups=tuple(g for g in groups if any(inner.variables for _, inner in walk(g))),
            dimensions=tuple(d for d in group.dimensions if join(fqn, d.name) in used),
        )

    used = {d for fqn, v in variables_by_fqn(root) if fqn in chosen for d in v.dimensions}
    return trimmed(root, "")


def _fixed(group: Group) -> Group:
    return replace(
        group,
        dimensions=tuple(replace(d, unlimited=False) for d in group.dimensions),
        groups=tuple(_fixed(g) for g in group.groups),
    )


# --- how they are stored --------------------------------------------------------------------------


def _stored_otherwise(dataset: Dataset, reshape: Reshape) -> Group:
    from ncz.model.axes import axes_of

    root = dataset.root
    dimensions = dimensions_by_fqn(root)
    axes = axes_of(root) if reshape.chunk_size is not None else {}
    chunkspecs = [Chunkspec.parse(spec, root) for spec in reshape.chunkspecs]
    hdf5 = [parse_filterspec(spec) for spec in reshape.filters]
    codecs = [parse_codecs(spec) for spec in reshape.codecs]
    of_hdf5 = [(names and named(root, names), chosen) for names, chosen in hdf5]
    if reshape.deflate is not None:
        check_deflate(reshape.deflate)
    of_codecs = [(names and named(root, names), chain) for names, chain in codecs]

    def change(fqn: str, variable: Variable) -> Variable:
        if not variable.dimensions:
            return variable  # a scalar is one element, which needs no chunks or filters
        shape = shape_of(variable, dimensions)
        grows = tuple(dimensions[d].unlimited for d in variable.dimensions)
        chunks = _chunks(variable, shape)
        size = fixed_size(variable.type)
        if not size:
            size = variable.storage.string_length or 0
        if reshape.chunk_size is not None:
            from ncz.model.chunk.chunking import balanced_chunks, default_chunks

            chunks = (
                balanced_chunks(
                    shape, [axes.get(d) for d in variable.dimensions], size, reshape.chunk_size
                )
                if reshape.balanced
                else default_chunks(
                    [dimensions[d] for d in variable.dimensions], size, reshape.chunk_size
                )
            )
        for chunkspec in chunkspecs:
            chunks = chunkspec.chunks(fqn, variable, shape, chunks, grows)
        if (
            chunks is not None
            and not any(grows)
            and prod(chunks) * size < (reshape.least_chunk or 0)
        ):
            chunks = tuple(max(1, n) for n in shape)
        filters = variable.storage.filters or ()
        if reshape.deflate is not None:
            filters = deflated(filters, reshape.deflate, reshape.shuffle, size)
        elif reshape.shuffle:
            filters = shuffled(filters, size)
        for names, chosen in of_hdf5:
            if names is None or fqn in names:
                filters = with_objects(filters, of_hdf5_filters(chosen, size))
        for names, chain in of_codecs:
            if names is None or fqn in names:
                filters = with_objects(filters, chain)
        storage = replace(variable.storage, chunks=chunks, filters=filters, storage_class="chunked")
        return replace(variable, storage=storage)

    return _each(root, change)


def _chunks(variable: Variable, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the variable's chunk shape, or None if it has none."""
    if variable.storage.chunks is not None:
        return variable.storage.chunks
    if variable.storage.storage_class in ("contiguous", "compact"):
        return tuple(max(1, n) for n in shape)
    return None
