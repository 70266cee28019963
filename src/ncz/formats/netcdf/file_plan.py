"""Plan a dataset as a netCDF-4 file that is never written."""

from __future__ import annotations

from ncz.errors import LossError, Notice, Notify, named_notice
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.plan import Hdf5Array, plan_arrays
from ncz.formats.nanoseconds import with_nanoseconds
from ncz.formats.netcdf.attribute_names import with_normal_attributes
from ncz.formats.netcdf.losses import adapt, faults
from ncz.formats.netcdf.strings import bytes_as_chars, without_encodings
from ncz.formats.undecoded_times import undecoded_durations
from ncz.model.tree import Dataset, Variable, each_variable, json_attributes
from ncz.record import record, replace


@record(kw_only=True)
class FilePlan:
    """The dataset in the file, the storage of each variable, and the losses."""

    dataset: Dataset
    arrays: tuple[Hdf5Array, ...]
    losses: tuple[Notice, ...]


def plan_file(dataset: Dataset, notify: Notify) -> FilePlan:
    """Plan a file of kind "netCDF-4" as a copy would write it, without rounding values.

    Raises
    ------
    LossError
        If the file cannot represent the dataset.
    """
    load_h5py()
    dataset = with_nanoseconds(bytes_as_chars(with_normal_attributes(dataset)))
    dataset = without_encodings(dataset, notify)
    for notice in named_notice(
        "attribute-as-text",
        "attributes that are objects or lists of JSON are written as their text",
        json_attributes(dataset.root),
    ):
        notify(notice)
    for notice in undecoded_durations(dataset):
        notify(notice)
    found = list(faults(dataset, "netCDF-4"))
    if found:
        raise LossError(
            f"a netCDF-4 file cannot represent {'; '.join(found)}",
            dataset.name,
            "rename or convert the listed parts, or serve it without a netCDF file",
        )
    dataset, losses = adapt(dataset, "netCDF-4")
    dataset = each_variable(dataset, _without_rounding)
    return FilePlan(dataset=dataset, arrays=plan_arrays(dataset), losses=losses)


def _without_rounding(_: str, variable: Variable) -> Variable:
    """Return a variable whose values a copy would not round."""
    return replace(variable, storage=replace(variable.storage, quantize=None))
