"""Numbers that are packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.joining.error import JoinError
from ncz.commands.joining.numbers import numbers_of
from ncz.commands.number_types.change import Change
from ncz.commands.number_types.options import PackingChoice
from ncz.commands.number_types.packing import pack
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, Notice
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from tests.test_round_trip import parsed


def packed(declaration: str, values: str, wanted: PackingChoice) -> tuple[Change, Notice]:
    text = f"netcdf d {{ dimensions: x = 3 ; variables: {declaration} data: v = {values} ; }}"
    dataset = parsed(text.encode())
    variable, numbers = dataset.root.variables[0], numbers_of(dataset.root)["/v"]
    notices: list[Notice] = []
    with ThreadPool(1 << 20, 1) as pool:
        change = pack("/v", variable, numbers, wanted, "d.nc", pool, Callbacks(notices.append))
    (notice,) = notices
    return change, notice


def attributes(change: Change) -> dict[str, Any]:
    return {a.name: (a.type, a.values) for a in change.variable.attributes}


def test_the_range_of_the_values_is_used():
    change, notice = packed("double v(x) ;", "0, 50, 100", PackingChoice(Atomic.BYTE))
    found = attributes(change)
    assert change.variable.type is Atomic.BYTE
    (scale,), (offset,) = found["scale_factor"][1], found["add_offset"][1]
    stored = change.convert(np.array([0, 50, 100, np.nan]))
    assert stored.dtype == "i1"
    assert stored[:3] * scale + offset == pytest.approx([0, 50, 100], abs=scale / 2)
    assert stored[3] == found["_FillValue"][1][0]
    assert notice.code == "packing-changed"
    assert "from 0 to 100" in notice.message


def test_given_factors_need_no_values():
    change, notice = packed("double v(x) ;", "0, 5, 9", PackingChoice(Atomic.SHORT, 0.5, 10))
    assert change.convert(np.array([10, 11.0])).tolist() == [0, 2]
    assert "with scale_factor 0.5 and add_offset 10; its values change by at most 0.25" in (
        notice.message
    )
    with pytest.raises(JoinError) as error:
        change.convert(np.array([1e9]))
    assert "choose a larger scale" in (error.value.hint or "")


def test_limits_are_of_unpacked_values():
    change, _ = packed("float v(x) ; v:valid_min = 1.f ; v:units = \"K\" ;", "1, 2, 3",
                       PackingChoice(Atomic.SHORT))  # fmt: skip
    found = attributes(change)
    assert found["valid_min"] == (Atomic.DOUBLE, (1.0,))
    assert found["units"] == (Atomic.CHAR, ("K",))


def test_packed_numbers_are_not_packed_again():
    with pytest.raises(OptionError, match="--pack cannot pack /v, which is packed") as error:
        packed("short v(x) ; v:scale_factor = 0.5 ;", "1, 2, 3", PackingChoice(Atomic.BYTE))
    assert "--unpack" in str(error.value)


def test_infinite_values_have_no_range():
    with pytest.raises(JoinError):
        packed("double v(x) ;", "1, Infinity, 3", PackingChoice(Atomic.SHORT))
