"""Names of attributes that describe the storage of data, and cannot be changed alone."""

from __future__ import annotations

from ncz.formats.zarr.documents.attributes import RESERVED_IN_HDF5, is_annotation
from ncz.formats.zarr.documents.document_v2 import DIMENSION_NAMES
from ncz.formats.zarr.documents.notes import PROPERTIES

_STORAGE = frozenset(
    {"_FillValue", "_NoFill", "_Storage", "_ChunkSizes", "_ShardSizes", "_Endianness", "_Shuffle"}
    | {"_DeflateLevel", "_Fletcher32", "_Filter", "_Codecs", "_Format", "_SuperblockVersion"}
    | {"_IsNetcdf4", PROPERTIES, DIMENSION_NAMES}
)


def describes_storage(name: str) -> bool:
    """Return whether an attribute describes how data are stored."""
    return name in _STORAGE or name in RESERVED_IN_HDF5 or is_annotation(name)
