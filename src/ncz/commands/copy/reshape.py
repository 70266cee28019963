"""Apply nccopy's options to a dataset: other chunks, filters, dimensions or variables.

Only the description of the dataset changes here; data are converted when they are written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod

from ncz.commands.copy.codec_options import (
    OptionError,
    check_deflate,
    deflated,
    of_hdf5_filters,
    parse_codecs,
    parse_filterspec,
    shuffled,
    with_objects,
)
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic
from ncz.record import record, replace


@record(kw_only=True)
class Reshape:
    """What to change, as spelled on the command line; () or None changes nothing."""

    chunkspecs: tuple[str, ...] = ()
    """nccopy's -c: "time/100,lat/", "/", "v:10,20", "v:"."""
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
        root = _only(root, _chosen(root, reshape.only, is_named))
    if reshape.only_groups is not None:
        root = _only(root, _chosen(root, reshape.only_groups, _is_in_group))
    if reshape.fixed:
        root = _fixed(root)
    changed = replace(dataset, root=root)
    return replace(changed, root=_stored_otherwise(changed, reshape))


def with_data(root: Group, reshape: Reshape) -> frozenset[str]:
    """Return the FQNs of the variables whose data are to be copied. Raises `OptionError`."""
    chosen = frozenset(fqn for fqn, _ in variables_by_fqn(root))
    if reshape.data_of is not None:
        chosen &= _chosen(root, reshape.data_of, is_named)
    if reshape.data_of_groups is not None:
        chosen &= _chosen(root, reshape.data_of_groups, _is_in_group)
    return chosen


def _each(group: Group, change: Callable[[str, Variable], Variable], fqn: str = "") -> Group:
    return replace(
        group,
        variables=tuple(change(join(fqn, v.name), v) for v in group.variables),
        groups=tuple(_each(g, change, join(fqn, g.name)) for g in group.groups),
    )


# --- which variables ------------------------------------------------------------------------------


def is_named(fqn: str, name: str) -> bool:
    """Return whether `name` means `fqn`; a name without a slash means variables in any group."""
    return fqn in (name, f"/{name}") or base_name(fqn) == name


def _is_in_group(fqn: str, name: str) -> bool:
    group = fqn.rpartition("/")[0] or "/"
    return group in (name, f"/{name}") or base_name(group) == name != ""


def _chosen(root: Group, names: Sequence[str], means: Callable[[str, str], bool]) -> frozenset[str]:
    """Return the FQNs of the variables that `names` mean; each name must mean at least one."""
    chosen: set[str] = set()
    for name in names:
        found = {fqn for fqn, _ in variables_by_fqn(root) if means(fqn, name)}
        if not found:
            what = "variable" if means is is_named else "group with variables"
            raise OptionError(f"no {what} is named {name!r}", hint="list them with 'ncz dump -h'")
        chosen |= found
    return frozenset(chosen)


def named(root: Group, names: Sequence[str]) -> frozenset[str]:
    """Return the FQNs of the variables that `names` mean. Raises `OptionError`."""
    return _chosen(root, names, is_named)


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
    chunkings = [_Chunking.parse(spec, root) for spec in reshape.chunkspecs]
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
        size = variable.type.size if isinstance(variable.type, Atomic) else 0
        if not size:
            size = variable.storage.string_length or 0
        if reshape.chunk_size is not None:
            from ncz.formats.zarr.mapping.chunking import balanced_chunks, default_chunks

            chunks = (
                balanced_chunks(
                    shape, [axes.get(d) for d in variable.dimensions], size, reshape.chunk_size
                )
                if reshape.balanced
                else default_chunks(
                    [dimensions[d] for d in variable.dimensions], size, reshape.chunk_size
                )
            )
        for chunking in chunkings:
            chunks = chunking.apply(fqn, variable, shape, chunks, grows)
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


_DIMENSION_LENGTH = re.compile(r"(.*)/(\d*)")


@record
class _Chunking:
    """One chunkspec: chunk lengths by dimension, or of one variable; or one chunk per variable."""

    lengths: dict[str, int | None]
    variable: str | None = None
    of_variable: tuple[int, ...] = ()

    @staticmethod
    def parse(spec: str, root: Group) -> _Chunking:
        """Parse a value of nccopy's -c. Raises `OptionError`."""
        if spec == "/":
            return _Chunking({})
        name, colon, tail = spec.rpartition(":")
        if colon and re.fullmatch(r"[\d,]*", tail):
            named(root, (name,))
            numbers = [n for n in tail.split(",") if n]
            return _Chunking({}, name, tuple(_length(n, spec) for n in numbers))
        known = dimensions_by_fqn(root)
        lengths: dict[str, int | None] = {}
        for part in spec.split(","):
            match = _DIMENSION_LENGTH.fullmatch(part)
            if match is None:
                raise OptionError(
                    f"-c {spec!r} is not a valid chunkspec",
                    hint="write dim/length,dim/,... or var:length,...",
                )
            if not any(_names_dimension(match[1], fqn) for fqn in known):
                raise OptionError(f"-c {spec!r}: no dimension is named {match[1]!r}")
            lengths[match[1]] = _length(match[2], spec) if match[2] else None
        return _Chunking(lengths)

    def apply(
        self,
        fqn: str,
        variable: Variable,
        shape: tuple[int, ...],
        chunks: tuple[int, ...] | None,
        grows: tuple[bool, ...],
    ) -> tuple[int, ...] | None:
        """Return the new chunk shape of a variable whose present one is `chunks`.

        Along an unlimited dimension, one that `grows`, a chunk may exceed the present length.
        """
        whole = tuple(max(1, n) for n in shape)
        if self.variable is not None:
            if not is_named(fqn, self.variable):
                return chunks
            if self.of_variable and len(self.of_variable) != len(shape):
                raise OptionError(
                    f"-c gives {len(self.of_variable)} lengths for {fqn}, which has"
                    f" {len(shape)} dimensions"
                )
            return self.of_variable or whole
        if not self.lengths:
            return whole
        found = [
            next(((True, n) for name, n in self.lengths.items() if _names_dimension(name, d)), None)
            for d in variable.dimensions
        ]
        if not any(found):
            return chunks
        now = chunks or whole
        return tuple(
            old if hit is None else (hit[1] or full) if grow else min(hit[1] or full, full)
            for hit, old, full, grow in zip(found, now, whole, grows, strict=True)
        )


def _names_dimension(name: str, fqn: str) -> bool:
    return fqn == name or fqn == f"/{name}" or base_name(fqn) == name


def _length(text: str, spec: str) -> int:
    if not 0 < int(text) < 2**31:
        raise OptionError(f"-c {spec!r}: {text} is not a valid chunk length")
    return int(text)
