"""Tables of references in Parquet."""

from __future__ import annotations

import io

import numpy as np
import pytest

from ncz.errors import LossError
from ncz.zmap.byte_range import ByteRanges
from ncz.zmap.reference.parquet_writer import parquet_files
from tests.zmap.reference.test_creation import DOCUMENT, place
from tests.zmap.reference.test_creation import creation as creation


def test_the_tables_are_the_same_as_if_each_was_added_alone(creation):
    pytest.importorskip("pyarrow")
    files = list(parquet_files(creation.entries, "set"))
    assert [key for key, _ in files] == ["v/refs.0.parq", ".zmetadata"]
    assert list(parquet_files(creation.references, "set")) == files


def table_of(data):
    pq = pytest.importorskip("pyarrow.parquet")
    return pq.ParquetFile(io.BytesIO(data))


def test_numbers_are_never_null(creation):
    """fastparquet, fsspec's default, otherwise returns floats, and nothing can be read."""
    pytest.importorskip("pyarrow")
    files = dict(parquet_files(creation.entries, "set"))
    file = table_of(files["v/refs.0.parq"])
    assert [file.schema_arrow.field(name).nullable for name in ("offset", "size")] == [False, False]
    group = file.metadata.row_group(0)
    columns = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
    assert columns["offset"].statistics.null_count == columns["size"].statistics.null_count == 0


def test_files_without_chunks_are_written_too():
    """fsspec looks through all files of an array, and fails at one that is missing."""
    pytest.importorskip("pyarrow")
    document = b'{"zarr_format": 2, "shape": [10], "chunks": [1]}'
    entries = {"v/.zarray": document, "v/5": place(1), "w/.zarray": DOCUMENT, ".zgroup": b"{}"}
    files = dict(parquet_files(entries, "set", 4))
    names = {"v/refs.0.parq", "v/refs.1.parq", "v/refs.2.parq", "w/refs.0.parq", ".zmetadata"}
    assert files.keys() == names
    for name in names - {".zmetadata", "v/refs.1.parq"}:
        rows = table_of(files[name]).read().to_pydict()
        assert rows == {"path": [None] * 4, "offset": [0] * 4, "size": [0] * 4, "raw": [None] * 4}
    assert table_of(files["v/refs.1.parq"]).read().to_pydict()["offset"] == [0, 1, 0, 0]


@pytest.mark.parametrize("indices", [[[0], [3]], [[0, 0], [0, 1]]], ids=["outside", "rank"])
def test_keys_that_are_no_chunks_are_refused(creation, indices):
    pytest.importorskip("pyarrow")

    def joined(rows):
        return [f"v/{'.'.join(map(str, row))}" for row in rows.tolist()]

    columns = np.array([1, 2])
    creation.refer_all(ByteRanges("/b.nc", np.array(indices), columns, columns, joined))
    with pytest.raises(LossError, match="cannot represent this key"):
        list(parquet_files(creation.entries, "set"))
