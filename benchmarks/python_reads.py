"""The rows that read a whole variable in Python: ncz beside zarr-python, zarrs and tensorstore."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

LEAST_VALUES = 150_000_000
"""Values of the variable: 600 MB of float, so that start-up counts little."""

_END = (
    "\nprint()\nprint(values.shape, float(values[-1, -1]), float(values[len(values) // 2].sum()))\n"
)

OURS = "import sys, ncz\nvalues = ncz.open(sys.argv[1])['v'][...]" + _END

_ZARR = "import sys, zarr\n{setting}values = zarr.open_group(sys.argv[1], mode='r')['v'][...]"
_ZARRS = "import zarrs\nzarr.config.set({'codec_pipeline.path': 'zarrs.ZarrsCodecPipeline'})\n"
_TENSORSTORE = """import sys, tensorstore
driver = {'driver': 'zarr', 'kvstore': {'driver': 'file', 'path': sys.argv[1] + '/v'}}
values = tensorstore.open(driver, open=True).result().read().result()"""

PEERS = {
    "zarr": ("zarr-python", _ZARR.format(setting="")),
    "zarrs": ("zarr-python with zarrs", _ZARR.format(setting=_ZARRS)),
    "tensorstore": ("tensorstore", _TENSORSTORE),
}
"""For each package, the name of the peer and the program that reads the same variable."""


def ours(store: Path) -> list[str]:
    """Return the command by which ncz reads the variable ``v`` of a store."""
    return [sys.executable, "-c", OURS, str(store)]


def peers(store: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and the command of each peer that is installed."""
    for package, (name, program) in PEERS.items():
        if importlib.util.find_spec(package) is not None:
            yield name, [sys.executable, "-c", program + _END, str(store)]
