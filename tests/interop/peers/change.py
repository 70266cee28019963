"""Change stores with one library, in an environment that may have nothing else but numpy.

``python -m tests.interop.peers.change LIBRARY``: each line of standard input is a request,
``{"store": path, "format": 2, "changes": [[action, ...], ...]}``, and each line of standard output
has the result in the library: the shape, the values and the attributes of every array.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Change = Sequence[Any]
"""An action and its arguments: ``["set", path, name, value]``, ``["unset", path, name]``,
``["resize", path, shape]``, ``["write", path, number]``, ``["add", path, dimensions, shape]``,
``["remove", path]`` or ``["consolidate"]``."""


def change_with_zarr(store: str, version: int, changes: Sequence[Change]) -> None:
    """Carry out the changes with zarr-python 2 or 3."""
    import zarr

    is_old = zarr.__version__.startswith("2.")
    options: dict[str, Any] = {} if is_old else {"zarr_format": version, "use_consolidated": False}
    root: Any = zarr.open_group(store, mode="r+", **options)
    for action, *arguments in changes:
        if action == "consolidate":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                zarr.consolidate_metadata(store)
            continue
        path, *rest = arguments
        if action == "set":
            root[path].attrs[rest[0]] = rest[1]
        elif action == "unset":
            if rest[0] in root[path].attrs:
                del root[path].attrs[rest[0]]
        elif action == "resize":
            root[path].resize(tuple(rest[0]))
        elif action == "write":
            root[path][...] = rest[0]
        elif action == "remove":
            del root[path]
        elif is_old:
            made = root.create_dataset(path, shape=rest[1], chunks=True, dtype="f4", fill_value=0)
            made.attrs["_ARRAY_DIMENSIONS"] = rest[0]
        else:
            names = {"dimension_names": rest[0]} if version == 3 else {}
            made = root.create_array(path, shape=tuple(rest[1]), dtype="f4", fill_value=0, **names)
            if version == 2:
                made.attrs["_ARRAY_DIMENSIONS"] = rest[0]


def change_with_tensorstore(store: str, version: int, changes: Sequence[Change]) -> None:
    """Carry out the changes of shapes and values with tensorstore."""
    import tensorstore

    for action, path, argument in changes:
        spec = {
            "driver": "zarr" if version == 2 else "zarr3",
            "kvstore": {"driver": "file", "path": f"{store}/{path}/"},
        }
        array = tensorstore.open(spec, open=True).result()
        if action == "resize":
            array.resize(exclusive_max=argument).result()
        else:
            array[...] = argument


def seen(store: str, version: int) -> dict[str, dict[str, Any]]:
    """Return the shape, values and attributes of every array in zarr-python, as JSON.

    The values are None if they are not defined.
    """
    import zarr

    is_old = zarr.__version__.startswith("2.")
    options: dict[str, Any] = {} if is_old else {"zarr_format": version, "use_consolidated": False}
    found = {}
    root: Any = zarr.open_group(store, mode="r", **options)
    for path in _paths(Path(store), version):
        array = root[path]
        # zarr-python 2 reads missing chunks without a fill value from memory that is not set.
        has_null = is_old and array.fill_value is None
        is_undefined = has_null and array.nchunks_initialized < array.nchunks
        found[path] = {
            "shape": list(array.shape),
            "values": None if is_undefined else _plain(array[...]),
            "attributes": dict(array.attrs),
        }
    return found


def _paths(store: Path, version: int) -> Iterator[str]:
    for document in store.rglob(".zarray" if version == 2 else "zarr.json"):
        if version == 2 or json.loads(document.read_text())["node_type"] == "array":
            yield document.parent.relative_to(store).as_posix()


def _plain(values: Any) -> Any:
    array = np.asarray(values)
    if array.dtype.kind == "S":
        return array.astype("U").tolist()
    return array.tolist()


def main() -> None:
    """Answer every request."""
    change = change_with_zarr if sys.argv[1] == "zarr" else change_with_tensorstore
    for line in sys.stdin:
        request = json.loads(line)
        change(request["store"], request["format"], request["changes"])
        sys.stdout.write(json.dumps(seen(request["store"], request["format"])) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
