"""Arrays of Arrow, made from buffers, because pyarrow.array imports pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import ZmapError
from ncz.late import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Values = npt.NDArray[Any]


def integer_array(values: Values, valid: Values | None = None) -> pa.Array:
    """Return an array of the dtype of `values`, with nulls where `valid` is false."""
    import pyarrow as pa

    dtype = pa.int32() if values.dtype.itemsize == 4 else pa.int64()
    return pa.Array.from_buffers(dtype, len(values), [_bits(valid), pa.py_buffer(values)])


def text_array(values: Sequence[bytes | None], dtype: pa.DataType) -> pa.Array:
    """Return an array of texts or bytes, with nulls for None."""
    import pyarrow as pa

    data = b"".join(value for value in values if value)
    if len(data) >= 1 << 31:
        raise ZmapError("a Parquet file of the set would contain more than 2 GiB of chunks")
    starts = np.zeros(len(values) + 1, np.int32)
    np.cumsum([len(value or b"") for value in values], out=starts[1:])
    valid = np.array([value is not None for value in values], bool)
    buffers = [_bits(valid), pa.py_buffer(starts), pa.py_buffer(data)]
    return pa.Array.from_buffers(dtype, len(values), buffers)


def _bits(valid: Values | None) -> pa.Buffer | None:
    import pyarrow as pa

    if valid is None or valid.all():
        return None
    return pa.py_buffer(np.packbits(valid, bitorder="little"))
