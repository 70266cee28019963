"""The plan of a Zarr store: how each variable of a dataset will be stored.

A plan is made before anything is written. It holds an `ArrayPlan` for each variable. The writer
carries it out; a copy compares it with the source.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec.catalogue import is_kind, writing_fault
from ncz.codec.chain import encoding_fault
from ncz.errors import FormatError, LossError, Notice, Notify, ignore_notice, named_notice, option
from ncz.formats.kinds import refuse_codecs
from ncz.formats.zarr.array import ZarrArray, encode_elements
from ncz.formats.zarr.attributes import is_strict, without_nan, write_attribute
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.document import ChunkKeys
from ncz.formats.zarr.document_v3 import plain_shard, print_array
from ncz.formats.zarr.dtypes import VLEN_DTYPE, Encoding, as_little_endian, encoding_for
from ncz.formats.zarr.elements import (
    disk_dtype,
    fill_element,
    has_void_elements,
    is_maskable,
    is_null_fill,
    is_same_fill,
    kind_of,
    to_disk,
    write_fill,
)
from ncz.formats.zarr.encoding import (
    BYTES_CODEC,
    DEFAULT_MAXIMUM,
    MAXIMUM,
    Texts,
    are_bytes,
    codecs_to_write,
    declared_length,
    find_texts,
    is_utf8_text,
    keeps_empty,
    string_length,
    truncated,
    with_known_deflate,
)
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.losses import attribute_notices, faults, hidden_attributes, pure_losses
from ncz.formats.zarr.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.user_types import encoding_of, object_codec_of
from ncz.model.chunks import ChunkLayout, Shard, default_chunks, in_order
from ncz.model.encoded import EncodedSource, ListedSource
from ncz.model.filters import Filter
from ncz.model.grid import Index
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Provenance,
    Variable,
    dimensions_by_fqn,
    join,
    mask_of,
    missing_fill,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Value
from ncz.model.user_types import fixed_size
from ncz.record import record, replace
from ncz.zmap.key import join_key

if TYPE_CHECKING:
    from ncz.model.data import Values

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


MASK_STAND_IN = "missing_value"
"""The attribute that has a mask in annotated Zarr V3 where xarray opens no array with the mask."""


def unreadable_mask(array: ArrayPlan) -> Attribute | None:
    """Return the ``_FillValue`` of a V3 array if xarray reads it as another mask, or not at all.

    It takes one number for a mask: of integers, a whole number, as which it reads others, too; of
    other numbers, the bytes of a float. It opens no array with another mask, such as text.
    """
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or not isinstance(nc_type, Atomic):
        return None
    is_number = len(mask.values) == 1 and isinstance(mask.values[0], int | float)
    number = mask.values[0] if is_number else math.nan
    is_whole = isinstance(number, int) or number.is_integer()
    is_read = (nc_type.kind in "iu" and is_whole) or (
        nc_type.is_floating and is_number and isinstance(number, float)
    )
    return None if is_read else mask


def has_stand_in(array: ArrayPlan, options: WriteOptions) -> bool:
    """Return whether ``missing_value`` stands for the mask, which is then annotated.

    None stands for that of bytes: attributes are text, which xarray does not find among bytes.
    """
    if not options.annotated or options.zarr_format != 3 or are_bytes(array.variable):
        return False
    stand_in = stand_in_of(array)
    is_mask = stand_in is not None and stand_in != [] and not masks_nothing(array)
    return is_mask and is_strict(stand_in)


def stand_in_of(array: ArrayPlan) -> Json:
    """Return the JSON of what stands for the mask of an array; see `has_stand_in`."""
    mask = unreadable_mask(array)
    return None if mask is None else without_nan(write_attribute(mask, typed=True))


def masks_nothing(array: ArrayPlan) -> bool:
    """Return whether xarray drops the mask that an array has in a netCDF file.

    It has no values, or all are NaN, or it is of char, which are bytes, and so no string. Of char,
    it drops none: whatever the mask is, it takes the bytes of it for text.
    """
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or (nc_type is Atomic.STRING and mask.type is Atomic.CHAR):
        return True
    if Atomic.CHAR in (nc_type, mask.type):
        return False
    return _is_nan(mask)


def _is_nan(mask: Attribute) -> bool:
    return all(isinstance(value, float) and math.isnan(value) for value in mask.values)


def masks_text_instead(array: ArrayPlan) -> bool:
    """Return whether xarray drops the mask in a netCDF file, and would use it in pure Zarr V2.

    JSON has no difference between char and string, and a mask without values is "" in V2.
    """
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or nc_type is Atomic.CHAR:
        return False
    if mask.type is Atomic.CHAR:
        return nc_type is Atomic.STRING
    return not mask.values


def leaves_mask_out(array: ArrayPlan, options: WriteOptions, source: Provenance) -> bool:
    """Return whether Zarr V3 gets no ``_FillValue`` for an array.

    It would not be the mask for xarray; see `unreadable_mask`. NCZarr notes it, and without
    annotations, masks of text are written all the same.
    """
    is_unread = unreadable_mask(array) is not None and (options.annotated or not is_of_text(array))
    return (options.pure and is_unread) or _has_kept_mask(array, source)


def _has_kept_mask(array: ArrayPlan, source: Provenance) -> bool:
    """Return whether the mask comes from pure V2, and xarray would open no V3 array with it.

    It is text, or a time that is stored as such, and in ``fill_value``, which is kept.
    """
    is_pure_v2 = source.zarr_format == 2 and not source.superblock
    is_numeric = kind_of(array.encoding) in ("b", "i", "u", "f", "c")
    return array.mask is not None and is_pure_v2 and not is_numeric


def _masks_bytes(array: ArrayPlan, options: WriteOptions) -> bool:
    """Return whether a mask of bytes is annotated, of which attributes can say nothing."""
    return options.annotated and array.mask is not None and are_bytes(array.variable)


def has_mask_of_another_type(array: ArrayPlan) -> bool:
    """Return whether xarray opens no array of V3 with the mask, or misreads it, for its type."""
    mask = unreadable_mask(array)
    if mask is None:
        return False
    return not (is_of_text(array) and mask.type is array.variable.type and mask.values)


def is_of_text(array: ArrayPlan) -> bool:
    """Return whether the elements of an array are chars or strings."""
    return array.variable.type in (Atomic.CHAR, Atomic.STRING)


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
    if is_default and options.masks_default_fill and not options.pure and _leaves_out(source):
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
    of pure V2 is kept, because the model has no mask of them.
    """
    has_names = names_to_write(array.variable, pure=options.pure) is not None
    is_named = not options.pure or (options.xarray and has_names)
    is_pure_v2 = source.superblock == 0 and source.zarr_format == 2
    is_kept = is_pure_v2 and not is_maskable(array.encoding)
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
    if isinstance(source, ListedSource) and not source.is_listed:
        return None  # `present` yields all indices
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

        A store that is made of a text has none: `ncz dump` prints it as ncdump prints NCZarr.
        """
        provenance = self.provenance
        is_text = provenance.zarr_format is None and not (
            provenance.is_netcdf_file or provenance.is_object
        )
        is_noted = not is_text and (self.options.annotated or not self.options.pure)
        return keeps_empty(fqn, texts, is_noted=is_noted, notify=self.notify)

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


@record(kw_only=True)
class DatasetPlan:
    """How a dataset will be stored. `losses` is what a reader of the store will not get back."""

    dataset: Dataset
    options: WriteOptions
    arrays: tuple[ArrayPlan, ...]
    losses: tuple[Notice, ...] = ()


def plan_dataset(
    dataset: Dataset, options: WriteOptions = AS_NETCDF_C, notify: Notify = ignore_notice
) -> DatasetPlan:
    """Plan how to store all of `dataset`; nothing is written.

    Parameters
    ----------
    dataset
        What to store.
    options
        How to write the store.
    notify
        Called with a notice of everything that the user should know.

    Returns
    -------
    DatasetPlan
        A plan for each variable, and what a reader will not get back.

    Raises
    ------
    LossError
        If the store cannot hold something at all; the message lists everything.
    """
    kept = _with_kept_dtype(dataset, options)
    found = list(faults(dataset, pure=options.pure, kept=kept))
    if found:
        raise LossError(
            f"Zarr V{options.zarr_format} cannot hold {'; '.join(found)}",
            hint="rename or convert what is listed (nothing was written)",
        )
    seen = attribute_notices(
        dataset,
        pure=options.pure,
        annotated=options.annotated,
        zarr_format=options.zarr_format,
    )
    for notice in (*hidden_attributes(dataset), *seen):
        notify(notice)
    planning = ArrayPlanner(dataset, options, kept, notify)
    arrays = tuple(
        planning.plan(variable, fqn)
        for fqn, group in walk(dataset.root)
        for variable in group.variables
    )
    losses: tuple[Notice, ...] = ()
    if options.pure:
        masked = (*_masked_fills(arrays), *_lost_masks(arrays, options))
        lost = tuple(pure_losses(dataset, options, kept))
        if options.annotated:  # so that ncz reads everything, and other programs do not
            for notice in lost:
                notify(notice)
            lost = ()
        losses = (*lost, *masked)
    plan = DatasetPlan(dataset=dataset, options=options, arrays=arrays, losses=losses)
    if options.zarr_format == 3:
        _check_v3(plan)
        seen = _masks_in_v3(plan)
    else:
        seen = _seen_in_v2(plan)
    for notice in seen:
        notify(notice)
    return plan


def _check_v3(plan: DatasetPlan) -> None:
    """Raise `LossError`, listing every variable that Zarr V3 cannot express."""
    found = []
    for array in plan.arrays:
        try:
            print_array(
                array.layout,
                array.encoding,
                array.fill,
                keys=array.keys,
                attributes={},
                dimension_names=None,
            )
        except FormatError as error:
            found.append(f"variable {array.fqn}: {error.message}")
    if found:
        raise LossError(
            "; ".join(found),
            hint=f"choose other codecs with {option('codecs')}, or write Zarr V2"
            " (nothing was written)",
        )


def _masked_fills(arrays: Sequence[ArrayPlan]) -> Iterator[Notice]:
    """Name the arrays of which readers of pure Zarr V2 mask what was never written."""
    return named_notice(
        "fill-masked",
        "xarray masks elements that were never written, too many to write",
        [array.fqn for array in arrays if array.masks_missing],
        f"write Zarr V3 with {option('zarr_format', 3)}",
    )


def _lost_masks(arrays: Sequence[ArrayPlan], options: WriteOptions) -> Iterator[Notice]:
    """Name the arrays whose masks are left out of Zarr V3, and not annotated."""
    if options.zarr_format == 3 and not options.annotated:
        names = [a.fqn for a in arrays if not is_of_text(a) and unreadable_mask(a) is not None]
        text = "masks of another type are left out of Zarr V3"
        yield from named_notice("mask-left-out", text, names, "write Zarr V2 to keep them")


def _masks_in_v3(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays whose masks Zarr V3 does not get."""
    renamed = {
        array.fqn: array.variable.type
        for array in plan.arrays
        if has_stand_in(array, plan.options) and array.variable.attribute(MASK_STAND_IN) is None
    }
    unseen = [
        array.fqn
        for array in plan.arrays
        if unreadable_mask(array) is not None
        and not masks_nothing(array)
        and (not is_of_text(array) or has_mask_of_another_type(array))
        and (plan.options.annotated or not plan.options.pure)
        and array.fqn not in renamed
    ]
    yield from named_notice(
        "mask-left-out",
        "xarray does not see these masks of another type in Zarr V3",
        unseen,
        "write Zarr V2 if it is to see them",
    )
    yield from named_notice(
        "mask-renamed", f"Zarr V3 has these masks as {MASK_STAND_IN}", list(renamed)
    )
    yield from named_notice(
        "mask-left-out",
        "xarray does not mask these characters in Zarr V3",
        [fqn for fqn, nc_type in renamed.items() if nc_type is Atomic.CHAR],
        "write Zarr V2 if it is to mask them",
    )
    yield from named_notice(
        "mask-left-out",
        "texts and times get no mask in Zarr V3, for xarray",
        [
            array.fqn
            for array in plan.arrays
            if _has_kept_mask(array, plan.dataset.provenance) or _masks_bytes(array, plan.options)
            if not has_stand_in(array, plan.options)
        ],
        "write Zarr V2 to keep their masks",
    )


