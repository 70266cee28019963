"""The plan of a Zarr store: the storage of each variable of a dataset, and the losses.

A plan is made before anything is written. The writer carries it out; a copy compares it with the
source. `array_planner` plans each variable. `visibility` decides the places of masks, which readers
see differently from netCDF's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ncz.errors import FormatError, LossError, Notice, Notify, ignore_notice, named_notice, option
from ncz.formats.nanoseconds import with_nanoseconds
from ncz.formats.undecoded_times import undecoded_durations
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.readers.attribute_notices import attribute_notices
from ncz.formats.zarr.types.dtypes import is_complex, read_encoding
from ncz.formats.zarr.writing import mask_notices
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.array_planner import ArrayPlanner
from ncz.formats.zarr.writing.losses import faults, hidden_attributes, pure_losses
from ncz.formats.zarr.writing.missing_chunks import with_missing
from ncz.formats.zarr.writing.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.writing.visibility import Placement, place
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Dataset, variables_by_fqn, walk
from ncz.record import record


@record(kw_only=True)
class DatasetPlan:
    """The plan of a dataset.

    `placements` has the place of each array's mask, by FQN. `losses` are the values and metadata
    that a reader of the store does not get back.
    """

    dataset: Dataset
    options: WriteOptions
    arrays: tuple[ArrayPlan, ...]
    placements: Mapping[str, Placement]
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
        A plan for each variable, and the losses of a reader.

    Raises
    ------
    LossError
        If the store cannot represent something at all; the message lists everything.
    """
    kept = _with_kept_dtype(dataset, options)
    dataset = with_nanoseconds(dataset, kept)
    problems = list(faults(dataset, pure=options.pure, kept=kept))
    if problems:
        raise LossError(
            f"Zarr V{options.zarr_format} cannot represent {'; '.join(problems)}",
            hint="rename or convert the listed parts (nothing was written)",
        )
    seen = attribute_notices(
        dataset,
        pure=options.pure,
        annotated=options.has_annotations,
        zarr_format=options.zarr_format,
        strict=options.strict,
    )
    for notice in (*hidden_attributes(dataset), *seen, *undecoded_durations(dataset, kept)):
        notify(notice)
    planning = ArrayPlanner(dataset, options, kept, notify)
    arrays: list[ArrayPlan] = []
    placements: dict[str, Placement] = {}
    for fqn, group in walk(dataset.root):
        for variable in group.variables:
            array = planning.plan(variable, fqn)
            placement = placements[array.fqn] = place(array, options, dataset.provenance)
            arrays.append(with_missing(array, placement.missing, options))
    losses: tuple[Notice, ...] = ()
    if options.pure:
        masked = (*_masked_fills(arrays), *mask_notices.losses(arrays, placements))
        # Annotations record types that differ from the types implied by dtypes.
        implied = kept if not dataset.provenance.annotated else frozenset()
        implied |= {array.fqn for array in arrays if _has_implied_type(array)}
        lost = tuple(pure_losses(dataset, options, implied))
        if options.has_annotations:  # so that ncz reads everything, and other programs do not
            for notice in lost:
                notify(notice)
            lost = ()
        losses = (*lost, *masked)
    plan = DatasetPlan(
        dataset=dataset,
        options=options,
        arrays=tuple(arrays),
        placements=placements,
        losses=losses,
    )
    if options.zarr_format == 3:
        _check_v3(plan)
    else:
        for notice in _report_v2_forms(plan):
            notify(notice)
    for notice in mask_notices.notices(arrays, placements):
        notify(notice)
    return plan


def _check_v3(plan: DatasetPlan) -> None:
    """Raise `LossError`, listing every variable that Zarr V3 cannot express."""
    from ncz.formats.zarr.documents.document_v3 import print_array

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
    """Report arrays whose values that were never written are masked by readers of Zarr V2."""
    return named_notice(
        "fill-masked",
        "xarray masks elements that were never written, too many to write",
        [array.fqn for array in arrays if array.masks_missing],
        f"write Zarr V3 with {option('zarr_format', 3)}",
    )


def _report_v2_forms(plan: DatasetPlan) -> Iterator[Notice]:
    """Report arrays whose V2 form differs from the request, or misleads readers."""
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
        "scalars are stored without codecs, because netCDF-C does not open scalars with codecs",
        [
            array.fqn
            for array in plan.arrays
            if array.variable.storage.filters and not (array.layout.codecs or array.layout.shape)
        ],
    )


def _has_implied_type(array: ArrayPlan) -> bool:
    """Return whether readers derive the type of complex numbers from the dtype of an array."""
    if not is_complex(array.encoding):
        return False
    name = f"{array.fqn}_t"
    encoding = read_encoding(array.encoding.dtype, nczarr=False, type_name=name)
    return encoding.type == array.variable.type


def _with_kept_dtype(dataset: Dataset, options: WriteOptions) -> frozenset[str]:
    """Return the FQNs of variables that keep their Zarr dtype: from pure Zarr to pure Zarr."""
    if not options.pure or dataset.provenance.superblock:
        return frozenset()
    return frozenset(
        fqn
        for fqn, variable in variables_by_fqn(dataset.root)
        if isinstance(variable.data, ZarrArray)
    )
