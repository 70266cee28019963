"""A large text, whose declarations another process parses: the same dataset and the same errors."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import Callbacks, CdlError
from ncz.model.data import read_all
from ncz.model.tree import Dataset
from tests.cdl.progress import Moved

VALUES = b"12345, " * (20 << 17) + b"-1"
HEADER = b'netcdf t { dimensions: x = UNLIMITED; variables: int v(x); v:title = "a; b"; data: v = '


def test_a_large_text_is_read_as_in_one_process():
    text = HEADER + VALUES + b"; group: g { :a = 1; } }"
    progress = Moved()
    found = [
        read_cdl(text, source="t", jobs=jobs, callbacks=Callbacks(progress=progress))
        for jobs in (1, 2)
    ]
    alone, aside = (_without_data(dataset) for dataset in found)
    assert aside == alone
    data = found[1].root.variables[0].data
    assert data is not None
    values = read_all(data)
    assert values.shape == (VALUES.count(b",") + 1,)
    assert values[-1] == -1
    assert (values[:-1] == 12345).all()
    assert progress.total > 3 * len(VALUES)


@pytest.mark.parametrize("end", [b"; } }", b"", b";", b"; w = 1 2; }", b'; v:b = "\xff"; }'])
def test_errors_in_a_large_text_match_one_process(end: bytes):
    errors = []
    for jobs in (1, 2):
        with pytest.raises(CdlError) as caught:
            read_cdl(HEADER + VALUES + end, source="t", jobs=jobs)
        error = caught.value
        errors.append((str(error), error.source_line, error.column))
    assert errors[0] == errors[1]


def _without_data(dataset: Dataset) -> list[object]:
    """Return the declarations of a dataset in a form that can be compared."""
    root = dataset.root
    return [
        dataset.name, root.dimensions, root.attributes, root.groups,
        [(v.name, v.type, v.dimensions, v.attributes, v.storage) for v in root.variables],
    ]  # fmt: skip
