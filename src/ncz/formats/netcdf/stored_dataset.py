"""The dataset that readers see in a netCDF file that was written."""

from __future__ import annotations

from ncz.errors import ignore_notice
from ncz.formats.netcdf.attribute_names import with_normal_attributes
from ncz.formats.netcdf.losses import adapt, is_classic
from ncz.formats.netcdf.strings import bytes_as_chars, strings_as_chars, without_encodings
from ncz.model.tree import Dataset, Provenance


def as_stored(dataset: Dataset, stored: Provenance) -> Dataset:
    """Return a dataset as a file contains it; see `ncz.formats.kinds.DatasetFormat.as_stored`."""
    kind = stored.kind_of_file
    if kind is None:
        return dataset
    dataset = bytes_as_chars(with_normal_attributes(dataset))
    if is_classic(kind):
        dataset, _ = strings_as_chars(dataset, kind)
        return adapt(dataset, kind)[0]
    return without_encodings(dataset, ignore_notice)
