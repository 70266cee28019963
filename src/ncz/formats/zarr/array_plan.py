"""How one variable of a dataset will be stored: its elements, chunks, keys, codecs and strings.

A plan is made before anything is written, from what a user chose and from the source. Zarr V3
specifies gzip and not zlib; netcdf-c reads zlib and not gzip in NCZarr V2. Both hold the same
compressed bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ncz.codec.catalogue import (
    codec_id,
    codec_of,
    find_deflate,
    is_kind,
    is_object_codec,
    writing_fault,
)
from ncz.codec.chain import encoding_fault
from ncz.codec.deflate import GZIP, ZLIB
from ncz.errors import FormatError, LossError, Notice, Notify, counted, option
from ncz.formats.kinds import refuse_codecs
from ncz.formats.zarr.array import ZarrArray, encode_elements
from ncz.formats.zarr.codecs_v3 import plain_shard
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.document import ChunkKeys
from ncz.formats.zarr.dtypes import BOOLEAN, VLEN_DTYPE, Encoding, as_little_endian, encoding_for
from ncz.formats.zarr.elements import (
    disk_dtype,
    fill_element,
    has_void_elements,
    is_maskable,
    is_null_fill,
    is_same_fill,
    is_time,
    to_disk,
)
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.notes import DEFAULT_STRING_LENGTH
from ncz.formats.zarr.options import WriteOptions
from ncz.formats.zarr.user_types import encoding_of, object_codec_of
from ncz.model.chunks import ChunkLayout, Shard, default_chunks, in_order
from ncz.model.data import ChunkSource, Values
from ncz.model.encoded import EncodedSource, lists_present
from ncz.model.filters import Filter, make_filter, with_element_sizes, with_whole_elements
from ncz.model.grid import Box, Index
from ncz.model.slabs import chunks_of
from ncz.model.sources import MappedSource
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Provenance,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    mask_of,
    missing_fill,
)
from ncz.model.types import Atomic, Value
from ncz.model.user_types import fixed_size
from ncz.record import record, replace
from ncz.zmap.key import join_key

# The plan of an array: how one variable of a dataset will be stored.
#
# It holds the stored form of elements (`Encoding`), the layout of chunks (`ChunkLayout`), their
# keys, and the fill value.


@record(kw_only=True)
class ArrayPlan:
    """How one variable will be stored.

    `fill` is the value of missing chunks; None leaves it undefined. `masks_fill` is true if readers
    take the ``fill_value`` that is written for the mask, as xarray does in V2. `fills_missing` is
    true if chunks that the source lacks are written, because ``fill_value`` cannot say what they
    hold then; `masks_missing` if they stay missing nevertheless, and readers mask what they hold.
    The layout of a scalar has no axes, although NCZarr writes the shape [1] for it.
    `source` is the variable's data if they are stored as Zarr.
    """

    fqn: str
    variable: Variable
    layout: ChunkLayout
    encoding: Encoding
    fill: Value
    masks_fill: bool = False
    fills_missing: bool = False
    masks_missing: bool = False
    keys: ChunkKeys = ChunkKeys()
    source: ZarrArray | None = None

    @property
    def mask(self) -> Value:
        """The value that marks missing data, or None."""
        return mask_of(self.attributes, self.variable.type)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The variable's attributes, without those that express a Zarr dtype that is kept."""
        if self.source is not None and self.source.encoding is self.encoding:
            return tuple(a for a in self.variable.attributes if a.original is not None)
        return self.variable.attributes

    @property
    def key(self) -> str:
        """The prefix of the array's objects."""
        return join_key(self.fqn)

    @property
    def encoded(self) -> ArrayPlan:
        """The array itself, which takes encoded chunks."""
        return self

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.encoding.stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.encoding.item_size

    def chunk_key(self, index: Index) -> str:
        """Return the key of stored chunk `index`."""
        return self.keys.key(self.key, index)

    def chunk_keys(self, indices: Sequence[Index]) -> list[str]:
        """Return the keys of stored chunks."""
        return self.keys.keys(self.key, indices)

    def fill_element(self) -> Values:
        """Return the fill value as one stored element, of shape ()."""
        return fill_element(self.fill, self.encoding)

    def to_elements(self, values: Values) -> Values:
        """Convert values to elements. Raises `LossError` for a string that is too long."""
        return to_disk(values, self.encoding, self.fqn)

    def encode(self, elements: Values, location: str) -> bytes | None:
        """Encode the elements of a chunk; `location` is where it will be, for messages."""
        return encode_elements(elements, self.layout, self.encoding, location, self.fill)


