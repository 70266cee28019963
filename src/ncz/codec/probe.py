"""Check an encoded chunk without decoding it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ncz.codec import ArraySpec, Configuration, EncodedBytes
from ncz.codec.bounds import arrays_between, encoded_sizes
from ncz.codec.catalogue import codec_of
from ncz.codec.chain import decode_bytes
from ncz.errors import CodecError, CodecMissing

Probe = Callable[[EncodedBytes], bool]
"""Returns whether an encoded chunk looks undamaged.

A chunk whose codecs keep its size has a known length. Compressors write headers, and some of them
trailers, with sizes that can be compared with the chunk; checksums can be verified. A chunk that
passes can still be damaged. A chunk that fails needs a closer look: decoding it shows whether it is
damaged, and why. So these checks may be strict where decoders are not.
"""


def probe_for(chain: Sequence[Configuration], array: ArraySpec) -> Probe:
    """Return the check of the chunks of an array.

    Parameters
    ----------
    chain
        The codecs of the chunks, in the order of their application on writing.
    array
        The shape of a chunk, and the size of its elements.
    """
    sizes = encoded_sizes(chain, array)
    arrays = arrays_between(chain, array)
    codecs = [codec_of(configuration) for configuration in chain]

    def looks_whole(data: EncodedBytes) -> bool:
        for at in reversed(range(len(chain))):
            codec, configuration = codecs[at], chain[at]
            if sizes[at + 1] not in (None, len(data)):
                return False
            if codec.takes_arrays and not codec.holds_chunks:
                continue
            if codec.kind != "checksum":
                return codec.looks_whole(data, sizes[at], arrays[at], configuration)
            try:
                data = decode_bytes([configuration], data[:], limit=len(data), location="")
            except CodecMissing:
                return True
            except CodecError:
                return False
        return sizes[0] in (None, len(data))

    return looks_whole
