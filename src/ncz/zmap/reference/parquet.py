"""The Parquet layout of reference sets: a folder with a file for every few thousand chunks.

All metadata documents are in ``.zmetadata``. The chunks of an array are rows of the files
``ARRAY/refs.N.parq``, in C order, ``record_size`` rows in each file. Files are read through Arrow,
which distinguishes absent values, and only when one of their chunks is requested.

Source: `fsspec.implementations.reference.LazyReferenceMapper` (behaviour only).
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, NczError, StoreMissing, ZmapError
from ncz.zmap import Zmap
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import LARGEST_SET, ZARR_JSON, SortedKeys, ancestors, check_inside, join_key
from ncz.zmap.reference.json_set import held_bytes
from ncz.zmap.reference.key_grid import KeyGrid, grid_of
from ncz.zmap.reference.reference_set import Reference
from ncz.zmap.reference.seals import MEMBER, Seal, hash_of, read_seals
from ncz.zmap.remote.retry_policy import TIMEOUT
from ncz.zmap.remote.waits import result_within

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq


METADATA = ".zmetadata"
"""The key of the document that contains all metadata."""

CONSOLIDATED = "zarr_consolidated_format"
"""The member that makes the document consolidated metadata of Zarr as well."""

LARGEST_RECORD = 10_000_000
_MOST_FILES = 100_000
_MOST_TABLES = 8
"""The number of files whose rows are kept in memory."""
_FILE = re.compile(r"refs\.(\d{1,15})\.parq")


class ParquetSet:
    """A reference set in the Parquet layout; see `ReferenceSet`.

    Parameters
    ----------
    files
        The folder of the set, which is closed with it.
    """

    numbers_chunks = True

    version = 1

    def __init__(self, files: Zmap) -> None:
        self._files = files
        location = files.where(METADATA)
        data = files.get(METADATA, LARGEST_SET)
        if data is None:
            raise StoreMissing("no reference set exists here", files.url, "check the path")
        self.fingerprint = hash_of(data)
        whole = _read_metadata(data, location)
        documents, self.record_size = whole["metadata"], whole.pop("record_size")
        consolidated = whole if CONSOLIDATED in whole else None
        self.seals: Mapping[str, Seal] = read_seals(whole.get(MEMBER))
        whole.pop(MEMBER, None)
        self._documents: dict[str, bytes] = {}
        self._grids: dict[str, KeyGrid] = {}
        for key, document in documents.items():
            self._documents[check_inside(key)] = _bytes_of(document, f"{location}: {key}")
            array, _, name = key.rpartition("/")
            if name in (".zarray", ZARR_JSON):
                parsed = json.loads(document) if isinstance(document, str) else document
                if name == ".zarray" or parsed.get("node_type") == "array":
                    self._grids[array] = _checked_grid(parsed, f"{location}: {key}")
        if consolidated is not None:
            self._documents.setdefault(METADATA, json.dumps(consolidated).encode())
        self._sorted = SortedKeys(self._documents)
        self._tables: OrderedDict[str, _Table | None] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: str) -> Reference | None:
        """Return the reference of a key; see `ReferenceSet.find`."""
        document = self._documents.get(key)
        if document is not None:
            return document
        array = self._array_of(key)
        if array is None:
            return None
        number = self._grids[array].number(key[len(array) + 1 if array else 0 :])
        if number is None:
            return None
        file, row = divmod(number, self.record_size)
        table = self._table(join_key(array, f"refs.{file}.parq"))
        return table.reference(row) if table is not None else None

    def urls(self) -> Iterator[str]:
        """Iterate over the URLs of the targets; see `ReferenceSet.urls`."""
        seen: dict[str, None] = {}
        for array, grid in self._grids.items():
            for file in self._file_numbers(array, grid):
                table = self._table(join_key(array, f"refs.{file}.parq"))
                seen.update(dict.fromkeys(table.paths() if table is not None else ()))
        return iter(seen)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below a prefix; see `Zmap.search`."""
        if self._array_of(join_key(prefix, "any")) is None:
            return self._sorted.search(prefix)
        return SortedKeys(self.walk(prefix)).search(prefix)

    def walk(self, prefix: str) -> Iterator[str]:
        """Iterate over the keys at or below a prefix; see `Zmap.walk`."""
        above = self._array_of(join_key(prefix, "any"))
        below = f"{prefix}/" if prefix else ""
        arrays = {array for array in self._grids if array == prefix or array.startswith(below)}
        chunks = chain.from_iterable(
            self._chunks(array) for array in arrays | ({above} if above is not None else set())
        )
        return SortedKeys({*self._sorted.walk(prefix), *chunks}).walk(prefix)

    def close(self) -> None:
        """Close the folder of the set."""
        self._tables.clear()
        self._files.close()

    def _array_of(self, key: str) -> str | None:
        """Return the array that contains a key."""
        return next((above for above in (*ancestors(key), "") if above in self._grids), None)

    def _chunks(self, array: str) -> Iterator[str]:
        """Yield the keys of the chunks that an array has."""
        grid = self._grids[array]
        for file in self._file_numbers(array, grid):
            table = self._table(join_key(array, f"refs.{file}.parq"))
            first = file * self.record_size
            for row in table.present() if table is not None else ():
                if row < self.record_size and first + row < grid.size:
                    yield join_key(array, grid.name(first + row))

    def _file_numbers(self, array: str, grid: KeyGrid) -> Iterator[int]:
        if self._files.can_list:
            names = self._files.search(array)
            found = (match for name in names if (match := _FILE.fullmatch(name)))
            yield from sorted(int(match[1]) for match in found)
            return
        count = -(-grid.size // self.record_size)
        if count > _MOST_FILES:
            raise ZmapError(
                f"cannot list the chunks of {array}: it has {count} Parquet files",
                self._files.url,
                "download the set first",
            )
        yield from range(count)

    def _table(self, key: str) -> _Table | None:
        """Return the rows of a Parquet file, or None if it does not exist."""
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
                return self._tables[key]
            data = self._files.get(key, LARGEST_SET)
            location = self._files.where(key)
            table = None if data is None else _Table(data, location)
            self._tables[key] = table
            if len(self._tables) > _MOST_TABLES:
                self._tables.popitem(last=False)
            return table


def _read_metadata(data: bytes, location: str) -> dict[str, Any]:
    """Return the document of the set, with valid documents and a valid number of rows.

    Raises `FormatError`.
    """
    try:
        whole = json.loads(data or b"null")
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not valid JSON: {error}", location) from error
    if not isinstance(whole, dict) or "record_size" not in whole:
        raise FormatError("this folder is not a reference set", location)
    documents, size = whole.get("metadata"), whole["record_size"]
    if type(size) is not int or not 0 < size <= LARGEST_RECORD:
        raise FormatError(f"record_size must be between 1 and {LARGEST_RECORD}", location)
    if not isinstance(documents, dict) or not all(
        isinstance(document, (str, dict)) for document in documents.values()
    ):
        raise FormatError("metadata must be an object of JSON documents", location)
    return whole


def _bytes_of(document: Any, location: str) -> bytes:
    """Return the contents of the set for a key: a document, or data, which may be base64."""
    if not isinstance(document, str):
        return json.dumps(document).encode()
    try:
        return held_bytes(document)
    except ValueError as error:
        raise FormatError(f"this reference is not valid: {error}", location) from error


def _checked_grid(document: Any, location: str) -> KeyGrid:
    try:
        return grid_of(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"the document of an array is not valid: {error}", location) from error


_COLUMNS = ("path", "offset", "size", "raw")


class _Table:
    """The rows of one Parquet file.

    A row is the bytes in `raw`; or the whole file `path`, if `offset` and `size` are 0; or a range
    of that file. A row without either, or with an empty path, is a missing chunk.
    """

    def __init__(self, data: bytes, location: str) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet
        except ImportError as error:
            raise ZmapError(
                "the package pyarrow is required for Parquet",
                location,
                "pip install 'ncz[parquet]'",
            ) from error
        self._location = location
        try:
            self.rows, table = result_within(TIMEOUT, lambda: _read_table(data, location))
            self._path = _column(table, "path", pa.string())
            self._raw = _column(table, "raw", pa.binary())
            self._offset = _column(table, "offset", pa.int64())
            self._size = _column(table, "size", pa.int64())
        except NczError:
            raise
        except TimeoutError as error:
            raise _unreadable(f"Arrow does not end within {TIMEOUT:g} s", location) from error
        except (pa.ArrowException, OSError, ValueError) as error:  # pyarrow raises all of these
            raise _unreadable(error, location) from error

    def reference(self, row: int) -> Reference | None:
        """Return the reference of a row, or None. Raises `FormatError` for a negative range."""
        if row >= self.rows:
            return None
        raw = self._value(self._raw, row)
        if raw is not None:
            return bytes(raw)
        path = self._value(self._path, row)
        if not path:
            return None
        offset, size = (self._value(column, row) or 0 for column in (self._offset, self._size))
        if offset < 0 or size < 0:
            raise FormatError(f"row {row} has a negative offset or size", self._location)
        return ByteRange(path) if offset == size == 0 else ByteRange(path, offset, size)

    def paths(self) -> list[str]:
        """Return the paths and URLs in the rows, each once."""
        if self._path is None:
            return []
        found: list[str | None] = self._path.unique().to_pylist()
        return [path for path in found if path]

    def present(self) -> list[int]:
        """Return the numbers of the rows that are not missing chunks."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found = pa.array([False] * self.rows, pa.bool_())
        if self._raw is not None:
            found = pc.or_(found, pc.is_valid(self._raw))
        if self._path is not None:
            named = pc.fill_null(pc.not_equal(self._path, ""), False)
            found = pc.or_(found, named)
        rows: list[int] = pc.indices_nonzero(found).to_pylist()
        return rows

    def _value(self, column: pa.ChunkedArray | None, row: int) -> Any:
        try:
            return None if column is None else column[row].as_py()
        except UnicodeDecodeError as error:
            raise _unreadable(error, self._location) from error


def _read_table(data: bytes, location: str) -> tuple[int, pa.Table]:
    """Return the number of rows that a Parquet file declares, and the columns of references.

    Arrow reads in this thread, so that the process does not wait for it at its end.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(pa.BufferReader(data))
    groups = [file.metadata.row_group(n) for n in range(file.metadata.num_row_groups)]
    size = sum(group.total_byte_size for group in groups)
    rows = int(file.metadata.num_rows)
    if rows > LARGEST_RECORD or size > LARGEST_SET:
        raise FormatError("this Parquet file is too large for a reference set", location)
    if not _counts_agree(file.metadata, groups):
        raise FormatError("this Parquet file counts its rows in two ways", location)
    names = [n for n in _COLUMNS if n in file.schema_arrow.names]
    table = file.read(columns=names, use_threads=False)
    if names and table.num_rows != rows:
        raise FormatError(
            f"this Parquet file has {table.num_rows} rows, and declares {rows}", location
        )
    return rows, table


def _counts_agree(metadata: pq.FileMetaData, groups: Sequence[pq.RowGroupMetaData]) -> bool:
    """Return whether the row groups have the rows of the file, which Arrow expects.

    Statistics of columns are not read, because Arrow aborts if they are damaged.
    """
    counts = [int(group.num_rows) for group in groups]
    return min(counts, default=0) >= 0 and sum(counts) == metadata.num_rows


def _unreadable(error: Exception | str, location: str) -> FormatError:
    reason = " ".join(str(error).split())
    return FormatError(
        f"this Parquet file cannot be read: {reason}", location, "restore it from a copy"
    )


def _column(table: pa.Table, name: str, dtype: pa.DataType) -> pa.ChunkedArray | None:
    """Return a column of any encoding as one type; None if the column is absent."""
    if name not in table.column_names:
        return None
    return table.column(name).cast(dtype).combine_chunks()
