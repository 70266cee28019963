"""Missing data that readers see in a new store: the place of each array's mask, and the reason.

xarray takes ``fill_value`` of Zarr V2 for the mask, and opens no array of Zarr V3 with an attribute
``_FillValue`` that it cannot read. `place` decides once for each array, by the `RULES`. The writers
of both versions carry that out, `missing_chunks` writes the chunks that must not stay missing, and
`mask_notices` reports masks that readers do not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, TypeVar

from ncz.formats.zarr.arrays.strings import are_bytes
from ncz.formats.zarr.documents.attributes import without_nan, write_attribute
from ncz.formats.zarr.documents.dimensions import names_to_write
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.types.dtypes import (
    has_void_elements,
    is_complex,
    is_maskable,
    is_time,
    kind_of,
)
from ncz.formats.zarr.types.fill_values import is_null_fill, is_same_fill
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.json_text import is_strict
from ncz.model.tree import Attribute, Provenance, Variable
from ncz.model.types import Atomic, Value
from ncz.record import record

_T = TypeVar("_T")

MASK_STAND_IN = "missing_value"
"""The attribute that has a mask in annotated Zarr V3 where xarray opens no array with the mask."""

Layout = Literal["nczarr-v2", "annotated-v2", "pure-v2", "nczarr-v3", "annotated-v3", "pure-v3"]
"""The form of a store: with notes of NCZarr, pure Zarr with annotations, or pure Zarr alone."""

TypeClass = Literal["number", "char", "string", "bytes", "complex", "void", "user"]
"""The kind of elements that readers see in an array.

"void" are structures, raw bytes and arrays, and "user" is any other user-defined type.
"""

MaskClass = Literal["none", "read", "void", "text", "other"]
"""The meaning of an attribute ``_FillValue`` for xarray.

"none"
    There is no mask, or its type differs from the array's.
"read"
    It reads the mask correctly.
"void"
    It opens no array with it, and drops it in a netCDF file: it has no values, or all are NaN, or
    it is of char, which are bytes, and so no string. In Zarr V2, where it is text, xarray would use
    it.
"text"
    It opens no array of Zarr V3 with it: text, of the type of the array.
"other"
    It opens no array of Zarr V3 with it, or takes another number for it.
"""

FillClass = Literal["value", "undefined", "null", "mask", "default", "netcdf-c", "other"]
"""The meaning of ``fill_value`` for readers, and the contents of missing chunks.

"value"
    They take it for the value of missing chunks, as in Zarr V3. In all other classes they take it
    for the mask.
"undefined"
    There is a mask, and the value of missing chunks is not stated.
"null"
    There is no mask, and missing chunks have the value that readers assume if ``fill_value`` is
    null.
"mask"
    They contain the mask.
"default"
    They contain netCDF's default fill, and there is no mask.
"netcdf-c"
    The same in NCZarr, where netcdf-c leaves them out.
"other"
    They contain another value.
"""

Place = Literal["attribute", "fill-value", "note", "annotation", "nowhere"]
"""The place of the mask: an attribute, ``fill_value`` of Zarr V2, or NCZarr's addition."""

Fill = Literal["own", "mask", "null", "null-if-complete"]
"""The member ``fill_value``: the value of missing chunks, the mask, or null.

"null-if-complete" is null only if no chunk is missing, and otherwise the value of missing chunks.
"""

Missing = Literal["stay", "masked-if-unwritten", "written", "written-or-masked"]
"""The treatment of missing chunks.

"stay"
    They stay missing.
"masked-if-unwritten"
    They stay missing. If the variable has no values at all, a notice says that readers mask them.
"written"
    They are written; too many of them are an error.
"written-or-masked"
    They are written. Too many of them stay missing, and readers mask them.
"""


@record
class Case:
    """The classes of an array.

    `is_kept` says whether the mask comes from ``fill_value`` of pure V2, where readers see it.
    """

    layout: Layout
    type: TypeClass
    mask: MaskClass
    fill: FillClass
    is_kept: bool


