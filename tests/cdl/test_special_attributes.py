"""Special attributes, which describe the storage of a dataset."""

from __future__ import annotations

from ncz.cdl.special_attributes import codecs_json, variable_attributes
from ncz.model.filters import make_filter
from ncz.model.tree import Storage, Variable
from ncz.model.types import Atomic

FILTERS = (
    make_filter("shuffle", elementsize=4),
    make_filter("zlib", level=3),
    make_filter("zstd", level=5),
    make_filter("delta", dtype="<i4"),
)


def test_filters_have_separate_attributes_or_one():
    variable = Variable(name="v", type=Atomic.INT, storage=Storage(filters=FILTERS, no_fill=True))
    assert list(variable_attributes(variable, fold=False)) == [
        ("_Shuffle", '"true"'),
        ("_DeflateLevel", "3"),
        ("_Filter", '"32015,5"'),
        (
            "_Codecs",
            r'"[{\"id\": \"shuffle\", \"elementsize\": 4},{\"id\": \"zlib\", \"level\": 3},'
            r'{\"id\": \"zstd\", \"level\": 5},{\"id\": \"delta\", \"dtype\": \"<i4\"}]"',
        ),
        ("_NoFill", '"true"'),
    ]
    assert ("_Filter", '"2|1,3|32015,5"') in list(variable_attributes(variable, fold=True))


def test_nothing_said_about_storage_is_nothing_printed():
    assert list(variable_attributes(Variable(name="v", type=Atomic.STRING), fold=False)) == []
    scalar = Variable(name="v", type=Atomic.BYTE, storage=Storage(chunks=(), endianness="little"))
    assert list(variable_attributes(scalar, fold=False)) == []


def test_codecs_keep_the_order_of_their_members():
    assert codecs_json((make_filter("x", b=1, a="é"),)) == '[{"id": "x", "b": 1, "a": "é"}]'
