"""The options of a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.copy.reshape import Reshape
from ncz.formats.kinds import PieceOptions
from ncz.model.netcdf_kind import NetcdfKind
from ncz.record import record

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset
    from ncz.transfer.move import RawOptions

DEFAULT_MEMORY = 256 << 20
"""Default memory limit of a copy, in bytes."""

PROGRAM_MEMORY = 96 << 20
"""Bytes that Python, numpy and the codecs take before any data is read."""

_LEAST = 16 << 20
"""Least memory for data, in bytes, however low the limit is."""


_SMALL = 256 << 10
"""Bytes of a chunk below which one thread creates files."""


@record(kw_only=True)
class CopyOptions:
    """What to copy where, and how.

    `source` and `target` are paths or URLs, or CDL: a stream, or a path that ends in ".cdl".
    `modes` are added to those in the target's fragment. If `consolidated` is None, consolidated
    metadata are written if the source has them. If it is False, those of the source are not used
    either, unless the source cannot be listed.
    """

    source: str | BinaryIO
    target: str | BinaryIO
    modes: tuple[str, ...] = ()
    kind: NetcdfKind | None = None
    """The kind of netCDF file to write."""
    reshape: Reshape = Reshape()
    subset: Subset | None = None
    """The part of the source to copy; None copies all."""
    consolidated: bool | None = None
    annotations: bool = True
    """Whether pure Zarr notes beside consolidated metadata what pure Zarr cannot say."""
    overwrite: bool = False
    separator: str | None = None
    char: str | None = None
    truncate_strings: bool = False
    audience: tuple[str, ...] = ()
    """Names of programs that must be able to read the target."""
    allow_loss: bool = False
    memory: int | None = None
    """Memory limit in bytes; None is `DEFAULT_MEMORY`, or more if one chunk needs more."""
    threads: int | None = None
    resume: bool = False
    verify: bool = False
    check_data: bool = False
    """Whether chunks that are copied raw are decoded to check them."""
    keep_going: bool = False
    """Whether damaged chunks that are copied raw are copied as they are."""
    more_sources: tuple[str, ...] = ()
    """Further sources, which are joined to `source` along `concat`."""
    concat: str | None = None
    """The dimension along which sources are joined."""
    append: str | None = None
    """The dimension along which the source is appended to the existing target."""
    dry_run: bool = False
    """Whether nothing will be written, so that the target of `append` is only read."""
    inline: int | None = None
    """Bytes up to which a reference set holds objects itself; None is the default."""
    record_size: int | None = None
    """Chunks in each file of a reference set in the Parquet layout; None is the default."""
    pieces: PieceOptions = PieceOptions()
    """How an aggregation is divided."""
    relative_to: str | None = None
    """"ref" for targets relative to the reference set; None for absolute ones."""
    dask: str | None = None
    """The address of a Dask scheduler whose workers write the chunks."""

    @property
    def data_memory(self) -> int:
        """Bytes that data may take."""
        return max(_LEAST, (self.memory or DEFAULT_MEMORY) - PROGRAM_MEMORY)

    @property
    def raw(self) -> RawOptions:
        """How chunks are checked that are copied raw."""
        from ncz.transfer.move import RawOptions

        return RawOptions(
            decodes=self.check_data,
            keep_going=self.keep_going,
            in_turn=_SMALL if self.threads is None else 0,
        )
