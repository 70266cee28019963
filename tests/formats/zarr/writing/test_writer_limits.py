"""Fill values, strings and names that are written, refused or lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ncz.errors import LossError
from ncz.formats.zarr.writing.writer import write_dataset
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic, Opaque
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.writing.test_writer import NCZARR, PURE, small, text, write
from tests.formats.zarr.writing.test_writer_v2 import strings


def test_a_string_longer_than_declared_is_refused_before_anything_is_written():
    maximum = Attribute(name="_nczarr_maxstrlen", type=Atomic.INT, values=(3,))
    objects: dict[str, bytes] = {}
    with pytest.raises(LossError, match=r"/v has a string of 4 bytes.*v:_nczarr_maxstrlen = 4"):
        write_dataset(strings("ab", "éé", attributes=(maximum,)), MemoryZmap(objects), NCZARR)
    assert objects == {}


def test_a_string_with_nul_is_refused():
    with pytest.raises(LossError, match=r"/v .*NUL"):
        write(strings("a\0b"))


def test_a_type_that_is_not_declared_is_refused():
    dataset = small(type=Opaque(name="/blob", size=4), data=None)
    objects: dict[str, bytes] = {}
    with pytest.raises(LossError, match="variable /v of the type /blob, which is not declared"):
        write_dataset(dataset, MemoryZmap(objects), NCZARR)
    assert objects == {}


@pytest.mark.parametrize(
    "name", ["", "a/b", ".", "..", ".zarray", ".zgroup", "a\nb", "\x7f", "n" * 1025]
)
def test_names_that_cannot_be_keys_are_refused(name):
    with pytest.raises(LossError, match="cannot represent"):
        write(small(name=name))


def test_names_of_a_group_and_a_variable_cannot_be_one():
    dataset = replace(small(), root=replace(small().root, groups=(Group(name="v"),)))
    with pytest.raises(LossError, match="already exists"):
        write(dataset)


@pytest.mark.parametrize("name", ["_ARRAY_DIMENSIONS", "_nczarr_array", "_NCZARR_ATTR"])
@pytest.mark.parametrize("options", [NCZARR, PURE])
def test_reserved_attributes_are_refused(name, options):
    with pytest.raises(LossError, match=f"attribute {name}, whose name is reserved"):
        write(small(attributes=(text(name, "x"),)), options)


def test_pure_zarr_reports_each_kind_of_loss_once():
    root = Group(
        dimensions=(
            Dimension(name="t", size=2, unlimited=True),
            Dimension(name="n", size=2, unlimited=True),
            Dimension(name="unused", size=9),
        ),
        variables=(
            Variable(name="c", type=Atomic.CHAR, dimensions=("/t",)),
            Variable(
                name="d",
                type=Atomic.INT,
                dimensions=("/n",),
                attributes=(Attribute(name="s", type=Atomic.SHORT, values=(1,)),),
            ),
        ),
        groups=(
            Group(name="g", variables=(Variable(name="e", type=Atomic.INT, dimensions=("/t",)),)),
        ),
    )
    _, notices = write(Dataset(name="x", root=root), PURE)
    lines = [n.message for n in notices]
    assert len(lines) == 5
    for part in ("/t, /n", "unused", "outer group", "char variables", "d:s"):
        assert sum(part in line for line in lines) == 1
