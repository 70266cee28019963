"""``dump --json`` and back: whole datasets, byte for byte, and values exactly.

``make test`` takes a part of the golden stores and of the random datasets.
"""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz.views.json.array
import ncz.views.json.writer
from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.reader import read_cdl
from ncz.commands.dump import DumpOptions, print_dataset
from ncz.commands.gen import GenOptions, create_from_text
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Dataset, Dimension, Group, Variable, dimensions_by_fqn, shape_of, walk
from ncz.model.types import Atomic
from ncz.views.json.reader import read_json
from ncz.zmap.location import parse_location
from tests import strategies
from tests.conftest import EXAMPLES, ROOT
from tests.sampled import few_or_many, sampled, share_of
from tests.views.json.printed import as_json, strict

CASES = sorted(p for p in (ROOT / "tests/golden/netcdf-c").iterdir() if p.is_dir())


def as_cdl(dataset: Dataset) -> bytes:
    out = io.BytesIO()
    print_cdl(dataset, CdlOptions(special=True), out.write)
    return out.getvalue()


def without_data(group: Group) -> Group:
    return replace(
        group,
        variables=tuple(replace(v, data=None) for v in group.variables),
        groups=tuple(without_data(g) for g in group.groups),
    )


def assert_same(first: Dataset, second: Dataset) -> None:
    """All that was declared is the same, and so is every value."""
    assert repr(without_data(first.root)) == repr(without_data(second.root))
    dimensions = dimensions_by_fqn(first.root)
    for (_, ours), (_, theirs) in zip(walk(first.root), walk(second.root), strict=True):
        for a, b in zip(ours.variables, theirs.variables, strict=True):
            shape = shape_of(a, dimensions)
            if a.data is None or 0 in shape:
                continue
            assert b.data is not None
            left, right = read_all(a.data), read_all(b.data)
            assert left.dtype == right.dtype
            assert left.shape == right.shape
            np.testing.assert_array_equal(left, right)


@few_or_many(20, 200)
def test_a_dataset_is_the_same_when_read_back(examples: int):
    @given(strategies.datasets())
    @settings(max_examples=examples)
    def holds(dataset: Dataset) -> None:
        text = as_json(dataset)
        strict(text)
        again = read_json(text, source="t")
        assert_same(dataset, again)
        assert as_json(again) == text

    holds()


@given(strategies.datasets(), st.integers(1, 40), st.data())
@settings(max_examples=share_of(100))
def test_blocks_of_any_size_give_the_same_values(dataset: Dataset, size: int, data: Any):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ncz.views.json.array, "BLOCK", size)
        again = read_json(as_json(dataset), source="t")
        assert_same(dataset, again)
        for _, group in walk(again.root):
            for variable in group.variables:
                source = variable.data
                if source is None:
                    continue
                chunks = tuple(data.draw(st.integers(1, 4)) for _ in source.grid.shape)
                other: Any = getattr(source, "rechunk")(chunks)  # noqa: B009
                whole = read_all(source)
                for index in other.grid.indices():
                    box = other.grid.box(index)
                    part = whole[box.slices] if index else whole
                    np.testing.assert_array_equal(other.chunk(index), part)


@given(st.lists(st.floats(width=32), min_size=1, max_size=30))
def test_floats_have_the_fewest_digits_that_give_them_again(numbers: list[float]):
    values = np.array(numbers, np.float32)
    text = as_json(one_variable(values, Atomic.FLOAT))
    given_again = read_json(text, source="t").root.variables[0].data
    assert given_again is not None
    assert (
        read_all(given_again).tobytes()
        == np.where(np.isnan(values), np.float32("nan"), values).tobytes()
    )
    for number, printed in zip(values, strict(text)["variables"]["v"]["data"], strict=True):
        if np.isfinite(number):
            assert f"{printed:.8e}" == f"{float(str(number)):.8e}"


def one_variable(values: Any, nc_type: Atomic) -> Dataset:
    dimensions = tuple(Dimension(name=f"d{i}", size=n) for i, n in enumerate(values.shape))
    variable = Variable(
        name="v",
        type=nc_type,
        dimensions=tuple(f"/{d.name}" for d in dimensions),
        data=MemoryArray(values, nc_type),
    )
    return Dataset(name="one", root=Group(dimensions=dimensions, variables=(variable,)))


@pytest.mark.parametrize("path", sampled(EXAMPLES, 3), ids=lambda p: p.stem)
def test_every_example_is_the_same_when_read_back(path: Path):
    dataset = read_cdl(path.read_bytes(), source=path.name)
    again = read_json(as_json(dataset), source="t")
    assert as_cdl(again) == as_cdl(dataset)


@pytest.mark.parametrize("case", sampled(CASES, 8), ids=lambda p: p.name)
def test_every_golden_store_is_made_from_json_as_from_cdl(case: Path, tmp_path: Path):
    stores = [p for p in case.iterdir() if p.name.startswith("store")]
    if not stores:
        pytest.skip("has no store")
    made = []
    for view in ("json", "cdl"):
        out = io.BytesIO()
        print_dataset(
            parse_location(str(stores[0])),
            DumpOptions(view=view, cdl=CdlOptions(special=view == "cdl")),
            out.write,
        )
        target = tmp_path / view
        create_from_text(
            GenOptions(source=io.BytesIO(out.getvalue()), target=parse_location(str(target)))
        )
        out = io.BytesIO()
        print_dataset(
            parse_location(str(target)),
            DumpOptions(cdl=CdlOptions(name="n", special=True)),
            out.write,
        )
        made.append(out.getvalue())
    assert made[0] == made[1]


def test_a_long_text_is_read_block_by_block(tmp_path: Path):
    values = np.arange(600_000, dtype="i4").reshape(600, 1000)
    text = as_json(one_variable(values, Atomic.INT))
    source = read_json(text, source="t").root.variables[0].data
    assert isinstance(source, ncz.views.json.array.JsonArray)
    assert len(source.blocks.starts) > 3
    np.testing.assert_array_equal(read_all(source), values)
