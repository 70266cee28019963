"""The options of ``ncz copy``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ncz.cli.joining_options import JOINING
from ncz.cli.name_options import name_options
from ncz.cli.number_options import NUMBERS
from ncz.cli.source_options import LIMITS, SELECTION
from ncz.cli.spellings import LITERAL, SIZE, integer, spelling, split_names
from ncz.cli.target_options import AUDIENCE, OVERWRITE, SHARDS, STORE, modes
from ncz.commands.option_error import OptionError
from ncz.zmap.whole_numbers import whole_number

if TYPE_CHECKING:
    from ncz.commands.chunkspec import ChunkSpec
    from ncz.commands.copy.codec_specs import CodecSpec, FilterSpec


def _codecs(text: str, _: str) -> tuple[CodecSpec, ...]:
    from ncz.commands.copy.codec_specs import parse_codecs

    return (parse_codecs(text),)


def _filters(text: str, _: str) -> tuple[FilterSpec, ...]:
    from ncz.commands.copy.codec_specs import parse_filterspec

    return (parse_filterspec(text),)


def _chunks(text: str, _: str) -> tuple[ChunkSpec, ...]:
    from ncz.commands.chunkspec import parse_chunkspec

    return (parse_chunkspec(text),)


def _lengths(text: str, name: str) -> list[tuple[str, int]]:
    """Return dimensions and lengths, as in ``time/10,lat/90``."""
    lengths = []
    for one in filter(None, text.split(",")):
        dimension, slash, length = one.rpartition("/")
        number = whole_number(length)
        if not (dimension and slash and number):
            raise OptionError(f"{name} {text!r} is not valid; write dim/length,dim/length")
        lengths.append((dimension, number))
    return lengths


def _region(texts: Sequence[str]) -> object:
    """Return "auto", or the indices of dimensions."""
    from ncz.commands.subsets.spelling import parse_indices

    given = [text for text in texts if text != "auto"]
    return parse_indices(given) if given else "auto"


_names = partial(spelling, metavar="V,...", section="Selection", repeats=True, parse=split_names)
_groups = partial(spelling, metavar="G,...", section="Selection", repeats=True, parse=split_names)
_output = partial(spelling, section="Output")
_chunking = partial(spelling, section="Chunks and codecs")

SPELLINGS = {
    **SELECTION,
    "variables": _names("-V", "--only", completes="variables"),
    "data_of": _names("-v", "--data-of", completes="variables"),
    "only_groups": _groups("-G", "--only-groups", completes="groups"),
    "data_of_groups": _groups("-g", "--data-of-groups", completes="groups"),
    "drop_attributes": spelling(
        "--drop-attribute", metavar="NAME,...", section="Selection", repeats=True, parse=split_names
    ),
    "chunks": _chunking(
        "-c",
        "--chunks",
        metavar="SPEC",
        repeats=True,
        parse=_chunks,
        common=True,
        completes="chunks",
        help="Chunk lengths: dim/length,dim/,... or var:length,... A single"
        " / means one chunk each, and var:contiguous or var:compact one variable without chunks.",
    ),
    "chunk_size": _chunking(
        "--chunk-size",
        metavar="SIZE",
        values=SIZE,
        help="Largest size of a chunk, such as 10MB.",
    ),
    "chunking": _chunking(
        "--chunking",
        metavar="RULE",
        values=LITERAL,
        help="Shape for --chunk-size: balanced (for both time series and maps) or netcdf.",
    ),
    "min_chunk_size": _chunking("-M", "--min-chunk-size", metavar="N", values=integer(0)),
    **SHARDS,
    "fixed": spelling("-u", "--fixed", section="Store"),
    "unlimited": spelling(
        "--unlimited", metavar="DIM,...", section="Store", repeats=True, parse=split_names
    ),
    "transpose": spelling(
        "--transpose", metavar="DIM,...", section="Numbers", repeats=True, parse=split_names
    ),
    "deflate": _chunking("-d", "--deflate", metavar="N", values=integer()),
    "shuffle": _chunking("-s", "--shuffle"),
    "filters": _chunking("-F", "--filter", metavar="SPEC", repeats=True, parse=_filters),
    "codecs": _chunking(
        "--codec",
        metavar="SPEC",
        repeats=True,
        parse=_codecs,
        common=True,
        completes="codecs",
        help="Codecs: zstd:5, shuffle+zlib:4, none or JSON. V=SPEC for one variable.",
    ),
    **JOINING,
    **NUMBERS,
    **name_options(common=False),
    **OVERWRITE,
    "concat": _output(
        "--concat",
        metavar="DIM",
        common=True,
        help="Join several SRC along this dimension. Without it, they are merged.",
    ),
    "new_dimension": _output(
        "--new-dimension",
        metavar="DIM",
        help="Join several SRC along a new dimension; each SRC becomes one index.",
    ),
    "append": _output(
        "--append",
        metavar="DIM",
        common=True,
        help="Append each SRC to the store DST along this dimension.",
    ),
    "into": _output(
        "--into",
        metavar="REGION",
        repeats=True,
        gather=_region,
        common=True,
        help="Write into a part of the existing store DST. REGION is auto, where coordinates are"
        " equal, or has indices: time=10:20.",
    ),
    "add": _output(
        "--add",
        help="Add the variables of SRC to the existing store or file DST. Variables of the same"
        " name are replaced, and others stay.",
    ),
    "each": _output(
        "--each",
        common=True,
        help="Copy each SRC to a separate target with its name. DST is a folder, or a pattern"
        " with {} for the name: out-{}.nc.",
    ),
    "split": _output(
        "--split",
        metavar="DIM=RULE",
        common=True,
        help="Split the copy along a dimension. RULE is year, month, day or a length: time=year;"
        " a dimension alone, such as station, is divided at each of its values. DST"
        " is a folder, or has a place for the names: out-{}.nc.",
    ),
    "resume": _output(
        "--resume/--no-resume",
        help="Continue an interrupted copy, or start again (default: continue after an interrupt"
        " or a network error, if SRC has not changed).",
    ),
    "verify": _output(
        "--verify",
        common=True,
        help="Compare SRC and DST afterwards. If DST exists, only compare. Programs of --for that"
        " are installed must open DST, too.",
    ),
    "digest": _output(
        "--digest",
        help="Keep a digest of the values of each variable, which check --data compares with them.",
    ),
    "preserve_time": _output("--preserve-time"),
    "check_data": _output("--check-data"),
    "keep_going": _output(
        "--keep-going",
        help="Copy damaged raw chunks unchanged, skip unreadable pieces of an aggregation and"
        " incomplete parts of a truncated file, and exit with 1.",
    ),
    "verbatim": _output("--verbatim"),
    "dry_run": _output(
        "--dry-run",
        common=True,
        help="Print the plan, the losses and a forecast of bytes and time. Write nothing.",
    ),
    **AUDIENCE,
    "cloud": spelling("--cloud", section="Store", common=True),
    "modes": spelling(
        "--mode",
        metavar="MODES",
        section="Store",
        repeats=True,
        parse=modes,
        completes="modes",
        help="Form of DST: zarr, nczarr, v3, reference, icechunk, ... Modes are separated by"
        " commas (default: as SRC).",
    ),
    "consolidated": spelling(
        "--consolidated/--no-consolidated",
        section="Store",
        help="Write consolidated metadata (default: as SRC), or neither write nor use them.",
    ),
    **STORE,
    "separator": spelling(
        "--separator",
        metavar="S",
        values=LITERAL,
        section="Store",
        help="Separator in chunk keys: . or / (default: as SRC).",
    ),
    "allow_loss": spelling(
        "--allow-loss",
        section="Store",
        common=True,
        help="Copy even if DST cannot represent everything. Also if part of SRC cannot be read.",
    ),
    **LIMITS,
    "dask": spelling("--dask", metavar="ADDRESS", section="Limits"),
    "max_piece": spelling(
        "--max-piece",
        metavar="SIZE",
        values=SIZE,
        section="Aggregations",
        help="With --mode cfa, cfa0.4 or cf: largest size of a piece (default: 50MB).",
    ),
    "pieces": spelling(
        "--pieces",
        metavar="SPEC",
        section="Aggregations",
        repeats=True,
        parse=_lengths,
        gather=dict,
        help="Lengths of pieces instead: time/10,lat/90.",
    ),
    "piece_format": spelling(
        "--piece-format",
        metavar="FORMAT",
        values=LITERAL,
        section="Aggregations",
        help="Format of pieces: netcdf or zarr (default: as DST).",
    ),
    "inline": spelling(
        "--inline",
        metavar="N",
        values=integer(0, 8 << 20),
        section="Reference sets",
        help="In a reference set: store objects of up to N bytes in the set (default: 500).",
    ),
    "record_size": spelling(
        "--record-size", metavar="N", values=integer(1, 10_000_000), section="Reference sets"
    ),
    "prefix": spelling("--prefix", metavar="URL", section="Reference sets"),
}
