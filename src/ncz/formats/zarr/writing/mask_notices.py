"""Masks of a new store that readers do not see, or see differently than in a netCDF file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from ncz.errors import Notice, named_notice, option
from ncz.formats.zarr.types.dtypes import kind_of
from ncz.formats.zarr.types.fill_values import write_fill
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.visibility import MASK_STAND_IN, Placement, is_nan, is_too_large
from ncz.model.types import Atomic

ReportName = Literal[
    "lost", "base64", "unseen-texts", "another-type", "user-type", "renamed", "characters",
    "signed", "texts-and-times", "empty",
]  # fmt: skip
"""The notices about an array; see `_REPORTS`."""

_REPORTS: Mapping[ReportName, Callable[[Sequence[str]], Iterator[Notice]]] = {
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
        "write Zarr V2 so that it sees them",
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
        "write Zarr V2 so that it masks them",
    ),
    "signed": lambda names: named_notice(
        "mask-left-out",
        "xarray does not mask these numbers, which it reads as signed",
        names,
        "write Zarr V2 so that it masks",
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
"""The notice of each group of arrays, by their FQNs, in the order of notices."""


def reports_of(array: ArrayPlan, placement: Placement) -> tuple[ReportName, ...]:
    """Return the notices about an array."""
    return tuple(told for told, is_told in _CONDITIONS.items() if is_told(array, placement))


def notices(arrays: Iterable[ArrayPlan], placements: Mapping[str, Placement]) -> Iterator[Notice]:
    """Yield one notice for each kind of report on arrays; see `losses`."""
    yield from _reports(arrays, placements, [told for told in _REPORTS if told != "lost"])


def losses(arrays: Iterable[ArrayPlan], placements: Mapping[str, Placement]) -> Iterator[Notice]:
    """Yield the notice of masks that no reader gets back."""
    yield from _reports(arrays, placements, ["lost"])


def _reports(
    arrays: Iterable[ArrayPlan], placements: Mapping[str, Placement], wanted: Sequence[ReportName]
) -> Iterator[Notice]:
    found: dict[ReportName, list[str]] = {told: [] for told in wanted}
    for array in arrays:
        of_array = [t for t in wanted if _CONDITIONS[t](array, placements[array.fqn])]
        for told in of_array:
            if told != "renamed" or _UNMASKED.isdisjoint(of_array):
                found[told].append(array.fqn)
    for told, names in found.items():
        yield from _REPORTS[told](names)


_UNMASKED: frozenset[ReportName] = frozenset({"characters", "signed"})
"""Reports that xarray masks nothing, so that the name of the mask does not matter."""


def _is_lost(_: ArrayPlan, placement: Placement) -> bool:
    """Return whether neither an attribute nor an annotation has the mask."""
    case = placement.case
    is_left_out = case.layout == "pure-v3" and case.mask not in ("none", "read")
    return is_left_out and case.type not in ("char", "string", "bytes")


def _is_of_another_type(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether only ncz finds the mask of an array of Zarr V3, as its type is another."""
    case = placement.case
    is_noted = case.layout in ("nczarr-v3", "annotated-v3") and case.mask == "other"
    return is_noted and case.type not in _USER and not _is_renamed(array, placement)


def _is_of_user_type(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether only ncz finds the mask, because it is of a user-defined type."""
    case = placement.case
    if case.type not in _USER:
        return False
    if case.layout == "annotated-v2":
        has_mask = array.variable.attribute("_FillValue") is not None
        is_number = kind_of(array.encoding) in ("i", "u", "c")
        return has_mask and not is_number and not array.encoding.is_json
    is_unread = case.mask in ("void", "other")
    if case.layout == "nczarr-v3":
        return is_unread or (case.type == "complex" and case.mask == "read")
    return case.layout == "annotated-v3" and is_unread


_USER = ("complex", "void", "user")


def _is_renamed(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether another attribute has the mask."""
    is_free = array.variable.attribute(MASK_STAND_IN) is None
    return placement.substitute is not None and is_free


def _has_renamed_char(array: ArrayPlan, placement: Placement) -> bool:
    return placement.case.type == "char" and _is_renamed(array, placement)


def _is_read_as_signed(array: ArrayPlan, placement: Placement) -> bool:
    own = array.variable.mask
    is_too_high = isinstance(own, int) and is_too_large(array.variable, own)
    return is_too_high and _is_renamed(array, placement)


def _has_no_mask_for_xarray(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether texts or times lose the mask that xarray would open no array with."""
    case = placement.case
    is_kept = case.is_kept and placement.mask != "note"
    is_of_bytes = case.layout == "annotated-v3" and case.type == "bytes"
    is_left_out = is_kept or (is_of_bytes and array.mask is not None)
    return is_left_out and placement.substitute is None


def _has_literal_fill(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether zarr-python could read the array if its `fill_value` were not text."""
    encoding = array.encoding
    is_text = encoding.type in (Atomic.CHAR, Atomic.STRING) and kind_of(encoding) == "S"
    if placement.case.layout not in _V2 or not is_text or encoding.dtype == ">S1":
        return False
    is_masked = placement.case.fill != "value" and array.mask is not None and array.fill is not None
    fill = array.mask if is_masked else array.fill
    return not encoding.base64_fill and bool(write_fill(fill, encoding))


_V2 = ("nczarr-v2", "annotated-v2", "pure-v2")


def _is_unseen(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether texts have no mask for xarray in Zarr V2, and have one in a netCDF file.

    It masks no chars with NaN, and no bytes with the text of `missing_value`. It reads strings of a
    fixed length as bytes.
    """
    variable = array.variable
    if placement.case.layout not in _V2:
        return False
    if variable.type is Atomic.CHAR:
        mask = variable.attribute("_FillValue")
        return mask is not None and bool(mask.values) and is_nan(mask)
    own = variable.attribute(MASK_STAND_IN)
    is_text = own is not None and own.type in (Atomic.CHAR, Atomic.STRING)
    return is_text and variable.type is Atomic.STRING and kind_of(array.encoding) == "S"


def _has_empty_stand_in(array: ArrayPlan, placement: Placement) -> bool:
    """Return whether `missing_value` has no values, so that it is the text "" in Zarr V2."""
    mask = array.variable.attribute(MASK_STAND_IN)
    is_empty = mask is not None and not mask.values and mask.type is not Atomic.CHAR
    return placement.case.layout in ("annotated-v2", "pure-v2") and is_empty


_CONDITIONS: Mapping[ReportName, Callable[[ArrayPlan, Placement], bool]] = {
    "lost": _is_lost,
    "base64": _has_literal_fill,
    "unseen-texts": _is_unseen,
    "another-type": _is_of_another_type,
    "user-type": _is_of_user_type,
    "renamed": _is_renamed,
    "characters": _has_renamed_char,
    "signed": _is_read_as_signed,
    "texts-and-times": _has_no_mask_for_xarray,
    "empty": _has_empty_stand_in,
}
"""When an array is named in a notice."""
