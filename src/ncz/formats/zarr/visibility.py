"""What readers of a new store see of missing data: where the mask of each array goes, and why.

xarray takes ``fill_value`` of Zarr V2 for the mask, and opens no array of Zarr V3 with an attribute
``_FillValue`` that it cannot read. `place` decides once for each array; in Zarr V3 by the first of
`RULES` that fits its form, its type and its mask. The writers of both versions carry that out, and
`notices` reports it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from ncz.errors import Notice, named_notice, option
from ncz.formats.zarr.array_plan import ArrayPlan
from ncz.formats.zarr.attributes import without_nan, write_attribute
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.dtypes import has_void_elements, is_complex, is_maskable, is_time, kind_of
from ncz.formats.zarr.fill_values import is_null_fill, write_fill
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.options import WriteOptions
from ncz.formats.zarr.strings import are_bytes
from ncz.model.json_text import is_strict
from ncz.model.tree import Attribute, Provenance, Variable
from ncz.model.types import Atomic, Value
from ncz.record import record

MASK_STAND_IN = "missing_value"
"""The attribute that has a mask in annotated Zarr V3 where xarray opens no array with the mask."""

Layout = Literal["nczarr-v2", "annotated-v2", "pure-v2", "nczarr-v3", "annotated-v3", "pure-v3"]
"""The form of a store: with notes of NCZarr, pure Zarr with annotations, or pure Zarr alone."""

TypeClass = Literal["number", "char", "string", "bytes", "complex", "user"]
"""What the elements of an array are to readers; "user" is any other user-defined type."""

MaskClass = Literal["none", "read", "void", "text", "other"]
"""What xarray makes of an attribute ``_FillValue`` in Zarr V3.

"none"
    There is none.
"read"
    It reads the mask as it is.
"void"
    It opens no array with it, and drops it in a netCDF file: it has no values, or all are NaN, or
    it is of char, which are bytes, and so no string.
"text"
    It opens no array with it: text, of the type of the array.
"other"
    It opens no array with it, or takes another number for it.
