"""Round trips of random datasets through gen and dump, and every generation of NCZarr.

``make test`` draws a part of the datasets.
"""

from __future__ import annotations

import io
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.reader import read_cdl
from ncz.errors import Notice, ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.json import parse_document, print_document
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.formats.zarr.writing.writer import write_dataset
from ncz.model.tree import Dataset, Group, dimensions_by_fqn, join, shape_of, walk
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap
from tests import strategies
from tests.sampled import few_or_many, share_of

Objects = dict[str, bytes]

OLD_NAMES = {"dimensions": "dims", "arrays": "vars", "dimension_references": "dimrefs"}
PLACES = {
    "_nczarr_superblock": (".zgroup", ".nczarr"),
    "_nczarr_group": (".zgroup", ".nczgroup"),
    "_nczarr_array": (".zarray", ".nczarray"),
    "_nczarr_attr": (".zattrs", ".nczattr"),
}
"""Annotation -> its object in netcdf-c 4.8.1 to 4.9.2, and its object in version 1."""


def stored(dataset: Dataset, options: WriteOptions) -> Objects:
    objects: Objects = {}
    write_dataset(dataset, MemoryZmap(objects, "memory://t"), options, ignore_notice)
    return objects


def dumped(objects: Objects) -> bytes:
    zmap = MemoryZmap(objects, "memory://t")
    return printed(open_dataset(zmap, name="t", notify=ignore_notice))


def printed(dataset: Dataset) -> bytes:
    out = io.BytesIO()
    print_cdl(dataset, CdlOptions(), out.write)
    return out.getvalue()


def parsed(text: bytes) -> Dataset:
    return read_cdl(text, source="t")


def as_generation(objects: Objects, generation: str) -> Objects:
    """Return a current store with its annotations where an older netCDF-C had them.

    `generation` is "upper" (4.8.1 to 4.9.0), "lower" (4.9.1 and 4.9.2) or "objects" (version 1).
    """
    documents: dict[str, dict[str, Any]] = {
        key: parse_document(data, key)
        for key, data in objects.items()
        if key.rpartition("/")[2] in (".zgroup", ".zarray", ".zattrs")
    }
    result: Objects = {key: data for key, data in objects.items() if key not in documents}
    for key in [k for k in documents if k.endswith(".zattrs")]:
        folder = key.removesuffix(".zattrs")
        for name, (place, own) in PLACES.items():
            note = documents[key].pop(name, None)
            if note is None:
                continue
            old = {OLD_NAMES.get(member, member): value for member, value in note.items()}
            if generation == "objects":
                result[folder + own] = print_document(old)
            else:
                told = name.upper() if generation == "upper" else name
                documents[folder + place][told] = old
    return result | {key: print_document(document) for key, document in documents.items()}


def told(dataset: Dataset) -> Dataset:
    """Return the dataset, with unlimited dimensions made fixed if no data in CDL give their length.

    Text does not give it, because the NULs at the end of a row are not printed.
    """
    dimensions = dimensions_by_fqn(dataset.root)
    used = {
        fqn
        for _, group in walk(dataset.root)
        for variable in group.variables
        if math.prod(shape_of(variable, dimensions))
        for fqn in variable.dimensions[: -1 if variable.type is Atomic.CHAR else None]
    }

    def settle(group: Group, at: str) -> Group:
        return replace(
            group,
            dimensions=tuple(
                replace(d, unlimited=d.unlimited and (join(at, d.name) in used or not d.size))
                for d in group.dimensions
            ),
            groups=tuple(settle(child, join(at, child.name)) for child in group.groups),
        )

    return replace(dataset, root=settle(dataset.root, ""))


datasets = strategies.datasets().map(told)


@few_or_many(12, 100)
def test_printed_text_reads_back_to_the_same_text(examples):
    @settings(max_examples=examples)
    @given(datasets)
    def holds(dataset):
        text = printed(dataset)
        assert printed(parsed(text)) == text

    holds()


@pytest.mark.parametrize("flavour", ["nczarr", "zarr"])
@few_or_many(8, 100)
def test_dump_gen_dump_gives_the_same_bytes(flavour, examples):
    @settings(max_examples=examples)
    @given(datasets)
    def holds(dataset):
        text = dumped(stored(dataset, WriteOptions(flavour=flavour)))
        assert dumped(stored(parsed(text), WriteOptions())) == text

    holds()


@settings(deadline=None, max_examples=share_of(60))
@given(datasets, st.booleans(), st.sampled_from([None, ".", "/"]))
def test_zarr_v3_is_the_same_dataset(dataset, consolidated, separator):
    options = WriteOptions(
        zarr_format=3, consolidated=consolidated, store=CreateOptions(separator=separator)
    )
    today = dumped(stored(dataset, WriteOptions()))
    assert dumped(stored(dataset, options)) == today
    variables = [v for _, g in walk(dataset.root) for v in g.variables]
    # V3 cannot express that the fill mode is off; in pure V2, the fill of missing data is their
    # mask.
    if all(not v.storage.no_fill and (v.data is not None or v.mask is not None) for v in variables):
        pure = [stored(dataset, WriteOptions(flavour="zarr", zarr_format=v)) for v in (2, 3)]
        texts = [dumped(store) for store in pure]
        # Pure V2 does not keep the place of _FillValue among the attributes.
        assert sorted(texts[0].splitlines()) == sorted(texts[1].splitlines())


@pytest.mark.parametrize("zarr_format", [2, 3])
@few_or_many(12, 200)
def test_annotated_pure_zarr_is_the_same_dataset(zarr_format, examples):
    @settings(max_examples=examples, deadline=None)
    @given(datasets, st.booleans())
    def holds(dataset, xarray):
        options = WriteOptions(
            flavour="zarr", zarr_format=zarr_format, consolidated=True, xarray=xarray
        )
        today = dumped(stored(dataset, WriteOptions()))
        objects = stored(dataset, options)
        assert dumped(objects) == today
        zmap = MemoryZmap(objects, "memory://t")
        notices: list[Notice] = []
        found = open_dataset(zmap, name="t", consolidated=False, notify=notices.append)
        assert printed(found) == today
        assert not [n for n in notices if n.code.startswith("annotation")]

    holds()


@pytest.mark.parametrize("generation", ["upper", "lower", "objects"])
@few_or_many(4, 40)
def test_every_generation_of_nczarr_is_the_same_dataset(generation, examples):
    @settings(max_examples=examples)
    @given(datasets, st.booleans())
    def holds(dataset, consolidated):
        # In those generations there is no byte order `|` and no note of a type.
        objects = stored(dataset, WriteOptions(consolidated=False))
        today = dumped(objects)
        before = as_generation(objects, generation)
        assert dumped(before) == today
        assert dumped(stored(parsed(today), WriteOptions(consolidated=consolidated))) == today

    holds()
