"""Codecs, which turn the elements of a chunk into stored bytes and back.

`Codec` is the base class of all codecs, and itself a codec of numcodecs that ncz does not
know, such as a plug-in's. A family of codecs is a module of this package that ends with the table
`CODECS`; `catalogue` names the families, and finds a codec by a name of Zarr V2, Zarr V3 or HDF5.
`chain` applies the codecs of a chunk. Neither numpy nor numcodecs is imported before a chunk is
encoded or decoded.

Knows neither keys nor the data model. May import: errors, record.

Sources: numcodecs 0.15 and later; the Zarr specifications of codecs; the HDF5 list of registered
filters, and netcdf-c's plugins (H5Z*.c) for the parameters of those filters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from ncz.errors import CodecError, CodecMissing
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Elements = NDArray[Any]
else:
    Elements = Any  # numpy is imported when there are elements

Bytes = bytes | bytearray | memoryview
"""The bytes of a chunk between two codecs. An array of elements may stand in their place."""

Json = Any
"""A value that `json.loads` returns."""

Configuration = Mapping[str, Json]
"""A codec as Zarr V2 spells it: the member "id" and the parameters."""

Kind = Literal[
    "compressor",
    "bytes filter",
    "array filter",
    "object codec",
    "serializer",
    "checksum",
    "unknown",
]
"""An object codec encodes objects of varying size, and a serializer elements of a fixed size; an
array filter keeps an array an array."""

Place = Literal["array to array", "array to bytes", "bytes to bytes"]
"""The place of a codec in a chain of Zarr V3."""

ParameterType = Literal["integer", "number", "boolean", "text", "any"]


@record
class Parameter:
    """One parameter of a codec. The value null is allowed if it is the default."""

    name: str
    type: ParameterType = "any"
    default: Json = None
    least: int | None = None
    most: int | None = None
    choices: tuple[Json, ...] = ()
    required: bool = False
    is_item_size: bool = False
    """True if the parameter is the size of an element in bytes."""

    is_recent: bool = False
    """True if readers of Zarr V2 exist that refuse the parameter; at its default it is omitted."""
    wraps: bool = False
    """True if a number below zero is also spelled as an unsigned one of 32 bits, as in HDF5."""

    def to_signed(self, value: Json) -> Json:
        """Return the value; a number below zero if it is spelled as an unsigned one."""
        is_wrapped = self.wraps and type(value) is int and 2**31 <= value < 2**32
        return value - 2**32 if is_wrapped else value

    def fault(self, value: Json) -> str | None:
        """Return a message with the valid values, or None if the value is valid."""
        value = self.to_signed(value)
        if value is None and self.default is None and not self.required:
            return None
        if self.choices:
            # Python's True == 1 must not pass for an integer.
            valid = any(value == c and type(value) is type(c) for c in self.choices)
            return None if valid else f"must be one of {', '.join(map(str, self.choices))}"
        match self.type:
            case "integer":
                if type(value) is int and self.least is not None and self.most is not None:
                    valid = self.least <= value <= self.most
                else:
                    valid = type(value) is int
                return None if valid else f"must be an integer from {self.least} to {self.most}"
            case "number":
                valid = isinstance(value, (int, float)) and not isinstance(value, bool)
                return None if valid else "must be a number"
            case "boolean":
                return None if isinstance(value, bool) else "must be true or false"
            case "text":
                return None if isinstance(value, str) and value else "must be a text"
            case _:
                return None


@record
class Hdf5Parameter:
    """One number among the parameters of an HDF5 filter."""

    name: str | None = None
    """The codec's parameter; None for a number that the codec does not have."""
    default: int = 0
    """The default of the filter for a missing number."""
    words: tuple[str, ...] = ()
    """For a parameter that is a text: the number is the index of the text."""
    signed: bool = False
    """True if the filter takes the number as a signed one."""


@record
class Hdf5Spelling:
    """A codec as an HDF5 filter."""

    number: int
    parameters: tuple[Hdf5Parameter, ...] = ()
    names: tuple[str, ...] = ()
    """The names next to the codec's id that people use for the filter."""