"""

Place = Literal["attribute", "fill-value", "note", "annotation", "nowhere"]
"""What has the mask: an attribute, ``fill_value`` of Zarr V2, or what NCZarr adds."""

Told = Literal[
    "lost", "another-type", "user-type", "renamed", "characters", "signed", "texts-and-times",
    "base64", "unseen-texts", "empty",
]  # fmt: skip
"""What is to be told of an array; see `_REPORTS`."""


@record(kw_only=True)
class Placement:
    """What the documents of one array say of its mask, and what readers do not see.

    Attributes
    ----------
    mask
        Where the mask is written.
    fill, fill_if_missing
        The member ``fill_value``; the second if elements are missing. None leaves it undefined.
    substitute
        The JSON of `MASK_STAND_IN`, if that stands for the mask; None if not.
    told
        What is to be told.
    """

    mask: Place
    fill: Value
    fill_if_missing: Value
    substitute: Json = None
    told: tuple[Told, ...] = ()


@record(kw_only=True)
class Rule:
    """The placement of masks of some classes, in some forms; None stands for all of them."""

    layouts: tuple[Layout, ...]
    types: tuple[TypeClass, ...] | None = None
    masks: tuple[MaskClass, ...] | None = None
    place: Place
    told: tuple[Told, ...] = ()


_TEXTS: tuple[TypeClass, ...] = ("char", "string", "bytes")
_USER: tuple[TypeClass, ...] = ("complex", "user")

RULES: Sequence[Rule] = (
    # NCZarr V3 notes what xarray cannot read, and all complex numbers.
    Rule(
        layouts=("nczarr-v3",),
        types=("complex",),
        masks=("read",),
        place="note",
        told=("user-type",),
    ),
    Rule(layouts=("nczarr-v3",), masks=("none", "read", "text"), place="attribute"),
    Rule(layouts=("nczarr-v3",), types=_USER, place="note", told=("user-type",)),
    Rule(layouts=("nczarr-v3",), masks=("other",), place="note", told=("another-type",)),
    Rule(layouts=("nczarr-v3",), place="note"),
    # Annotations have what pure Zarr V3 cannot say.
    Rule(layouts=("annotated-v3",), masks=("none", "read"), place="attribute"),
    Rule(layouts=("annotated-v3",), types=_USER, place="annotation", told=("user-type",)),
    Rule(layouts=("annotated-v3",), masks=("other",), place="annotation", told=("another-type",)),
    Rule(layouts=("annotated-v3",), place="annotation"),
    # Without them, masks of texts are written all the same.
    Rule(layouts=("pure-v3",), types=_TEXTS, place="attribute"),
    Rule(layouts=("pure-v3",), masks=("none", "read"), place="attribute"),
    Rule(layouts=("pure-v3",), place="nowhere", told=("lost",)),
)
"""Where masks go in Zarr V3, by the first rule that fits."""

_REPORTS: Mapping[Told, Callable[[Sequence[str]], Iterator[Notice]]] = {
    "lost": lambda names: named_notice(
        "mask-left-out",
        "masks of another type are left out of Zarr V3",
        names,
        "write Zarr V2 to keep them",
    ),
    "base64": lambda names: named_notice(
        "text-fill",
        "xarray and zarr-python take the fill_value of texts for base64",
        names,
        "use mode=zarr, or no _FillValue",
    ),
    "unseen-texts": lambda names: named_notice(
        "mask-left-out", "xarray does not see these masks of texts in Zarr V2", names
    ),
    "another-type": lambda names: named_notice(
        "mask-left-out",
        "xarray does not see these masks of another type in Zarr V3",
        names,
        "write Zarr V2 if it is to see them",
    ),
    "user-type": lambda names: named_notice(
        "mask-left-out", "xarray does not see masks of user-defined types in Zarr", names
    ),
    "renamed": lambda names: named_notice(
        "mask-renamed", f"Zarr V3 has these masks as {MASK_STAND_IN}", names
    ),
    "characters": lambda names: named_notice(
        "mask-left-out",
        "xarray does not mask these characters in Zarr V3",
        names,
        "write Zarr V2 if it is to mask them",
    ),
    "signed": lambda names: named_notice(
        "mask-left-out",
        "xarray does not mask these numbers, which it reads as signed",
        names,
        "write Zarr V2 if it is to mask",
    ),
    "texts-and-times": lambda names: named_notice(
        "mask-left-out",
        "texts and times get no mask in Zarr V3, for xarray",
        names,
        "write Zarr V2 to keep their masks",
    ),
    "empty": lambda names: named_notice(
        "attribute-empty",
        'xarray masks "", as an empty missing_value is in Zarr V2',
        names,
        f"use {option('zarr_format', 3)}",
    ),
}
"""The notice of what is told of arrays, by their FQNs, in the order in which notices are given."""


def place(array: ArrayPlan, options: WriteOptions, source: Provenance) -> Placement:
    """Return what the documents of an array say of its mask, and what readers do not see of it.

    Parameters
    ----------
    array
        The array.
    options
        How the store is written.
    source
        How the dataset was stored that is written.
    """
    if options.zarr_format == 2:
        return _place_in_v2(array, options)
    layout, kind = layout_of(options), type_class(array)
    rule = rule_of(layout, kind, mask_class(array))
    mask, told = rule.place, list(rule.told)
    substitute = _substitute(array) if layout == "annotated-v3" else None
    if substitute is not None and array.variable.attribute(MASK_STAND_IN) is None:
        told = ["renamed"]
        if kind == "char":
            told.append("characters")
        own = array.variable.mask
        if isinstance(own, int) and _is_too_large(array.variable, own):
            told.append("signed")
    is_kept = mask != "note" and _has_kept_mask(array, source)
    if is_kept:  # it was ``fill_value`` of V2, and readers would open no array with the attribute
        mask = "annotation" if options.annotated else "nowhere"
    is_of_bytes = layout == "annotated-v3" and kind == "bytes" and array.mask is not None
    if (is_kept or is_of_bytes) and substitute is None:
        told.append("texts-and-times")
    return Placement(
        mask=mask, fill=array.fill, fill_if_missing=array.fill, substitute=substitute,
        told=tuple(told),
    )  # fmt: skip


def masks_fill_value(array: ArrayPlan, options: WriteOptions, source: Provenance) -> bool:
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


def notices(placements: Mapping[str, Placement]) -> Iterator[Notice]:
    """Yield one notice of everything that is to be told of arrays, by FQN; see `losses`."""
    yield from _reports(placements, lambda told: told != "lost")


def losses(placements: Mapping[str, Placement]) -> Iterator[Notice]:
    """Yield the notice of masks that no reader gets back."""
    yield from _reports(placements, lambda told: told == "lost")


def _reports(
    placements: Mapping[str, Placement], is_wanted: Callable[[Told], bool]
) -> Iterator[Notice]:
    for told, report in _REPORTS.items():
        if is_wanted(told):
            yield from report([f for f, placement in placements.items() if told in placement.told])


def layout_of(options: WriteOptions) -> Layout:
    """Return the form of a store."""
    is_v3 = options.zarr_format == 3
    if not options.pure:
        return "nczarr-v3" if is_v3 else "nczarr-v2"
    if options.annotated:
        return "annotated-v3" if is_v3 else "annotated-v2"
    return "pure-v3" if is_v3 else "pure-v2"


def type_class(array: ArrayPlan) -> TypeClass:
    """Return what the elements of an array are to readers."""
    nc_type = array.variable.type
    if not isinstance(nc_type, Atomic):
        return "complex" if is_complex(array.encoding) else "user"
    if nc_type is Atomic.STRING:
        return "bytes" if are_bytes(array.variable) else "string"
    return "char" if nc_type is Atomic.CHAR else "number"


def mask_class(array: ArrayPlan) -> MaskClass:
    """Return what xarray makes of the mask of an array in Zarr V3."""
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or _is_readable(array, mask):
        return "none" if array.mask is None else "read"
    if nc_type is Atomic.STRING and mask.type is Atomic.CHAR:
        return "void"
    if Atomic.CHAR not in (nc_type, mask.type) and _is_nan(mask):
        return "void"
    is_text = nc_type in (Atomic.CHAR, Atomic.STRING) and mask.type is nc_type
    return "text" if is_text and mask.values else "other"


def rule_of(layout: Layout, kind: TypeClass, mask: MaskClass) -> Rule:
    """Return the first rule that fits."""
    return next(
        rule
        for rule in RULES
        if layout in rule.layouts
        and (rule.types is None or kind in rule.types)
        and (rule.masks is None or mask in rule.masks)
    )


def _is_readable(array: ArrayPlan, mask: Attribute) -> bool:
    """Return whether xarray reads the ``_FillValue`` of a V3 array as the mask that it is.

    It takes one number for a mask: of integers a whole number, and it truncates others; of other
    numbers the bytes of a float. It opens no array with another mask, such as text, values of a
    user-defined type that are no numbers, or a number that is too large if it reads unsigned
    integers as signed.
    """
    nc_type = array.variable.type
    if not isinstance(nc_type, Atomic):
        return kind_of(array.encoding) in ("i", "u", "c")
    is_number = len(mask.values) == 1 and isinstance(mask.values[0], int | float)
    number = mask.values[0] if is_number else math.nan
    if nc_type.kind in "iu":
        is_whole = isinstance(number, int) or number.is_integer()
        return is_whole and not _is_too_large(array.variable, number)
    return nc_type.is_floating and is_number and isinstance(number, float)


def _is_too_large(variable: Variable, mask: float) -> bool:
    """Return whether ``_Unsigned`` makes numbers signed, and their type has no such number."""
    nc_type = variable.type
    if variable.text("_Unsigned") != "false" or not isinstance(nc_type, Atomic):
        return False
    return nc_type.kind == "u" and mask >= 1 << (8 * nc_type.size - 1)


def _is_nan(mask: Attribute) -> bool:
    return all(isinstance(value, float) and math.isnan(value) for value in mask.values)


def _substitute(array: ArrayPlan) -> Json:
    """Return the JSON of the attribute that stands for a mask; None if none can.

    Attributes are text, which xarray does not find among bytes. Nor does it find values of a
    user-defined type, and JSON has no number that is not finite.
    """
    mask = array.variable.attribute("_FillValue")
    if mask is None or type_class(array) not in ("number", "char", "string"):
        return None
    if mask_class(array) not in ("text", "other"):
        return None
    substitute = without_nan(write_attribute(mask, typed=True))
    return substitute if substitute != [] and is_strict(substitute) else None


def _has_kept_mask(array: ArrayPlan, source: Provenance) -> bool:
    """Return whether the mask comes from pure V2, and xarray would open no V3 array with it.

    It is text, or a time that is stored as such, and in ``fill_value``, which is kept.
    """
    is_pure_v2 = source.zarr_format == 2 and not source.superblock
    is_numeric = kind_of(array.encoding) in ("b", "i", "u", "f", "c")
    return array.mask is not None and is_pure_v2 and not is_numeric


def _place_in_v2(array: ArrayPlan, options: WriteOptions) -> Placement:
    """Return the placement in Zarr V2; `masks_fill_value` says if ``fill_value`` is the mask.

    xarray masks ``fill_value``. So it is the mask, or null; netCDF's default fill only if elements
    are missing, because it means that in netCDF.
    """
    mask: Place = "attribute"
    if options.pure and array.masks_fill and array.mask is not None:
        mask = "fill-value"
    elif options.annotated and _is_text_instead(array):
        mask = "annotation"
    fill = fill_if_missing = array.fill
    if array.masks_fill and has_void_elements(array.encoding):
        fill = fill_if_missing = None  # xarray opens no array with such a mask
    elif array.masks_fill and array.mask is not None:
        # null says to NCZarr that the fill mode is off
        fill = array.mask if options.pure or array.fill is not None else None
        fill_if_missing = fill
    elif array.masks_fill:
        fill_if_missing = None if is_null_fill(array.fill, array.encoding) else array.fill
        fill = None
    told = tuple(told for told, is_told in _TOLD_IN_V2 if is_told(array, options))
    return Placement(mask=mask, fill=fill, fill_if_missing=fill_if_missing, told=told)


def _is_text_instead(array: ArrayPlan) -> bool:
    """Return whether xarray drops the mask in a netCDF file, and would use it in pure Zarr V2.

    JSON has no difference between char and string, and a mask without values is "" in V2.
    """
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or nc_type is Atomic.CHAR:
        return False
    if mask.type is Atomic.CHAR:
        return nc_type is Atomic.STRING
    return not mask.values


def _has_literal_fill(array: ArrayPlan, _: WriteOptions) -> bool:
    """Return whether zarr-python could read the array if its `fill_value` were not text."""
    encoding = array.encoding
    is_text = encoding.type in (Atomic.CHAR, Atomic.STRING) and encoding.item_size > 0
    is_masked = array.masks_fill and array.mask is not None and array.fill is not None
    fill = array.mask if is_masked else array.fill
    is_literal = not encoding.base64_fill and bool(write_fill(fill, encoding))
    return is_text and is_literal and encoding.dtype != ">S1"


def _is_unseen(array: ArrayPlan, _: WriteOptions) -> bool:
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


def _is_of_user_type(array: ArrayPlan, options: WriteOptions) -> bool:
    """Return whether annotations alone have the mask, because it is of a user-defined type."""
    is_user = options.annotated and not isinstance(array.variable.type, Atomic)
    return is_user and not array.encoding.is_json and mask_class(array) in ("void", "other")


def _has_empty_stand_in(array: ArrayPlan, options: WriteOptions) -> bool:
    """Return whether `missing_value` has no values, so that it is the text "" in Zarr V2."""
    mask = array.variable.attribute(MASK_STAND_IN)
    is_empty = mask is not None and not mask.values and mask.type is not Atomic.CHAR
    return options.pure and is_empty


_TOLD_IN_V2: Sequence[tuple[Told, Callable[[ArrayPlan, WriteOptions], bool]]] = (
    ("base64", _has_literal_fill),
    ("unseen-texts", _is_unseen),
    ("user-type", _is_of_user_type),
    ("empty", _has_empty_stand_in),
)
"""When something is told of an array in Zarr V2."""