# The codecs and the strings of a variable.

_TEXT_CODEC = make_filter("vlen-utf8")

BYTES_CODEC = make_filter("vlen-bytes")
"""The codec of strings that are not UTF-8."""


def _of_any_size(filters: Iterable[Filter]) -> Iterator[Filter]:
    """Yield the codecs that take any number of bytes."""
    return (f for f in filters if codec_of(f.to_json()).item_size_parameter is None)


def are_bytes(variable: Variable) -> bool:
    """Return whether a codec stores strings as bytes, whose fill value is base64."""
    filters = variable.storage.filters or ()
    return any(codec_of(codec.to_json()).objects == "bytes" for codec in filters)


def _wrapped(codec: Filter, window: int) -> Filter:
    if codec_of(codec.to_json()).deflate_window in (None, window):
        return codec
    return make_filter(find_deflate(window).id, level=codec.get("level", 1))


# The bytes of a string variable, because Zarr V2 stores strings with a fixed length.
#
# Source: the NCZarr document, Appendix D. netcdf-c truncates longer strings silently, at any byte.
# ncz refuses them, or truncates them on request, between two characters.

MAXIMUM, DEFAULT_MAXIMUM = "_nczarr_maxstrlen", "_nczarr_default_maxstrlen"
"""Attributes that declare the bytes of a string: of a variable, and at the root of all of them."""

LONGEST = 2**31 - 1
"""Most bytes of a string that a dtype can declare."""


def declared_length(attributes: Iterable[Attribute], name: str) -> int | None:
    """Return the length that the attribute `name` declares, or None."""
    attribute = next((a for a in attributes if a.name == name), None)
    if attribute is None or len(attribute.values) != 1:
        return None
    length = attribute.values[0]
    return length if isinstance(length, int) and 0 < length <= LONGEST else None


@record
class Texts:
    """What strings a variable has: the bytes of the longest, and whether some are special."""

    longest: int = 0
    has_nul: bool = False
    is_utf8: bool = True
    has_empty: bool = False
    has_nil: bool = False


def find_texts(source: ChunkSource | None) -> Texts:
    """Return what strings a variable has."""
    longest, has_nul, is_utf8, has_empty, has_nil = 0, False, True, False, False
    for values in () if source is None else chunks_of(source):
        longest = max(longest, max(map(_bytes_of, values.flat), default=0))
        has_nul = has_nul or any(text is not None and "\0" in text for text in values.flat)
        is_utf8 = is_utf8 and all(map(is_utf8_text, values.flat))
        has_empty = has_empty or any(text == "" for text in values.flat)
        has_nil = has_nil or any(text is None for text in values.flat)
    return Texts(longest, has_nul, is_utf8, has_empty, has_nil)


def is_utf8_text(value: Value) -> bool:
    """Return False for text with bytes that are not UTF-8."""
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def string_length(fqn: str, texts: Texts, fill: Value, declared: int | None) -> int:
    """Return the bytes of one element.

    Parameters
    ----------
    fqn
        The variable, for messages.
    texts, fill
        The values of the variable.
    declared
        The declared length. If None, it is 128, or that of the longest string.

    Raises
    ------
    LossError
        If a string is longer than declared, or has a NUL, at which a stored string ends.
    """
    if texts.has_nul or (isinstance(fill, str) and "\0" in fill):
        raise LossError(
            f"{fqn} has a string with a NUL byte, at which a stored string ends",
            hint="replace the NUL, or make the variable char",
        )
    longest = max(_bytes_of(fill), texts.longest)
    if declared is None:
        return max(longest, DEFAULT_STRING_LENGTH)
    if longest > declared:
        raise LossError(
            f"{fqn} has a string of {counted(longest, 'byte')}, but {declared} are declared",
            hint=f"set {base_name(fqn)}:{MAXIMUM} = {longest}, omit the declaration, or use"
            f" {option('truncate_strings', True)}",
        )
    return declared


