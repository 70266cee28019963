"""The storage of a dataset and its variables in words: for the summary, and for ``ncz info``."""

from __future__ import annotations

from ncz.model.data import PartitionedSource
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Provenance, Variable
from ncz.record import record


def format_of(provenance: Provenance) -> str | None:
    """Return the format of a dataset with its generation; None for a text."""
    form = _stored_format(provenance)
    return f"{form}, {provenance.aggregation} aggregation" if provenance.aggregation else form


def _stored_format(provenance: Provenance) -> str | None:
    if provenance.zarr_format is not None:
        zarr = f"Zarr V{provenance.zarr_format}"
        return f"NCZarr {provenance.superblock} on {zarr}" if provenance.superblock else zarr
    if provenance.protocol is not None:
        return f"OPeNDAP, {provenance.protocol}"
    return provenance.netcdf_kind if provenance.is_netcdf_file else None


@record(kw_only=True)
class StoredForm:
    """The chunks of a variable that can be read alone, the shards that contain them, and codecs.

    `chunks` and `shards` are None for arrays without them; `codecs` are identifiers.
    """

    chunks: tuple[int, ...] | None
    shards: tuple[int, ...] | None
    codecs: tuple[str, ...]


def stored_form(variable: Variable) -> StoredForm:
    """Return the storage of a variable, taken from its data if they are stored in chunks."""
    data, storage = variable.data, variable.storage
    chunks, shards, codecs = storage.chunks, storage.shards, storage.filters or ()
    if isinstance(data, EncodedSource):
        layout = data.layout
        chunks = layout.chunks if layout.shard is None else layout.shard.chunks
        shards = None if layout.shard is None else layout.chunks
        codecs = layout.inner_codecs
    elif isinstance(data, PartitionedSource):
        chunks = data.partition_grid.chunks
    return StoredForm(chunks=chunks, shards=shards, codecs=tuple(codec.id for codec in codecs))
