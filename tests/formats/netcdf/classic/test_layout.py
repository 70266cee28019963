"""Limits of the classic formats on lengths and offsets."""

from __future__ import annotations

import pytest

from ncz.errors import LossError
from ncz.formats.netcdf.classic.layout import FileLayout, lay_out, plan_arrays, refuse_large
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic


def large(count: int, *, last: int = 1, length: int = 2**31 - 4) -> Dataset:
    """Return a dataset of `count` large variables, and then `last` small ones."""
    dimensions = (Dimension(name="n", size=length), Dimension(name="one", size=1))
    variables = [
        Variable(name=f"v{i}", type=Atomic.BYTE, dimensions=("/n",)) for i in range(count)
    ] + [Variable(name=f"w{i}", type=Atomic.INT, dimensions=("/one",)) for i in range(last)]
    return Dataset(name="x", root=Group(dimensions=dimensions, variables=tuple(variables)))


@pytest.mark.parametrize(
    ("dataset", "version", "fault"),
    [
        (large(1), 1, "variable /w0, which begins after 2147483647 bytes"),
        (large(1, last=0), 1, None),
        (large(2), 2, None),
        (large(1, length=2**32 - 2), 2, "dimension n of length 4294967294"),
        (large(1, length=2**32 - 2), 5, None),
    ],
)
def test_limits_of_the_formats(dataset, version, fault):
    arrays = plan_arrays(dataset)

    def laid_out() -> FileLayout:
        refuse_large(dataset, arrays, version)
        return lay_out(dataset, arrays, 100, version)

    if fault is None:
        layout = laid_out()
        assert layout.size >= sum(array.size for array in arrays)
        return
    with pytest.raises(LossError, match=fault):
        laid_out()
