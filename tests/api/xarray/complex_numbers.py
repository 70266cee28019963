"""Complex numbers, which netCDF4 reads as compounds, and h5netcdf and ncz as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

PAIRS = ([np.dtype("f4")] * 2, [np.dtype("f8")] * 2)
"""The members of compounds that are complex numbers."""


def with_complex(dataset: Any, numbers: Any) -> Any:
    """Turn pairs of float into complex numbers, where `numbers` has those under the same name."""
    for name, variable in dataset.variables.items():
        dtype = variable.dtype
        is_number = name in numbers.variables and numbers[name].dtype.kind == "c"
        if is_number and [dtype[field] for field in dtype.names or ()] in PAIRS:
            packed = variable.values.astype(dtype.newbyteorder("<").descr)
            values = packed.view(numbers[name].dtype.newbyteorder("<"))
            dataset = dataset.assign({name: (variable.dims, values, variable.attrs)})
    return dataset
