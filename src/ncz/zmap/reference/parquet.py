"""The Parquet layout of reference sets: a folder with a file for every few thousand chunks.

All metadata documents are in ``.zmetadata``. The chunks of an array are rows of the files
``ARRAY/refs.N.parq``, in C order, ``record_size`` rows in each file. Files are read through Arrow,
which tells an absent value from any other, and only when a chunk in them is asked for.

Source: `fsspec.implementations.reference.LazyReferenceMapper` (behaviour only).
"""

from __future__ import annotations

import io
import json
import math
import re
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import ne
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, LossError, NczError, StoreMissing, ZmapError, option
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.key import (
    LARGEST_SET,
    ZARR_JSON,
    SortedKeys,
    ancestors,
    check_inside,
    display,
    join_key,
)
from ncz.zmap.reference.json_set import held_bytes
from ncz.zmap.reference.reader import Entry, Reference, single_references
from ncz.zmap.remote.retry_policy import TIMEOUT
from ncz.zmap.remote.waits import result_within

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa
    import pyarrow.parquet as pq

    Numbers = npt.NDArray[np.int64]
    Values = npt.NDArray[Any]

# The grid of an array, by which the rows of Parquet files are numbered.


@record
class KeyGrid:
    """The chunks of an array, and the form of their keys.

    `marked` is true for keys of Zarr V3, which begin with ``c``.
    """

    counts: tuple[int, ...]
    separator: str = "."
    marked: bool = False

    @property
    def size(self) -> int:
        """The number of chunks."""
        return math.prod(self.counts)

    def number(self, name: str) -> int | None:
        """Return the number, in C order, of the chunk whose key below the array is `name`."""
        if self.marked:
            if not self.counts:
                return 0 if name == "c" else None
            mark, name = name[:2], name[2:]
            if mark != f"c{self.separator}":
                return None
        if not self.counts:
            return 0 if name == "0" else None
        parts = name.split(self.separator)
        if len(parts) != len(self.counts):
            return None
        number = 0
        for text, count in zip(parts, self.counts, strict=True):
            is_number = text.isascii() and text.isdecimal() and len(text) < 19
            index = int(text) if is_number and (text == "0" or text[0] != "0") else count
            if index >= count:
                return None  # or it would be the number of another chunk
            number = number * count + index
        return number

    def numbers(self, names: Sequence[str]) -> Numbers | None:
        """Return the numbers of many chunks; None if one of the names is not that of a chunk."""
        import numpy as np

        rank = len(self.counts)
        start = f"c{self.separator}" if self.marked else ""
        parts = self.separator.join(name[len(start) :] for name in names).split(self.separator)
        if not rank or len(parts) != rank * len(names) or not all(map(str.isdecimal, parts)):
            found = [self.number(name) for name in names]
            return None if None in found else np.array(found, np.int64)
        try:
            indices = np.array(list(map(int, parts)), np.int64).reshape(-1, rank)
        except OverflowError:
            return None
        # A name that is written in another way, such as 01, is not that of a chunk.
        template = start + self.separator.join(["{}"] * rank)
        exact = map(template.format, *indices.T.tolist())
        if (indices >= self.counts).any() or any(map(ne, exact, names)):
            return None
        return np.asarray(np.ravel_multi_index(tuple(indices.T), self.counts), np.int64)

    def name(self, number: int) -> str:
        """Return the key, below the array, of the chunk with a number."""
        index = []
        for count in reversed(self.counts):
            number, last = divmod(number, count)
            index.append(str(last))
        name = self.separator.join(reversed(index))
        if self.marked:
            return f"c{self.separator}{name}" if index else "c"
        return name or "0"


