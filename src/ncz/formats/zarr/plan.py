"""The plan of a Zarr store: how each variable of a dataset will be stored, and what that loses.

A plan is made before anything is written. The writer carries it out; a copy compares it with the
source. `array_planner` plans each variable; masks, which readers see in other ways than netCDF, are
here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ncz.errors import FormatError, LossError, Notice, Notify, ignore_notice, named_notice, option
from ncz.formats.nanoseconds import with_nanoseconds
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.array_plan import ArrayPlan
from ncz.formats.zarr.array_planner import ArrayPlanner
from ncz.formats.zarr.attribute_notices import attribute_notices
from ncz.formats.zarr.attributes import without_nan, write_attribute
from ncz.formats.zarr.document_v3 import print_array
from ncz.formats.zarr.dtypes import is_complex, kind_of
from ncz.formats.zarr.fill_values import write_fill
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.losses import faults, hidden_attributes, pure_losses
from ncz.formats.zarr.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.strings import are_bytes
from ncz.model.encoded import EncodedSource
from ncz.model.json_text import is_strict
from ncz.model.tree import Attribute, Dataset, Provenance, Variable, variables_by_fqn, walk
from ncz.model.types import Atomic
from ncz.record import record

MASK_STAND_IN = "missing_value"
"""The attribute that has a mask in annotated Zarr V3 where xarray opens no array with the mask."""


def unreadable_mask(array: ArrayPlan) -> Attribute | None:
    """Return the ``_FillValue`` of a V3 array if xarray reads it as another mask, or not at all.

    It takes one number for a mask: of integers, a whole number, as which it reads others, too; of
    other numbers, the bytes of a float. It opens no array with another mask, such as text, values
    of a user-defined type that are no numbers, or a number that the signed integers lack as which
    it reads unsigned ones.
    """
    mask, nc_type = array.variable.attribute("_FillValue"), array.variable.type
    if mask is None or not isinstance(nc_type, Atomic):
        return None if kind_of(array.encoding) in ("i", "u", "c") else mask
    is_number = len(mask.values) == 1 and isinstance(mask.values[0], int | float)
    number = mask.values[0] if is_number else math.nan
    is_whole = isinstance(number, int) or number.is_integer()
    is_read = (nc_type.kind in "iu" and is_whole and not _is_too_large(array.variable, number)) or (
        nc_type.is_floating and is_number and isinstance(number, float)
    )
    return None if is_read else mask


def _is_too_large(variable: Variable, mask: float) -> bool:
    """Return whether ``_Unsigned`` makes numbers signed, and their type has no such number."""
    nc_type = variable.type
    if variable.text("_Unsigned") != "false" or not isinstance(nc_type, Atomic):
        return False
    return nc_type.kind == "u" and mask >= 1 << (8 * nc_type.size - 1)


def has_stand_in(array: ArrayPlan, options: WriteOptions) -> bool:
    """Return whether ``missing_value`` stands for the mask, which is then annotated.

    None stands for that of bytes: attributes are text, which xarray does not find among bytes. Nor
    does it find values of a user-defined type.
    """
    if not options.annotated or options.zarr_format != 3 or are_bytes(array.variable):
        return False
    if not isinstance(array.variable.type, Atomic):
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
    dataset = with_nanoseconds(dataset, kept)
    problems = list(faults(dataset, pure=options.pure, kept=kept))
    if problems:
        raise LossError(
            f"Zarr V{options.zarr_format} cannot hold {'; '.join(problems)}",
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
        # Types that annotations note are not those that dtypes imply.
        implied = kept if not dataset.provenance.annotated else frozenset()
        lost = tuple(pure_losses(dataset, options, implied))
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
    problems = []
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
            problems.append(f"variable {array.fqn}: {error.message}")
    if problems:
        raise LossError(
            "; ".join(problems),
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
        array.fqn: array.variable
        for array in plan.arrays
        if has_stand_in(array, plan.options) and array.variable.attribute(MASK_STAND_IN) is None
    }
    unseen = [
        array.fqn
        for array in plan.arrays
        if unreadable_mask(array) is not None
        and isinstance(array.variable.type, Atomic)
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
    if plan.options.annotated or not plan.options.pure:
        yield from _user_masks(plan)
    yield from named_notice(
        "mask-renamed", f"Zarr V3 has these masks as {MASK_STAND_IN}", list(renamed)
    )
    yield from named_notice(
        "mask-left-out",
        "xarray does not mask these characters in Zarr V3",
        [fqn for fqn, variable in renamed.items() if variable.type is Atomic.CHAR],
        "write Zarr V2 if it is to mask them",
    )
    yield from named_notice(
        "mask-left-out",
        "xarray does not mask these numbers, which it reads as signed",
        [
            fqn
            for fqn, variable in renamed.items()
            if isinstance(variable.mask, int) and _is_too_large(variable, variable.mask)
        ],
        "write Zarr V2 if it is to mask",
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


def _is_only_noted(array: ArrayPlan, options: WriteOptions) -> bool:
    """Return whether NCZarr V3 has the mask of complex numbers in a note alone."""
    is_nczarr_v3 = options.zarr_format == 3 and not options.pure
    return is_nczarr_v3 and is_complex(array.encoding) and array.mask is not None


def _user_masks(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays whose mask is only noted, because it is of a user-defined type."""
    return named_notice(
        "mask-left-out",
        "xarray does not see masks of user-defined types in Zarr",
        [
            array.fqn
            for array in plan.arrays
            if not isinstance(array.variable.type, Atomic)
            and not (plan.options.zarr_format == 2 and array.encoding.is_json)  # texts, as any
            and (unreadable_mask(array) is not None or _is_only_noted(array, plan.options))
        ],
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
        "xarray and zarr-python take the fill_value of texts for base64",
        [array.fqn for array in plan.arrays if _has_literal_text_fill(array)],
        "use mode=zarr, or no _FillValue",
    )
    yield from named_notice(
        "mask-left-out",
        "xarray does not see these masks of texts in Zarr V2",
        [array.fqn for array in plan.arrays if _is_unseen_in_v2(array)],
    )
    if plan.options.annotated:
        yield from _user_masks(plan)
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


def _has_literal_text_fill(array: ArrayPlan) -> bool:
    """Return whether zarr-python could read the array if its `fill_value` were not text."""
    encoding = array.encoding
    is_text = encoding.type in (Atomic.CHAR, Atomic.STRING) and encoding.item_size > 0
    is_masked = array.masks_fill and array.mask is not None and array.fill is not None
    fill = array.mask if is_masked else array.fill
    is_literal = not encoding.base64_fill and bool(write_fill(fill, encoding))
    return is_text and is_literal and encoding.dtype != ">S1"