@record
class V3Parameter:
    """One member of a codec's configuration in Zarr V3."""

    name: str
    default: Json = None
    """The value that readers use if the member is missing."""
    words: tuple[str, ...] = ()
    """For a parameter that is a text in V3 and a number in V2: the number is the index."""
    automatic: tuple[str, str] | None = None
    """The texts for -1, for elements of one byte and for longer ones."""
    is_item_size: bool = False


@record
class V3Spelling:
    """A codec in Zarr V3: one that the specifications define, or a codec of numcodecs.

    The spelling is used only for configurations that have the members `fixed`.
    """

    name: str
    parameters: tuple[V3Parameter, ...] | None = None
    """None if the parameters are spelled as in Zarr V2."""
    fixed: tuple[tuple[str, Json], ...] = ()
    equal: tuple[str, ...] = ()
    """Parameters with dtypes that must be equal, because zarr-python reads nothing else."""


def integer(name: str, default: int | None, least: int, most: int) -> Parameter:
    """Return a parameter that is an integer of a range."""
    return Parameter(name, "integer", default, least, most)


def flag(name: str, default: bool, *, is_recent: bool = False) -> Parameter:
    """Return a parameter that is true or false."""
    return Parameter(name, "boolean", default, is_recent=is_recent)


def choice(name: str, default: Json, *choices: Json) -> Parameter:
    """Return a parameter that is one of some values."""
    return Parameter(name, "any", default, None, None, choices)


DTYPE = Parameter("dtype", "text", required=True)
LEVEL = (Hdf5Parameter("level", 1),)
LARGEST = 2**31 - 1


def by_numcodecs(codec_id: str) -> V3Spelling:
    """Return the spelling in Zarr V3 of a codec that only numcodecs specifies."""
    return V3Spelling(f"numcodecs.{codec_id}")


class TooLong(ValueError):
    """The data decode to more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it decodes to more than {limit} bytes")


class EncodedBytes(Protocol):
    """Encoded bytes, in memory or in a file; an index or a slice reads a part. `bytes` are such."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, part: int, /) -> int: ...
    @overload
    def __getitem__(self, part: slice, /) -> bytes: ...


@record
class ArraySpec:
    """The specification of an array that a codec encodes: each codec maps one to the next.

    Attributes
    ----------
    shape
        The length along each axis.
    item_size
        The size of an element in bytes; 0 for objects.
    dtype
        The dtype, as `numpy.dtype` takes it; None if only the number of bytes is known.
    fill
        The value of missing chunks, as an array of shape (); None if no codec needs it.
    order
        The byte order of the elements: "<" or ">".
    is_boolean
        Whether elements of one byte are booleans.
    """

    shape: tuple[int, ...]
    item_size: int
    dtype: Any = None
    fill: Any = None
    order: str = "<"
    is_boolean: bool = False

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """The number of bytes; 0 for objects."""
        return math.prod(self.shape) * self.item_size


@record
class Stage:
    """Properties of one step that encodes or decodes a chunk.

    Attributes
    ----------
    configuration
        The codec's configuration.
    array
        The array that is encoded; for a codec of bytes, the last array before it.
    limit
        The most bytes that decoding may give.
    shuffled
        In encoding, the size of the elements that the codec before this one shuffled, or 1.
    row
        The length of the last axis of the whole array; 0 if it is not known.
    after
        In decoding, the array that the codec encodes `array` to.
    """

    configuration: Configuration
    array: ArraySpec
    limit: int = 0
    shuffled: int = 1
    row: int = 0
    after: ArraySpec | None = None

    @property
    def count(self) -> int:
        """The number of elements."""
        return self.array.count

    @property
    def item_size(self) -> int:
        """The size of an element in bytes; 0 for objects."""
        return self.array.item_size

    def refuse_longer(self, size: int) -> None:
        """Raise `TooLong` if `size` is more than the step may give."""
        if size > self.limit:
            raise TooLong(self.limit)


_LEAST_OBJECTS = 16 << 20
BYTES_OF_OBJECT = 256
WIDEST = 16  # bytes of an element after any filter: complex128


def object_budget(encoded_size: int, count: int) -> int:
    """Return the most bytes that a chunk of `count` objects may give when it is decoded.

    It is the largest of 16 MiB, 16 times `encoded_size`, and 256 bytes for each object.
    """
    return max(_LEAST_OBJECTS, 16 * encoded_size, BYTES_OF_OBJECT * count)


