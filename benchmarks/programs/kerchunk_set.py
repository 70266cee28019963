"""``PYTHON kerchunk_set.py SOURCE TARGET``: a reference set with kerchunk, as a peer.

`PYTHON` is the interpreter of a separate environment with kerchunk. TARGET is a JSON
text, or a folder in the Parquet layout if its name ends in ``.parquet``.
"""

from __future__ import annotations

import json
import sys
import warnings


def main() -> None:
    """Make the set."""
    warnings.simplefilter("ignore")
    from kerchunk.df import refs_to_dataframe
    from kerchunk.hdf import SingleHdf5ToZarr

    source, target = sys.argv[1:]
    references = SingleHdf5ToZarr(source, inline_threshold=500).translate()
    if target.endswith(".parquet"):
        refs_to_dataframe(references, target)
    else:
        with open(target, "w", encoding="utf-8") as file:
            json.dump(references, file)


if __name__ == "__main__":
    main()
