"""The options of a copy, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.copy.reshape import Reshape
from ncz.errors import CodecError
from ncz.formats.kinds import PieceOptions
from ncz.model.netcdf_kind import NetcdfKind
from ncz.record import record, replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.commands.subsets import Subset
    from ncz.transfer.move import RawOptions, Way

DEFAULT_MEMORY = 256 << 20
"""Default memory limit of a copy, in bytes."""

PROGRAM_MEMORY = 96 << 20
"""Bytes that Python, numpy and the codecs take before any data is read."""

CLOUD_CODEC = '{"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 1, "blocksize": 0}'
"""The codec of data that have none of their own, and of all data for object stores."""

CLOUD_CHUNK = 16_000_000
"""Bytes of a chunk for object stores."""

_LEAST = 16 << 20
"""Least memory for data, in bytes, however low the limit is."""


_SMALL = 256 << 10
"""Bytes of a chunk below which one thread creates files."""


@record(kw_only=True)
class CopyOptions:
    """What to copy where, and how.

    `source` and `target` are locations, or CDL text: a stream, or the path of a file.
    `modes` are added to those in the target's fragment. If `consolidated` is None, consolidated
    metadata are written if the source has them. If it is False, those of the source are not used
    either, unless the source cannot be listed.
    """

    source: Location | str | BinaryIO
    target: Location | str | BinaryIO
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
    cloud: bool = False
    """Whether to write pure Zarr V3 for object stores, in chunks of about 16 MB with blosc."""
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
    more_sources: tuple[Location | str | BinaryIO, ...] = ()
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
    def sources(self) -> tuple[Location | str | BinaryIO, ...]:
        """All sources."""
        return self.source, *self.more_sources

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


# What a copy did, and how its progress is reported.


@dataclass(slots=True, kw_only=True)
class Summary:
    """What a copy did."""

    variables: int = 0
    chunks: int = 0
    """Number of chunks written."""
    size: int = 0
    """Their size in bytes, as stored."""
    kept: int = 0
    """Number of chunks that an interrupted run had written."""
    ways: dict[Way, int] = field(default_factory=dict)
    """Number of variables copied in each way."""
    compared: int = 0
    """Number of values compared, with `verify`."""
    damaged: list[CodecError] = field(default_factory=list)
    """The errors of damaged chunks that were copied as they are, with `keep_going`."""

    def refuse_damage(self, location: str) -> None:
        """Raise `CodecError` if damaged chunks were copied to the target at `location`."""
        if self.damaged:
            count = len(self.damaged)
            raise CodecError(
                f"{count} damaged chunk{'s were' if count > 1 else ' was'} copied unchanged",
                location,
                "restore them from another copy",
            )


def for_cloud(options: CopyOptions) -> CopyOptions:
    """Return the options of a copy for object stores, where they are not given."""
    reshape = options.reshape
    if not (reshape.chunk_size or reshape.chunkspecs):
        reshape = replace(reshape, chunk_size=CLOUD_CHUNK)
    if not reshape.changes_codecs:
        reshape = replace(reshape, codecs=(CLOUD_CODEC,))
    modes = options.modes
    if not {"nczarr", "zarr"} & set(modes):
        modes = (*modes, "zarr")
    if not {"v2", "v3"} & set(modes):
        modes = (*modes, "v3")
    return replace(options, reshape=reshape, modes=modes)
