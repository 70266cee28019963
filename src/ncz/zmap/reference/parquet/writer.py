"""Write a reference set in the Parquet layout."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import LossError, ZmapError
from ncz.zmap.byte_range import ByteRanges
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key
from ncz.zmap.reference.keyed import Entry, single_references
from ncz.zmap.reference.parquet.grid import Grid, grid_of
from ncz.zmap.reference.parquet.reader import METADATA
from ncz.zmap.reference.parquet.rows import Rows, rows_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Values = npt.NDArray[Any]

RECORD_SIZE = 10_000
"""The number of rows of a file, which is what fsspec's writer has by default."""

_DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ".zmetadata", ZARR_JSON)


def parquet_files(entries: Mapping[str, Entry], location: str) -> Iterator[tuple[str, bytes]]:
    """Yield the key and the bytes of each file of a set; `location` is the set, for messages.

    Raises
    ------
    LossError
        If the set has keys that are neither metadata documents of Zarr V2 nor chunks.
    ZmapError
        If pyarrow is not installed.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ZmapError(
            "the package pyarrow is required for Parquet", location, "pip install 'ncz[parquet]'"
        ) from error
    documents, grids = _documents(entries, location)
    for array, found in _entries_of_arrays(entries, documents, grids, location).items():
        start = len(array) + 1 if array else 0
        many = [entry for entry in found.values() if isinstance(entry, ByteRanges)]
        single = {key: entry for key, entry in found.items() if not isinstance(entry, ByteRanges)}
        rows = rows_of(grids[array], start, single, many)
        if rows is None:
            keys = (key for key, _ in single_references(found))
            bad = next(key for key in keys if grids[array].number(key[start:]) is None)
            raise _cannot_hold(bad, location)
        for file, table in _tables(rows):
            stream = io.BytesIO()
            pq.write_table(table, stream, compression="ZSTD", write_statistics=False)
            yield join_key(array, f"refs.{file}.parq"), stream.getvalue()
    whole = {"metadata": documents, "record_size": RECORD_SIZE}
    yield METADATA, json.dumps(whole).encode()


def _documents(
    entries: Mapping[str, Entry], location: str
) -> tuple[dict[str, object], dict[str, Grid]]:
    """Return the metadata documents by key, and the grid of each array."""
    documents: dict[str, object] = {}
    grids: dict[str, Grid] = {}
    for key, entry in entries.items():
        if not key.endswith(_DOCUMENTS):
            continue
        name = key.rpartition("/")[2]
        if name == ZARR_JSON:
            raise LossError(
                "the Parquet layout of reference sets is for Zarr V2 only",
                f"{location}: {display(key)}",
                "use a name that ends in .json, or --zarr-format 2",
            )
        if name.startswith(".z") and isinstance(entry, bytes):
            documents[key] = json.loads(entry)
            if name == ".zarray":
                grids[key.rpartition("/")[0]] = grid_of(json.loads(entry))
    return documents, grids


def _entries_of_arrays(
    entries: Mapping[str, Entry],
    documents: Mapping[str, object],
    grids: Mapping[str, Grid],
    location: str,
) -> dict[str, dict[str, Entry]]:
    """Return the chunks of each array."""
    chunks: dict[str, dict[str, Entry]] = defaultdict(dict)
    of_folder: dict[str, dict[str, Entry]] = {}
    for key, entry in entries.items():
        folder = key.rpartition("/")[0]
        found = of_folder.get(folder)
        if found is None:
            array = next((a for a in (folder, *ancestors(folder), "") if a in grids), None)
            if array is None:
                if key in documents:
                    continue
                raise _cannot_hold(key, location)
            found = of_folder[folder] = chunks[array]
        if key not in documents:
            found[key] = entry
    return chunks


def _cannot_hold(key: str, location: str) -> LossError:
    return LossError(
        "the Parquet layout of reference sets cannot hold this key",
        f"{location}: {display(key)}",
        "use a name that ends in .json",
    )


def _tables(rows: Rows) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number and the table of each file of an array.

    Row `RECORD_SIZE` * file + n is that of chunk n. A row without a path and without bytes is a
    missing chunk.
    """
    import numpy as np
    import pyarrow as pa

    paths = [name.encode() for name in rows.names]
    held_in: dict[int, list[int]] = defaultdict(list)
    for number in rows.held:
        held_in[number // RECORD_SIZE].append(number)
    files = rows.numbers // RECORD_SIZE
    for file in np.unique(files).tolist():
        members = np.flatnonzero(files == file)
        at = rows.numbers[members] - file * RECORD_SIZE
        used, renumbered = np.unique(rows.urls[members], return_inverse=True)
        if used[0] < 0:
            used, renumbered = used[1:], renumbered - 1
        of_rows = _column(renumbered.astype(np.int32), at, -1)
        held: list[bytes | None] = [None] * RECORD_SIZE
        for number in held_in[file]:
            held[number - file * RECORD_SIZE] = rows.held[number]
        columns = {
            "path": pa.DictionaryArray.from_arrays(
                _integers(of_rows, of_rows >= 0),
                _texts([paths[n] for n in used.tolist()], pa.string()),
            ),
            "offset": _integers(_column(rows.offsets[members], at, 0)),
            "size": _integers(_column(rows.lengths[members], at, 0)),
            "raw": _texts(held, pa.binary()),
        }
        yield file, pa.Table.from_arrays(list(columns.values()), list(columns))


def _column(values: Values, at: Values, fill: int) -> Values:
    """Return the column of a file with values in the rows `at`."""
    import numpy as np

    whole = np.full(RECORD_SIZE, fill, values.dtype)
    whole[at] = values
    return whole


# Arrays of Arrow are made from buffers, because pyarrow.array imports pandas.


def _integers(values: Values, valid: Values | None = None) -> pa.Array:
    """Return an array of the dtype of `values`, with nulls where `valid` is false."""
    import pyarrow as pa

    dtype = pa.int32() if values.dtype.itemsize == 4 else pa.int64()
    return pa.Array.from_buffers(dtype, len(values), [_bits(valid), pa.py_buffer(values)])


def _texts(values: Sequence[bytes | None], dtype: pa.DataType) -> pa.Array:
    """Return an array of texts or bytes, with nulls for None."""
    import numpy as np
    import pyarrow as pa

    data = b"".join(value for value in values if value)
    if len(data) >= 1 << 31:
        raise ZmapError("a Parquet file of the set would hold more than 2 GiB of chunks itself")
    starts = np.zeros(len(values) + 1, np.int32)
    np.cumsum([len(value or b"") for value in values], out=starts[1:])
    valid = np.array([value is not None for value in values], bool)
    buffers = [_bits(valid), pa.py_buffer(starts), pa.py_buffer(data)]
    return pa.Array.from_buffers(dtype, len(values), buffers)


def _bits(valid: Values | None) -> pa.Buffer | None:
    import numpy as np
    import pyarrow as pa

    if valid is None or valid.all():
        return None
    return pa.py_buffer(np.packbits(valid, bitorder="little"))
