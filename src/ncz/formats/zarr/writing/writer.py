"""Write a dataset to a Zarr store.

Values that a store cannot represent are found before anything is written. Then come the chunks and
the documents of each array, the documents of groups, and the root's documents last, so that an
incomplete store is not taken for a store. The same dataset gives the same bytes.

The documents are NCZarr as netcdf-c 4.10 reads it and docs/reference/nczarr-v3.md specifies it, or
pure as xarray reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.errors import Notify, ignore_notice
from ncz.formats.chunks import values_to_write, write_chunks, written_variable
from ncz.formats.write_plan import ReportSize, ignore_size
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.codec_faults import check_codecs
from ncz.formats.zarr.writing.options import AS_NETCDF_C, WriteOptions
from ncz.formats.zarr.writing.plan import DatasetPlan, plan_dataset
from ncz.model.tree import Dataset
from ncz.zmap import WritableZmap

if TYPE_CHECKING:
    from ncz.formats.write_plan import SumsOf
    from ncz.formats.zarr.writing.metadata_writer import MetadataWriter


WriteData = Callable[[WritableZmap, ArrayPlan], int]
"""A function that writes the chunks of one array, and returns their number in the store."""


def write_dataset(
    dataset: Dataset,
    zmap: WritableZmap,
    options: WriteOptions = AS_NETCDF_C,
    notify: Notify = ignore_notice,
) -> DatasetPlan:
    """Write a dataset to an empty store.

    Parameters
    ----------
    dataset
        The dataset. Its values are read a chunk at a time.
    zmap
        The store.
    options
        The version and the flavour of Zarr, and how arrays are stored.
    notify
        Receives a notice for each kind of information that pure Zarr does not record.

    Returns
    -------
    DatasetPlan
        How the dataset was stored.

    Raises
    ------
    LossError
        If the store cannot represent the dataset. The error lists all reasons; nothing was written.
    """
    plan = plan_dataset(dataset, options, notify)
    check_codecs(plan.arrays)
    for notice in plan.losses:
        notify(notice)
    write_plan(plan, zmap)
    return plan


def write_values(zmap: WritableZmap, array: ArrayPlan, report: ReportSize = ignore_size) -> int:
    """Write the values of the variable's source, rounded if its storage requires it.

    Returns the number of chunks that were written; `report` is called for each of them.
    """
    source = values_to_write(array)
    if source is None and not array.fills_missing:
        return 0
    return write_chunks(zmap, source, array, report)


def write_plan(
    plan: DatasetPlan,
    zmap: WritableZmap,
    write_data: WriteData = write_values,
    sums_of: SumsOf | None = None,
) -> None:
    """Write a planned dataset to an empty store.

    Parameters
    ----------
    plan
        What to write.
    zmap
        The store.
    write_data
        Writes the chunks of one array.
    sums_of
        Returns the sums of the values of an array, which the store keeps.
    """
    writer = metadata_writer(plan, zmap)
    for array in plan.arrays:
        if sums_of is not None:
            shape = array.layout.shape
            writer.sums[array.fqn] = sums_of(array.fqn, written_variable(array), shape)
        if zmap.documents_first:
            writer.write_array(array, complete=True)
        count = write_data(zmap, array)
        has_all = count == array.layout.grid.size
        if not zmap.documents_first:
            writer.write_array(array, complete=has_all)
    writer.write_groups()


def metadata_writer(plan: DatasetPlan, zmap: WritableZmap) -> MetadataWriter:
    """Return the writer of the documents of a plan's version of Zarr."""
    if plan.options.zarr_format == 2:
        from ncz.formats.zarr.writing.writer_v2 import WriterV2

        return WriterV2(plan, zmap)
    from ncz.formats.zarr.writing.writer_v3 import WriterV3

    return WriterV3(plan, zmap)
