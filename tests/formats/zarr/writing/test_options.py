"""Options of a Zarr store."""

from __future__ import annotations

import pytest

from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.writing.options import WriteOptions


@pytest.mark.parametrize(
    ("options", "pure", "annotated"),
    [
        (WriteOptions(), False, False),
        (WriteOptions(consolidated=True), False, False),
        (WriteOptions(flavour="zarr"), True, False),
        (WriteOptions(flavour="zarr", consolidated=True), True, True),
        (WriteOptions(flavour="zarr", consolidated=True, store=CreateOptions(annotations=False)),
         True, False),
    ],
)  # fmt: skip
def test_annotations_are_next_to_consolidated_metadata_of_pure_zarr(
    options: WriteOptions, pure: bool, annotated: bool
):
    assert (options.pure, options.has_annotations) == (pure, annotated)
