"""Filters of HDF5 that are not built into h5py.

HDF5 itself finds plugins in the folders of the environment variable ``HDF5_PLUGIN_PATH``; the
package hdf5plugin brings many.
"""

from __future__ import annotations

import contextlib

HINT = "pip install hdf5plugin, or set HDF5_PLUGIN_PATH to the folder of the plugin"


def has_filter(number: int) -> bool:
    """Return whether HDF5 has a filter, after importing hdf5plugin if it has not."""
    from h5py import h5z

    if not h5z.filter_avail(number):
        with contextlib.suppress(ImportError):
            import hdf5plugin  # noqa: F401 (its import adds filters to HDF5)
    return bool(h5z.filter_avail(number))
