"""The check of stored chunks that are copied without decoding.

Lengths, headers, checksums and the indexes of shards are compared with the document of the array.
"""

from __future__ import annotations

from ncz.codec import ArraySpec
from ncz.codec.probe import Probe, probe_for
from ncz.model.chunks import ChunkLayout


def chunk_probe(layout: ChunkLayout, item_size: int) -> Probe:
    """Return the check of stored chunks that need not be decoded for it."""
    return probe_for(layout.chain, ArraySpec(layout.chunks, item_size))