@record(kw_only=True)
class Placement:
    """The mask in the documents of one array, and the treatment of missing chunks.

    Attributes
    ----------
    case
        The classes of the array.
    mask
        Where the mask is written.
    fill, fill_if_missing
        The member ``fill_value``; the second if elements are missing. None leaves it undefined.
    missing
        The treatment of missing chunks.
    substitute
        The JSON of `MASK_STAND_IN`, if that replaces the mask; None if not.
    """

    case: Case
    mask: Place
    fill: Value
    fill_if_missing: Value
    missing: Missing
    substitute: Json = None


@record(kw_only=True)
class Rule:
    """A rule for arrays of some classes; None is any class.

    It determines the place of the mask, the ``fill_value``, the treatment of missing chunks, or
    several of them; another rule determines the rest.
    """

    layouts: tuple[Layout, ...]
    types: tuple[TypeClass, ...] | None = None
    masks: tuple[MaskClass, ...] | None = None
    fills: tuple[FillClass, ...] | None = None
    is_kept: bool | None = None
    place: Place | None = None
    fill: Fill | None = None
    missing: Missing | None = None

    def fits(self, case: Case) -> bool:
        """Return whether the rule applies to an array."""
        return (
            case.layout in self.layouts
            and (self.types is None or case.type in self.types)
            and (self.masks is None or case.mask in self.masks)
            and (self.fills is None or case.fill in self.fills)
            and (self.is_kept is None or case.is_kept == self.is_kept)
        )


_V2: tuple[Layout, ...] = ("nczarr-v2", "annotated-v2", "pure-v2")
_PURE_V2: tuple[Layout, ...] = ("annotated-v2", "pure-v2")
_V3: tuple[Layout, ...] = ("nczarr-v3", "annotated-v3", "pure-v3")
_TEXTS: tuple[TypeClass, ...] = ("char", "string", "bytes")
_FOR_MASK: tuple[FillClass, ...] = ("undefined", "null", "mask", "default", "netcdf-c", "other")
_FOUND: tuple[MaskClass, ...] = ("none", "read")

RULES: Sequence[Rule] = (
    # Zarr V2 has the mask in fill_value, whose value readers mask.
    Rule(layouts=_PURE_V2, masks=("read",), fills=_FOR_MASK, place="fill-value"),
    Rule(layouts=("annotated-v2",), masks=("void",), place="annotation"),
    Rule(layouts=_V2, place="attribute"),
    Rule(layouts=_V2, fills=("value",), fill="own", missing="stay"),
    # xarray opens no array of void elements with a mask.
    Rule(layouts=_V2, types=("void",), fill="null"),
    Rule(layouts=_V2, types=("void",), fills=("mask",), missing="written"),
    # null says to NCZarr that the fill mode is off.
    Rule(layouts=("nczarr-v2",), fills=("undefined",), fill="null"),
    Rule(layouts=_V2, masks=("read",), fill="mask"),
    # Readers mask the fill value, but netCDF has no fill value if all chunks were written.
    Rule(layouts=_V2, fills=("null",), fill="null"),
    Rule(layouts=_V2, fill="null-if-complete"),
    Rule(layouts=("nczarr-v2",), fills=("netcdf-c",), missing="masked-if-unwritten"),
    Rule(layouts=_V2, fills=("default",), missing="written-or-masked"),
    Rule(layouts=_V2, fills=("other",), missing="written"),
    Rule(layouts=_V2, missing="stay"),
    # fill_value of Zarr V3 is the value of missing chunks.
    Rule(layouts=_V3, fill="own", missing="stay"),
    # NCZarr V3 notes masks that xarray cannot read, and all complex numbers.
    Rule(layouts=("nczarr-v3",), types=("complex",), masks=("read",), place="note"),
    Rule(layouts=("nczarr-v3",), masks=(*_FOUND, "text"), is_kept=True, place="nowhere"),
    Rule(layouts=("nczarr-v3",), masks=(*_FOUND, "text"), place="attribute"),
    Rule(layouts=("nczarr-v3",), place="note"),
    # Annotations have masks that pure Zarr V3 lacks.
    Rule(layouts=("annotated-v3",), masks=_FOUND, is_kept=False, place="attribute"),
    Rule(layouts=("annotated-v3",), place="annotation"),
    # Without them, masks of texts are still written.
    Rule(layouts=("pure-v3",), is_kept=True, place="nowhere"),
    Rule(layouts=("pure-v3",), types=_TEXTS, place="attribute"),
    Rule(layouts=("pure-v3",), masks=_FOUND, place="attribute"),
    Rule(layouts=("pure-v3",), place="nowhere"),
)
"""Rules for masks, fill_value and missing chunks.

Each comes from the first rule that fits.
"""


