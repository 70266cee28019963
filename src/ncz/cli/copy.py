"""``ncz copy`` and ``ncz-copy``: options, arguments, and how plans and results are printed."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ncz.cli.append import change_text, check_change
from ncz.cli.command import (
    LITERAL,
    SIZE,
    WORDS,
    Command,
    arguments_of,
    command,
    given_arguments,
    ignored_option,
    integer,
    option,
    spelling,
    split_names,
)
from ncz.cli.copy_output import copy_text, success_text, summary_json
from ncz.cli.dataset_endings import NETCDF, WITH_CDL, is_named
from ncz.cli.joining_options import JOINING
from ncz.cli.kind_options import chosen_kind, kind_options
from ncz.cli.line_order import is_place
from ncz.cli.name_options import name_options
from ncz.cli.number_options import NUMBERS
from ncz.cli.piped_copy import STANDARD_OUTPUT, check_piped, name_standard_output, pipe_file
from ncz.cli.source_options import (
    LIMITS,
    SELECTION,
    follow_links_option,
    locate,
    locate_source,
    reference_options,
    s3_options,
)
from ncz.cli.target_options import (
    AUDIENCE,
    OVERWRITE,
    SHARDS,
    STORE,
    audience_of,
    given_modes,
    modes,
    zarr_format_option,
)
from ncz.cli.terminal import standard_output, terminal_of, visible
from ncz.commands.copy.command import copy as copy_dataset
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, NczError, Notice, ignore_notice, note_on_interrupt
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.whole_numbers import whole_number

if TYPE_CHECKING:
    from ncz.commands.chunkspec import ChunkSpec
    from ncz.commands.copy.codec_specs import CodecSpec, FilterSpec
    from ncz.zmap.location import Location


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


class _Copy(Command):
    """The command, which takes some options of xarray, rsync and zarr-python."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; see `click.Command.parse_args`."""
        at = args.index("-h") if "-h" in args else None
        if at is not None and not "".join(args[at + 1 : at + 2])[:1].isdigit():
            args = ["--help"]  # the chunk cache of nccopy has a number
        args = [
            "--into" if (word, after) == ("--region", "auto") else word  # as in xarray
            for word, after in zip(args, (*args[1:], ""), strict=False)
        ]
        if args == ["help"] and not os.path.lexists("help"):
            args = ["--help"]
        if "--append" in args or "--append-dim" in args:
            args = [
                each
                for word in args
                for each in (("--overlap", "first") if word in _KEEPS else (word,))
            ]
        args = _with_level(_with_mode(args))
        return super().parse_args(ctx, args)


_FILES = (".nc", ".nc4", ".cdf", ".h5", ".hdf5")
"""Endings of netCDF files, which are mostly copied to a store of the same name."""

_KEEPS = ("--skip-existing", "--ignore-existing", "--update", "--skip-duplicates")
"""Options of other programs that keep the contents of a target; of an append, its values."""

_MODES = {"w-": [], "x": [], "a": ["--add"], "a-": ["--add"], "r+": ["--add"]}
"""Modes of xarray, and the options that mean the same."""

_ADDING = ("--append", "--append-dim", "--into", "--region")
"""Options of changes in a target, which make a mode meaningless."""


def _with_mode(args: list[str]) -> list[str]:
    """Return the options without a mode of xarray, with its meaning.

    Raises `click.UsageError` for the mode that replaces a target.
    """
    if "--mode" not in args[:-1]:
        return args
    at = args.index("--mode")
    if args[at + 1] == "w":
        raise click.UsageError("--mode is the form of DST; to replace DST, use --overwrite")
    if args[at + 1] not in _MODES:
        return args
    words = [] if any(word in _ADDING for word in args) else _MODES[args[at + 1]]
    return [*args[:at], *words, *args[at + 2 :]]


_CODECS = ("--compression", "--compressor", "--compress", "--codec")
_LEVELS = ("--level", "--clevel", "--complevel", "--compression-level", "--compress-level")


