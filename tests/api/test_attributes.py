"""Attributes as dictionaries whose changes are written immediately."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ncz.api.attributes import (
    Attributes,
    given_attributes,
    plain_attributes,
    refuse,
    typed_attributes,
)
from ncz.model.tree import Attribute, Variable
from ncz.model.types import Atomic


class Store:
    """Attributes elsewhere, and the changes of them."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {"a": 1, "b": 2}
        self.changes: list[tuple[dict[str, Any], list[str]]] = []

    def change(self, changed: Mapping[str, Any], deleted: Sequence[str]) -> Mapping[str, Any]:
        self.changes.append((dict(changed), list(deleted)))
        for name in deleted:
            del self.values[name]
        self.values.update(changed)
        return self.values


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def attributes(store: Store) -> Attributes:
    return Attributes(store.values, store.change)


@pytest.mark.parametrize(
    ("change", "expected", "written"),
    [
        (lambda a: a.__setitem__("c", 3), {"a": 1, "b": 2, "c": 3}, [({"c": 3}, [])]),
        (lambda a: a.__delitem__("a"), {"b": 2}, [({}, ["a"])]),
        (lambda a: a.update({"a": 5}, c=3), {"a": 5, "b": 2, "c": 3}, [({"a": 5, "c": 3}, [])]),
        (lambda a: a.__ior__({"a": 5}), {"a": 5, "b": 2}, [({"a": 5}, [])]),
        (lambda a: a.setdefault("a", 9), {"a": 1, "b": 2}, []),
        (lambda a: a.setdefault("c", 9), {"a": 1, "b": 2, "c": 9}, [({"c": 9}, [])]),
        (lambda a: a.pop("a"), {"b": 2}, [({}, ["a"])]),
        (lambda a: a.popitem(), {"a": 1}, [({}, ["b"])]),
        (lambda a: a.clear(), {}, [({}, ["a", "b"])]),
        (lambda a: a.put({"b": 7, "c": 3}), {"b": 7, "c": 3}, [({"b": 7, "c": 3}, ["a"])]),
        (lambda a: a.create("c", 3, "i4"), {"a": 1, "b": 2, "c": 3}, [({"c": 3}, [])]),
    ],
)
def test_each_change_is_written_once(attributes, store: Store, change, expected, written):
    change(attributes)
    assert attributes == store.values == expected
    assert store.changes == written


def test_values_are_returned(attributes: Attributes):
    assert attributes.pop("a") == 1
    assert attributes.pop("gone", 5) == 5
    assert attributes.popitem() == ("b", 2)
    with pytest.raises(KeyError, match="no attributes"):
        attributes.popitem()
    for take in (attributes.pop, attributes.__delitem__):
        with pytest.raises(KeyError, match="gone"):
            take("gone")


def test_a_missing_name_is_no_error_before_a_refused_change():
    attributes = Attributes({}, refuse)
    for take in (attributes.pop, attributes.__delitem__):
        with pytest.raises(TypeError, match="open to read"):
            take("gone")
    with pytest.raises(TypeError, match=r"r\+"):
        attributes["a"] = 1
    assert attributes == {}


def test_copies_are_plain(attributes: Attributes):
    for one in (copy.copy(attributes), pickle.loads(pickle.dumps(attributes)), attributes.asdict()):
        assert type(one) is dict
        assert one == {"a": 1, "b": 2}


LIST = (
    Attribute(name="_FillValue", type=Atomic.SHORT, values=(-1,)),
    Attribute(name="n", type=Atomic.FLOAT, values=(1.5, 2.5)),
    Attribute(name="t", type=Atomic.CHAR, values=("text",)),
)


def test_numbers_have_their_type_or_are_plain():
    typed = typed_attributes(LIST)
    assert (typed["_FillValue"].dtype, typed["n"].dtype) == (np.int16, np.float32)
    plain = plain_attributes(LIST)
    assert plain == {"_FillValue": -1, "n": [1.5, 2.5], "t": "text"}
    assert type(plain["_FillValue"]) is int


def test_a_variable_s_dictionary_gives_its_attributes_without_the_mask():
    record = Variable(name="v", type=Atomic.SHORT, attributes=LIST)
    assert given_attributes({"_record": record, "_handle": 1}) == {"n": [1.5, 2.5], "t": "text"}
    own = {"_record": 5}
    assert given_attributes(own) is own
