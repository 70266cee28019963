"""Write a reference set in the Parquet layout."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ncz.errors import LossError, ZmapError, option
from ncz.late import numpy as np
from ncz.zmap.byte_range import ByteRanges
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key
from ncz.zmap.reference.arrow_arrays import integer_array, text_array
from ncz.zmap.reference.key_grid import KeyGrid, grid_of
from ncz.zmap.reference.parquet import METADATA
from ncz.zmap.reference.reference_set import Entry, single_references
from ncz.zmap.reference.reference_table import ReferenceTable, rows_of
from ncz.zmap.reference.seals import MEMBER, NO_SEALS, Seal, write_seals

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    Values = npt.NDArray[Any]


RECORD_SIZE = 10_000
"""The number of rows of a file, the default of fsspec's writer."""

_DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ".zmetadata", ZARR_JSON)


_MOST_EMPTY = 10_000
"""For at most this number of files of an array, files without chunks are written too."""


def parquet_files(
    entries: Mapping[str, Entry],
    location: str,
    record_size: int = RECORD_SIZE,
    seals: Mapping[str, Seal] = NO_SEALS,
) -> Iterator[tuple[str, bytes]]:
    """Yield the key and the bytes of each file of a set.

    fsspec looks through all files of an array for the first target, so that files without any
    chunk are written too.

    Parameters
    ----------
    entries
        The reference or the contents of each key.
    location
        The set, for messages.
    record_size
        The number of rows of a file.
    seals
        The states of the targets, by their URLs in the set.

    Raises
    ------
    LossError
        If the set has keys that are neither metadata documents of Zarr V2 nor chunks.
    ZmapError
        If pyarrow is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise ZmapError(
            "the package pyarrow is required for Parquet", location, "pip install 'ncz[parquet]'"
        ) from error
    documents, grids, root = _documents(entries, location)
    chunks = _entries_of_arrays(entries, documents, grids, location)
    empty = b""
    for array, grid in grids.items():
        found = chunks.get(array, {})
        start = len(array) + 1 if array else 0
        many = [entry for entry in found.values() if isinstance(entry, ByteRanges)]
        single = {key: entry for key, entry in found.items() if not isinstance(entry, ByteRanges)}
        rows = rows_of(grid, start, single, many)
        if rows is None:
            keys = (key for key, _ in single_references(found))
            bad = next(key for key in keys if grid.number(key[start:]) is None)
            raise _cannot_hold(bad, location)
        count = -(-grid.size // record_size)
        missing = set(range(count)) if count <= _MOST_EMPTY else set()
        for file, table in _tables(rows, record_size):
            yield join_key(array, f"refs.{file}.parq"), _to_parquet(table)
            missing.discard(file)
        for file in sorted(missing):
            empty = empty or _to_parquet(_table(rows, slice(0, 0), 0, record_size))
            yield join_key(array, f"refs.{file}.parq"), empty
    whole = {**root, "metadata": documents, "record_size": record_size}
    if seals:
        whole[MEMBER] = write_seals(seals)
    yield METADATA, json.dumps(whole).encode()


def _to_parquet(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    # fastparquet gives whole numbers as float, unless statistics show that none is null.
    pq.write_table(table, stream, compression="ZSTD", write_statistics=["offset", "size"])
    return stream.getvalue()


def _documents(
    entries: Mapping[str, Entry], location: str
) -> tuple[dict[str, object], dict[str, KeyGrid], dict[str, object]]:
    """Return the metadata documents by key, the grid of each array, and consolidated metadata.

    The root's become members of the set's own document, which has the same name.
    """
    documents: dict[str, object] = {}
    grids: dict[str, KeyGrid] = {}
    root: dict[str, object] = {}
    for key, entry in entries.items():
        if not key.endswith(_DOCUMENTS):
            continue
        name = key.rpartition("/")[2]
        if name == ZARR_JSON:
            raise LossError(
                "the Parquet layout of reference sets is for Zarr V2 only",
                f"{location}: {display(key)}",
                f"use a name that ends in .json, or {option('zarr_format', 2)}",
            )
        if key == METADATA and isinstance(entry, bytes):
            root = json.loads(entry)
        elif name.startswith(".z") and isinstance(entry, bytes):
            documents[key] = json.loads(entry)
            if name == ".zarray":
                grids[key.rpartition("/")[0]] = grid_of(json.loads(entry))
    return documents, grids, root


def _entries_of_arrays(
    entries: Mapping[str, Entry],
    documents: Mapping[str, object],
    grids: Mapping[str, KeyGrid],
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
                if key in documents or key == METADATA:
                    continue
                raise _cannot_hold(key, location)
            found = of_folder[folder] = chunks[array]
        if key not in documents and key != METADATA:
            found[key] = entry
    return chunks


def _cannot_hold(key: str, location: str) -> LossError:
    return LossError(
        "the Parquet layout of reference sets cannot represent this key",
        f"{location}: {display(key)}",
        "use a name that ends in .json",
    )


def _tables(rows: ReferenceTable, record_size: int) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number and the table of each file of an array that has chunks."""
    files = rows.numbers // record_size
    for file in np.unique(files).tolist():
        yield file, _table(rows, np.flatnonzero(files == file), file, record_size)


def _table(rows: ReferenceTable, members: Any, file: int, record_size: int) -> pa.Table:
    """Return the table of a file with some of the rows of an array.

    Row `record_size` * file + n describes chunk n. A row without a path and without bytes is a
    missing chunk.
    """
    import pyarrow as pa

    at = rows.numbers[members] - file * record_size
    used, renumbered = np.unique(rows.urls[members], return_inverse=True)
    if len(used) and used[0] < 0:
        used, renumbered = used[1:], renumbered - 1

    def column(values: Values, fill: int) -> Values:
        whole = np.full(record_size, fill, values.dtype)
        whole[at] = values
        return whole

    of_rows = column(renumbered.astype(np.int32), -1)
    held: list[bytes | None] = [None] * record_size
    for row, number in zip(at.tolist(), rows.numbers[members].tolist(), strict=True):
        held[row] = rows.held.get(number)
    paths = [rows.names[n].encode() for n in used.tolist()]
    path = pa.DictionaryArray.from_arrays(
        integer_array(of_rows, of_rows >= 0), text_array(paths, pa.string())
    )
    # The numbers are never null, which fsspec's readers rely on.
    fields = [
        pa.field("path", path.type),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("size", pa.int64(), nullable=False),
        pa.field("raw", pa.binary()),
    ]
    columns = [
        path,
        integer_array(column(rows.offsets[members], 0)),
        integer_array(column(rows.lengths[members], 0)),
        text_array(held, pa.binary()),
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))