def _with_level(args: list[str]) -> list[str]:
    """Return the options with the level of a codec after its name, where both are options."""
    codec = next((at for at, word in enumerate(args) if word in _CODECS), len(args))
    level = next((at for at, word in enumerate(args) if word in _LEVELS), len(args))
    name, number = ("".join(args[at + 1 : at + 2]) for at in (codec, level))
    if not name.isalnum() or not number.isdigit():
        return args
    words = [*args[:codec], "--codec", f"{name}:{number}", *args[codec + 2 :]]
    del words[level : level + 2]
    return words


@command(
    "copy",
    "ncz copy model.nc s3://bucket/model.zarr --cloud",
    "ncz copy --sel time=2026-01,lat=40:60 model.nc part.nc",
    "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ --codec zstd:5",
    "ncz copy model.nc model.zarr",
    'ncz copy a.zarr "b.zip#mode=zarr,zip"',
    "ncz copy in.zarr out.nc",
    "ncz copy in.zarr out.zarr -c time/100,lat/,lon/ -d 5 -s",
    "ncz copy in.zarr out.zarr --codec zstd:5 --chunk-size 10MB",
    "ncz copy in.zarr out.zarr --zarr-format 3 --shards time/1000,lat/,lon/",
    "ncz copy --dry-run in.zarr out.zarr",
    "ncz copy - out.zarr < x.cdl",
    "ncz copy --append time today.nc all.zarr",
    "ncz copy temperature.nc wind.nc weather.zarr",
    "ncz copy a.nc refs.json",
    "ncz copy a.nc b.nc all.json --concat time",
    "ncz copy in.zarr out.nca --mode cfa --max-piece 20MB",
    cls=_Copy,
)
@click.argument("sources", metavar="SRC...", nargs=-1)
@click.argument("target", metavar="DST")
@arguments_of(copy_dataset, SPELLINGS)
@option(
    "--json", "as_json", is_flag=True, section="Output", help="Print the plan or a summary as JSON."
)
@zarr_format_option("Zarr version: 2 or 3 (default: as SRC; 2 from netCDF).")
@kind_options
@ignored_option("-m", "--copy-buffer", metavar="N", why="see --memory")
@ignored_option("-h", "--chunk-cache", metavar="N", why="ncz has no chunk cache")
@ignored_option("-e", "--cache-elements", metavar="N", why="ncz has no chunk cache")
@ignored_option("-r", "--read-diskless", why="chunks are read when they are copied")
@ignored_option("-w", "--diskless", why="DST appears complete or not at all")
@ignored_option("-x", "--compute-caches", why="ncz has no chunk cache")
@ignored_option("-L", "--log-level", metavar="N", why="see --debug")
@follow_links_option
@s3_options
@reference_options
def copy(ctx: click.Context, /, sources: tuple[str, ...], target: str, **values: Any) -> None:
    """Copy a dataset to another store, to a netCDF file, or to or from CDL.

    SRC and DST are paths or URLs. DST is a Zarr store, unless it ends in .nc (netCDF), .json
    (reference set), .nca (aggregation), .icechunk or .cdl.

    For SRC and DST, - is standard input or output. DST appears complete or not at all. .nc4, .h5
    and .cdf are netCDF files too, and .parquet is a reference set. A store has the form of SRC,
    unless options choose another one; from a netCDF file it is pure Zarr V2, and from CDL NCZarr
    V2. If DST cannot represent everything, the losses are listed and nothing is written.
    """
    if not sources:
        from ncz.cli.misplaced_values import taken_by_option

        taken = taken_by_option(ctx, ctx.meta[WORDS])
        stem, end = os.path.splitext(target)
        store = f"{stem}.zarr"
        if end not in _FILES or not os.path.isfile(target) or os.path.lexists(store):
            store = "TARGET"
        missing = f"the target is missing; type: ncz copy {shlex.join((target, store))}"
        raise click.UsageError(taken or missing)
    _check_target(sources, target)
    _check_excluded(target, values)
    _check_habits(ctx, values)
    if _fills_folder(ctx, sources, target, values):
        if _keeps_form(ctx, sources, values):
            name = os.path.basename(sources[0].partition("#")[0].rstrip("/"))
            target = (
                f"{target.rstrip('/')}/{name}" if "://" in target else os.path.join(target, name)
            )
        else:
            ctx.params["each"] = values["each"] = True
            if not _chooses_form(values) and all(is_named(each, NETCDF) for each in sources):
                terminal_of(ctx).notify(
                    Notice(
                        "netcdf-to-stores",
                        "the copies are Zarr stores",
                        hint="for netCDF, add -4",
                    )
                )
    if values["append"] is not None or values["into"]:
        check_change(ctx, target, values)
    terminal = terminal_of(ctx)
    terminal.allow_loss = values["allow_loss"]
    from ncz.cli.progress import ProgressBar
    from ncz.commands.copy.expanded_sources import expand_sources
    from ncz.commands.sources import name_of

    is_joined = values["each"] or any(
        values[name] is not None for name in ("concat", "new_dimension", "append")
    )
    with note_on_interrupt(f"{target} was not changed"):
        texts = [
            source
            for text in sources
            for source in expand_sources(text, is_joined, lambda url: locate(ctx, url))
        ]
    several = [locate_source(ctx, text) for text in texts]
    is_piped = target == "-"
    if is_piped:
        modes = given_modes(given_arguments(ctx, SPELLINGS), values["zarr_format"])
        check_piped(sources[0], (*modes, *(("zarr",) if values["cloud"] else ())), values)
    with contextlib.ExitStack() as stack:
        path = stack.enter_context(pipe_file(modes)) if is_piped else target
        place = _target(ctx, path)
        given = _arguments(ctx, place, target, values)
        dry_run, as_json = values["dry_run"], values["as_json"]
        notify = name_standard_output(path, terminal.notify) if is_piped else terminal.notify
        is_append = values["append"] is not None or bool(values["into"])
        is_divided = values["each"] or values["split"]
        plan_of = change_text if is_append else copy_text
        start = time.monotonic()
        with standard_output() as write, ProgressBar(terminal) as progress:

            def show(plan: Any) -> bool:
                if dry_run:
                    heading = f"{visible(plan.place)}:\n" if is_divided and not as_json else ""
                    write((heading + plan_of(plan, as_json=as_json)).encode())
                return True

            is_silent = dry_run and not is_append
            summary = copy_dataset(
                several,
                place,
                **given,
                on_plan=show,
                notify=Callbacks(ignore_notice if is_silent else notify, progress),
            )
            if as_json and not dry_run:
                done = summary.targets or {name_of(place): summary}
                for name, one in done.items():
                    write(summary_json(one, one.source or name_of(several[0]), name).encode())
    if not values["allow_loss"] and not is_append:
        summary.refuse_damage(STANDARD_OUTPUT if is_piped else name_of(place))
    seconds = time.monotonic() - start
    if not (dry_run or is_piped) and (values["verify"] or seconds > _LONG):
        terminal.succeed(success_text(summary, seconds))