def place(array: ArrayPlan, options: WriteOptions, source: Provenance) -> Placement:
    """Return the mask in the documents of an array, and the meaning of missing chunks.

    Parameters
    ----------
    array
        The array.
    options
        How the store is written.
    source
        How the dataset was stored that is written.
    """
    case = case_of(array, options, source)
    mask, form, missing = decide(case)
    fills = {"own": array.fill, "mask": array.mask, "null": None, "null-if-complete": None}
    return Placement(
        case=case,
        mask=mask,
        fill=fills[form],
        fill_if_missing=array.fill if form == "null-if-complete" else fills[form],
        missing=missing,
        substitute=_substitute(array, case),
    )


@cache
def decide(case: Case) -> tuple[Place, Fill, Missing]:
    """Return the rule for an array."""
    fitting = [rule for rule in RULES if rule.fits(case)]
    return (
        _first(rule.place for rule in fitting),
        _first(rule.fill for rule in fitting),
        _first(rule.missing for rule in fitting),
    )


def _first(stated: Iterable[_T | None]) -> _T:
    return next(each for each in stated if each is not None)


def case_of(array: ArrayPlan, options: WriteOptions, source: Provenance) -> Case:
    """Return the classes of an array; see `place`."""
    layout = layout_of(options)
    mask = mask_class_v2(array) if options.zarr_format == 2 else mask_class_v3(array)
    return Case(
        layout,
        type_class(array),
        mask,
        fill_class(array, options, source),
        options.zarr_format == 3 and _has_kept_mask(array, source),
    )


def layout_of(options: WriteOptions) -> Layout:
    """Return the form of a store."""
    is_v3 = options.zarr_format == 3
    if not options.pure:
        return "nczarr-v3" if is_v3 else "nczarr-v2"
    if options.has_annotations:
        return "annotated-v3" if is_v3 else "annotated-v2"
    return "pure-v3" if is_v3 else "pure-v2"


def type_class(array: ArrayPlan) -> TypeClass:
    """Return the kind of elements that readers see in an array."""
    nc_type = array.variable.type
    if not isinstance(nc_type, Atomic):
        if has_void_elements(array.encoding):
            return "void"
        return "complex" if is_complex(array.encoding) else "user"
    if nc_type is Atomic.STRING:
        return "bytes" if are_bytes(array.variable) else "string"
    return "char" if nc_type is Atomic.CHAR else "number"


def mask_class_v2(array: ArrayPlan) -> MaskClass:
    """Return the mask that xarray sees for an array in Zarr V2.

    JSON has no difference between char and string, and a mask without values is "" in V2.
    """
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if array.mask is not None:
        return "read"
    if mask is None or nc_type is Atomic.CHAR:
        return "none"
    is_void = nc_type is Atomic.STRING if mask.type is Atomic.CHAR else not mask.values
    return "void" if is_void else "none"


def mask_class_v3(array: ArrayPlan) -> MaskClass:
    """Return the mask that xarray sees for an array in Zarr V3."""
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or _is_readable(array, mask):
        return "none" if array.mask is None else "read"
    if nc_type is Atomic.STRING and mask.type is Atomic.CHAR:
        return "void"
    if Atomic.CHAR not in (nc_type, mask.type) and is_nan(mask):
        return "void"
    is_text = nc_type in (Atomic.CHAR, Atomic.STRING) and mask.type is nc_type
    return "text" if is_text and mask.values else "other"


