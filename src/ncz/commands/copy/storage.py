"""The chunks and the codecs that a copy gives its variables."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from ncz.commands.copy.codec_specs import with_dtype
from ncz.commands.copy.filters import (
    check_deflate,
    of_hdf5_filters,
    with_deflate,
    with_objects,
    with_shuffle,
)
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.variable_names import variables_of_names
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.filters import Filter
from ncz.model.tree import (
    Dataset,
    Dimension,
    Group,
    StorageClass,
    Variable,
    dimensions_by_fqn,
    each_variable,
    shape_of,
)
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic
from ncz.record import replace

Chunks = tuple[int, ...] | None
"""A chunk shape; None without chunks."""

_WORTH_PACKING = 64 << 10
"""Bytes of the smallest variable that is compressed although its source is not."""


def with_storage(dataset: Dataset, reshape: Reshape) -> Dataset:
    """Return the dataset with the requested chunks and codecs."""
    from ncz.model.axes import axes_of

    root = dataset.root
    for chunkspec in reshape.chunkspecs:
        chunkspec.check(root)
    if reshape.deflate is not None:
        check_deflate(reshape.deflate)
    dimensions = dimensions_by_fqn(root)
    axes = axes_of(root) if reshape.chunk_size is not None else {}
    requests = [spec.variables for spec in reshape.filters]
    requests += [spec.variables for spec in reshape.codecs]
    names = {request: _variables_of(root, request) for request in requests}

    def change(fqn: str, variable: Variable) -> Variable:
        if not variable.dimensions:
            return variable  # a scalar is one element, which needs no chunks or filters
        old = variable.storage
        shape = shape_of(variable, dimensions)
        present = _chunks(variable, shape)
        chunks, storage_class = _requested_chunks(fqn, variable, present, dimensions, axes, reshape)
        filters = _requested_filters(fqn, variable, prod(shape), names, reshape)
        has_filters = filters == (old.filters or ())
        if storage_class is None and has_filters and chunks == old.chunks:
            if filters == old.filters:
                return variable
            return replace(variable, storage=replace(old, filters=filters))
        if has_filters and chunks == present and reshape.chunk_size is None:
            storage_class = storage_class or old.storage_class  # nothing else is requested
        storage = replace(
            old, chunks=chunks, filters=filters, storage_class=storage_class or "chunked"
        )
        return replace(variable, storage=storage)

    return each_variable(dataset, change)


def _requested_chunks(
    fqn: str,
    variable: Variable,
    present: Chunks,
    dimensions: dict[str, Dimension],
    axes: Mapping[str, str],
    reshape: Reshape,
) -> tuple[Chunks, StorageClass | None]:
    """Return the requested chunks of a variable, or the present ones, and the storage class.

    The class is None unless chunks are requested by name.
    """
    shape, size = shape_of(variable, dimensions), _element_size(variable)
    lengths = [dimensions[dimension] for dimension in variable.dimensions]
    grows = tuple(dimension.unlimited for dimension in lengths)
    chunks = present
    if reshape.chunk_size is not None:
        from ncz.model.default_chunks import balanced_chunks, default_chunks

        kinds = [axes.get(dimension) for dimension in variable.dimensions]
        chunks = (
            balanced_chunks(shape, kinds, size, reshape.chunk_size)
            if reshape.chunking == "balanced"
            else default_chunks(lengths, size, reshape.chunk_size)
        )
    storage_class: StorageClass | None = None
    for chunkspec in reshape.chunkspecs:
        chunks = chunkspec.chunks(fqn, variable, shape, chunks, grows)
        if chunkspec.lengths_of(fqn, variable) is not None:
            storage_class = chunkspec.storage_class
    is_small = chunks is not None and prod(chunks) * size < (reshape.least_chunk or 0)
    if is_small and not any(grows):
        chunks = tuple(max(1, n) for n in shape)
    return chunks, storage_class


def _requested_filters(
    fqn: str,
    variable: Variable,
    elements: int,
    names: Mapping[tuple[str, ...] | None, frozenset[str] | None],
    reshape: Reshape,
) -> tuple[Filter, ...]:
    """Return the requested filters of a variable, or the present ones.

    `elements` is the number of its elements. `names` are the FQNs of the variables that a request
    names; None means all.
    """
    size = _element_size(variable)
    filters = variable.storage.filters or ()
    is_plain = not filters and variable.storage.chunks is None and _is_numeric(variable)
    if is_plain and elements * size >= _WORTH_PACKING:
        default = None if reshape.changes_codecs else reshape.plain_codec
        filters = () if default is None else default.codecs
    if reshape.deflate is not None:
        filters = with_deflate(filters, reshape.deflate, reshape.shuffle, size)
    elif reshape.shuffle:
        filters = with_shuffle(filters, size)
    for chosen in reshape.filters:
        if _applies(names[chosen.variables], fqn):
            filters = with_objects(filters, of_hdf5_filters(chosen.filters, size))
    for chain in reshape.codecs:
        if _applies(names[chain.variables], fqn):
            dtype = _dtype_of(variable)
            filters = with_objects(filters, tuple(with_dtype(one, dtype) for one in chain.codecs))
    return filters


def _applies(names: frozenset[str] | None, fqn: str) -> bool:
    return names is None or fqn in names


def _element_size(variable: Variable) -> int:
    """Return the bytes of an element; 0 if it has no fixed size."""
    return fixed_size(variable.type) or variable.storage.string_length or 0


def _variables_of(root: Group, names: tuple[str, ...] | None) -> frozenset[str] | None:
    """Return the FQNs of the variables of these names; None means all variables."""
    return frozenset(variables_of_names(root, names)) if names else None


def _chunks(variable: Variable, shape: tuple[int, ...]) -> Chunks:
    """Return the variable's chunk shape, or None without chunks."""
    if variable.storage.chunks is not None:
        return variable.storage.chunks
    if variable.storage.storage_class in ("contiguous", "compact"):
        if isinstance(variable.data, EncodedSource) and variable.data.layout.shape == shape:
            return variable.data.layout.chunks  # the pieces for reading it
        return tuple(max(1, n) for n in shape)
    return None


def _dtype_of(variable: Variable) -> str:
    """Return the dtype of stored elements for the configurations of codecs."""
    order = ">" if variable.storage.endianness == "big" else "<"
    kind = variable.type.dtype if isinstance(variable.type, Atomic) else "|O"
    return kind if kind[:1] == "|" else order + kind.lstrip("<>=")


def _is_numeric(variable: Variable) -> bool:
    return isinstance(variable.type, Atomic) and variable.type is not Atomic.STRING