def truncated(source: ChunkSource, length: int) -> ChunkSource:
    """Return a source of the same strings, each of which has at most `length` bytes."""
    return MappedSource(source, partial(_truncated, length=length))


def _truncated(values: Values, _: Box, *, length: int) -> Values:
    import numpy as np

    cut = [truncate(text, length) for text in values.flat]
    return np.fromiter(cut, "O", len(cut)).reshape(values.shape)


def truncate(text: str | None, length: int) -> str | None:
    """Return the first characters of `text`, as many as `length` bytes of UTF-8 can hold."""
    if text is None or len(text) * 4 <= length:
        return text
    encoded = text.encode("utf-8", "surrogateescape")
    if len(encoded) <= length:
        return text
    while length > 0 and encoded[length] & 0xC0 == 0x80:  # within a character
        length -= 1
    return encoded[:length].decode("utf-8", "surrogateescape")


def _bytes_of(text: Value) -> int:
    if not isinstance(text, str):
        return 0
    return len(text.encode("utf-8", "surrogateescape"))


# Chunks that a source lacks: whether ``fill_value`` says what they hold, or they are written.
#
# Readers of Zarr V2 take ``fill_value`` for the mask. Where missing chunks hold another value, they
# are written, as far as a limit allows.

_FEW = 10_000
"""Number of chunks that may always be written, though they are missing in the source."""

_MOST_FILLED = 1_000_000
"""Largest number of missing chunks that are written."""

_MOST_TIMES = 10
"""Largest number of missing chunks that are written for each that is present."""

_OBJECT = 4096
"""Bytes that an object takes on a disk, however small."""

_COMPRESSED = 100
"""How many times smaller a compressor makes a chunk of equal values, at least."""


def with_missing(array: ArrayPlan, options: WriteOptions, source: Provenance) -> ArrayPlan:
    """Return the plan of an array with what becomes of its missing chunks.

    Chunks that hold netCDF's default fill stay missing if there are too many of them, and where
    netcdf-c leaves them out: then readers mask them.

    Raises
    ------
    LossError
        If too many chunks hold another value than the mask.
    """
    array = replace(array, masks_fill=_masks_fill(array, options, source))
    if not _must_fill(array):
        return array
    is_default = _has_default_fill(array, source)
    leaves_out = options.masks_default_fill
    if leaves_out is None:
        leaves_out = _leaves_out(source)
    if is_default and leaves_out and not options.pure:
        return replace(array, masks_missing=array.variable.data is None)
    missing = _missing(array)
    if missing == 0:
        return array
    is_too_much = missing is not None and missing * _cost(array) > options.most_filled
    if is_default or array.variable.data is None:
        return replace(array, fills_missing=not is_too_much, masks_missing=is_too_much)
    _check_number(array, missing)
    return replace(array, fills_missing=True)


def _masks_fill(array: ArrayPlan, options: WriteOptions, source: Provenance) -> bool:
    """Return whether readers take the ``fill_value`` that is written for the mask.

    xarray does in V2, where it finds the names of dimensions. The ``fill_value`` of structures
    of pure V2 is kept, because the model has no mask of them, and so is that of times: xarray
    shows it as an attribute, and masks nothing.
    """
    has_names = names_to_write(array.variable, pure=options.pure) is not None
    is_named = not options.pure or (options.xarray and has_names)
    is_pure_v2 = source.superblock == 0 and source.zarr_format == 2
    is_shown = is_time(array.encoding) and not array.variable.storage.no_fill
    is_kept = is_pure_v2 and (is_shown or not is_maskable(array.encoding))
    return options.zarr_format == 2 and is_named and not is_kept


