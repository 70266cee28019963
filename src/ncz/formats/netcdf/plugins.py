"""Filters of HDF5 that are not built into h5py.

HDF5 itself finds plugins in the folders of the environment variable ``HDF5_PLUGIN_PATH``; the
package hdf5plugin brings many.
"""

from __future__ import annotations

import contextlib
from functools import cache

_BUILT_IN = frozenset({*range(1, 7), 32_000})
"""The numbers of the filters of HDF5 itself, deflate to scale-offset, and of h5py's lzf."""

HINT = "pip install hdf5plugin, or set HDF5_PLUGIN_PATH to the folder of the plugin"


def has_filter(number: int) -> bool:
    """Return whether HDF5 has a filter, after adding that of hdf5plugin if it is installed."""
    from h5py import h5z

    if number not in _BUILT_IN:
        _prefer_hdf5plugin(number)
    return bool(h5z.filter_avail(number))


@cache
def _prefer_hdf5plugin(number: int) -> None:
    """Replace the filter of a plugin that the environment names by that of hdf5plugin.

    Importing netCDF4 sets ``HDF5_PLUGIN_PATH`` to its own plugins. They belong to its copy of HDF5,
    and some of them fail in that of h5py. Importing hdf5plugin replaces no filter that HDF5 finds.
    """
    with contextlib.suppress(ImportError):
        import hdf5plugin

        name = next((name for name, n in hdf5plugin.FILTERS.items() if n == number), "")
        if hdf5plugin.get_config().registered_filters.get(name) == "unknown":
            hdf5plugin.register(name)
