"""Options of a Zarr store, from the user and from its location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.formats.create_options import AS_DEFAULT, CreateOptions
from ncz.formats.zarr.readers.programs import ChunkForm, TextForm
from ncz.record import record

if TYPE_CHECKING:
    from ncz.formats.zarr.readers.forms import Flavour


MOST_FILLED = 64 << 20
"""Most bytes of chunks of equal values that a copy adds to a store for each array."""


@record(kw_only=True)
class WriteOptions:
    """Options of a store."""

    flavour: Flavour = "nczarr"
    zarr_format: int = 2
    xarray: bool = True
    """Write the names of dimensions where xarray reads them."""
    consolidated: bool = False
    """Also write consolidated metadata."""
    store: CreateOptions = AS_DEFAULT
    """The user's options. Without a `separator`, the source's is kept, or it is "."."""
    keeps_keys: bool = False
    """Keep the names of chunks from a source of another version of Zarr."""
    plain_keys: bool = False
    """Make the keys of chunks as Zarr does by default, because the store knows no other."""
    strict: bool = False
    """Write NaN and infinities in attributes as text, because the store has only valid JSON."""
    text: TextForm | None = None
    """The storage of strings of Zarr V2; the default is "vlen" with annotations, else "fixed"."""
    keeps_objects: bool = False
    """Store strings of Zarr V2 as objects, unless `text` says otherwise: the source is pure Zarr,
    and programs that read it read bytes of a fixed length as bytes."""
    irregular: bool = True
    """Keep the chunks of a source that have different lengths, in Zarr V3."""
    avoided: frozenset[ChunkForm] = frozenset()
    """Forms of chunks that readers of the store do not decode."""
    only_filters: bool = False
    """Write a compressor of Zarr V2 as the last filter, as kerchunk does for chunks of files."""
    refers: bool = False
    """Keep the codecs of a source that is not a store, because chunks are not moved."""
    masks_default_fill: bool | None = None
    """Leave chunks of netCDF's default fill missing in NCZarr V2, as netcdf-c does. xarray takes
    their `fill_value` for the mask. None does it where netcdf-c has written the source, too."""
    most_filled: int = MOST_FILLED
    """Most bytes of chunks of netCDF's default fill that are written for each array, so that
    nothing masks them."""

    @property
    def pure(self) -> bool:
        """True for Zarr without NCZarr's annotations."""
        return self.flavour == "zarr"

    @property
    def has_annotations(self) -> bool:
        """True for pure Zarr with annotations next to consolidated metadata."""
        return self.pure and self.consolidated and self.store.annotations

    @property
    def text_form(self) -> TextForm:
        """The storage of strings of Zarr V2: readers show objects as text, and others as bytes."""
        return "vlen" if self.keeps_objects and self.text is None else self._form_for_readers

    @property
    def _form_for_readers(self) -> TextForm:
        return self.text or ("vlen" if self.has_annotations else "fixed")

    @property
    def has_vlen_arrays(self) -> bool:
        """Whether vlens of numbers are objects of vlen-array, which zarr-python 3 does not open.

        They are text where an annotation has their type, and where strings are objects for readers.
        """
        return self.pure and self.zarr_format == 2 and self._form_for_readers == "fixed"

    @property
    def char_dtype(self) -> str:
        """The dtype of char."""
        return self.store.char or ("|S1" if self.pure else ">S1")


AS_NETCDF_C = WriteOptions()
"""NCZarr as netcdf-c writes it."""
