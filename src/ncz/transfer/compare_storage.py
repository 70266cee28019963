"""Compare how two variables are stored: chunks, shards, codecs and byte order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.model.encoded_arrays import EncodedSource
from ncz.model.filters import Filter
from ncz.model.grid import IrregularGrid
from ncz.model.tree import Variable
from ncz.transfer.difference import Difference


def storage_differences(ours: Variable, theirs: Variable, fqn: str) -> Iterator[Difference]:
    """Yield a difference of kind "storage" for each setting that differs.

    Values are tuples of lengths, or texts; None means that a variable lacks the setting.
    """
    expected, found = _settings(ours), _settings(theirs)
    for name, value in expected.items():
        if value != found[name]:
            yield Difference(kind="storage", fqn=fqn, name=name, expected=value, found=found[name])


def _settings(variable: Variable) -> Mapping[str, object]:
    storage = variable.storage
    data = variable.data
    if not isinstance(data, EncodedSource):
        return {
            "chunks": storage.chunks,
            "shards": storage.shards,
            "codecs": _codecs(storage.filters or ()),
            "byte order": storage.endianness,
        }
    layout = data.layout
    grid = layout.grid
    chunks: object = layout.chunks if layout.shard is None else layout.shard.chunks
    if isinstance(grid, IrregularGrid):
        chunks = grid.borders
    return {
        "chunks": chunks,
        "shards": layout.chunks if layout.shard is not None else None,
        "codecs": _codecs(layout.inner_codecs),
        "byte order": storage.endianness,
    }


def _codecs(codecs: tuple[Filter, ...]) -> str:
    """Return the codecs in one text, such as "shuffle(elementsize=4) zlib(level=5)"."""
    return " ".join(_codec(codec) for codec in codecs)


def _codec(codec: Filter) -> str:
    settings = ", ".join(f"{k}={v}" for k, v in sorted(codec.configuration) if k != "id")
    return f"{codec.id}({settings})" if settings else codec.id
