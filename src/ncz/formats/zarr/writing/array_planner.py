"""Plan the storage of one variable of a dataset, from the options and from its source.

A plan is made before anything is written. Zarr V3 specifies gzip and not zlib; netcdf-c reads zlib
and not gzip in NCZarr V2. Both contain the same compressed bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from ncz.codec import Codec
from ncz.codec.catalogue import codec_id, codec_of, find_deflate, is_object_codec
from ncz.codec.deflate_streams import GZIP, ZLIB
from ncz.errors import FormatError, Notice, Notify
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.arrays.strings import (
    DEFAULT_MAXIMUM,
    MAXIMUM,
    Texts,
    are_bytes,
    declared_length,
    find_texts,
    is_utf8_text,
    string_length,
    truncate_source,
)
from ncz.formats.zarr.readers.chunk_forms import extension_form, refused_forms, without_bitround
from ncz.formats.zarr.types.dtypes import (
    BOOLEAN,
    VLEN_DTYPE,
    Encoding,
    as_little_endian,
    encoding_for,
)
from ncz.formats.zarr.types.user_types import encoding_of, object_codec_of
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.chunks import ChunkLayout, Shard, in_order
from ncz.model.default_chunks import default_chunks
from ncz.model.element_sizes import with_element_sizes, with_whole_elements
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.filters import Filter, make_filter
from ncz.model.tree import Dataset, Dimension, Variable, dimensions_by_fqn, join, missing_fill
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Value
from ncz.record import replace
from ncz.zmap.key import ChunkKeys

_TEXT_CODEC = make_filter("vlen-utf8")

BYTES_CODEC = make_filter("vlen-bytes")
"""The codec of strings that are not UTF-8."""


def _of_any_size(filters: Iterable[Filter]) -> Iterator[Filter]:
    """Yield the codecs that take any number of bytes."""
    return (f for f in filters if codec_of(f.to_json()).item_size_parameter is None)


def _without(filters: Sequence[Filter], is_left_out: Callable[[Codec], bool]) -> tuple[Filter, ...]:
    """Return codecs without some, and without array filters after these, which no longer fit."""
    kept: list[Filter] = []
    is_changed = False
    for each in filters:
        codec = codec_of(each.to_json())
        if is_left_out(codec) or (is_changed and codec.kind == "array filter"):
            is_changed = True
        else:
            kept.append(each)
    return tuple(kept)


def _with_window(codec: Filter, window: int) -> Filter:
    if codec_of(codec.to_json()).deflate_window in (None, window):
        return codec
    return make_filter(find_deflate(window).id, level=codec.get("level", 1))


_MOST_AXES = 64
"""Limit of the axes of numpy's arrays."""

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
        self.last: ChunkLayout | None = None
        """The layout of the last variable; the next one often has the same."""

    def plan(self, variable: Variable, group: str) -> ArrayPlan:
        """Plan how to store one variable."""
        fqn = join(group, variable.name)
        dimensions = [self.dimensions[d] for d in variable.dimensions]
        _check_writable(variable, [dimension.size for dimension in dimensions], fqn)
        fill = missing_fill(variable)
        if self.options.store.truncate_strings and fqn not in self.kept:
            variable = self.truncate(variable, fqn)
        source = variable.data if isinstance(variable.data, ZarrArray) else None
        rank = len(dimensions)
        object_codec = None
        if source is not None and fqn in self.kept and self.has_dtype(source.encoding):
            encoding, order = source.encoding, _order_of(source.layout)
            if self.options.zarr_format == 2 and order != in_order(rank, "F"):
                order = in_order(rank)
            if encoding.keeps_empty:
                self.keeps_empty(Texts(has_empty=True), fqn)
        else:
            encoding, order = self.encoding(variable, fqn, fill), in_order(rank)
            object_codec = object_codec_of(encoding)
            if encoding.base64_fill and not encoding.item_size and not are_bytes(variable):
                object_codec = BYTES_CODEC
        if "big-endian elements" in self.options.avoided:
            encoding = as_little_endian(encoding)
        if "the axis order F" in self.options.avoided:
            order = in_order(rank)
        chunks = self.chunks_of(variable, dimensions, fqn)
        codecs = self.codecs(variable, encoding, rank, object_codec)
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
        layout = self.irregular(variable, self.as_in_source(variable, source, encoding, layout))
        if self.last is None or layout != self.last:  # arrays that share it are compared faster
            self.last = layout
        return ArrayPlan(
            fqn=fqn,
            variable=variable,
            layout=self.last,
            encoding=encoding,
            fill=fill,
            keys=self.keys(source),
            source=source,
        )

    def codecs(
        self, variable: Variable, encoding: Encoding, rank: int, object_codec: Filter | None
    ) -> tuple[Filter, ...]:
        """Return the codecs of a variable, with an object codec exactly if elements are objects.

        Scalars of NCZarr V2 get no other codec: netcdf-c opens no store with a compressed scalar.

        Parameters
        ----------
        variable, rank
            The variable, which may have other codecs in the source, and its rank.
        encoding
            The encoding of its elements.
        object_codec
            The codec that the objects need; None if codecs of text do.
        """
        is_v2, source = self.options.zarr_format == 2, variable.data
        is_bare = rank == 0 and is_v2 and not self.options.pure
        filters = variable.storage.filters or ()
        if is_v2:
            filters = _without(filters, lambda codec: not codec.is_v2)
        if any(extension_form(codec) in self.options.avoided for codec in filters):
            # All of them: scale_offset alone would round the numbers that cast_value stored.
            filters = _without(filters, lambda codec: codec.is_extension)
        objects = tuple(f for f in filters if is_object_codec(f.to_json()))
        others = () if is_bare else tuple(f for f in filters if f not in objects)
        inherited = source.layout.inner_codecs if isinstance(source, ZarrArray) else ()
        if not encoding.item_size:
            is_known = any(is_v2 or codec_of(f.to_json()).v3 is not None for f in objects)
            own = objects if is_known else (_TEXT_CODEC,)
            own = own if object_codec is None else (object_codec,)
            filters = (*own, *_of_any_size(others))
        else:
            filters = tuple(with_element_sizes(others, encoding.item_size))
            if "shuffle of a part of an element" in self.options.avoided:
                filters = with_whole_elements(filters)
            if "packbits of numbers" in self.options.avoided and encoding.dtype != BOOLEAN:
                packed = [f for f in inherited if codec_id(f.to_json()) == "packbits"]
                filters = tuple(f for f in filters if f not in packed)
            kept = without_bitround(inherited, encoding.stored_dtype)
            filters = tuple(f for f in filters if f in kept or f not in inherited)
        return tuple(
            self.with_known_level(self.with_known_deflate(codec, inherited)) for codec in filters
        )

    def with_known_level(self, codec: Filter) -> Filter:
        """Return a codec; a level of zstd below zero in the spelling that readers know."""
        configuration, known = codec.to_json(), codec_of(codec.to_json())
        is_unsigned = "zstd of a level below zero" in self.options.avoided
        spelled = (known.to_unsigned if is_unsigned else known.to_signed)(configuration)
        return codec if spelled == configuration else Filter.from_json(spelled)

    def with_known_deflate(self, codec: Filter, inherited: tuple[Filter, ...]) -> Filter:
        """Return a codec; deflate in the wrapper that readers of the store know.

        `inherited` are the codecs of the variable in the source. A codec that is inherited from a
        store of the same form is kept, and so is any of V2 that the user chose, and any of chunks
        that are not moved.
        """
        options, source = self.options, self.provenance
        if options.zarr_format == 3:
            is_kept = (source.zarr_format == 3 and codec in inherited) or options.refers
            return codec if is_kept else _with_window(codec, GZIP)
        is_same_form = options.pure or (source.zarr_format == 2 and source.superblock)
        return codec if is_same_form or codec not in inherited else _with_window(codec, ZLIB)

    def has_dtype(self, encoding: Encoding) -> bool:
        """Return whether the store that is written can have a dtype of its source."""
        if encoding.is_narrow and self.options.zarr_format != self.provenance.zarr_format:
            return False  # readers of the other version do not know it
        if encoding.is_narrow and "numbers that numpy does not have" in self.options.avoided:
            return False
        return self.options.has_vlen_arrays or encoding.stored_dtype != VLEN_DTYPE

    def as_in_source(
        self,
        variable: Variable,
        source: ZarrArray | None,
        encoding: Encoding,
        layout: ChunkLayout,
    ) -> ChunkLayout:
        """Return the layout with the codecs in their places in the source, if they are the same."""
        if source is None or self.options.zarr_format == 2:
            return layout
        ours, storage = source.layout, variable.storage
        is_special = ours.first_codecs or (
            ours.shard and (ours.shard.first_codecs or not ours.is_partial)
        )
        is_same = (
            source.encoding.stored_dtype == encoding.stored_dtype
            and ours.shape == layout.shape
            and storage.chunks == ours.reading_grid.chunks
            and storage.shards == (ours.chunks if ours.shard is not None else None)
            and storage.filters == ours.inner_codecs
        )
        is_avoided = refused_forms(self.options.avoided, ours, encoding.stored_dtype)
        if not is_special or not is_same or is_avoided:
            return layout
        return replace(
            layout, chunks=ours.chunks, order=ours.order, codecs=ours.codecs, shard=ours.shard,
            first_codecs=ours.first_codecs,
        )  # fmt: skip

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

    def keys(self, source: ZarrArray | None) -> ChunkKeys:
        """Return the encoding of chunk keys: of the options, of the source, or the default."""
        zarr_format, separator = self.options.zarr_format, self.options.store.separator
        if self.options.plain_keys:
            return ChunkKeys("/", marked=True)
        is_same = self.options.keeps_keys or self.provenance.zarr_format == zarr_format
        if separator is None and source is not None and is_same:
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
                arrays=self.options.has_vlen_arrays,
            )
        # xarray joins texts of one byte along their last dimension, so pure Zarr keeps them.
        is_joined = self.options.pure and variable.holds_bytes
        is_v3 = self.options.zarr_format == 3
        has_objects = not is_joined and (is_v3 or self.options.text_form == "vlen")
        if has_objects and variable.type is Atomic.STRING:
            texts = self.texts(variable)
            return Encoding(
                type=Atomic.STRING,
                dtype="|O",
                stored_dtype="O",
                item_size=0,
                base64_fill=are_bytes(variable) or not (texts.is_utf8 and is_utf8_text(fill)),
                keeps_empty=self.keeps_empty(texts, fqn),
            )
        if self.options.zarr_format == 3 and variable.type is Atomic.CHAR and not self.options.pure:
            return Encoding(type=Atomic.CHAR, dtype="|u1", stored_dtype="S1", item_size=1)
        length, texts = None, Texts()
        if variable.type is Atomic.STRING:
            length = _fixed_length(variable)
            texts = self.texts(variable, keeps_bytes=True) if length else find_texts(variable.data)
        if variable.type is Atomic.STRING and length is None:
            length = string_length(fqn, texts, fill, self.declared_length(variable))
        encoding = encoding_for(
            variable.type,
            endianness=variable.storage.endianness,
            string_length=length,
            char="|S1" if self.options.zarr_format == 3 else self.char_dtype(variable),
            pure=self.options.pure,
        )
        return replace(encoding, keeps_empty=self.keeps_empty(texts, fqn))

    def texts(self, variable: Variable, *, keeps_bytes: bool = False) -> Texts:
        """Return the kind of strings of a variable; its annotation, if it is stored as Zarr.

        Strings of fixed length are read to find invalid UTF-8, unless `keeps_bytes`.
        """
        source = variable.data
        if isinstance(source, ZarrArray) and (keeps_bytes or not source.item_size):
            return Texts(has_empty=source.encoding.keeps_empty)
        return find_texts(source)

    def keeps_empty(self, texts: Texts, fqn: str) -> bool:
        """Return whether a note will mark empty strings as different from NIL.

        Zarr stores both as empty strings, which are read as NIL. If that changes strings, there is
        a notice. A store that is made of a text has no such note: `ncz dump` prints it as ncdump
        prints NCZarr.
        """
        source = self.provenance
        is_noted = not source.is_text and (self.options.has_annotations or not self.options.pure)
        if not texts.has_empty or (is_noted and not texts.has_nil):
            return texts.has_empty
        message = "empty strings are read as NIL"
        if texts.has_nil:
            message = "empty strings and NIL are both stored as empty strings, and read as NIL"
        self.notify(Notice("string-nil", message, fqn))
        return False

    def char_dtype(self, variable: Variable) -> str:
        """Return the dtype of char: as the options say, as in an NCZarr source, or by default."""
        source = variable.data
        is_v2 = self.provenance.zarr_format == 2
        is_kept = self.options.store.char is None and not self.options.pure and is_v2
        if is_kept and isinstance(source, ZarrArray) and source.encoding.type is Atomic.CHAR:
            return "|S1" if source.encoding.dtype == "|S1" else ">S1"
        return self.options.char_dtype

    def declared_length(self, variable: Variable) -> int | None:
        """Return the declared length in bytes of a string variable's elements, or None."""
        return (
            variable.storage.string_length
            or declared_length(variable.attributes, MAXIMUM)
            or declared_length(self.root_attributes, DEFAULT_MAXIMUM)
        )

    def truncate(self, variable: Variable, fqn: str) -> Variable:
        """Return the variable with strings of the declared length, if some are longer."""
        source = variable.data
        is_fixed = self.options.zarr_format == 2 and variable.type is Atomic.STRING
        if source is None or not is_fixed or _fixed_length(variable) is not None:
            return variable
        declared = self.declared_length(variable)
        if declared is None or (longest := find_texts(source).longest) <= declared:
            return variable
        text = f"strings of up to {longest} bytes are truncated to {declared}, as declared"
        self.notify(Notice("string-truncated", text, fqn))
        return replace(variable, data=truncate_source(source, declared))

    def chunks_of(
        self, variable: Variable, dimensions: Sequence[Dimension], fqn: str
    ) -> tuple[int, ...]:
        """Return the chunk shape: as given, one chunk if contiguous, or netcdf-c's default."""
        storage = variable.storage
        if storage.chunks is None:
            source = variable.data
            preferred = None if source is None else source.preferred_chunks()
            if preferred is not None:
                return preferred
            if isinstance(source, EncodedSource) and not isinstance(source, ZarrArray):
                return source.layout.chunks
            if storage.storage_class in ("contiguous", "compact"):
                return tuple(max(1, d.size) for d in dimensions)
            return default_chunks(dimensions, fixed_size(variable.type))
        if len(storage.chunks) != len(dimensions):
            text = f"{len(storage.chunks)} chunk sizes do not fit {len(dimensions)} dimensions"
            self.notify(Notice("chunk-sizes-ignored", f"{text}; the default is used", fqn))
            return default_chunks(dimensions, fixed_size(variable.type))
        if min(storage.chunks, default=1) > 0:
            return storage.chunks
        default = default_chunks(dimensions, fixed_size(variable.type))
        return tuple(n if n > 0 else d for n, d in zip(storage.chunks, default, strict=True))


def _fixed_length(variable: Variable) -> int | None:
    """Return the bytes of an element if the source stores UTF-8 in elements of fixed length."""
    source = variable.data
    if not isinstance(source, EncodedSource) or not str(source.stored_dtype).startswith("S"):
        return None
    return source.item_size


def _order_of(layout: ChunkLayout) -> tuple[int, ...]:
    """Return the order of the axes in the chunks that are read alone."""
    return layout.inner.order if layout.is_partial else layout.order


def _shard(variable: Variable, chunks: tuple[int, ...], codecs: tuple[Filter, ...]) -> Shard:
    """Return the source's shard if it has the same chunks and codecs; otherwise a plain one."""
    source = variable.data
    if isinstance(source, EncodedSource) and source.layout.shard is not None:
        shard = source.layout.shard
        if shard.chunks == chunks and shard.inner_codecs == codecs:
            return shard
    from ncz.formats.zarr.documents.codecs_v3 import plain_shard

    return plain_shard(chunks, codecs)
