"""ncz and zarr-python judge the same documents, and differ only where there is a reason.

zarr-python is asked in the test. Its judgement is its result for a store with the document and no
chunks: an error, or values that are all the fill value.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from ncz.errors import CodecError, NczError, Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.documents.bases import KEYS, Document
from tests.formats.zarr.documents.judged import DOCUMENTS
from tests.formats.zarr.documents.reasons import LAXER, OTHERWISE, STRICTER

zarr = pytest.importorskip("zarr", minversion="3.1")

IS_JUDGE = tuple(map(int, zarr.__version__.split(".")[:2])) >= (3, 4)

GROUP = "a group"

PARTS = {
    "chunk_grid": ("chunk_grid", "chunk_shape", "chunks"),
    "chunk_key_encoding": ("chunk_key_encoding", "separator"),
    "data_type": ("data_type", "dtype"),
    "chunks": ("chunks",),
    "tiling": ("'tiling'",),
}
"""Members that a message may name instead, by the member that is changed."""


def stored(document: Document) -> dict[str, bytes]:
    """Return the objects of a store that is one node."""
    objects = {KEYS[document.base]: json.dumps(document.json()).encode()}
    if document.attributes is not None:
        objects[".zattrs"] = document.attributes.encode()
    return objects


def by_zarr(document: Document) -> Any:
    """Return the plain values that zarr-python reads, `GROUP`, or the error."""
    from zarr.core.buffer.cpu import Buffer

    buffers = {key: Buffer.from_bytes(data) for key, data in stored(document).items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            node = zarr.open(
                zarr.storage.MemoryStore(buffers), mode="r", zarr_format=int(document.base[1])
            )
            return plain(np.asarray(node[...])) if isinstance(node, zarr.Array) else GROUP
        except Exception as error:
            return error


def by_ncz(document: Document) -> Any:
    """Return the plain values that ncz reads, `GROUP`, or the error."""
    lost: list[Notice] = []
    try:
        dataset = open_dataset(
            MemoryZmap(stored(document), "memory://t"),
            name="t",
            modes={document.base[:2]},
            notify=lambda notice: lost.append(notice) if notice.lost else None,
        )
        if lost:
            return NczError(lost[0].message, lost[0].location)
        if not dataset.root.variables:
            return GROUP
        data = dataset.root.variables[0].data
        assert data is not None
        return plain(read_all(data))
    except NczError as error:
        return error


def plain(values: np.ndarray) -> list[Any]:
    """Return values without distinctions that netCDF lacks: bool, times, bytes and complex."""
    if values.dtype.kind == "b":
        values = values.astype("u1")
    if values.dtype.kind in "mM":
        values = values.view("i8")
    return [_plain(value) for value in values.reshape(-1).tolist()]


def _plain(value: Any) -> Any:
    if isinstance(value, complex):
        value = (value.real, value.imag)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return str(value) if isinstance(value, float | tuple) else value


@pytest.mark.skipif(not IS_JUDGE, reason="the reasons are about zarr-python 3.4")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_ncz_judges_as_zarr_python_does_or_has_a_reason(name):
    document = DOCUMENTS[name]
    theirs, ours = by_zarr(document), by_ncz(document)
    is_theirs, is_ours = (not isinstance(seen, Exception) for seen in (theirs, ours))
    assert (is_ours and not is_theirs) == (name in LAXER), (theirs, ours)
    assert (is_theirs and not is_ours) == (name in STRICTER), (theirs, ours)
    if is_theirs and is_ours:
        assert (theirs != ours) == (name in OTHERWISE), (theirs, ours)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_error_names_key_and_member(name):
    document = DOCUMENTS[name]
    error = by_ncz(document)
    if not isinstance(error, NczError):
        return
    if document.attributes is not None:
        assert error.location == "memory://t: /.zattrs" or "/.zattrs: line" in str(error)
        return
    key = KEYS[document.base]
    if error.message.startswith("no Zarr store exists here"):
        assert document.change.keys() == {"zarr_format"}
        return
    if isinstance(error, CodecError) or "index of a shard" in error.message:
        return  # found when values are read
    assert error.location == f"memory://t: /{key}"
    members = [part for m in document.change for part in PARTS.get(m, (m,))]
    assert any(member in error.message for member in members), error.message


def test_every_reason_is_of_a_document():
    assert set(DOCUMENTS) >= {*LAXER, *STRICTER, *OTHERWISE}
    assert len(DOCUMENTS) > 400


@pytest.mark.parametrize("name", ["v3: numcodecs unknown", "v2: compressor unknown"])
def test_a_chunk_of_an_unknown_codec_is_an_error(name):
    document = DOCUMENTS[name]
    chunk = "c/0" if document.base == "v3" else "0"
    zmap = MemoryZmap({**stored(document), chunk: bytes(8)}, "memory://t")
    data = open_dataset(zmap, name="t").root.variables[0].data
    assert data is not None
    with pytest.raises(CodecError, match="magic"):
        data.chunk((0,))