def _must_fill(array: ArrayPlan) -> bool:
    """Return whether the ``fill_value`` that V2 gets does not say what missing chunks hold.

    In V2 it is the mask, or null, because readers mask it.
    """
    if not array.masks_fill or array.fill is None:
        return False
    if array.mask is not None:
        return not is_same_fill(array.fill, array.mask) or has_void_elements(array.encoding)
    return not is_null_fill(array.fill, array.encoding)


def _has_default_fill(array: ArrayPlan, source: Provenance) -> bool:
    """Return whether missing chunks hold netCDF's default fill, and no mask is given."""
    nc_type = array.variable.type
    is_netcdf = source.superblock > 0 or source.annotated or source.zarr_format is None
    is_default = isinstance(nc_type, Atomic) and array.fill == nc_type.default_fill
    return is_default and is_netcdf and array.mask is None


def _leaves_out(source: Provenance) -> bool:
    """Return whether NCZarr V2 is written as netcdf-c does: from a text, or from NCZarr V2."""
    return source.is_text or (source.superblock > 0 and source.zarr_format == 2)


def _missing(array: ArrayPlan) -> int | None:
    """Return the number of chunks that the source lacks; None if it cannot tell."""
    source, total = array.variable.data, array.layout.grid.size
    if source is None:
        return total
    if source.with_zeros_missing() is not source:
        return 0  # it gives zeros for them
    if not isinstance(source, EncodedSource):
        return None
    if not lists_present(source):
        return None
    present = sum(1 for _ in source.present())
    return math.ceil(total * (1 - present / max(1, source.layout.grid.size)))


