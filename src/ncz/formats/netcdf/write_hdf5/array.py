"""The plan of one variable of a netCDF-4 file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import chain
from ncz.model.chunk.layout import ChunkLayout
from ncz.model.data import fill_array
from ncz.model.grid import Index
from ncz.model.tree import StorageClass, Variable
from ncz.model.types import Atomic, Compound, NcType, Value, zero_value
from ncz.model.user_types.arrays import numpy_dtype, pack
from ncz.model.user_types.sizes import fixed_size
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


@record(kw_only=True)
class Hdf5Array:
    """How one variable will be stored; the `ncz.model.chunk.encoded.EncodedTarget` of an HDF5 file.

    `fill` is the fill value of the HDF5 dataset; None leaves it undefined.
    """

    fqn: str
    variable: Variable
    layout: ChunkLayout
    type: NcType
    storage_class: StorageClass
    stored_dtype: Any
    """The dtype of elements: "O" for strings and for other values of variable size."""
    fill: Value

    @property
    def item_size(self) -> int:
        """Bytes of an element; 0 for strings and for other values of variable size."""
        return fixed_size(self.type)

    @property
    def fills_missing(self) -> bool:
        """Whether missing values are written, because HDF5 does not give their fill value.

        It gives no value of variable size from a file that is open for reading only, so that
        netCDF-C fails; and h5py passes chars in structures to it as none.
        """
        if self.fill is None or (isinstance(self.type, Atomic) and self.type is not Atomic.STRING):
            return False
        if self.type is Atomic.STRING:
            return True
        is_known = self.item_size and not _has_chars(self.type)
        return not is_known and self.fill != zero_value(self.type)

    @property
    def encoded(self) -> Hdf5Array | None:
        """The array itself if its HDF5 dataset has chunks, of elements of one size."""
        return self if self.storage_class == "chunked" and self.item_size else None

    def chunk_key(self, index: Index) -> str:
        """Return a name of a chunk; HDF5 itself has none."""
        return f"{self.fqn.lstrip('/')}/{'.'.join(map(str, index)) or '0'}"

    def fill_element(self) -> Values:
        """Return the fill value as one element; zero bytes if it is undefined."""
        return self.to_elements(fill_array((), self.type, self.fill))

    def to_elements(self, values: Values) -> Values:
        """Convert values to elements in the byte order of the file."""
        if isinstance(self.type, Atomic):
            return values.astype(self.stored_dtype, copy=False)
        dtype = numpy_dtype(self.stored_dtype)
        return pack(values.reshape(-1).tolist(), self.type, dtype).reshape(values.shape)

    def encode(self, elements: Values, location: str) -> bytes:
        """Apply the HDF5 filters to the elements of a chunk."""
        return chain.encode(
            [codec.to_json() for codec in self.layout.codecs],
            elements.reshape(-1),
            item_size=self.item_size,
            location=location,
        )


def _has_chars(nc_type: NcType) -> bool:
    """Return whether values of a type of fixed size have chars."""
    if isinstance(nc_type, Compound):
        return any(_has_chars(part.type) for part in nc_type.fields)
    return nc_type is Atomic.CHAR
