"""Compare records with frozen dataclasses with slots."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

from ncz.record import field, record, replace


@record
class Point:
    """A record."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False, repr=False)
    secret: str | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x < 0")

    @property
    def total(self) -> int:
        """A property."""
        return self.x + self.y


@dataclasses.dataclass(frozen=True, slots=True)
class StandardPoint:
    """The same."""

    x: int
    y: int = 2
    names: list[str] = dataclasses.field(default_factory=list, compare=False, repr=False)
    secret: str | None = dataclasses.field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("x < 0")

    @property
    def total(self) -> int:
        """A property."""
        return self.x + self.y


@record(kw_only=True)
class Pair:
    first: int = 1
    second: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StandardPair:
    first: int = 1
    second: float


@record
class One:
    value: float


@dataclasses.dataclass(frozen=True, slots=True)
class StandardOne:
    value: float


@record
class Empty:
    pass


@dataclasses.dataclass(frozen=True, slots=True)
class StandardEmpty:
    pass


CALLS: list[tuple[Any, Any, tuple[Any, ...], dict[str, Any]]] = [
    *((Point, StandardPoint, (1,), named) for named in ({}, {"y": 3}, {"secret": "s"})),
    (Point, StandardPoint, (1, 2, ["a"]), {}),
    (Pair, StandardPair, (), {"second": 2.0}),
    (Pair, StandardPair, (), {"second": 2.0, "first": 3}),
    (One, StandardOne, (1.5,), {}),
    (Empty, StandardEmpty, (), {}),
]


@pytest.mark.parametrize(("ours", "standard", "arguments", "named"), CALLS)
def test_instances_look_alike(ours, standard, arguments, named):
    one, other = ours(*arguments, **named), standard(*arguments, **named)
    assert repr(one) == repr(other).replace("Standard", "", 1)
    assert hash(one) == hash(other)
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    assert not hasattr(one, "__dict__")


@pytest.mark.parametrize(("ours", "standard", "arguments", "named"), CALLS)
def test_records_of_one_class_with_equal_fields_are_equal(ours, standard, arguments, named):
    one = ours(*arguments, **named)
    assert one == ours(*arguments, **named)
    assert one != standard(*arguments, **named)
    assert one.__eq__(1) is NotImplemented


def test_fields_that_are_not_compared_make_no_difference():
    assert Point(1, names=["a"]) == Point(1)
    assert Point(1, secret="a") != Point(1)
    assert hash(Point(1, secret="a")) == hash(Point(1))
    nan = float("nan")
    assert One(nan) == One(nan)  # as in tuples, on every version of Python


def test_each_instance_has_its_own_default():
    one, other = Point(1), Point(1)
    one.names.append("a")
    assert other.names == []


@pytest.mark.parametrize(
    ("arguments", "named"),
    [((), {}), ((1, 2, [], None, 5), {}), ((1,), {"x": 1}), ((1,), {"z": 1})],
)
def test_wrong_arguments_are_reported_as_python_does(arguments, named):
    with pytest.raises(TypeError) as theirs:
        StandardPoint(*arguments, **named)
    with pytest.raises(TypeError) as ours:
        Point(*arguments, **named)
    assert str(ours.value) == str(theirs.value).replace("Standard", "", 1)


def test_errors_from_the_first_instance_on_are_found():
    with pytest.raises(ValueError, match="x < 0"):
        Point(-1)
    with pytest.raises(TypeError, match="positional"):
        Pair(1, 2.0)  # type: ignore[call-arg]


def test_a_record_does_not_change():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.x
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.other = 2  # type: ignore[attr-defined]
    assert point == Point(1)


@pytest.mark.parametrize("of", [replace, dataclasses.replace])
def test_replace(of):
    assert of(Point(1, secret="s"), y=5) == Point(1, 5, secret="s")
    assert of(Pair(second=1.0), first=7) == Pair(first=7, second=1.0)
    with pytest.raises(ValueError, match="x < 0"):
        of(Point(1), x=-1)
    with pytest.raises(TypeError, match="other"):
        of(Point(1), other=1)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_read_back(protocol):
    for instance in (Point(1, 2, ["a"]), Pair(second=1.0), One(2.0), Empty()):
        assert pickle.loads(pickle.dumps(instance, protocol)) == instance
    assert pickle.loads(pickle.dumps(Point(1, 2, ["a"]), protocol)).names == ["a"]


def test_a_pickle_is_read_where_no_instance_was_made():
    text = pickle.dumps(Point(1, 3))
    program = f"import pickle; print(pickle.loads({text!r}).total)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.split() == [b"4"]


def test_copies_are_equal():
    point = Point(1, names=["a"])
    assert copy.copy(point) == copy.deepcopy(point) == point
    assert copy.deepcopy(point).names is not point.names


def test_a_record_matches_by_place_unless_its_fields_are_named():
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)
    assert Pair.__match_args__ == StandardPair.__match_args__ == ()


@pytest.mark.parametrize(("ours", "standard"), [(Point, StandardPoint), (Pair, StandardPair)])
def test_tools_see_a_dataclass(ours, standard):
    assert dataclasses.is_dataclass(ours)
    assert ours.__dataclass_fields__ is ours.__dataclass_fields__  # they are made once
    assert [f.name for f in dataclasses.fields(ours)] == [
        f.name for f in dataclasses.fields(standard)
    ]
    for one, other in zip(dataclasses.fields(ours), dataclasses.fields(standard), strict=True):
        assert (one.type, one.default, one.compare, one.hash or one.compare, one.repr) == (
            other.type, other.default, other.compare, other.hash or other.compare, other.repr
        )  # fmt: skip
    assert names_of_parameters(ours) == names_of_parameters(standard)


def names_of_parameters(made: Any) -> list[str]:
    return list(inspect.signature(made).parameters)
