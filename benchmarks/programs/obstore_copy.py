"""``PYTHON obstore_copy.py put|get ENDPOINT BUCKET PREFIX FOLDER``: copy with obstore alone.

It copies 32 objects at a time and checks nothing.
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def main() -> None:
    """Copy a folder to the server, or a prefix from it."""
    import obstore
    from obstore.store import S3Store

    action, endpoint, bucket, prefix, folder = sys.argv[1:]
    store = S3Store(
        bucket, prefix=prefix, endpoint=endpoint, client_options={"allow_http": True}
    )  # the keys are in the environment
    root = Path(folder)

    def put(path: Path) -> None:
        obstore.put(store, str(path.relative_to(root)), path)

    def get(key: str) -> None:
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(obstore.get(store, key).bytes())

    with ThreadPoolExecutor(32) as pool:
        if action == "put":
            walked = os.walk(root)
            paths = (Path(above, name) for above, _, names in walked for name in names)
            list(pool.map(put, paths))
        else:
            keys = (entry["path"] for batch in obstore.list(store) for entry in batch)
            list(pool.map(get, keys))


if __name__ == "__main__":
    main()
