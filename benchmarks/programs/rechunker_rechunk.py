"""``PYTHON rechunker_rechunk.py SOURCE TARGET LENGTHS CODEC``: rechunk with rechunker.

rechunker needs zarr-python 2, and therefore a separate environment.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Copy the array ``v`` into other chunks, with 256 MB of memory as ncz has."""
    import numcodecs
    import rechunker
    import zarr

    source, target, words, codec = sys.argv[1:]
    lengths = tuple(map(int, words.split("x")))
    shuffle = [numcodecs.Shuffle(elementsize=4)]
    options: dict[str, dict[str, Any]] = {
        "zlib": {"compressor": numcodecs.Zlib(level=5), "filters": shuffle},
        "zstd": {"compressor": numcodecs.Zstd(level=5), "filters": shuffle},
        "blosc": {"compressor": numcodecs.Blosc(cname="lz4", clevel=5)},
    }
    rechunker.rechunk(
        zarr.open_array(f"{source}/v", mode="r"),
        lengths,
        "256MB",
        f"{target}/v",
        target_options=options[codec],
        temp_store=str(Path(target).with_suffix(".temporary")),
    ).execute()


if __name__ == "__main__":
    main()
