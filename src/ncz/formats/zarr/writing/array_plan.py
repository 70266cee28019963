"""The plan of an array: the stored form of one variable of a dataset.

It contains the stored form of elements (`Encoding`), the layout of chunks (`ChunkLayout`), their
keys, and the fill value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ncz.formats.zarr.arrays.array import ZarrArray, encode_elements
from ncz.formats.zarr.types.dtypes import Encoding
from ncz.formats.zarr.types.elements import fill_element, to_disk
from ncz.model.chunks import ChunkLayout
from ncz.model.data import Values
from ncz.model.grid import Index
from ncz.model.tree import Attribute, Variable, mask_of
from ncz.model.types import Value
from ncz.record import record
from ncz.zmap.key import ChunkKeys, join_key


@record(kw_only=True)
class ArrayPlan:
    """The plan of one variable.

    `fill` is the value of missing chunks; None leaves it undefined. `fills_missing` is true if
    missing chunks of the source are written, because ``fill_value`` cannot express their values;
    `masks_missing` if they stay missing nevertheless, and readers mask their values. The layout of
    a scalar has no axes, although NCZarr writes the shape [1] for it. `source` is the variable's
    data if they are stored as Zarr. `is_root` is true if the root of the store is the array itself.
    """

    fqn: str
    variable: Variable
    layout: ChunkLayout
    encoding: Encoding
    fill: Value
    fills_missing: bool = False
    masks_missing: bool = False
    keys: ChunkKeys = ChunkKeys()
    source: ZarrArray | None = None
    is_root: bool = False

    @property
    def mask(self) -> Value:
        """The value that marks missing data, or None."""
        return mask_of(self.attributes, self.variable.type)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The variable's attributes, without the ones that only express the kept Zarr dtype."""
        if self.source is not None and self.source.encoding is self.encoding:
            hints = self.encoding.hints
            return tuple(
                attribute
                for attribute in self.variable.attributes
                # A mask without its own JSON is the fill value of the array.
                if attribute.original is not None
                or (attribute not in hints and attribute.name != "_FillValue")
            )
        return self.variable.attributes

    @property
    def key(self) -> str:
        """The prefix of the array's objects."""
        return "" if self.is_root else join_key(self.fqn)

    @property
    def encoded_target(self) -> ArrayPlan:
        """The array itself, which takes encoded chunks."""
        return self

    @property
    def stored_dtype(self) -> Any:
        """The dtype of stored elements."""
        return self.encoding.stored_dtype

    @property
    def item_size(self) -> int:
        """Bytes of a stored element; 0 for objects."""
        return self.encoding.item_size

    def chunk_key(self, index: Index) -> str:
        """Return the key of stored chunk `index`."""
        return self.keys.key(self.key, index)

    def chunk_keys(self, indices: Sequence[Index]) -> list[str]:
        """Return the keys of stored chunks."""
        return self.keys.keys(self.key, indices)

    def fill_element(self) -> Values:
        """Return the fill value as one stored element, of shape ()."""
        return fill_element(self.fill, self.encoding)

    def to_elements(self, values: Values) -> Values:
        """Convert values to elements. Raises `LossError` for a string that is too long."""
        return to_disk(values, self.encoding, self.fqn)

    def encode(self, elements: Values, location: str) -> bytes | None:
        """Encode the elements of a chunk; `location` is where it will be, for messages."""
        return encode_elements(elements, self.layout, self.encoding, location, self.fill)