_LONG = 3.0
"""A copy that takes more seconds than this prints a summary on a terminal."""


def _check_target(sources: Sequence[str], target: str) -> None:
    """Raise `click.UsageError` if the value of an option that takes none is last on the line."""
    before = sources[-1]
    is_path = is_named(target, WITH_CDL) or target == "-" or "/" in target or os.path.exists(target)
    is_new = is_named(before, WITH_CDL) and not is_place(before) and not {*"*?["} & {*before}
    if len(sources) > 1 and is_new and not is_path:
        raise click.UsageError(
            f"{before} does not exist; if it is the target, no option takes {target!r} after it"
        )


def _check_excluded(target: str, values: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for options that exclude each other."""
    if "=" in (values["region"] or ""):
        raise click.UsageError(
            f"--region is the region of an S3 bucket; to select, use --isel {values['region']}, and"
            f" to write into a part of DST, --into {values['region']}"
        )
    if values["dask"] is not None and values["resume"]:
        raise click.UsageError("--dask and --resume cannot be used together")
    if values["max_piece"] is not None and values["pieces"]:
        raise click.UsageError("--max-piece and --pieces cannot be used together")
    if values["concat"] is not None and values["new_dimension"] is not None:
        raise click.UsageError("--concat and --new-dimension cannot be used together")


def _check_habits(ctx: click.Context, values: Mapping[str, Any]) -> None:
    """Raise `click.UsageError` for options that mean something else elsewhere."""
    typed = ctx.meta.get(WORDS, ())
    names = ",".join(values["data_of"] or ())
    if names and {"-x", "-xv", "-vx"} & {*typed}:
        line = f"to copy all but some variables, use --exclude {names}"
        raise click.UsageError(f"-x has no effect in nccopy, and -v only chooses data; {line}")


def _fills_folder(
    ctx: click.Context, sources: Sequence[str], target: str, values: Mapping[str, Any]
) -> bool:
    """Return whether sources are copied to a folder as by cp, each to its own name."""
    others = ("each", "concat", "new_dimension", "append", "into", "add", "split")
    if any(values[name] for name in others) or not _is_plain_folder(target):
        return False
    return os.path.isdir(target) or _are_several(ctx, sources) or _has_others(ctx, target)


def _has_others(ctx: click.Context, target: str) -> bool:
    """Return whether a server has something at a URL, as in a folder, and no store."""
    if "://" not in target:
        return False
    from ncz.zmap.opening import open_zmap

    try:
        with contextlib.closing(open_zmap(locate(ctx, target))) as zmap:
            names = zmap.search("")
    except NczError:  # a missing source; the copy finds other errors
        return False
    return bool(names) and {*ROOT_DOCUMENTS}.isdisjoint(names)


def _are_several(ctx: click.Context, sources: Sequence[str]) -> bool:
    """Return whether sources are several datasets, or a pattern or folder of them."""
    from ncz.commands.copy.expanded_sources import expand_sources

    found = (
        () if sources == ("-",) else expand_sources(sources[0], True, lambda url: locate(ctx, url))
    )
    return len(sources) > 1 or list(found) != [*sources]


def _keeps_form(ctx: click.Context, sources: Sequence[str], values: Mapping[str, Any]) -> bool:
    """Return whether a source keeps its name, and so its format, in a folder."""
    return not (_chooses_form(values) or _are_several(ctx, sources))


def _chooses_form(values: Mapping[str, Any]) -> bool:
    """Return whether options choose the format of the target."""
    names = ("cloud", "modes", "zarr_format", "audience")
    return any(values[name] for name in names) or chosen_kind() is not None


_BUCKET = re.compile(r"(s3|gs|gcs|az|abfs)://[^/]+")
"""The URL of a bucket, which is a folder without a slash too."""


def _is_plain_folder(target: str) -> bool:
    """Return whether the name of a target means a folder, and not a store."""
    if "#" in target or is_named(target, WITH_CDL):
        return False
    if "://" in target or not os.path.isdir(target):
        return target.endswith("/") or _BUCKET.fullmatch(target) is not None
    return not any(os.path.exists(os.path.join(target, name)) for name in ROOT_DOCUMENTS)


def _target(ctx: click.Context, text: str) -> Location | str:
    """Return the location of the target, or the path of CDL text."""
    from ncz.commands.sources import is_cdl

    return text if is_cdl(text) else locate(ctx, text, creating=True)


def _arguments(
    ctx: click.Context,
    place: Location | str,
    target: str,
    values: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments of the function from the options of the command line."""
    given = given_arguments(ctx, SPELLINGS)
    modes = given_modes(given, values["zarr_format"])
    form = [*modes, *(("zarr", "v3") if values["cloud"] else ())]
    given |= {
        "modes": modes,
        "audience": () if values["append"] else audience_of(place, form),
        "kind": chosen_kind(),
        "relative_to": values["relative_to"],
    }
    if _is_kept(ctx, target, values):
        given.pop("overwrite", None)
    return given


def _is_kept(ctx: click.Context, target: str, values: Mapping[str, Any]) -> bool:
    """Return whether NCZ_OVERWRITE does not apply, so that an existing target is kept.

    NCZ_OVERWRITE has the effect of nccopy, which writes no CDL, and neither resumes nor verifies.
    """
    from ncz.commands.sources import is_cdl

    source = ctx.get_parameter_source("overwrite")
    return source is click.core.ParameterSource.ENVIRONMENT and (
        values["resume"] or values["verify"] or is_cdl(target)
    )