class Codec:
    """A codec: its properties, and its encoding and decoding.

    A subclass sets attributes, and overrides methods where it differs from a codec of
    numcodecs. Decoding never returns more than `Stage.limit` bytes: `check` refuses data whose
    header declares more, and `decode` stops at the limit if a header declares nothing.
    """

    id: str = ""
    """The id that numcodecs registers."""
    kind: Kind = "unknown"
    parameters: tuple[Parameter, ...] = ()
    """In the order that ncz uses for its own configurations."""
    hdf5: Hdf5Spelling | None = None
    v3: V3Spelling | None = None
    """None if Zarr V3 has no spelling of the codec that others read."""
    short: tuple[tuple[str, Json], ...] | None = None
    """The parameters of the short form NAME:VALUE:..., with defaults; None if it has no such
    form."""
    effort: tuple[str, ...] = ()
    """The parameters that do not affect decoding, such as the level of a compressor: they affect
    only encoding, or the header of the data has them too."""
    keeps_size: bool = False
    """True if encoding keeps the number of bytes, except for the bytes of a checksum."""
    added_bytes: int | None = None
    """The bytes that encoding adds; None if that depends on the data."""
    objects: Literal["text", "bytes", "arrays"] | None = None
    """The objects of an object codec; None if they may be of any kind."""
    deflate_window: int | None = None
    """For a compressor that wraps a deflate stream, the window for decoding it with zlib."""
    needs_array: bool = False
    """True if a compressor takes an array rather than bytes."""
    takes_arrays: bool = False
    """True if `encode` takes an array of the shape and dtype of `Stage.array`, and `decode` gives
    one; other codecs take a flat array, or its bytes."""
    moves_elements: bool = False
    """True if the codec only puts elements into another order or shape."""
    holds_chunks: bool = False
    """True if an encoded array is a shard, which contains smaller chunks."""
    holds_codecs: bool = False
    """True if the parameter "codecs" is a list of codecs of bytes, which a codec applies itself."""
    is_extension: bool = False
    """True if zarr-extensions specify the codec, and many readers of Zarr V3 do not have it."""
    is_v2: bool = True
    """False if readers of Zarr V2 do not know the codec."""
    can_encode: bool = True
    """False if neither ncz nor numcodecs 0.15 and later encodes with the codec."""
    install: str | None = None
    """The command that installs the package that the codec needs."""

    def __init__(self, codec_id: str = "") -> None:
        self.id = codec_id or self.id

    def __repr__(self) -> str:
        return f"<codec {self.id}>"

    @property
    def place(self) -> Place:
        """The place of the codec in a chain of Zarr V3."""
        if self.kind == "array filter":
            return "array to array"
        if self.kind in ("object codec", "serializer") or self.needs_array:
            return "array to bytes"
        return "bytes to bytes"

    @property
    def makes_bytes(self) -> bool:
        """Whether the codec makes bytes of an array."""
        return self.place == "array to bytes"

    @property
    def item_size_parameter(self) -> str | None:
        """The parameter that must be the size of an element; None if none exists."""
        return next((p.name for p in self.parameters if p.is_item_size), None)

    def encodes_objects(self, configuration: Configuration) -> bool:
        """Return whether the codec encodes objects, which have no fixed size."""
        return self.kind == "object codec"

    def narrows(self, configuration: Configuration) -> bool:
        """Return whether the codec stores numbers in another type than theirs."""
        return False

    def first_within(self, rank: int) -> list[tuple[str, dict[str, Json]]]:
        """Return the codecs before the codecs of the parameter "codecs" in Zarr V3.

        They are names and configurations, for an array of a rank.
        """
        return []

    def shuffled_size(self, stage: Stage) -> int:
        """Return the size of the elements that encoding divides into planes; 1 if it does not."""
        return 1

    def element_size(self, configuration: Configuration, size: int) -> int:
        """Return the size of an element that is encoded, of `size` bytes before."""
        return size

    def hdf5_parameters(
        self, numbers: tuple[int, ...], item_size: int, chunk_size: int
    ) -> tuple[int, ...]:
        """Return the parameters of the HDF5 filter of a dataset.

        Parameters
        ----------
        numbers
            The numbers that the codec's parameters give.
        item_size
            The size of an element in bytes.
        chunk_size
            The number of elements of a chunk.
        """
        return numbers

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the array after encoding; codecs that make bytes return `array`.

        Raises `CodecError` for an array that the codec cannot encode.
        """
        return array

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the most bytes that `size` bytes of an array can have after encoding.

        `most` is the limit of any chain, and the answer for an unknown codec.
        """
        if self.kind == "unknown":
            return most
        if self.keeps_size:
            return size + (self.added_bytes or 0)
        if self.takes_arrays:
            return self.result(array, configuration).size
        if self.kind == "array filter":
            return max(size, WIDEST * array.count)
        return size + size // 16 + 4096  # a compressor, of data that cannot be compressed

    def object_budget(self, encoded_size: int, count: int) -> int:
        """Return the most bytes that a chunk of objects may decode to; see `object_budget`."""
        return object_budget(encoded_size, count)

    def check(self, data: Bytes, stage: Stage) -> None:
        """Raise `ValueError` if `decode` must not be called with `data`.

        Native libraries trust the sizes in the data. A header that declares more than there is
        makes them read, or write, memory that is not theirs; one that declares very much makes them
        allocate it. So declared sizes are compared with the actual bytes, and with the most bytes
        that the stage may give.
        """

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Return whether the header of encoded bytes agrees with them, without decoding them.

        `size` is the number of decoded bytes if it is known, `array` the specification of their
        array. False may be wrong; the bytes are decoded then.
        """
        return True

    def encode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Encode bytes, or an array of elements."""
        encoded: Bytes | Elements = self.load(stage.configuration).encode(value)
        return encoded

    def decode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Decode what `encode` returned, after `check` has accepted it."""
        decoded: Bytes | Elements = self.load(stage.configuration).decode(value)
        return decoded

    def load(self, configuration: Configuration) -> Any:
        """Return the codec of numcodecs.

        Raises
        ------
        CodecMissing
            If numcodecs does not have it.
        CodecError
            If ncz does not use it.
        """
        import numcodecs

        try:
            return numcodecs.get_codec({**self._plain(configuration), "id": self.id})
        except (ValueError, ImportError) as error:  # numcodecs' UnknownCodecError is a ValueError
            if "codec not available" not in str(error) and not isinstance(error, ImportError):
                raise
            raise self.missing_error() from error

    def _plain(self, configuration: Configuration) -> dict[str, Json]:
        """Return a configuration with numbers of Python, as in numcodecs.

        numpy computes in double precision with a subclass of float, such as a number of a document.
        """
        plain = {
            name: float(value) if isinstance(value, float) else value
            for name, value in configuration.items()
        }
        return self.to_signed(plain)

    def to_signed(self, configuration: Configuration) -> dict[str, Json]:
        """Return a configuration without negative numbers spelled as unsigned ones."""
        wrapped = {p.name: p for p in self.parameters if p.wraps and p.name in configuration}
        return {**configuration, **{n: p.to_signed(configuration[n]) for n, p in wrapped.items()}}

    def to_unsigned(self, configuration: Configuration) -> dict[str, Json]:
        """Return a configuration with the numbers below zero as netCDF-C spells them in Zarr V2."""
        signed = self.to_signed(configuration)
        names = [p.name for p in self.parameters if p.wraps and p.name in signed]
        return {**signed, **{n: signed[n] % 2**32 for n in names if type(signed[n]) is int}}

    def missing_error(self) -> CodecError:
        """Return the error that the codec is not available, with the package to install."""
        hint = self.install or "install the package that provides it to numcodecs"
        if not self.can_encode and self.install is None:
            hint = "neither ncz nor numcodecs implements it"
        return CodecMissing(f"the codec {self.id!r} is not available", hint=hint)


def view(value: Bytes | Elements) -> memoryview:
    """Return the bytes of a value without a copy if it is contiguous in memory."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return memoryview(value)
    flags = getattr(value, "flags", None)  # arrays, but no other buffers
    if flags is None or not flags.c_contiguous or value.dtype.hasobject:
        return memoryview(to_bytes(value))
    return value.reshape(-1).view("u1").data


def to_bytes(value: Bytes | Elements) -> bytes:
    """Return the bytes of a value."""
    if isinstance(value, bytes):
        return value
    tobytes = getattr(value, "tobytes", None)  # arrays, with or without elements, and memoryviews
    return bytes(value) if tobytes is None else tobytes()
