"""The option ``--shards``: the shards of the chunks in Zarr V3.

Only the description of the dataset changes here; data are converted when they are written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ncz.commands.chunkspec import WHOLE, ChunkSpec, chunkspec_of, parse_chunkspec
from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.tree import Dataset, Dimension, Variable, dimensions_by_fqn, each_variable
from ncz.model.type_sizes import fixed_size
from ncz.record import replace
from ncz.text.sizes import parse_size

OPTION = option("shards")

NONE = "none"
"""The text that removes shards."""

AUTO = "auto"
"""The text for shards of a size that suits object stores."""

_AUTOMATIC = 100_000_000
"""Bytes of the values of a shard of `AUTO`."""

Shards = ChunkSpec | int | None
"""The lengths of shards, or the most bytes of the values of one; None removes shards."""


def parse_shards(text: str) -> Shards:
    """Parse a chunkspec of shards, a size, "auto" or "none". Raises `OptionError`."""
    if text == NONE:
        return None
    if text == AUTO:
        return _AUTOMATIC
    size = parse_size(text)
    return parse_chunkspec(text, OPTION) if size is None else size


ShardLengths = str | int | Mapping[str, int | None] | Sequence[str | Shards]
"""The lengths of shards as texts, by dimension, or as chunkspecs; or their largest size."""


def shards_of(lengths: ShardLengths) -> tuple[Shards, ...]:
    """Return the lengths of shards from texts or a mapping. Raises `OptionError`."""
    if isinstance(lengths, Mapping):
        return (chunkspec_of(lengths, OPTION),) if lengths else ()
    if isinstance(lengths, (list, tuple)) and lengths and all(type(n) is int for n in lengths):
        lengths = ",".join(map(str, lengths))  # a shape, as in zarr-python
    texts = (lengths,) if isinstance(lengths, (str, int)) else lengths
    return tuple(parse_shards(one) if isinstance(one, str) else one for one in texts)


def check_shards(specs: Sequence[Shards], zarr_format: int | None) -> None:
    """Raise `OptionError` if shards are requested in a format without shards."""
    if zarr_format != 3 and any(spec is not None for spec in specs):
        target = f"Zarr V{zarr_format}" if zarr_format is not None else "not a Zarr store"
        raise OptionError(
            f"{OPTION} needs Zarr V3, and the target is {target}",
            hint=f"add {option('zarr_format', 3)}",
        )


def with_shards(dataset: Dataset, specs: Sequence[Shards]) -> Dataset:
    """Return the dataset with other shards.

    Parameters
    ----------
    dataset
        The dataset to store.
    specs
        The lengths or the sizes of shards, in the order of application.

    Returns
    -------
    Dataset
        The changed description, with the data of `dataset`.

    Raises
    ------
    OptionError
        If a name does not exist, or a shard would not contain a whole number of chunks.
    """
    if not specs:
        return dataset
    root = dataset.root
    dimensions = dimensions_by_fqn(root)
    for spec in specs:
        if isinstance(spec, ChunkSpec):
            spec.check(root, OPTION)

    def change(fqn: str, variable: Variable) -> Variable:
        for spec in specs:
            axes = [dimensions[name] for name in variable.dimensions]
            if spec is None:
                storage = replace(variable.storage, shards=None)
                variable = replace(variable, storage=storage)
            elif isinstance(spec, int):
                variable = _shard_by_size(variable, axes, spec)
            elif axes:
                variable = _shard(fqn, variable, axes, spec)
        return variable

    return each_variable(dataset, change)


def _shard(fqn: str, variable: Variable, axes: Sequence[Dimension], spec: ChunkSpec) -> Variable:
    lengths = spec.lengths_of(fqn, variable, OPTION)
    if lengths is None:
        return variable
    chunks = _chunks(variable, axes)
    now = variable.storage.shards or chunks
    shards = tuple(
        _up(old, chunk) if length is None else _shard_length(fqn, axis, chunk, length)
        for length, old, chunk, axis in zip(lengths, now, chunks, axes, strict=True)
    )
    if shards == chunks and variable.storage.shards is None and spec.variable is None:
        return variable  # a shard of one chunk is of no use
    storage = replace(variable.storage, chunks=chunks, shards=shards, storage_class="chunked")
    return replace(variable, storage=storage)


def _shard_by_size(variable: Variable, axes: Sequence[Dimension], size: int) -> Variable:
    """Return a variable with shards of at most `size` bytes, unless one chunk is that large."""
    chunks = _chunks(variable, axes)
    item = fixed_size(variable.type) or _OBJECT
    shards = largest_shards([axis.size for axis in axes], chunks, size // item)
    storage = variable.storage
    if shards == chunks:
        return replace(variable, storage=replace(storage, shards=None))
    storage = replace(storage, chunks=chunks, shards=shards, storage_class="chunked")
    return replace(variable, storage=storage)


_OBJECT = 16
"""Bytes that are assumed of a value of variable size."""


def largest_shards(shape: Sequence[int], chunks: Sequence[int], most: int) -> tuple[int, ...]:
    """Return the shape of shards that contain whole chunks and at most `most` values.

    A shard becomes longer along the last axis first, and along others when it is complete there,
    so that its chunks are neighbours. The shards along an axis have nearly the same length. One
    chunk is the smallest shard.
    """
    shards = list(chunks)
    for axis in reversed(range(len(chunks))):
        count = max(1, -(-shape[axis] // chunks[axis]))
        fitting = min(count, max(1, most // math.prod(shards)))
        pieces = -(-count // fitting)
        shards[axis] *= -(-count // pieces)
        if pieces > 1:
            break
    return tuple(shards)


def _chunks(variable: Variable, axes: Sequence[Dimension]) -> tuple[int, ...]:
    """Return the variable's chunk shape, or the one that it gets by default."""
    from ncz.model.default_chunks import default_chunks

    storage = variable.storage
    if storage.chunks is not None and len(storage.chunks) == len(axes):
        return storage.chunks
    if storage.storage_class in ("contiguous", "compact"):
        return tuple(max(1, axis.size) for axis in axes)
    return default_chunks(axes, fixed_size(variable.type))


def _shard_length(fqn: str, axis: Dimension, chunk: int, length: int) -> int:
    """Return the length of a shard along one axis: a multiple of a chunk's length."""
    is_whole = not axis.unlimited and max(length, chunk) >= axis.size
    if length == WHOLE or is_whole:
        return _up(max(1, axis.size), chunk)
    if length % chunk:
        below = [str(length - length % chunk)] if length > chunk else []
        fitting = " or ".join([*below, str(_up(length, chunk))])
        raise OptionError(
            f"{OPTION}: a shard of {length} along {axis.name} is not a whole number of"
            f" chunks of {fqn}, which have {chunk}",
            hint=f"use {fitting}, or other chunks",
        )
    return length


def _up(length: int, step: int) -> int:
    return -(-length // step) * step
