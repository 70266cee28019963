"""Filters that HDF5 can use for a variable: a dataset like it is created in memory.

Each filter checks the type, the chunks and its parameters. A plugin can be one of another HDF5
library, such as netCDF4, which then refuses every dataset.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec.catalogue import find_deflate, is_kind
from ncz.codec.deflate_streams import ZLIB
from ncz.errors import FormatError, Notice, Notify, list_names, option
from ncz.formats.hdf5.datatypes import Datatypes
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.plan import Hdf5Array
from ncz.formats.hdf5.write import create_dataset
from ncz.model.filters import BUILT_IN, Filter, make_filter
from ncz.model.hdf5_filters import to_hdf5
from ncz.record import replace

_LEVEL = 4
"""The level of zlib in place of a compressor that HDF5 refuses."""


def with_usable_filters(arrays: Sequence[Hdf5Array], notify: Notify) -> tuple[Hdf5Array, ...]:
    """Return the arrays with filters that HDF5 can use for them.

    Zlib replaces a compressor that it cannot use, and another filter is left out. Reports the
    variables.
    """
    accepted: dict[object, bool] = {}
    changed: dict[str, list[str]] = {}
    found = []
    for array in arrays:
        others = [codec for codec in array.layout.codecs if not _is_built_in(codec)]
        if others and array.storage_class == "chunked":
            key = (array.type, array.stored_dtype, array.layout.chunks, array.layout.codecs)
            if repr(key) not in accepted:
                accepted[repr(key)] = _is_accepted(array)
            if not accepted[repr(key)]:
                for codec in others:
                    changed.setdefault(codec.id, []).append(array.fqn)
                codecs = _plain(array.layout.codecs)
                array = replace(array, layout=replace(array.layout, codecs=codecs))
        found.append(array)
    for name, fqns in changed.items():
        notify(
            Notice(
                "form-changed",
                f"{name} becomes zlib, because HDF5 cannot use its filter: {list_names(fqns)}",
                hint=f"use {option('codecs')} to choose a codec",
            )
        )
    return tuple(found)


def _is_built_in(codec: Filter) -> bool:
    hdf5 = to_hdf5(codec)
    return hdf5 is not None and hdf5.id in BUILT_IN


def _is_accepted(array: Hdf5Array) -> bool:
    """Return whether HDF5 creates a dataset with the type, the chunks and the filters of one."""
    h5py = load_h5py()
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_fapl_core(1 << 16, False)
    file = h5py.h5f.create(b"trial", h5py.h5f.ACC_TRUNC, fapl=access)
    try:
        root = h5py.h5g.open(file, b"/")
        create_dataset(root, "variable", array, Datatypes().of(array.type), set())
    except FormatError:
        return False
    finally:
        file.close()
    return True


def _plain(codecs: Sequence[Filter]) -> tuple[Filter, ...]:
    """Return codecs that HDF5 itself has in place of others."""
    kept: list[Filter] = []
    for codec in codecs:
        if _is_built_in(codec):
            kept.append(codec)
        elif is_kind(codec.to_json(), "compressor"):
            kept.append(make_filter(find_deflate(ZLIB).id, level=_LEVEL))
    return tuple(kept)
