"""The plan of a Zarr store: how each variable of a dataset will be stored.

A plan is made before anything is written. It holds an `ArrayPlan` for each variable. The writer
carries it out; a copy compares it with the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ncz.codec.catalogue import writing_fault
from ncz.codec.chain import encoding_fault
from ncz.errors import FormatError, LossError, Notice, Notify, ignore_notice
from ncz.formats.zarr.document.v3 import print_array
from ncz.formats.zarr.element.conversion import disk_dtype
from ncz.formats.zarr.element.fill import write_fill
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.plan.array import ArrayPlan, ZarrSource, leaves_mask_out, masks_no_number
from ncz.formats.zarr.plan.attribute_notices import attribute_notices
from ncz.formats.zarr.plan.losses import faults, hidden_attributes, pure_losses
from ncz.formats.zarr.plan.planner import ArrayPlanner
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.tree import (
    Dataset,
    join,
    walk,
)
from ncz.model.types import Atomic
from ncz.record import record


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
    kept = _kept(dataset, options)
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
        masked = _masked_fills(arrays)
        losses = (*pure_losses(dataset, options, kept), *masked)
    if options.annotated:  # so that ncz reads everything, and other programs do not
        for notice in losses:
            notify(notice)
        losses = ()
    plan = DatasetPlan(dataset=dataset, options=options, arrays=arrays, losses=losses)
    if options.zarr_format == 3:
        _check_v3(plan)
        _notify_of_masks(plan, notify)
    else:
        _notify_of_shards(plan, notify)
        _notify_of_scalars(plan, notify)
        _notify_of_text(plan, notify)
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
            hint="choose other codecs with --codec, or write Zarr V2 (nothing was written)",
        )


def _masked_fills(arrays: Sequence[ArrayPlan]) -> Iterator[Notice]:
    """Name the arrays of which readers of pure Zarr V2 mask what was never written."""
    names = [array.fqn for array in arrays if array.masks_missing]
    if names:
        yield Notice(
            "fill-masked",
            "readers of pure Zarr V2 mask elements that were never written, and there are too many"
            f" of them to write: {_examples(names)}",
            hint="write Zarr V3 (--zarr-format 3), which has a fill value without a mask",
        )


def _notify_of_shards(plan: DatasetPlan, notify: Notify) -> None:
    """Name the arrays for which a text gives shards, which Zarr V2 does not have."""
    names = [
        array.fqn
        for array in plan.arrays
        if array.variable.storage.shards is not None
        and not isinstance(array.variable.data, EncodedSource)
    ]
    if names:
        notify(
            Notice(
                "shards-ignored",
                f"Zarr V2 has no shards, so chunks are stored separately: {_examples(names)}",
                hint="write Zarr V3 with --zarr-format 3 to have shards",
            )
        )


def _notify_of_masks(plan: DatasetPlan, notify: Notify) -> None:
    """Name the arrays whose masks Zarr V3 does not get."""
    numbers = [a.fqn for a in plan.arrays if plan.options.pure and masks_no_number(a)]
    if numbers:
        notify(
            Notice(
                "mask-left-out",
                "NaN cannot mask integers, and xarray does not open a Zarr V3 array with it; it is"
                f" left out: {_examples(numbers)}",
            )
        )
    names = [a.fqn for a in plan.arrays if leaves_mask_out(a, plan.dataset.provenance)]
    if names:
        notify(
            Notice(
                "mask-left-out",
                "texts and times get no mask in Zarr V3, where xarray would not open the arrays:"
                f" {_examples(names)}",
                hint="write Zarr V2 to keep the masks",
            )
        )


def _kept(dataset: Dataset, options: WriteOptions) -> frozenset[str]:
    """Return the FQNs of variables that keep their Zarr dtype: from pure Zarr to pure Zarr."""
    if not options.pure or dataset.provenance.superblock:
        return frozenset()
    return frozenset(
        join(fqn, variable.name)
        for fqn, group in walk(dataset.root)
        for variable in group.variables
        if isinstance(variable.data, ZarrSource)
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
    found = []
    for array in arrays:
        if array.variable.data is None and not array.fills_missing:
            faults = [writing_fault(c) for chain, *_ in _chains(array) for c in chain]
        else:
            faults = [encoding_fault(*chain) for chain in _chains(array)]
        fault = next(filter(None, faults), None)
        if fault is not None:
            found.append(f"variable {array.fqn}: {fault}")
    if found:
        raise LossError(
            "; ".join(found), hint="choose other codecs with --codec; nothing was written"
        )


def _notify_of_text(plan: DatasetPlan, notify: Notify) -> None:
    """Notify once of text that netcdf-c and zarr-python do not read alike."""
    fills = [array.fqn for array in plan.arrays if _has_literal_text_fill(array)]
    if fills:
        notify(
            Notice(
                "text-fill",
                "the fill_value is text, which zarr-python decodes as base64: it will show another"
                f" value, or not open the store: {_examples(fills)}",
                hint="use mode=zarr, or no _FillValue, if zarr-python is to read them",
            )
        )


def _notify_of_scalars(plan: DatasetPlan, notify: Notify) -> None:
    """Name the scalars whose codecs are left out, once."""
    names = [
        array.fqn
        for array in plan.arrays
        if array.variable.storage.filters and not (array.layout.codecs or array.layout.shape)
    ]
    if names:
        notify(
            Notice(
                "scalar-not-compressed",
                "scalars are stored without codecs in NCZarr V2, because netCDF-C does not open a"
                f" store with compressed scalars: {_examples(names)}",
            )
        )


def _has_literal_text_fill(array: ArrayPlan) -> bool:
    """Return whether zarr-python could read the array if its `fill_value` were not text."""
    encoding = array.encoding
    is_text = encoding.type in (Atomic.CHAR, Atomic.STRING) and encoding.item_size > 0
    is_literal = not encoding.base64_fill and bool(write_fill(array.fill, encoding))
    return is_text and is_literal and encoding.dtype != ">S1"


def _examples(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")
