"""The options of a copy that change chunks, codecs, dimensions or variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ncz.commands import fields
from ncz.commands.creation_options import SHARDS
from ncz.commands.fields import listed
from ncz.record import record

if TYPE_CHECKING:
    from ncz.commands.chunkspec import ChunkSpec
    from ncz.commands.copy.codec_specs import CodecSpec, FilterSpec
    from ncz.commands.shards import Shards


def _chunkspecs(text: str, _: str) -> tuple[ChunkSpec, ...]:
    from ncz.commands.chunkspec import parse_chunkspec

    return (parse_chunkspec(text),)


def _filterspecs(text: str, _: str) -> tuple[FilterSpec, ...]:
    from ncz.commands.copy.codec_specs import parse_filterspec

    return (parse_filterspec(text),)


def _codecs(text: str, _: str) -> tuple[CodecSpec, ...]:
    from ncz.commands.copy.codec_specs import parse_codecs

    return (parse_codecs(text),)


@record(kw_only=True)
class Reshape:
    """What to change; () or None changes nothing."""

    only: tuple[str, ...] | None = fields.option(
        "-V",
        "--only",
        default=None,
        metavar="V,...",
        section="Selection",
        repeats=True,
        parse=listed,
        completes="variables",
        help="Copy these variables only.",
        python="The variables to copy; by default all.",
        argument="variables",
    )
    data_of: tuple[str, ...] | None = fields.option(
        "-v",
        "--data-of",
        default=None,
        metavar="V,...",
        section="Selection",
        repeats=True,
        parse=listed,
        completes="variables",
        help="Copy the data of these variables only.",
        python="The variables whose data are copied; by default all.",
    )
    only_groups: tuple[str, ...] | None = fields.option(
        "-G",
        "--only-groups",
        default=None,
        metavar="G,...",
        section="Selection",
        repeats=True,
        parse=listed,
        completes="groups",
        help="Copy these groups only.",
        python="The groups to copy; by default all.",
    )
    data_of_groups: tuple[str, ...] | None = fields.option(
        "-g",
        "--data-of-groups",
        default=None,
        metavar="G,...",
        section="Selection",
        repeats=True,
        parse=listed,
        completes="groups",
        help="Copy the data of these groups only.",
        python="The groups whose data are copied; by default all.",
    )
    drop_attributes: tuple[str, ...] = fields.option(
        "--drop-attribute",
        default=(),
        metavar="NAME,...",
        section="Selection",
        repeats=True,
        parse=listed,
        help="Copy without these attributes: NAME or a glob anywhere, V:NAME of a variable, :NAME"
        " of groups.",
        python='Attributes to leave out: "history", "v:history", or ":history" of groups.',
    )
    chunkspecs: tuple[ChunkSpec, ...] = fields.option(
        "-c",
        "--chunks",
        default=(),
        metavar="SPEC",
        repeats=True,
        section="Chunks and codecs",
        common=True,
        completes="chunks",
        help="Chunk lengths: dim/length,dim/,... or var:length,... A single"
        " / means one chunk each, and var:contiguous or var:compact one variable without chunks.",
        python='Lengths by dimension, such as {"time": 100, "lat": -1}, or chunkspecs:'
        ' "time/100,lat/" for dimensions, "v:10,20" for a variable.',
        parse=_chunkspecs,
        argument="chunks",
        type="Words | Mapping[str, int | None]",
    )
    chunk_size: int | None = fields.option(
        "--chunk-size",
        default=None,
        metavar="SIZE",
        values=fields.SIZE,
        section="Chunks and codecs",
        common=True,
        help="Largest size of a chunk, such as 10MB.",
        python="Largest size of a chunk in bytes; all variables are rechunked.",
    )
    chunking: Literal["balanced", "netcdf"] = fields.option(
        "--chunking",
        default="balanced",
        metavar="RULE",
        values=fields.choice("balanced", "netcdf"),
        section="Chunks and codecs",
        help="Shape for --chunk-size: balanced (for time series and maps alike) or netcdf.",
        python='The shape of chunks of a given size: "balanced", or "netcdf" as netCDF-C shapes'
        " them.",
    )
    least_chunk: int | None = fields.option(
        "-M",
        "--min-chunk-size",
        default=None,
        metavar="N",
        values=fields.integer(0),
        section="Chunks and codecs",
        help="Write a variable of fixed shape as one chunk if its chunks have less than N bytes.",
        python="Variables of fixed shape with chunks of fewer bytes are written as one chunk.",
        argument="min_chunk_size",
    )
    shards: tuple[Shards, ...] = SHARDS
    fixed: bool = fields.option(
        "-u",
        "--fixed",
        default=False,
        section="Store",
        help="Make unlimited dimensions fixed.",
        python="Whether to make unlimited dimensions fixed.",
    )
    deflate: int | None = fields.option(
        "-d",
        "--deflate",
        default=None,
        metavar="N",
        values=fields.integer(),
        section="Chunks and codecs",
        help="zlib level, 0 to 9; 0 removes compression.",
        instead="codecs",
    )
    shuffle: bool = fields.option(
        "-s",
        "--shuffle",
        default=False,
        section="Chunks and codecs",
        help="Apply the shuffle filter before compression.",
        instead="codecs",
    )
    filters: tuple[FilterSpec, ...] = fields.option(
        "-F",
        "--filter",
        default=(),
        metavar="SPEC",
        repeats=True,
        parse=_filterspecs,
        section="Chunks and codecs",
        help="nccopy's filterspec: V|V,id,parameter,... or *,none or none.",
        instead="codecs",
    )
    codecs: tuple[CodecSpec, ...] = fields.option(
        "--codec",
        default=(),
        metavar="SPEC",
        repeats=True,
        parse=_codecs,
        type="Words",
        section="Chunks and codecs",
        common=True,
        completes="codecs",
        help="Codecs: zstd:5, shuffle+zlib:4, none or JSON. V=SPEC for one variable.",
        python='Codecs such as "zstd:5", for all variables or for one: "t2m=zlib:4".',
    )
    plain_codec: CodecSpec | None = None
    """Codec of variables whose source has neither chunks nor filters, if no other is chosen."""

    @property
    def chooses(self) -> bool:
        """Whether some variables, or the data of some, are not copied."""
        options = self.data_of, self.only, self.data_of_groups, self.only_groups
        return any(names is not None for names in options)

    @property
    def changes_codecs(self) -> bool:
        """Whether other codecs are asked for."""
        return bool(self.deflate is not None or self.shuffle or self.filters or self.codecs)
