"""Datasets whose numbers are converted when they are read."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import Numbers, numbers_of
from ncz.commands.number_types.change import Change, change_numbers, exactly
from ncz.errors import NczError
from ncz.model.data import Values, read_all
from ncz.model.tree import Variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace
from tests.test_round_trip import parsed

DATASET = parsed(
    b"""netcdf d { dimensions: x = 3 ; variables: int v(x) ; string s(x) ; int none(x) ;
    data: v = 1, 2, 3 ; s = "a", "b", "c" ; group: g { variables: short w(x) ; data: w = 4 ; } }"""
)


def doubled(fqn: str, variable: Variable, numbers: Numbers) -> Change | None:
    """Return a variable of double, twice as large."""
    if fqn == "/none":
        return None
    return Change(replace(variable, type=Atomic.DOUBLE), lambda values: values.astype("f8") * 2)


def test_only_numbers_are_changed_and_not_before_they_are_read():
    calls: list[str] = []

    def change(fqn: str, variable: Variable, numbers: Numbers) -> Change | None:
        calls.append(fqn)
        return doubled(fqn, variable, numbers)

    variables = dict(variables_by_fqn(change_numbers(DATASET, "d.nc", change).root))
    assert calls == ["/v", "/none", "/g/w"]
    assert variables["/v"].type is Atomic.DOUBLE
    assert variables["/v"].data is not None
    assert read_all(variables["/v"].data).tolist() == [2, 4, 6]
    assert variables["/s"].type is Atomic.STRING
    assert variables["/none"].type is Atomic.INT


def test_an_error_names_the_variable_and_the_dataset():
    def fail(_: Values) -> Values:
        raise JoinError("a value is too large", None, "use another type")

    found = change_numbers(DATASET, "d.nc", lambda _, variable, __: Change(variable, fail))
    data = found.root.variables[0].data
    assert data is not None
    with pytest.raises(NczError) as error:
        read_all(data)
    assert str(error.value) == "d.nc: /v: a value is too large; use another type"
    assert not isinstance(error.value, JoinError)


def test_numbers_are_converted_exactly_or_not_at_all():
    variable = DATASET.root.variables[0]
    numbers = numbers_of(DATASET.root)["/v"]
    assert exactly(numbers, variable)(np.array([1, 2], "i4")).tolist() == [1, 2]
    convert = exactly(numbers, replace(variable, type=Atomic.BYTE))
    assert convert(np.array([1, -2], "i4")).dtype == "i1"
    with pytest.raises(JoinError):
        convert(np.array([1, 300], "i4"))
