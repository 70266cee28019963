"""The forms of a store: the version of Zarr, the flavour, char and strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ncz.formats.zarr.readers.programs import TextForm
from ncz.record import record

Flavour = Literal["nczarr", "zarr"]
"""With NCZarr's annotations, or pure Zarr."""


@record(kw_only=True)
class Form:
    """A form for storing a dataset.

    `stands_in` says whether masks of strings are annotated, and `missing_value` replaces them.
    """

    flavour: Flavour
    zarr_format: int
    char: str | None = None
    text: TextForm | None = None
    stands_in: bool = False

    @property
    def name(self) -> str:
        """The flavour and the version."""
        return f"{self.flavour}-v{self.zarr_format}"


FORMS: Sequence[Form] = (
    Form(flavour="nczarr", zarr_format=2),
    Form(flavour="nczarr", zarr_format=3),
    Form(flavour="zarr", zarr_format=2),
    Form(flavour="zarr", zarr_format=2, text="vlen"),
    Form(flavour="zarr", zarr_format=3),
)
"""The forms to try, in order: forms that represent all of netCDF first."""
