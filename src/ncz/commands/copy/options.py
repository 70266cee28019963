"""The options of a copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, BinaryIO, Literal

from ncz.commands import fields
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.creation_options import (
    ANNOTATIONS,
    AUDIENCE,
    CHAR,
    KIND,
    OVERWRITE,
    TRUNCATE_STRINGS,
    allow_loss_option,
    consolidated_option,
    modes_option,
    separator_option,
)
from ncz.commands.fields import MEMORY, SUBSET, THREADS
from ncz.commands.joining.options import JOIN, JoinOptions
from ncz.commands.option_error import OptionError
from ncz.commands.sources import Source, threads_for
from ncz.formats.kinds import PieceOptions
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.record import record, replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.selection import Selection
    from ncz.transfer.move import RawOptions

PROGRAM_MEMORY = 96 << 20
"""Bytes that Python, numpy and the codecs take before any data is read."""

CLOUD_CHUNK = 16_000_000
"""Bytes of a chunk for object stores."""

_LEAST = 16 << 20
"""Least memory for data, in bytes, however low the limit is."""

_SMALL = 256 << 10
"""Bytes of a chunk below which one thread creates files."""

_MOST_THREADS = 32


def _pieces(
    max_piece: int | None = None,
    pieces: Mapping[str, int] | Iterable[tuple[str, int]] = (),
    piece_format: Literal["netcdf", "zarr"] | None = None,
) -> PieceOptions:
    lengths = tuple(dict(pieces or ()).items())
    return PieceOptions(largest=max_piece, lengths=lengths, format=piece_format)


def _lengths(text: str, name: str) -> list[tuple[str, int]]:
    """Return dimensions and lengths, as in ``time/10,lat/90``."""
    lengths = []
    for one in filter(None, text.split(",")):
        dimension, slash, length = one.rpartition("/")
        if not (dimension and slash and length.isascii() and length.isdigit() and int(length)):
            raise OptionError(f"{name} {text!r} is not valid; write dim/length,dim/length")
        lengths.append((dimension, int(length)))
    return lengths


@record(kw_only=True)
class CopyOptions:
    """What to copy where, and how.

    `source` and `target` are locations, or CDL text: a stream, or the path of a file. A source can
    be an object of a program, too.
    `modes` are added to those in the target's fragment. If `consolidated` is None, consolidated
    metadata are written if the source has them. If it is False, those of the source are not used
    either, unless the source cannot be listed.
    """

    source: Source
    target: Location | str | BinaryIO
    more_sources: tuple[Source, ...] = ()
    """Further sources, which are joined to `source` along `concat` or `append`, or merged."""
    subset: Selection | None = SUBSET
    reshape: Reshape = fields.part(Reshape())
    join: JoinOptions = JOIN
    overwrite: bool = OVERWRITE
    concat: str | None = fields.option(
        "--concat",
        default=None,
        metavar="DIM",
        section="Output",
        common=True,
        help="Join several SRC along this dimension. Without it, they are merged.",
        python="The dimension to join several sources along; without it, they are merged.",
    )
    new_dimension: str | None = fields.option(
        "--new-dimension",
        default=None,
        metavar="DIM",
        section="Output",
        help="Join several SRC along a new dimension; each SRC becomes one index.",
        python="The name of a new dimension to join several sources along; each source becomes one"
        " index.",
    )
    append: str | None = fields.option(
        "--append",
        default=None,
        metavar="DIM",
        section="Output",
        common=True,
        help="Append each SRC to the store DST along this dimension.",
        python="The dimension of an existing store to append the source along.",
    )
    resume: bool = fields.option(
        "--resume",
        default=False,
        section="Output",
        common=True,
        help="Resume an interrupted copy. If interrupted again, keep what was written.",
        python="Whether to continue a copy that was interrupted.",
    )
    verify: bool = fields.option(
        "--verify",
        default=False,
        section="Output",
        common=True,
        help="Compare SRC and DST afterwards. If DST exists, only compare. Programs of --for that"
        " are installed open DST, too.",
        python="Whether to read both datasets back and compare them, also with the programs of"
        " `audience` that are installed.",
    )
    check_data: bool = fields.option(
        "--check-data",
        default=False,
        section="Output",
        help="Decode chunks that are copied without decoding, as a check.",
        python="Whether to decode chunks that are copied without decoding, as a check.",
    )
    keep_going: bool = fields.option(
        "--keep-going",
        default=False,
        section="Output",
        help="Copy damaged raw chunks as they are, and skip pieces of an aggregation that cannot be"
        " read, and what a truncated file does not have whole; then exit with 1.",
        python="Whether to copy damaged chunks as they are, where chunks are not decoded."
        " `CodecError` is raised after the copy, unless `allow_loss` is set.",
    )
    dry_run: bool = fields.option(
        "--dry-run",
        default=False,
        section="Output",
        common=True,
        help="Print the plan and the losses. Write nothing.",
        instead="prints a plan for people",
    )
    kind: NetcdfKind | None = KIND
    audience: tuple[str, ...] = AUDIENCE
    cloud: bool = fields.option(
        "--cloud",
        default=False,
        section="Store",
        common=True,
        help="Write pure Zarr V3 for object stores. Chunks have about 16 MB, and blosc.",
        python="Whether to write pure Zarr V3 for object stores, in chunks of about 16 MB with"
        " blosc.",
    )
    modes: tuple[str, ...] = modes_option(
        help="Form of DST: zarr, nczarr, v3, reference, icechunk, ... Modes are separated by"
        " commas; the default is as SRC.",
        python="As in a URL's ``#mode=``, for the target.",
    )
    consolidated: bool | None = consolidated_option(
        help="Write consolidated metadata (default: as SRC), or neither write nor use them.",
        python="Whether to write consolidated metadata; None writes them if the source has them,"
        " for xarray, and for a new store of pure Zarr.",
    )
    annotations: bool = ANNOTATIONS
    separator: str | None = separator_option(
        help="Separator in chunk keys: . or / (default: as SRC).",
    )
    char: str | None = CHAR
    truncate_strings: bool = TRUNCATE_STRINGS
    allow_loss: bool = allow_loss_option(
        help="Copy even if DST cannot hold everything. The same if part of SRC cannot be read.",
    )
    memory: int | None = MEMORY
    threads: int | None = THREADS
    dask: str | None = fields.option(
        "--dask",
        default=None,
        metavar="ADDRESS",
        section="Limits",
        help="Address of a Dask scheduler whose workers write the chunks.",
        python="The address of a Dask scheduler whose workers write the chunks.",
    )
    pieces: PieceOptions = fields.part(
        PieceOptions(),
        _pieces,
        max_piece=fields.option(
            "--max-piece",
            default=None,
            metavar="SIZE",
            values=fields.SIZE,
            section="Aggregations",
            help="With --mode cfa, cfa0.4 or cf: largest size of a piece (default: 50MB).",
            python="The largest size of a piece of a new aggregation in bytes.",
            type="int | None",
        ),
        pieces=fields.option(
            "--pieces",
            default=None,
            metavar="SPEC",
            section="Aggregations",
            repeats=True,
            parse=_lengths,
            help="Lengths of pieces instead: time/10,lat/90.",
            python="The length of the pieces of a new aggregation along dimensions.",
            type="Mapping[str, int] | None",
        ),
        piece_format=fields.option(
            "--piece-format",
            default=None,
            metavar="FORMAT",
            values=fields.choice("netcdf", "zarr"),
            section="Aggregations",
            help="Format of pieces: netcdf or zarr (default: as DST).",
            python="The format of the pieces of a new aggregation.",
            type='Literal["netcdf", "zarr"] | None',
        ),
    )
    inline: int | None = fields.option(
        "--inline",
        default=None,
        metavar="N",
        values=fields.integer(0, 8 << 20),
        section="Reference sets",
        help="In a reference set: hold objects of up to N bytes in the set (default: 500).",
        python="Bytes up to which a new reference set holds an object itself.",
    )
    record_size: int | None = fields.option(
        "--record-size",
        default=None,
        metavar="N",
        values=fields.integer(1, 10_000_000),
        section="Reference sets",
        help="In a reference set in Parquet: chunks in each file (default: 10000).",
        python="Chunks in each file of a new reference set in the Parquet layout.",
    )
    relative_to: str | None = None
    """"ref" for targets relative to the reference set; None for absolute ones."""

    @property
    def joins(self) -> bool:
        """Whether sources are joined or merged."""
        along = self.concat is not None or self.new_dimension is not None
        return along or bool(self.more_sources)

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources."""
        return self.source, *self.more_sources

    @property
    def data_memory(self) -> int:
        """Bytes that data may take: few in a worker of a cluster, beside others on its computer."""
        from ncz.parallel.memory import LEAST_MEMORY, default_memory

        usual = default_memory() if self.dask is None else LEAST_MEMORY
        return max(_LEAST, (self.memory or usual) - PROGRAM_MEMORY)

    @property
    def raw(self) -> RawOptions:
        """How chunks are checked that are copied raw."""
        from ncz.transfer.move import RawOptions

        return RawOptions(
            decodes=self.check_data,
            keep_going=self.keep_going,
            in_turn=_SMALL if self.threads is None else 0,
        )


def for_cloud(options: CopyOptions) -> CopyOptions:
    """Return the options of a copy for object stores, where they are not given."""
    from ncz.commands.copy.codec_specs import cloud_codec

    reshape = options.reshape
    if not (reshape.chunk_size or reshape.chunkspecs):
        reshape = replace(reshape, chunk_size=CLOUD_CHUNK)
    if not reshape.changes_codecs:
        reshape = replace(reshape, codecs=(cloud_codec(),))
    modes = options.modes
    if not {"nczarr", "zarr"} & set(modes):
        modes = (*modes, "zarr")
    if not {"v2", "v3"} & set(modes):
        modes = (*modes, "v3")
    consolidated = True if options.consolidated is None else options.consolidated
    return replace(options, reshape=reshape, modes=modes, consolidated=consolidated)


def thread_count(location: Location, options: CopyOptions) -> int:
    """Return the number of threads that write to `location`."""
    return options.threads or min(_MOST_THREADS, threads_for(location, options.source))