def fill_class(array: ArrayPlan, options: WriteOptions, source: Provenance) -> FillClass:
    """Return the meaning of ``fill_value`` for readers, and the contents of missing chunks."""
    if not _masks_fill_value(array, options, source):
        return "value"
    if array.mask is not None:
        if array.fill is None:
            return "undefined"
        return "mask" if is_same_fill(array.fill, array.mask) else "other"
    if is_null_fill(array.fill, array.encoding):
        return "null"
    if not _has_default_fill(array, source):
        return "other"
    leaves_out = options.masks_default_fill
    if leaves_out is None:  # as netcdf-c does: from a text, or from NCZarr V2
        leaves_out = source.is_text or (source.superblock > 0 and source.zarr_format == 2)
    return "netcdf-c" if leaves_out and not options.pure else "default"


def _masks_fill_value(array: ArrayPlan, options: WriteOptions, source: Provenance) -> bool:
    """Return whether readers take the ``fill_value`` that is written for the mask.

    xarray does in V2, where it finds the names of dimensions. The ``fill_value`` of structures of
    pure V2 is kept, because the model has no mask for them. The ``fill_value`` of times is kept
    too: xarray shows it as an attribute, and masks nothing.
    """
    has_names = names_to_write(array.variable, pure=options.pure) is not None
    is_named = not options.pure or (options.xarray and has_names)
    is_pure_v2 = source.is_pure_zarr and source.zarr_format == 2
    is_shown = is_time(array.encoding) and not array.variable.storage.no_fill
    is_kept = is_pure_v2 and (is_shown or not is_maskable(array.encoding))
    return options.zarr_format == 2 and is_named and not is_kept


def _has_default_fill(array: ArrayPlan, source: Provenance) -> bool:
    """Return whether missing chunks contain netCDF's default fill."""
    nc_type = array.variable.type
    is_default = isinstance(nc_type, Atomic) and array.fill == nc_type.default_fill
    return is_default and not source.is_unannotated_zarr


def _is_readable(array: ArrayPlan, mask: Attribute) -> bool:
    """Return whether xarray reads the ``_FillValue`` of a V3 array as the mask that it is.

    It takes one number for a mask: of integers a whole number, and it truncates others; of other
    numbers the bytes of a float. It opens no array with another mask, such as text, values of a
    user-defined type that are not numbers, or a number that is too large if it reads unsigned
    integers as signed.
    """
    nc_type = array.variable.type
    if not isinstance(nc_type, Atomic):
        return kind_of(array.encoding) in ("i", "u", "c")
    is_number = len(mask.values) == 1 and isinstance(mask.values[0], int | float)
    number = mask.values[0] if is_number else math.nan
    if nc_type.kind in "iu":
        is_whole = isinstance(number, int) or number.is_integer()
        return is_whole and not is_too_large(array.variable, number)
    return nc_type.is_floating and is_number and isinstance(number, float)


def is_too_large(variable: Variable, mask: float) -> bool:
    """Return whether ``_Unsigned`` makes numbers signed, and their type has no such number."""
    nc_type = variable.type
    if variable.text("_Unsigned") != "false" or not isinstance(nc_type, Atomic):
        return False
    return nc_type.kind == "u" and mask >= 1 << (8 * nc_type.size - 1)


def is_nan(mask: Attribute) -> bool:
    return all(isinstance(value, float) and math.isnan(value) for value in mask.values)


def _substitute(array: ArrayPlan, case: Case) -> Json:
    """Return the JSON of the attribute that replaces a mask in annotated V3; None if none can.

    Attributes are text, which xarray does not find among bytes. It does not find values of a
    user-defined type either, and JSON has no number that is not finite.
    """
    mask = array.variable.attribute("_FillValue")
    if mask is None or case.layout != "annotated-v3" or case.mask not in ("text", "other"):
        return None
    if case.type not in ("number", "char", "string"):
        return None
    substitute = without_nan(write_attribute(mask, typed=True))
    return substitute if substitute != [] and is_strict(substitute) else None


def _has_kept_mask(array: ArrayPlan, source: Provenance) -> bool:
    """Return whether the mask comes from pure V2, and xarray would open no V3 array with it.

    It is text, or a time that is stored as such, and in ``fill_value``, which is kept.
    """
    is_pure_v2 = source.is_pure_zarr and source.zarr_format == 2
    is_numeric = kind_of(array.encoding) in ("b", "i", "u", "f", "c")
    return array.mask is not None and is_pure_v2 and not is_numeric
