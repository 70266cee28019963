"""``PYTHON codecs_alone.py SOURCE [TARGET]``: print the seconds that the codecs alone need.

It decodes every chunk of ``v`` in SOURCE, and encodes every chunk of ``v`` in TARGET, on all cores,
in memory, with the fastest library that is installed for each codec. Both are stores of Zarr V2.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any


def chunks_of(store: str) -> tuple[dict[str, Any], list[bytes]]:
    """Return the metadata of ``v``, and its encoded chunks."""
    folder = Path(store, "v")
    document = json.loads((folder / ".zarray").read_bytes())
    files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    return document, [path.read_bytes() for path in files]


def coders(document: dict[str, Any]) -> tuple[list[Callable[..., Any]], list[Callable[..., Any]]]:
    """Return the functions that decode a chunk and the functions that encode it, in order."""
    import deflate
    import numcodecs
    from isal import isal_zlib
    from numcodecs.registry import get_codec

    size = int(document["dtype"][-1])
    for length in document["chunks"]:
        size *= length
    numcodecs.blosc.use_threads = False
    filters = [get_codec(each) for each in document["filters"] or []]
    decoding = [each.decode for each in reversed(filters)]
    encoding = [each.encode for each in filters]
    compressor = document["compressor"]
    if compressor is None:
        return decoding, encoding
    if compressor["id"] == "zlib":
        return (
            [lambda data: deflate.zlib_decompress(data, size), *decoding],
            [*encoding, lambda data: isal_zlib.compress(data, 2)],
        )
    codec = get_codec(compressor)
    return [codec.decode, *decoding], [*encoding, codec.encode]


def through(functions: list[Callable[..., Any]], data: Any) -> Any:
    """Return the data after all functions."""
    for function in functions:
        data = function(data)
    return data


def seconds(functions: list[Callable[..., Any]], chunks: list[Any]) -> float:
    """Return the time in seconds for all chunks."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(len, chunks))  # start the threads
        begun = time.perf_counter()
        for _ in pool.map(lambda data: len(through(functions, data)), chunks):
            pass
        return time.perf_counter() - begun


def main() -> None:
    """Print the time."""
    document, chunks = chunks_of(sys.argv[1])
    taken = seconds(coders(document)[0], chunks)
    if len(sys.argv) > 2:
        document, chunks = chunks_of(sys.argv[2])
        decoding, encoding = coders(document)
        taken += seconds(encoding, [bytes(through(decoding, data)) for data in chunks])
    print(taken)  # noqa: T201


if __name__ == "__main__":
    main()
