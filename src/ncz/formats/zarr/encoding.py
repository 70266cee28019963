"""How the values of a variable are encoded: codecs, quantization, and strings as bytes.

Zarr V3 specifies gzip and not zlib; netcdf-c reads zlib and not gzip in NCZarr V2. Both hold the
same compressed bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from ncz.codec.catalogue import codec_of, find_deflate, is_object_codec
from ncz.codec.deflate import GZIP, ZLIB
from ncz.errors import LossError, Notice, Notify, counted, option
from ncz.formats.zarr.notes import DEFAULT_STRING_LENGTH
from ncz.model.data import ChunkSource, Values
from ncz.model.filters import ATTRIBUTES, Filter, Quantize, make_filter, sized
from ncz.model.grid import Box
from ncz.model.slabs import chunks_of
from ncz.model.sources import MappedSource
from ncz.model.tree import Attribute, Provenance, Variable, base_name
from ncz.model.types import Atomic, Value
from ncz.record import record

_TEXT_CODEC = make_filter("vlen-utf8")

BYTES_CODEC = make_filter("vlen-bytes")
"""The codec of strings that are not UTF-8."""


def codecs_to_write(
    variable: Variable,
    item_size: int,
    zarr_format: int,
    *,
    is_bare: bool = False,
    object_codec: Filter | None = None,
) -> tuple[Filter, ...]:
    """Return the codecs of a variable, with an object codec exactly if elements are objects.

    Parameters
    ----------
    variable
        The variable, which may have other codecs where it is stored now.
    item_size
        The size of an element in bytes, or 0 for objects.
    zarr_format
        The version of Zarr to write.
    is_bare
        Leave out what is not an object codec, as for scalars of NCZarr V2: netcdf-c opens no store
        in which a scalar is compressed.
    object_codec
        The codec that the objects need; None if codecs of text do.
    """
    filters = variable.storage.filters or ()
    objects = tuple(f for f in filters if is_object_codec(f.to_json()))
    others = () if is_bare else tuple(f for f in filters if f not in objects)
    if item_size:
        filters = others
    elif object_codec is not None:
        filters = (object_codec, *_of_any_size(others))
    elif not any(zarr_format == 2 or codec_of(f.to_json()).v3 is not None for f in objects):
        filters = (_TEXT_CODEC, *_of_any_size(others))
    return tuple(sized(codec, item_size) if item_size else codec for codec in filters)


def _of_any_size(filters: Iterable[Filter]) -> Iterator[Filter]:
    return (f for f in filters if codec_of(f.to_json()).item_size_parameter is None)


def are_bytes(variable: Variable) -> bool:
    """Return whether a codec stores strings as bytes, whose fill value is base64."""
    filters = variable.storage.filters or ()
    return any(codec_of(codec.to_json()).objects == "bytes" for codec in filters)


def with_known_deflate(
    codecs: tuple[Filter, ...],
    *,
    zarr_format: int,
    pure: bool,
    inherited: tuple[Filter, ...],
    provenance: Provenance,
) -> tuple[Filter, ...]:
    """Return the codecs, with deflate in the wrapper that readers of the store know.

    Parameters
    ----------
    codecs
        The codecs of a variable.
    zarr_format, pure
        The form of the store to write.
    inherited
        The codecs that the variable has where it is stored now; () for one that is not stored.
    provenance
        The form of that store. A codec that is inherited from the same form is kept, and so is any
        codec of V2 that the user chose.
    """
    if zarr_format == 3:
        unchanged = inherited if provenance.zarr_format == 3 else ()
        return tuple(codec if codec in unchanged else _wrapped(codec, GZIP) for codec in codecs)
    if pure or (provenance.zarr_format == 2 and provenance.superblock):
        return codecs
    return tuple(_wrapped(codec, ZLIB) if codec in inherited else codec for codec in codecs)


def _wrapped(codec: Filter, window: int) -> Filter:
    if codec_of(codec.to_json()).deflate_window in (None, window):
        return codec
    return make_filter(find_deflate(window).id, level=codec.get("level", 1))


# The attributes that record how values were rounded before they were compressed.
#
# Source: netCDF-C's nc_def_var_quantize; the names as netcdf-c 4.9 and later write them.


def read_quantize(attributes: Iterable[Attribute]) -> Quantize | None:
    """Return the rounding that a variable's attributes record, or None."""
    by_name = {attribute.name: attribute for attribute in attributes}
    for algorithm, name in ATTRIBUTES.items():
        attribute = by_name.get(name)
        if attribute is not None and len(attribute.values) == 1:
            digits = attribute.values[0]
            if isinstance(digits, int) and 0 < digits <= 52:
                return Quantize(algorithm=algorithm, digits=digits)
    return None


def write_quantize(quantize: Quantize) -> Attribute:
    """Return the attribute that records a rounding."""
    name = ATTRIBUTES[quantize.algorithm]
    return Attribute(name=name, type=Atomic.INT, values=(quantize.digits,))


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


def keeps_empty(fqn: str, texts: Texts, *, is_noted: bool, notify: Notify) -> bool:
    """Return whether a note will say that the empty strings of a variable are not NIL.

    Zarr stores both as empty strings, which are read as NIL. If that changes strings, a notice
    says so.

    Parameters
    ----------
    fqn
        The variable, for messages.
    texts
        What strings it has.
    is_noted
        Whether the store can have the note.
    notify
        Receives the notice.
    """
    if not texts.has_empty or (is_noted and not texts.has_nil):
        return texts.has_empty
    message = "empty strings are read as NIL"
    if texts.has_nil:
        message = "empty strings and NIL are both stored as empty strings, and read as NIL"
    notify(Notice("string-nil", message, fqn))
    return False


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
