"""Files of variables on a grid, one after the other in time, as in most archives."""

from __future__ import annotations

import calendar as months
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import netCDF4
import numpy as np

from ncz.record import record

Packing = Literal["", "equal", "different", "unsigned"]


@record(kw_only=True)
class Grid:
    """Gridded files.

    Attributes
    ----------
    lengths
        The number of times in each file.
    names
        The variables.
    kind
        The kind of the files, as netCDF4 names it.
    chunk
        Times in a chunk; 0 for contiguous variables.
    zlib
        The level of the compressor; 0 for none.
    shuffle
        Whether bytes are shuffled.
    packing
        Whether values are integers, and whether all files have the same factors.
    axes
        The other dimensions and their lengths.
    time, units, calendar, step, time_type
        The name, the units, the calendar, the distance and the type of times.
    restarts
        Whether the units of each file count from its own first time.
    limited
        Whether the dimension of times is not unlimited.
    bounds
        Whether times and latitudes have bounds.
    plane
        Whether latitude and longitude have two dimensions, as on rotated grids.
    scalars
        Names of scalars, such as a grid mapping.
    levels
        The levels of the compressor, for files that differ.
    fill
        The mask of missing values, or None.
    dtype
        The type of values that are not packed.
    """

    lengths: Sequence[int]
    names: Sequence[str] = ("tas",)
    kind: str = "NETCDF4"
    chunk: int = 1
    zlib: int = 1
    shuffle: bool = True
    packing: Packing = ""
    axes: Sequence[tuple[str, int]] = (("lat", 18), ("lon", 36))
    time: str = "time"
    units: str = "days since 1850-01-01"
    calendar: str = "standard"
    step: float = 1.0
    time_type: str = "f8"
    restarts: bool = False
    limited: bool = False
    bounds: bool = False
    plane: bool = False
    scalars: Sequence[str] = ()
    levels: Sequence[int] = ()
    fill: float | None = 1e20
    dtype: str = "f4"

    def __call__(self, folder: Path) -> list[str]:
        """Write the files."""
        first, paths = 0.0, []
        for number, length in enumerate(self.lengths):
            path = folder / f"file_{number:03}.nc"
            times = first + self.step * np.arange(length)
            kind: Any = self.kind
            with netCDF4.Dataset(path, "w", format=kind) as file:
                self._write(file, number, times)
            paths.append(str(path))
            first += self.step * length
        return paths

    @property
    def _is_classic(self) -> bool:
        return self.kind.startswith("NETCDF3")

    def _write(self, file: Any, number: int, times: Any) -> None:
        file.Conventions = "CF-1.7"
        file.createDimension(self.time, len(times) if self.limited else None)
        for name, length in self.axes:
            file.createDimension(name, length)
        self._write_times(file, times)
        self._write_axes(file)
        for name in self.scalars:
            file.createVariable(name, "i4", ()).grid_mapping_name = "rotated_latitude_longitude"
        for place, name in enumerate(self.names):
            self._write_values(file, name, number, place, len(times))

    def _write_times(self, file: Any, times: Any) -> None:
        variable = file.createVariable(self.time, self.time_type, (self.time,))
        units, first = self.units, 0.0
        if self.restarts:
            unit = self.units.partition(" since ")[0]
            start: Any = netCDF4.num2date(times[0], self.units, self.calendar)
            units, first = f"{unit} since {start.isoformat(' ')}", times[0]
        variable.units, variable.calendar = units, self.calendar
        variable[:] = times - first
        if self.bounds:
            file.createDimension("bnds", 2)
            variable.bounds = f"{self.time}_bnds"
            ends = file.createVariable(f"{self.time}_bnds", "f8", (self.time, "bnds"))
            ends[:] = np.stack([times - first, times - first + self.step], axis=1)

    def _write_axes(self, file: Any) -> None:
        for name, length in self.axes:
            file.createVariable(name, "f8", (name,))[:] = np.linspace(-80, 80, length)
        if self.plane:
            plane = tuple(name for name, _ in self.axes[-2:])
            shape = tuple(length for _, length in self.axes[-2:])
            for name in ("latitude", "longitude"):
                file.createVariable(name, "f8", plane)[:] = np.random.default_rng(1).random(shape)
        if self.bounds:
            name, length = self.axes[0]
            file.variables[name].bounds = f"{name}_bnds"
            ends = file.createVariable(f"{name}_bnds", "f8", (name, "bnds"))
            ends[:] = np.linspace(-80, 80, 2 * length).reshape(length, 2)

    def _write_values(self, file: Any, name: str, number: int, place: int, length: int) -> None:
        dims = (self.time, *(axis for axis, _ in self.axes))
        shape = (length, *(size for _, size in self.axes))
        options: dict[str, Any] = {}
        if not self._is_classic and self.chunk:
            options["chunksizes"] = (min(self.chunk, length) if self.limited else self.chunk,
                                     *shape[1:])  # fmt: skip
            level = self.levels[number] if self.levels else self.zlib
            options |= {"zlib": bool(level), "complevel": level or 1, "shuffle": self.shuffle}
        random = np.random.default_rng([number, place])
        values = np.round(280 + 20 * random.random(shape), 2)
        if self.packing:
            kind, mask = ("u1", 255) if self.packing == "unsigned" else ("i2", -32767)
            variable = file.createVariable(name, kind, dims, fill_value=mask, **options)
            variable.scale_factor = 0.1 + (0.01 * number if self.packing == "different" else 0)
            variable.add_offset = 290.0
            variable.set_auto_scale(False)
            packed = np.rint((values - 290) / variable.scale_factor)
            variable[:] = (packed + 110 if self.packing == "unsigned" else packed).astype(kind)
        else:
            variable = file.createVariable(name, self.dtype, dims, fill_value=self.fill, **options)
            values[0, ..., 0] = np.nan if self.fill is None else self.fill
            variable[:] = values
        variable.units = "K"
        if self.scalars:
            variable.grid_mapping = self.scalars[0]
        if self.plane:
            variable.coordinates = "latitude longitude"


def days_of(year: int, count: int = 12) -> list[int]:
    """Return the lengths of the months of a year."""
    return [months.monthrange(year, month)[1] for month in range(1, count + 1)]
