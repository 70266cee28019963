"""A dimension with the interface of netCDF4: ``ds.dimensions["time"].size``."""

from __future__ import annotations

from ncz.record import record


@record
class NamedDimension:
    """A dimension that can be used in a group."""

    name: str
    size: int
    unlimited: bool

    def isunlimited(self) -> bool:
        """Return whether the dimension is unlimited.

        Returns
        -------
        bool
            Whether it can grow.
        """
        return self.unlimited

    def __len__(self) -> int:
        return self.size
