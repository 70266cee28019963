"""Special attributes, which describe the storage of a dataset (``-s``).

ncgen and `ncz.cdl.special` read them back. The order is ncdump's (netcdf-c 4.10.1).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ncz.model.filters import DEFLATE, FLETCHER32, SHUFFLE, Filter
from ncz.model.hdf5_filters import to_hdf5
from ncz.model.tree import Provenance, Variable
from ncz.model.types import Atomic
from ncz.text.format_values import quote

_OWN_ATTRIBUTE = (FLETCHER32, SHUFFLE, DEFLATE)


def variable_attributes(variable: Variable, *, fold: bool) -> Iterator[tuple[str, str]]:
    """Yield name and value of each special attribute of a variable.

    With `fold`, ``_Filter`` includes the filters that have a separate attribute, too.
    """
    storage = variable.storage
    if storage.storage_class is not None:
        yield "_Storage", quote(storage.storage_class)
    if storage.chunks:  # not for a scalar; ncdump prints a broken line
        yield "_ChunkSizes", ", ".join(map(str, storage.chunks))
    if storage.shards:
        yield "_ShardSizes", ", ".join(map(str, storage.shards))
    filters = storage.filters or ()
    yield from _filters(variable, fold=fold)
    if filters and storage.hdf5_filters is None:
        yield "_Codecs", quote(codecs_json(filters))
    if storage.endianness and isinstance(variable.type, Atomic) and variable.type.size > 1:
        yield "_Endianness", quote(storage.endianness)
    if storage.no_fill:
        yield "_NoFill", quote("true")


def _filters(variable: Variable, *, fold: bool) -> Iterator[tuple[str, str]]:
    storage = variable.storage
    if storage.hdf5_filters is not None:
        numbered = list(storage.hdf5_filters)
    else:
        numbered = [f for f in map(to_hdf5, storage.filters or ()) if f is not None]
    if not fold:
        by_number = {hdf5.id: hdf5 for hdf5 in numbered}
        if FLETCHER32 in by_number:
            yield "_Fletcher32", quote("true")
        if SHUFFLE in by_number:
            yield "_Shuffle", quote("true")
        if DEFLATE in by_number:
            yield "_DeflateLevel", str(by_number[DEFLATE].parameters[0])
        numbered = [hdf5 for hdf5 in numbered if hdf5.id not in _OWN_ATTRIBUTE]
    if numbered:
        yield "_Filter", quote("|".join(map(str, numbered)))


def codecs_json(filters: tuple[Filter, ...]) -> str:
    """Return the configurations as one JSON array."""
    each = (json.dumps(codec.to_json(), ensure_ascii=False) for codec in filters)
    return "[" + ",".join(each) + "]"


def dataset_attributes(provenance: Provenance, *, properties: bool) -> Iterator[tuple[str, str]]:
    """Yield name and value of the root's special attributes, `_NCProperties` if `properties`."""
    if provenance.is_classic_file:
        yield "_Format", quote(provenance.netcdf_kind)
        return
    if properties and provenance.properties is not None:
        yield "_NCProperties", quote(provenance.properties)
    superblock = provenance.hdf5_superblock
    yield "_SuperblockVersion", str(provenance.superblock if superblock is None else superblock)
    yield "_IsNetcdf4", str(int(provenance.is_netcdf4))
    yield "_Format", quote(provenance.netcdf_kind)
