"""Write a reference set in the Parquet layout."""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.errors import LossError, ZmapError
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key
from ncz.zmap.reference.keyed import Reference
from ncz.zmap.reference.parquet_set import METADATA, Grid, grid_of

if TYPE_CHECKING:
    import pyarrow as pa

RECORD_SIZE = 10_000
"""The number of rows of a file, which is what fsspec's writer has by default."""

_ABSENT = ByteRange("")


def parquet_files(
    references: Mapping[str, Reference], location: str
) -> Iterator[tuple[str, bytes]]:
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
    documents, grids = _documents(references, location)
    chunks: dict[str, dict[int, Reference]] = defaultdict(dict)
    for key, reference in references.items():
        if key not in documents:
            array, number = _chunk_of(key, grids, location)
            chunks[array][number] = reference
    for array, rows in chunks.items():
        for file in sorted({number // RECORD_SIZE for number in rows}):
            first = file * RECORD_SIZE
            table = _table([rows.get(first + row, _ABSENT) for row in range(RECORD_SIZE)])
            stream = io.BytesIO()
            pq.write_table(table, stream, compression="ZSTD", write_statistics=False)
            yield join_key(array, f"refs.{file}.parq"), stream.getvalue()
    whole = {"metadata": documents, "record_size": RECORD_SIZE}
    yield METADATA, json.dumps(whole).encode()


def _documents(
    references: Mapping[str, Reference], location: str
) -> tuple[dict[str, object], dict[str, Grid]]:
    """Return the metadata documents by key, and the grid of each array."""
    documents: dict[str, object] = {}
    grids: dict[str, Grid] = {}
    for key, reference in references.items():
        name = key.rpartition("/")[2]
        if name == ZARR_JSON:
            raise LossError(
                "the Parquet layout of reference sets is for Zarr V2 only",
                f"{location}: {display(key)}",
                "use a name that ends in .json, or --zarr-format 2",
            )
        if name.startswith(".z") and isinstance(reference, bytes):
            documents[key] = json.loads(reference)
            if name == ".zarray":
                grids[key.rpartition("/")[0]] = grid_of(json.loads(reference))
    return documents, grids


def _chunk_of(key: str, grids: Mapping[str, Grid], location: str) -> tuple[str, int]:
    """Return the array of a chunk, and its number."""
    array = next((above for above in (*ancestors(key), "") if above in grids), None)
    if array is not None:
        number = grids[array].number(key[len(array) + 1 if array else 0 :])
        if number is not None:
            return array, number
    raise LossError(
        "the Parquet layout of reference sets cannot hold this key",
        f"{location}: {display(key)}",
        "use a name that ends in .json",
    )


def _table(rows: Sequence[Reference]) -> pa.Table:
    """Return the table of one file. A row without a path and without bytes is a missing chunk."""
    import pyarrow as pa

    places = [row if isinstance(row, ByteRange) else _ABSENT for row in rows]
    paths = pa.array([place.url or None for place in places], pa.string())
    return pa.table(
        {
            "path": paths.dictionary_encode(),
            "offset": pa.array([place.offset for place in places], pa.int64()),
            "size": pa.array([place.length or 0 for place in places], pa.int64()),
            "raw": pa.array([row if isinstance(row, bytes) else None for row in rows], pa.binary()),
        }
    )