def _cost(array: ArrayPlan) -> int:
    """Return about how many bytes a chunk of nothing but the fill value needs."""
    size = array.layout.chunk_size * max(1, array.item_size)
    chain = [codec.to_json() for codec in array.layout.codecs]
    is_compressed = any(is_kind(configuration, "compressor") for configuration in chain)
    return _OBJECT + (size // _COMPRESSED if is_compressed else size)


def _check_number(array: ArrayPlan, missing: int | None) -> None:
    """Raise `LossError` if filling the missing chunks would make a store of another order."""
    total = array.layout.grid.size
    if missing is None or total <= _FEW:
        return
    if missing > _MOST_FILLED or missing > _MOST_TIMES * (total - missing):
        raise LossError(
            f"Zarr V2 cannot hold variable {array.fqn}: its missing chunks hold another value than"
            f" its mask, and {missing} chunks would have to be written",
            hint=f"write Zarr V3 with {option('zarr_format', 3)} (nothing was written)",
        )


# Plan how one variable of a dataset will be stored, from what a user chose and from its source.

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
        source = variable.data if isinstance(variable.data, ZarrArray) else None
        rank = len(dimensions)
        object_codec = None
        if source is not None and fqn in self.kept and self.has_dtype(source.encoding):
            encoding, order = source.encoding, source.layout.order
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

    def codecs(
        self, variable: Variable, encoding: Encoding, rank: int, object_codec: Filter | None
    ) -> tuple[Filter, ...]:
        """Return the codecs of a variable, with an object codec exactly if elements are objects.

        Scalars of NCZarr V2 get no other codec: netcdf-c opens no store in which a scalar is
        compressed.

        Parameters
        ----------
        variable, rank
            The variable, which may have other codecs where it is stored now, and its rank.
        encoding
            How its elements are stored.
        object_codec
            The codec that the objects need; None if codecs of text do.
        """
        is_v2, source = self.options.zarr_format == 2, variable.data
        is_bare = rank == 0 and is_v2 and not self.options.pure
        filters = variable.storage.filters or ()
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
        return tuple(
            self.with_known_level(self.with_known_deflate(codec, inherited)) for codec in filters
        )

    def with_known_level(self, codec: Filter) -> Filter:
        """Return a codec; a level of zstd below zero in the spelling that readers know."""
        configuration, known = codec.to_json(), codec_of(codec.to_json())
        is_unsigned = "zstd of a level below zero" in self.options.avoided
        spelled = (known.unsigned if is_unsigned else known.signed)(configuration)
        return codec if spelled == configuration else Filter.from_json(spelled)

    def with_known_deflate(self, codec: Filter, inherited: tuple[Filter, ...]) -> Filter:
        """Return a codec; deflate in the wrapper that readers of the store know.

        `inherited` are the codecs that the variable has where it is stored now. A codec that is
        inherited from a store of the same form is kept, and so is any of V2 that the user chose.
        """
        options, source = self.options, self.provenance
        if options.zarr_format == 3:
            is_kept = source.zarr_format == 3 and codec in inherited
            return codec if is_kept else _wrapped(codec, GZIP)
        is_same_form = options.pure or (source.zarr_format == 2 and source.superblock)
        return codec if is_same_form or codec not in inherited else _wrapped(codec, ZLIB)

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

    def keys(self, source: ZarrArray | None) -> ChunkKeys:
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
        """Return what strings a variable has; what is noted of it, if it is stored as Zarr.

        Strings of fixed length are read to find those that are not UTF-8, unless `keeps_bytes`.
        """
        source = variable.data
        if isinstance(source, ZarrArray) and (keeps_bytes or not source.item_size):
            return Texts(has_empty=source.encoding.keeps_empty)
        return find_texts(source)

    def keeps_empty(self, texts: Texts, fqn: str) -> bool:
        """Return whether a note will say that empty strings are not NIL.

        Zarr stores both as empty strings, which are read as NIL. If that changes strings, a notice
        says so. A store that is made of a text has no such note: `ncz dump` prints it as ncdump
        prints NCZarr.
        """
        source = self.provenance
        is_text = source.zarr_format is None and not (source.is_netcdf_file or source.is_object)
        is_noted = not is_text and (self.options.annotated or not self.options.pure)
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
        is_kept = self.options.char is None and not self.options.pure and is_v2
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

    def truncated(self, variable: Variable, fqn: str) -> Variable:
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
            preferred = None if source is None else source.preferred_chunks()
            if preferred is not None:
                return preferred
            if isinstance(source, EncodedSource) and not isinstance(source, ZarrArray):
                return source.layout.chunks
            if storage.storage_class in ("contiguous", "compact"):
                return tuple(max(1, d.size) for d in dimensions)
            return default
        if len(storage.chunks) != len(dimensions):
            text = f"{len(storage.chunks)} chunk sizes do not fit {len(dimensions)} dimensions"
            self.notify(Notice("chunk-sizes-ignored", f"{text}; the default is used", fqn))
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


# Whether chunks can be encoded.


def _chains(array: ArrayPlan) -> Iterator[tuple[list[dict[str, Json]], Any, int]]:
    """The chains of codecs, those within shards too: configurations, dtype and element size."""
    codecs, shard = array.layout.codecs, array.layout.shard
    while shard is not None:
        yield [codec.to_json() for codec in codecs], "u1", 1
        yield [codec.to_json() for codec in shard.index_codecs], "u8", 8
        codecs, shard = shard.codecs, shard.shard
    encoding = array.encoding
    if codecs:
        dtype = disk_dtype(encoding.stored_dtype)
        yield [codec.to_json() for codec in codecs], dtype, encoding.item_size


def check_codecs(arrays: Sequence[ArrayPlan]) -> None:
    """Raise `LossError` if chunks of one of the arrays cannot be encoded; it names them all.

    It is for arrays whose chunks are encoded, not for those whose chunks move raw. An array without
    data may name a codec that is not installed, but not an unknown one.
    """
    refuse_codecs((array.fqn, _codec_fault(array)) for array in arrays)


def _codec_fault(array: ArrayPlan) -> str | None:
    if array.variable.data is None and not array.fills_missing:
        faults = [writing_fault(c) for chain, *_ in _chains(array) for c in chain]
    else:
        faults = [encoding_fault(*chain) for chain in _chains(array)]
    return next(filter(None, faults), None)