def grid_of(document: Mapping[str, Any]) -> KeyGrid:
    """Return the grid of an array from its document, of Zarr V2 or V3.

    Raises KeyError, TypeError, ValueError or AttributeError for a document that is not valid.
    """
    shape = document["shape"]
    if "zarr_format" in document and document["zarr_format"] == 3:
        chunks = document["chunk_grid"]["configuration"]["chunk_shape"]
        encoding = document["chunk_key_encoding"]
        marked = encoding["name"] == "default"
        default = "/" if marked else "."
        separator = (encoding.get("configuration") or {}).get("separator", default)
    else:
        chunks, marked = document["chunks"], False
        separator = document.get("dimension_separator", ".")
    if len(shape) != len(chunks) or not all(type(n) is int for n in (*shape, *chunks)):
        raise ValueError("its shape and chunks are not valid")
    # kerchunk gives an empty dimension chunks of length 0, if HDF5 has no chunks.
    if any(c < (n > 0) or n < 0 for n, c in zip(shape, chunks, strict=True)):
        raise ValueError("its shape and chunks are not valid")
    if separator not in (".", "/"):
        raise ValueError(f"the separator of its keys is not valid: {separator!r}")
    counts = (-(-n // max(c, 1)) for n, c in zip(shape, chunks, strict=True))
    return KeyGrid(tuple(counts), separator, marked)


METADATA = ".zmetadata"
"""The key of the document that holds all metadata."""

CONSOLIDATED = "zarr_consolidated_format"
"""The member by which that document is consolidated metadata of Zarr as well."""

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

    def __init__(self, files: Zmap) -> None:
        self._files = files
        location = files.where(METADATA)
        documents, self._record_size, consolidated = _read_metadata(files, location)
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
        """Return what a key refers to; see `ReferenceSet.find`."""
        document = self._documents.get(key)
        if document is not None:
            return document
        array = self._array_of(key)
        if array is None:
            return None
        number = self._grids[array].number(key[len(array) + 1 if array else 0 :])
        if number is None:
            return None
        file, row = divmod(number, self._record_size)
        table = self._table(join_key(array, f"refs.{file}.parq"))
        return table.reference(row) if table is not None else None

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
        """Return the array in or below which a key is."""
        return next((above for above in (*ancestors(key), "") if above in self._grids), None)

    def _chunks(self, array: str) -> Iterator[str]:
        """Yield the keys of the chunks that an array has."""
        grid = self._grids[array]
        for file in self._file_numbers(array, grid):
            table = self._table(join_key(array, f"refs.{file}.parq"))
            first = file * self._record_size
            for row in table.present() if table is not None else ():
                if row < self._record_size and first + row < grid.size:
                    yield join_key(array, grid.name(first + row))

    def _file_numbers(self, array: str, grid: KeyGrid) -> Iterator[int]:
        if self._files.can_list:
            names = self._files.search(array)
            found = (match for name in names if (match := _FILE.fullmatch(name)))
            yield from sorted(int(match[1]) for match in found)
            return
        count = -(-grid.size // self._record_size)
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


def _read_metadata(files: Zmap, location: str) -> tuple[dict[str, Any], int, dict[str, Any] | None]:
    """Return the documents, the number of rows in a file, and consolidated metadata, if any.

    Raises `StoreMissing` and `FormatError`.
    """
    data = files.get(METADATA, LARGEST_SET)
    if data is None:
        raise StoreMissing("no reference set exists here", files.url, "check the path")
    try:
        whole = json.loads(data or b"null")
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not valid JSON: {error}", location) from error
    if not isinstance(whole, dict) or "record_size" not in whole:
        raise FormatError("this folder is not a reference set", location)
    documents, size = whole.get("metadata"), whole.pop("record_size")
    if type(size) is not int or not 0 < size <= LARGEST_RECORD:
        raise FormatError(f"record_size must be between 1 and {LARGEST_RECORD}", location)
    if not isinstance(documents, dict) or not all(
        isinstance(document, (str, dict)) for document in documents.values()
    ):
        raise FormatError("metadata must be an object of JSON documents", location)
    return documents, size, whole if CONSOLIDATED in whole else None


def _bytes_of(document: Any, location: str) -> bytes:
    """Return what the set holds for a key: a document, or data, which may be base64."""
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
        """Return what a row refers to, or None. Raises `FormatError` for a negative range."""
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
    """Return whether the row groups have the rows of the file: Arrow reads until it has so many.

    Those of columns are not asked for, because Arrow aborts if they are damaged.
    """
    counts = [int(group.num_rows) for group in groups]
    return min(counts, default=0) >= 0 and sum(counts) == metadata.num_rows


def _unreadable(error: Exception | str, location: str) -> FormatError:
    reason = " ".join(str(error).split())
    return FormatError(
        f"this Parquet file cannot be read: {reason}", location, "restore it from a copy"
    )


def _column(table: pa.Table, name: str, dtype: pa.DataType) -> pa.ChunkedArray | None:
    """Return a column as one type, whatever its encoding; None if the column is absent."""
    if name not in table.column_names:
        return None
    return table.column(name).cast(dtype).combine_chunks()


# The chunks of an array as columns, from which the Parquet files of a set are made.

_HELD = -1
"""Stands for the file of a chunk that the set holds."""


@record
class ReferenceTable:
    """What the chunks of an array refer to, or hold.

    Attributes
    ----------
    numbers
        The number of each chunk in C order, of shape (chunks,), as are the other columns.
    urls
        The position in `names` of the file of each chunk; negative for a chunk that the set holds.
    offsets, lengths
        The first byte, and the number of bytes; 0 for a whole file.
    names
        The names of the files.
    held
        The chunks that the set holds, by number.
    """

    numbers: Values
    urls: Values
    offsets: Values
    lengths: Values
    names: list[str]
    held: Mapping[int, bytes]


def rows_of(
    grid: KeyGrid, start: int, single: Mapping[str, Reference], many: Sequence[ByteRanges]
) -> ReferenceTable | None:
    """Return the rows of an array; None if one of the keys is not that of a chunk.

    Parameters
    ----------
    grid
        The chunks of the array.
    start
        The length of what all keys begin with.
    single
        What single chunks refer to, or hold.
    many
        Chunks that are parts of one file.
    """
    import numpy as np

    names: dict[str, int] = {}
    numbers = grid.numbers([key[start:] for key in single])
    if numbers is None:
        return None
    found = list(single.values())
    held = {n: each for n, each in zip(numbers.tolist(), found, strict=True) if type(each) is bytes}
    places = [each if isinstance(each, ByteRange) else None for each in found]
    parts = [
        (
            numbers,
            np.array([names.setdefault(p.url, len(names)) if p else _HELD for p in places], "i4"),
            np.array([p.offset if p else 0 for p in places], "i8"),
            np.array([p.length or 0 if p else 0 for p in places], "i8"),
        )
    ]
    for ranges in many:
        numbers = _numbers(grid, start, ranges)
        if numbers is None:
            return None
        urls = np.full(len(numbers), names.setdefault(ranges.url, len(names)), "i4")
        parts.append((numbers, urls, ranges.offsets.astype("i8"), ranges.lengths.astype("i8")))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return ReferenceTable(columns[0], columns[1], columns[2], columns[3], list(names), held)


def _numbers(grid: KeyGrid, start: int, ranges: ByteRanges) -> Values | None:
    """Return the numbers of chunks from their indices, if the first key is as the grid has it."""
    import numpy as np

    first = grid.number(ranges.keys(ranges.indices[:1])[0][start:])
    if first is None or (ranges.indices >= grid.counts).any():
        return None
    columns = tuple(ranges.indices.T)
    numbers = np.ravel_multi_index(columns, grid.counts) if columns else np.zeros(1, "i8")
    return numbers if numbers[0] == first else None


# Write a reference set in the Parquet layout.

RECORD_SIZE = 10_000
"""The number of rows of a file, which is what fsspec's writer has by default."""

_DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ".zmetadata", ZARR_JSON)


_MOST_EMPTY = 10_000
"""The number of files of an array up to which those without chunks are written too."""


def parquet_files(
    entries: Mapping[str, Entry], location: str, record_size: int = RECORD_SIZE
) -> Iterator[tuple[str, bytes]]:
    """Yield the key and the bytes of each file of a set.

    fsspec looks through all files of an array for the first target, so that files without any
    chunk are written too.

    Parameters
    ----------
    entries
        What each key refers to, or holds.
    location
        The set, for messages.
    record_size
        The number of rows of a file.

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
    yield METADATA, json.dumps(whole).encode()


def _to_parquet(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    # fastparquet gives whole numbers as float, unless statistics say that none is null.
    pq.write_table(table, stream, compression="ZSTD", write_statistics=["offset", "size"])
    return stream.getvalue()


def _documents(
    entries: Mapping[str, Entry], location: str
) -> tuple[dict[str, object], dict[str, KeyGrid], dict[str, object]]:
    """Return the metadata documents by key, the grid of each array, and consolidated metadata.

    Those of the root become members of the set's own document, which has the same name.
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
        "the Parquet layout of reference sets cannot hold this key",
        f"{location}: {display(key)}",
        "use a name that ends in .json",
    )


def _tables(rows: ReferenceTable, record_size: int) -> Iterator[tuple[int, pa.Table]]:
    """Yield the number and the table of each file of an array that has chunks."""
    import numpy as np

    files = rows.numbers // record_size
    for file in np.unique(files).tolist():
        yield file, _table(rows, np.flatnonzero(files == file), file, record_size)


def _table(rows: ReferenceTable, members: Any, file: int, record_size: int) -> pa.Table:
    """Return the table of a file with some of the rows of an array.

    Row `record_size` * file + n is that of chunk n. A row without a path and without bytes is a
    missing chunk.
    """
    import numpy as np
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
        _integers(of_rows, of_rows >= 0), _texts(paths, pa.string())
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
        _integers(column(rows.offsets[members], 0)),
        _integers(column(rows.lengths[members], 0)),
        _texts(held, pa.binary()),
    ]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


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
