"""Plan how one variable of a dataset will be stored, from what a user chose and from its source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError, Notice, Notify
from ncz.formats.zarr.array.keys import ChunkKeys
from ncz.formats.zarr.document.v3_codecs import plain_shard
from ncz.formats.zarr.element.encoding import (
    VLEN_DTYPE,
    Encoding,
    as_little_endian,
    encoding_for,
)
from ncz.formats.zarr.element.user_types import encoding_of, object_codec_of
from ncz.formats.zarr.mapping.codecs import are_bytes, codecs_to_write, with_known_deflate
from ncz.formats.zarr.mapping.strings import (
    DEFAULT_MAXIMUM,
    MAXIMUM,
    check_nil,
    declared_length,
    longest_string,
    string_length,
    truncated,
)
from ncz.formats.zarr.options import WriteOptions
from ncz.formats.zarr.plan.array import ArrayPlan, ZarrSource
from ncz.formats.zarr.plan.missing import with_missing
from ncz.model.chunk.chunking import default_chunks
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.chunk.layout import ChunkLayout, Shard, in_order
from ncz.model.data import PreferringSource
from ncz.model.fill import missing_fill
from ncz.model.filters import Filter
from ncz.model.tree import (
    Dataset,
    Dimension,
    Variable,
    dimensions_by_fqn,
    join,
)
from ncz.model.types import Atomic, Value
from ncz.model.user_types.sizes import fixed_size
from ncz.record import replace

if TYPE_CHECKING:
    pass

_INVENTED = "_Anonymous_Dim_"
"""Start of the name of a dimension that was made of its length."""

_MOST_AXES = 64
"""Axes of the arrays of numpy, in which values are held."""

_MOST_ELEMENTS = 2**44
"""Elements of the largest variable whose chunks are searched for values."""


def _check_writable(variable: Variable, shape: Sequence[int], fqn: str) -> None:
    """Raise `FormatError` for data of a shape that cannot be gone through."""
    if variable.data is None:
        return
    if len(shape) > _MOST_AXES:
        raise FormatError(
            f"{fqn} has data and {len(shape)} dimensions, and at most {_MOST_AXES} are supported"
        )
    elements = math.prod(shape)
    if elements > _MOST_ELEMENTS:
        raise FormatError(
            f"{fqn} has data and {elements} elements, and at most {_MOST_ELEMENTS} are supported",
            hint="use smaller dimensions, or omit its data",
        )


class ArrayPlanner:
    """The planning of one dataset's variables."""

    def __init__(
        self, dataset: Dataset, options: WriteOptions, kept: frozenset[str], notify: Notify
    ) -> None:
        self.root_attributes = dataset.root.attributes
        self.provenance = dataset.provenance
        self.dimensions = dimensions_by_fqn(dataset.root)
        self.options = options
        self.kept = kept
        self.notify = notify

    def plan(self, variable: Variable, group: str) -> ArrayPlan:
        """Plan how to store one variable."""
        fqn = join(group, variable.name)
        dimensions = [self.dimensions[d] for d in variable.dimensions]
        _check_writable(variable, [dimension.size for dimension in dimensions], fqn)
        fill = missing_fill(variable)
        if self.options.truncate_strings and fqn not in self.kept:
            variable = self.truncated(variable, fqn)
        source = variable.data if isinstance(variable.data, ZarrSource) else None
        rank = len(dimensions)
        object_codec = None
        if source is not None and fqn in self.kept and self.has_dtype(source.encoding):
            encoding, order = source.encoding, source.layout.order
            if self.options.zarr_format == 2 and order != in_order(rank, "F"):
                order = in_order(rank)
        else:
            encoding, order = self.encoding(variable, fqn, fill), in_order(rank)
            object_codec = object_codec_of(encoding)
        if "big-endian elements" in self.options.avoided:
            encoding = as_little_endian(encoding)
        if "the axis order F" in self.options.avoided:
            order = in_order(rank)
        chunks = self.chunks_of(variable, dimensions, fqn)
        codecs = with_known_deflate(
            codecs_to_write(
                variable,
                encoding.item_size,
                self.options.zarr_format,
                is_bare=rank == 0 and self.options.zarr_format == 2 and not self.options.pure,
                object_codec=object_codec,
            ),
            zarr_format=self.options.zarr_format,
            pure=self.options.pure,
            inherited=() if source is None else source.layout.inner_codecs,
            provenance=self.provenance,
        )
        shard = None
        if self.options.zarr_format == 3 and variable.storage.shards is not None and rank:
            shard = _shard(variable, chunks, codecs)
            pairs = zip(variable.storage.shards, chunks, strict=True)
            chunks, codecs = tuple(-(-n // c) * c for n, c in pairs), ()
        layout = ChunkLayout(
            shape=tuple(d.size for d in dimensions),
            chunks=chunks,
            order=order if shard is None else in_order(rank),
            codecs=codecs,
            shard=shard,
        )
        layout = self.irregular(variable, layout)
        array = ArrayPlan(
            fqn=fqn,
            variable=variable,
            layout=layout,
            encoding=encoding,
            fill=fill,
            keys=self.keys(source),
            source=source,
        )
        return with_missing(array, self.options, self.provenance)

    def has_dtype(self, encoding: Encoding) -> bool:
        """Return whether the version of Zarr can hold a dtype of the other version."""
        return self.options.zarr_format == 2 or encoding.stored_dtype != VLEN_DTYPE

    def irregular(self, variable: Variable, layout: ChunkLayout) -> ChunkLayout:
        """Return the layout with chunks as in the source, if those differ and nothing else does."""
        source = variable.data
        if self.options.zarr_format != 3 or not self.options.irregular:
            return layout
        if not isinstance(source, EncodedSource):
            return layout
        ours = source.layout
        has_grid = (ours.shape, ours.chunks) == (layout.shape, layout.chunks)
        has_shards = (ours.shard and ours.shard.chunks) == (layout.shard and layout.shard.chunks)
        if not has_grid or not has_shards:
            return layout
        return replace(layout, lengths=ours.lengths)

    def keys(self, source: ZarrSource | None) -> ChunkKeys:
        """Return how keys are made: as the options say, as in the source, or by default."""
        zarr_format, separator = self.options.zarr_format, self.options.separator
        if separator is None and source is not None and self.provenance.zarr_format == zarr_format:
            return source.keys
        if zarr_format == 3:
            return ChunkKeys(separator or "/", marked=True)
        return ChunkKeys(separator or ".")

    def encoding(self, variable: Variable, fqn: str, fill: Value) -> Encoding:
        """Return the encoding of a variable."""
        if not isinstance(variable.type, Atomic):
            return encoding_of(
                variable.type,
                endianness=variable.storage.endianness,
                zarr_format=self.options.zarr_format,
                pure=self.options.pure,
            )
        # xarray joins texts of one byte along their last dimension, so pure Zarr keeps them.
        is_joined = self.options.pure and variable.holds_bytes
        is_v3 = self.options.zarr_format == 3
        has_objects = not is_joined and (is_v3 or self.options.text_form == "vlen")
        if has_objects and variable.type is Atomic.STRING:
            if self.provenance.zarr_format is None:  # Zarr itself has no empty strings beside NIL
                check_nil(fqn, variable.data, self.notify)
            return Encoding(
                type=Atomic.STRING,
                dtype="|O",
                stored_dtype="O",
                item_size=0,
                base64_fill=are_bytes(variable),
            )
        if self.options.zarr_format == 3 and variable.type is Atomic.CHAR and not self.options.pure:
            return Encoding(type=Atomic.CHAR, dtype="|u1", stored_dtype="S1", item_size=1)
        length = None
        if variable.type is Atomic.STRING:
            length = _fixed_length(variable)
        if variable.type is Atomic.STRING and length is None:
            declared = self.declared_length(variable)
            length = string_length(fqn, variable.data, fill, declared, self.notify)
        return encoding_for(
            variable.type,
            endianness=variable.storage.endianness,
            string_length=length,
            char="|S1" if self.options.zarr_format == 3 else self.char_dtype(variable),
            pure=self.options.pure,
        )

    def char_dtype(self, variable: Variable) -> str:
        """Return the dtype of char: as the options say, as in an NCZarr source, or by default."""
        source = variable.data
        is_v2 = self.provenance.zarr_format == 2
        is_kept = self.options.char is None and not self.options.pure and is_v2
        if is_kept and isinstance(source, ZarrSource) and source.encoding.type is Atomic.CHAR:
            return "|S1" if source.encoding.dtype == "|S1" else ">S1"
        return self.options.char_dtype

    def declared_length(self, variable: Variable) -> int | None:
        """Return the declared length in bytes of a string variable's elements, or None."""
        return (
            variable.storage.string_length
            or declared_length(variable.attributes, MAXIMUM)
            or declared_length(self.root_attributes, DEFAULT_MAXIMUM)
        )

    def truncated(self, variable: Variable, fqn: str) -> Variable:
        """Return the variable with strings of the declared length, if some are longer."""
        source = variable.data
        is_fixed = self.options.zarr_format == 2 and variable.type is Atomic.STRING
        if source is None or not is_fixed or _fixed_length(variable) is not None:
            return variable
        declared = self.declared_length(variable)
        if declared is None or (longest := longest_string(fqn, source)) <= declared:
            return variable
        self.notify(
            Notice(
                "string-truncated",
                f"strings of up to {longest} bytes are truncated to {declared}, as declared",
                fqn,
            )
        )
        return replace(variable, data=truncated(source, declared))

    def chunks_of(
        self, variable: Variable, dimensions: Sequence[Dimension], fqn: str
    ) -> tuple[int, ...]:
        """Return the chunk shape: as given, one chunk if contiguous, or netcdf-c's default."""
        size = fixed_size(variable.type)
        default = default_chunks(dimensions, size)
        storage = variable.storage
        if storage.chunks is None:
            source = variable.data
            if isinstance(source, PreferringSource):
                return source.preferred_chunks()
            if isinstance(source, EncodedSource) and not isinstance(source, ZarrSource):
                return source.layout.chunks
            if storage.storage_class in ("contiguous", "compact"):
                return tuple(max(1, d.size) for d in dimensions)
            return default
        if len(storage.chunks) != len(dimensions):
            self.notify(
                Notice(
                    "chunk-sizes-ignored",
                    f"{len(storage.chunks)} chunk sizes do not fit {len(dimensions)} dimensions;"
                    " the default is used",
                    fqn,
                )
            )
            return default
        return tuple(n if n > 0 else d for n, d in zip(storage.chunks, default, strict=True))


def _fixed_length(variable: Variable) -> int | None:
    """Return the bytes of an element if the source stores UTF-8 in elements of fixed length."""
    source = variable.data
    if not isinstance(source, EncodedSource) or not str(source.stored_dtype).startswith("S"):
        return None
    return source.item_size


def _shard(variable: Variable, chunks: tuple[int, ...], codecs: tuple[Filter, ...]) -> Shard:
    """Return the source's shard if it has the same chunks and codecs; otherwise a plain one."""
    source = variable.data
    if isinstance(source, EncodedSource) and source.layout.shard is not None:
        shard = source.layout.shard
        if shard.chunks == chunks and shard.codecs == codecs:
            return shard
    return plain_shard(chunks, codecs)