def _is_unseen_in_v2(array: ArrayPlan) -> bool:
    """Return whether texts have no mask for xarray in Zarr V2, and have one in a netCDF file.

    It masks no chars with NaN, and no bytes, as which it reads strings of a fixed length, with the
    text of `missing_value`.
    """
    variable = array.variable
    if variable.type is Atomic.CHAR:
        mask = variable.attribute("_FillValue")
        return mask is not None and bool(mask.values) and _is_nan(mask)
    own = variable.attribute(MASK_STAND_IN)
    is_text = own is not None and own.type in (Atomic.CHAR, Atomic.STRING)
    return is_text and variable.type is Atomic.STRING and kind_of(array.encoding) == "S"


def _seen_in_v2(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays that are in Zarr V2 otherwise than asked for, or than readers take them."""
    yield from named_notice(
        "shards-ignored",
        "Zarr V2 has no shards, so chunks are stored separately",
        [
            array.fqn
            for array in plan.arrays
            if array.variable.storage.shards is not None
            and not isinstance(array.variable.data, EncodedSource)
        ],
        f"write Zarr V3 with {option('zarr_format', 3)}",
    )
    yield from named_notice(
        "scalar-not-compressed",
        "scalars are stored without codecs, with which netCDF-C does not open them",
        [
            array.fqn
            for array in plan.arrays
            if array.variable.storage.filters and not (array.layout.codecs or array.layout.shape)
        ],
    )
    yield from named_notice(
        "text-fill",
        "xarray and zarr-python open no texts whose fill_value is not base64",
        [array.fqn for array in plan.arrays if _has_literal_text_fill(array)],
        "use mode=zarr, or no _FillValue",
    )
    yield from named_notice(
        "mask-left-out",
        "xarray does not see these masks of texts in Zarr V2",
        [array.fqn for array in plan.arrays if _is_unseen_in_v2(array)],
    )
    yield from named_notice(
        "attribute-empty",
        'xarray masks "", as an empty missing_value is in Zarr V2',
        [array.fqn for array in plan.arrays if plan.options.pure and _has_empty_stand_in(array)],
        f"use {option('zarr_format', 3)}",
    )


def _has_empty_stand_in(array: ArrayPlan) -> bool:
    """Return whether `missing_value` has no values, so that it is the text "" in Zarr V2."""
    mask = array.variable.attribute(MASK_STAND_IN)
    return mask is not None and not mask.values and mask.type is not Atomic.CHAR


def _with_kept_dtype(dataset: Dataset, options: WriteOptions) -> frozenset[str]:
    """Return the FQNs of variables that keep their Zarr dtype: from pure Zarr to pure Zarr."""
    if not options.pure or dataset.provenance.superblock:
        return frozenset()
    return frozenset(
        fqn
        for fqn, variable in variables_by_fqn(dataset.root)
        if isinstance(variable.data, ZarrArray)
    )


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


def _has_literal_text_fill(array: ArrayPlan) -> bool:
    """Return whether zarr-python could read the array if its `fill_value` were not text."""
    encoding = array.encoding
    is_text = encoding.type in (Atomic.CHAR, Atomic.STRING) and encoding.item_size > 0
    is_masked = array.masks_fill and array.mask is not None and array.fill is not None
    fill = array.mask if is_masked else array.fill
    is_literal = not encoding.base64_fill and bool(write_fill(fill, encoding))
    return is_text and is_literal and encoding.dtype != ">S1"
