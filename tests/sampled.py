"""Some cases of a parametrized test for ``make test``; the others have the marker ``long``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings


def sampled(cases: Iterable[Any], step: int) -> list[Any]:
    """Return `cases` for ``parametrize``; all except the first of each `step` are long.

    A tuple contains the values of several arguments.
    """
    return [case if number % step == 0 else _long(case) for number, case in enumerate(cases)]


def paired(*values: Iterable[Any]) -> list[Any]:
    """Return all combinations of the values of several arguments for ``parametrize``.

    Those that are not long have each value of each argument at least once.
    """
    known = [[*each] for each in values]
    count = max(map(len, known))
    short = {tuple(number % len(each) for each in known) for number in range(count)}
    indices = itertools.product(*(range(len(each)) for each in known))
    cases = zip(indices, itertools.product(*known), strict=True)
    return [case if index in short else _long(case) for index, case in cases]


def pairs(*values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return combinations of the values of several arguments for ``parametrize``.

    Each two values of two arguments are in one of them, which finds errors of two arguments
    together.
    """
    known = [[*each] for each in values]
    missing = {
        (one, first, other, second): None  # in the order of the values
        for one, other in itertools.combinations(range(len(known)), 2)
        for first, second in itertools.product(range(len(known[one])), range(len(known[other])))
    }
    rows = []
    while missing:
        one, first, other, second = next(iter(missing))
        row = {one: first, other: second}
        for place in range(len(known)):
            if place not in row:
                row[place] = max(
                    range(len(known[place])),
                    key=lambda value: len(_met(row | {place: value}) & missing.keys()),
                )
        for pair in _met(row):
            missing.pop(pair, None)
        rows.append(tuple(known[place][row[place]] for place in range(len(known))))
    return rows


def _met(row: dict[int, int]) -> set[tuple[int, int, int, int]]:
    """Return the pairs of values in a combination, each with the numbers of the arguments."""
    return {(*one, *other) for one, other in itertools.combinations(sorted(row.items()), 2)}


def few_or_many(few: int, many: int) -> pytest.MarkDecorator:
    """Return a decorator that gives a property test a number of `examples`; `many` are long."""
    return pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.long)])


def share_of(count: int) -> int:
    """Return the number of examples of a property test: `count`, or fewer in ``make test``."""
    return max(1, count * settings().max_examples // 100)


def _long(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.long], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.long)
