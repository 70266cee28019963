"""The form of an entry in the catalogue of codecs, and of the spellings of a codec.

Sources: numcodecs' configurations; the Zarr core specification version 3, "Codecs"; netcdf-c's
plugins (H5Z*.c), which define the parameters of HDF5 filters.
"""

from __future__ import annotations

from typing import Any, Literal

from ncz.record import record

Json = Any
"""A value that `json.loads` returns."""

Kind = Literal["compressor", "bytes filter", "array filter", "object codec", "checksum"]
"""An object codec encodes objects of varying size; an array filter keeps an array an array."""

Place = Literal["array to array", "array to bytes", "bytes to bytes"]
"""The place of a codec in a chain of Zarr V3."""

ParameterType = Literal["integer", "number", "boolean", "text", "any"]


@record
class Parameter:
    """One parameter of a codec. The value null is allowed where it is the default."""

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

    def fault(self, value: Json) -> str | None:
        """Return what the value must be, or None if it is valid."""
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
    """The number that the filter takes where it is missing."""
    words: tuple[str, ...] = ()
    """For a parameter that is a text: the number is the index of the text."""
    signed: bool = False
    """True if the filter takes the number as a signed one."""


@record
class Hdf5Spelling:
    """A codec as an HDF5 filter."""

    number: int
    parameters: tuple[Hdf5Parameter, ...] = ()


@record
class V3Parameter:
    """One member of a codec's configuration in Zarr V3."""

    name: str
    default: Json = None
    """The value that readers take where the member is missing."""
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


@record(kw_only=True)
class Codec:
    """Everything ncz knows about one codec."""

    id: str
    """The id that numcodecs registers."""
    kind: Kind
    parameters: tuple[Parameter, ...] = ()
    """In the order in which ncz writes them where it makes a configuration itself."""
    hdf5: Hdf5Spelling | None = None
    v3: V3Spelling | None = None
    """None if Zarr V3 has no spelling of the codec that others read."""
    short: tuple[tuple[str, Json], ...] | None = None
    """The parameters of the short form NAME:VALUE:..., with defaults; None if it has no such
    form."""
    keeps_size: bool = False
    """True if encoding keeps the number of bytes, but for the bytes that a checksum adds."""
    added_bytes: int | None = None
    """The bytes that encoding adds; None if that depends on the data."""
    counts_objects: bool = False
    """True if an encoded chunk starts with the number of its objects, in four bytes."""
    dtype_of_objects: str | None = None
    """The parameter that says whether an array filter takes objects and is an object codec."""
    deflate_window: int | None = None
    """For a compressor that wraps a deflate stream, the window by which zlib decodes it."""
    needs_array: bool = False
    """True if a compressor takes an array rather than bytes."""
    implemented: bool = True
    """False if neither ncz nor numcodecs 0.15 and later implements the codec."""
    install: str | None = None
    """The command that installs the package that numcodecs needs for the codec."""

    @property
    def place(self) -> Place:
        """The place of the codec in a chain of Zarr V3."""
        if self.kind == "array filter":
            return "array to array"
        if self.kind == "object codec" or self.needs_array:
            return "array to bytes"
        return "bytes to bytes"

    @property
    def item_size_parameter(self) -> str | None:
        """The parameter that must be the size of an element; None if there is none."""
        return next((p.name for p in self.parameters if p.is_item_size), None)
