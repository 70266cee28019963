"""The dataset that readers see in a Zarr store that was written."""

from __future__ import annotations

from collections.abc import Callable

from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Attribute, Dataset, Provenance, Variable, each_variable
from ncz.record import replace


def as_stored(dataset: Dataset, stored: Provenance) -> Dataset:
    """Return a dataset as a store contains it; see `ncz.formats.kinds.DatasetFormat.as_stored`."""
    source = dataset.provenance
    if stored.is_unannotated_zarr and not (source.superblock or source.annotated):
        dataset = _without_hints(dataset)
    if stored.zarr_format == 3 and source.zarr_format == 2 and not source.superblock:
        dataset = _without_masks(dataset)
    return dataset


def _without_hints(dataset: Dataset) -> Dataset:
    """Return a dataset without attributes that express Zarr dtypes, which pure copies keep."""
    if dataset.provenance.zarr_format is None:
        return dataset
    return _with_attributes(dataset, lambda _, a: a.original is not None)


def _without_masks(dataset: Dataset) -> Dataset:
    """Return a dataset without masks of text and of times, which V3 does not get from V2."""

    def is_kept(variable: Variable, attribute: Attribute) -> bool:
        if attribute.name != "_FillValue" or not isinstance(variable.data, EncodedSource):
            return True
        dtype = variable.data.stored_dtype
        return isinstance(dtype, str) and dtype.lstrip("<>|=")[:1] in ("b", "i", "u", "f", "c")

    return _with_attributes(dataset, is_kept)


def _with_attributes(dataset: Dataset, is_kept: Callable[[Variable, Attribute], bool]) -> Dataset:
    """Return a dataset with some attributes of variables only."""
    return each_variable(
        dataset,
        lambda _, v: replace(v, attributes=tuple(a for a in v.attributes if is_kept(v, a))),
    )
