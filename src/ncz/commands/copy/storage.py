"""The chunks and the codecs that a copy gives its variables."""

from __future__ import annotations

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

_WORTH_PACKING = 64 << 10
"""Bytes of the smallest variable that is compressed although its source is not."""


def with_storage(dataset: Dataset, reshape: Reshape) -> Dataset:
    """Return the dataset with the requested chunks and codecs."""
    from ncz.model.axes import axes_of

    root = dataset.root
    dimensions = dimensions_by_fqn(root)
    axes = axes_of(root) if reshape.chunk_size is not None else {}
    for chunkspec in reshape.chunkspecs:
        chunkspec.check(root)
    of_hdf5 = [(_variables_of(root, spec.variables), spec.filters) for spec in reshape.filters]
    if reshape.deflate is not None:
        check_deflate(reshape.deflate)
    of_codecs = [(_variables_of(root, spec.variables), spec.codecs) for spec in reshape.codecs]

    plain: tuple[Filter, ...] = ()
    if reshape.plain_codec is not None and not reshape.changes_codecs:
        plain = reshape.plain_codec.codecs

    def change(fqn: str, variable: Variable) -> Variable:
        if not variable.dimensions:
            return variable  # a scalar is one element, which needs no chunks or filters
        shape = shape_of(variable, dimensions)
        grows = tuple(dimensions[d].unlimited for d in variable.dimensions)
        chunks = found = _chunks(variable, shape)
        size = fixed_size(variable.type)
        if not size:
            size = variable.storage.string_length or 0
        if reshape.chunk_size is not None:
            from ncz.model.default_chunks import balanced_chunks, default_chunks

            chunks = (
                balanced_chunks(
                    shape, [axes.get(d) for d in variable.dimensions], size, reshape.chunk_size
                )
                if reshape.chunking == "balanced"
                else default_chunks(
                    [dimensions[d] for d in variable.dimensions], size, reshape.chunk_size
                )
            )
        storage_class: StorageClass | None = None
        for chunkspec in reshape.chunkspecs:
            chunks = chunkspec.chunks(fqn, variable, shape, chunks, grows)
            if chunkspec.lengths_of(fqn, variable) is not None:
                storage_class = chunkspec.storage_class
        if (
            chunks is not None
            and not any(grows)
            and prod(chunks) * size < (reshape.least_chunk or 0)
        ):
            chunks = tuple(max(1, n) for n in shape)
        filters = variable.storage.filters or ()
        is_plain = not filters and variable.storage.chunks is None and _is_numeric(variable)
        if is_plain and prod(shape) * size >= _WORTH_PACKING:
            filters = plain
        if reshape.deflate is not None:
            filters = with_deflate(filters, reshape.deflate, reshape.shuffle, size)
        elif reshape.shuffle:
            filters = with_shuffle(filters, size)
        for names, chosen in of_hdf5:
            if names is None or fqn in names:
                filters = with_objects(filters, of_hdf5_filters(chosen, size))
        for names, chain in of_codecs:
            if names is None or fqn in names:
                dtype = _dtype_of(variable)
                filters = with_objects(filters, tuple(with_dtype(one, dtype) for one in chain))
        storage = variable.storage
        is_same = chunks == storage.chunks and filters == (storage.filters or ())
        if storage_class is None and is_same:
            if filters == storage.filters:
                return variable
            return replace(variable, storage=replace(storage, filters=filters))
        if reshape.chunk_size is None and chunks == found and filters == (storage.filters or ()):
            storage_class = storage_class or storage.storage_class  # nothing else is requested
        storage = replace(
            storage, chunks=chunks, filters=filters, storage_class=storage_class or "chunked"
        )
        return replace(variable, storage=storage)

    return each_variable(dataset, change)


def _variables_of(root: Group, names: tuple[str, ...] | None) -> frozenset[str] | None:
    """Return the FQNs of the variables of these names; None means all variables."""
    return frozenset(variables_of_names(root, names)) if names else None


def _chunks(variable: Variable, shape: tuple[int, ...]) -> tuple[int, ...] | None:
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
