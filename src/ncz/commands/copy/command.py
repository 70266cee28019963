"""copy: one store becomes another. What netCDF's nccopy does.

First everything is planned: what is lost, and for each variable whether its chunks move as they are
(raw), are decoded and encoded (recode) or rechunked. Then the plan is shown, or carried out.
CDL text may stand at either end, as ``-`` or a name that ends in ``.cdl``.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.copy.reshape import Reshape, reshaped, with_data
from ncz.errors import LossError, Notice, Notify, UrlError, ignore_notice
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.formats.zarr.plan import ArrayPlan, DatasetPlan, WriteOptions
    from ncz.model.tree import Dataset
    from ncz.transfer.move import Moved, Transfer
    from ncz.transfer.rechunk import Rechunk
    from ncz.zmap import WritableZmap
    from ncz.zmap.location import Location

DEFAULT_MEMORY = 256 << 20
"""Bytes that a copy keeps to if nobody says otherwise."""

_PROGRAM = 96 << 20
"""Bytes that Python, numpy and the codecs take before there is any data."""

_LEAST = 16 << 20
"""Bytes for data without which nothing goes forward."""

_MOST_THREADS = 32


@record(kw_only=True)
class CopyOptions:
    """What to copy where, and how.

    `source` and `target` are paths or URLs, or CDL: a stream, or a path that ends in ".cdl".
    `modes` are added to those in the target's fragment.
    """

    source: str | BinaryIO
    target: str | BinaryIO
    modes: tuple[str, ...] = ()
    reshape: Reshape = Reshape()
    overwrite: bool = False
    separator: str | None = None
    char: str | None = None
    allow_loss: bool = False
    memory: int | None = None
    """Bytes to keep to; None is `DEFAULT_MEMORY`, but more for a chunk that needs more."""
    threads: int | None = None
    resume: bool = False
    verify: bool = False
    dask: str | None = None
    """The address of a Dask scheduler whose workers write the chunks."""


@record(kw_only=True)
class VariablePlan:
    """What is to become of one variable. `transfer` is None where there are no chunks to copy."""

    array: ArrayPlan
    way: str
    """"raw", "recode", "rechunk", "write" (from CDL) or "none" (no data)."""
    transfer: Transfer | None = None
    rechunk: Rechunk | None = None

    @property
    def chunks(self) -> int:
        """Chunks of the target, if none is missing."""
        return self.array.layout.grid.size

    @property
    def size(self) -> int:
        """Bytes of the values, before any codec."""
        item_size = self.array.encoding.item_size
        return math.prod(self.array.layout.shape) * item_size


@record(kw_only=True)
class CopyPlan:
    """What a copy does."""

    dataset: DatasetPlan
    variables: tuple[VariablePlan, ...]
    memory: int
    """Bytes for data."""
    unread: tuple[Notice, ...] = ()
    """What could not be read of the source, and so is not copied."""

    @property
    def losses(self) -> tuple[Notice, ...]:
        """What the target will not have."""
        return (*self.unread, *self.dataset.losses)


@dataclass(slots=True, kw_only=True)
class Summary:
    """What was done."""

    variables: int = 0
    chunks: int = 0
    """Chunks written."""
    size: int = 0
    """Bytes of them, as stored."""
    kept: int = 0
    """Chunks that an earlier run had written."""
    ways: dict[str, int] = field(default_factory=dict)
    """How many variables went which way."""
    compared: int = 0
    """Values compared, with `verify`."""


Progress = Callable[[str, int, int], None]
"""Told the variable, and how many more chunks and bytes were written."""


def ignore_progress(variable: str, chunks: int, size: int) -> None:
    """The `Progress` that shows nothing."""


def copy(
    options: CopyOptions,
    notify: Notify = ignore_notice,
    progress: Progress = ignore_progress,
    on_plan: Callable[[CopyPlan], bool] = lambda _: True,
) -> Summary:
    """Copy a dataset. Raises `NczError`; the target is then as it was.

    `on_plan` is shown the plan, and says whether to go on: False ends without a trace. Raises
    `LossError`, naming every loss, if the target cannot hold something and `allow_loss` is not set.
    """
    if is_cdl(options.target):
        return _to_cdl(options, notify)
    location = _target(options)
    if options.verify and not options.overwrite and not options.resume and _is_there(location):
        return _compared(options, location, notify, Summary())
    unread: list[Notice] = []

    def sort(notice: Notice) -> None:
        if notice.lost:
            unread.append(notice)
        else:
            notify(notice)

    with opened(options, sort, location) as dataset:
        plan = replace(plan_copy(dataset, location, options, notify), unread=tuple(unread))
        refuse_losses(plan, options.allow_loss, notify)
        if not on_plan(plan):
            return Summary()
        summary = _carry_out(plan, location, options, progress)
    if options.verify:
        return _compared(options, location, notify, summary)
    return summary


def is_cdl(place: str | BinaryIO) -> bool:
    """Whether a source or target is CDL text rather than a store."""
    return not isinstance(place, str) or (
        place.lower().endswith(".cdl") and "://" not in place and not os.path.isdir(place)
    )


def _target(options: CopyOptions) -> Location:
    from ncz.commands.gen import target_location

    assert isinstance(options.target, str)
    return target_location(options.target, options.modes)


def _is_there(location: Location) -> bool:
    from ncz.errors import StoreMissing
    from ncz.zmap.opening import open_zmap

    try:
        with contextlib.closing(open_zmap(location)):
            return True
    except StoreMissing:
        return False


@contextlib.contextmanager
def opened(
    options: CopyOptions, notify: Notify, target: Location | None = None
) -> Iterator[Dataset]:
    """Give the source's dataset, with what `options.reshape` changes of it."""
    if is_cdl(options.source):
        from ncz.commands.gen import read_text, text_of

        with text_of(options.source) as (text, label):
            yield reshaped(read_text(text, label, notify), options.reshape)
        return
    from ncz.formats.zarr.reader import open_dataset
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import open_zmap

    assert isinstance(options.source, str)
    location = parse_location(options.source)
    if target is not None:
        _refuse_overlap(location, target)
    with contextlib.closing(open_zmap(location)) as zmap:
        dataset = open_dataset(
            zmap, name=location.dataset_name(), modes=location.modes, notify=notify
        )
        yield reshaped(dataset, options.reshape)


def _refuse_overlap(source: Location, target: Location) -> None:
    """A store cannot be replaced while it is read, nor one be made within another."""
    if (source.kind == "remote") != (target.kind == "remote"):
        return
    if source.kind == "remote" or source.kind == "memory":
        ours, theirs = source.path.rstrip("/"), target.path.rstrip("/")
    else:
        ours, theirs = os.path.realpath(source.path), os.path.realpath(target.path)
    if ours == theirs and source.kind != "remote":
        return  # built beside it, and moved into its place when all is read
    if ours == theirs or f"{theirs}/".startswith(f"{ours}/"):
        raise UrlError("the target lies within the source", target.display, "copy elsewhere")


def plan_copy(
    dataset: Dataset, location: Location, options: CopyOptions, notify: Notify = ignore_notice
) -> CopyPlan:
    """What copying `dataset` to `location` does; nothing is written."""
    from ncz.formats.zarr.plan import check_codecs, plan_dataset

    memory = max(_LEAST, (options.memory or DEFAULT_MEMORY) - _PROGRAM)
    planned = plan_dataset(dataset, _write_options(location, options), notify)
    wanted = with_data(dataset.root, options.reshape)
    variables = [_plan_variable(a, a.fqn in wanted, memory) for a in planned.arrays]
    largest = max((_need(v) for v in variables), default=0)
    if largest > memory:
        if options.memory is not None:
            for variable in variables:
                _refuse_large(variable, memory)
        memory = largest
        variables = [_plan_variable(a, a.fqn in wanted, memory) for a in planned.arrays]
        notify(
            Notice(
                "large-chunk",
                f"one chunk needs {largest >> 20} MiB to be handled, more than the"
                f" {DEFAULT_MEMORY >> 20} MiB that copy keeps to",
                hint="cut it into smaller chunks with -c or --chunk-size",
            )
        )
    check_codecs([v.array for v in variables if v.way not in ("none", "raw")])
    return CopyPlan(dataset=planned, variables=tuple(variables), memory=memory)


def _write_options(location: Location, options: CopyOptions) -> WriteOptions:
    from ncz.formats.zarr.plan import WriteOptions

    return WriteOptions(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=3 if "v3" in location.modes else 2,
        xarray="noxarray" not in location.modes,
        consolidated="consolidated" in location.modes,
        separator=options.separator,
        char=options.char,
    )


def _plan_variable(array: ArrayPlan, has_data: bool, memory: int) -> VariablePlan:
    from ncz.formats.zarr.array.array import ZarrArray
    from ncz.transfer.move import transfer_for
    from ncz.transfer.rechunk import plan_rechunk

    source = array.variable.data
    if source is None or not has_data:
        return VariablePlan(array=array, way="none")
    if not isinstance(source, ZarrArray) or source.layout.shape != array.layout.shape:
        return VariablePlan(array=array, way="write")
    transfer = transfer_for(source, array)
    rechunk = plan_rechunk(transfer, memory) if transfer.way == "rechunk" else None
    return VariablePlan(array=array, way=transfer.way, transfer=transfer, rechunk=rechunk)


def _need(variable: VariablePlan) -> int:
    """Bytes without which the variable's chunks cannot be handled."""
    transfer = variable.transfer
    if transfer is None or transfer.way == "raw":
        return 0
    source, target = transfer.source.layout, variable.array.layout
    size = max(1, variable.array.encoding.item_size)
    if transfer.way == "recode":
        return 4 * target.chunk_size * size
    return 2 * max(3 * source.chunk_size, 4 * target.chunk_size) * size


def _refuse_large(variable: VariablePlan, memory: int) -> None:
    from ncz.errors import CodecError

    need = _need(variable)
    if need > memory:
        raise CodecError(
            f"one chunk needs {need >> 20} MiB to be handled, and --memory leaves"
            f" {memory >> 20} MiB",
            variable.array.fqn,
            f"say --memory {(need + _PROGRAM >> 20) + 1}MiB, or leave it out",
        )


def refuse_losses(plan: CopyPlan, allowed: bool, notify: Notify) -> None:
    """Report the losses if they are allowed; raise `LossError` with all of them if not."""
    if allowed:
        for notice in plan.losses:
            notify(notice)
    elif plan.losses:
        listed = "; ".join(_told(notice) for notice in plan.losses)
        raise LossError(
            f"the target would not have all of this: {listed}",
            hint="nothing was written; use --allow-loss, or write NCZarr",
        )


def _told(notice: Notice) -> str:
    return (
        f"{notice.location}: {notice.message}"
        if notice.lost and notice.location
        else notice.message
    )


def _carry_out(
    plan: CopyPlan, location: Location, options: CopyOptions, progress: Progress
) -> Summary:
    from ncz.formats.zarr.writer import write_plan, write_values
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.move import move_chunks
    from ncz.transfer.rechunk import rechunk_chunks
    from ncz.zmap import ResumableZmap
    from ncz.zmap.claim import Claim
    from ncz.zmap.opening import create_zmap

    summary = Summary(variables=len(plan.variables))
    for variable in plan.variables:
        summary.ways[variable.way] = summary.ways.get(variable.way, 0) + 1
    by_fqn = {variable.array.fqn: variable for variable in plan.variables}
    claim = Claim(fingerprint(plan, options), options.resume)
    with (
        create_zmap(location, overwrite=options.overwrite, claim=claim) as zmap,
        ThreadPool(plan.memory, options.threads or _threads(location, options)) as pool,
    ):
        keep = zmap.keep if isinstance(zmap, ResumableZmap) else None

        def done(key: str) -> bool:
            if not options.resume or keep is None or not keep(key):
                return False
            summary.kept += 1
            return True

        def write_data(target: WritableZmap, array: ArrayPlan) -> None:
            def report(moved: Moved) -> None:
                summary.chunks += moved.chunks
                summary.size += moved.size
                progress(array.fqn, moved.chunks, moved.size)

            variable = by_fqn[array.fqn]
            if variable.way == "write":
                write_values(target, array)
            elif variable.way == "rechunk" and variable.transfer:
                rechunk_chunks(variable.transfer, target, pool, report, done)
            elif variable.transfer:
                move_chunks(variable.transfer, target, pool, report, done)

        if options.dask is not None:
            from ncz.commands.copy.cluster import write_on_cluster

            write_on_cluster(plan, zmap, location, options, options.dask, progress, summary)
        else:
            write_plan(plan.dataset, zmap, write_data)
    return summary


def _threads(location: Location, options: CopyOptions) -> int:
    """One for each core; more where they wait for a server."""
    from ncz.parallel.cores import cores

    is_remote = location.kind == "remote" or (
        isinstance(options.source, str) and "://" in options.source
    )
    return min(_MOST_THREADS, 16 if is_remote else cores())


def fingerprint(plan: CopyPlan, options: CopyOptions) -> str:
    """What is equal for two runs whose results would be the same: source and stored form."""
    said = [
        options.source if isinstance(options.source, str) else "",
        repr(plan.dataset.options),
        *(repr((v.array.fqn, v.way, v.array.layout, v.array.encoding)) for v in plan.variables),
    ]
    text = "\n".join(said).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


def _compared(
    options: CopyOptions, location: Location, notify: Notify, summary: Summary
) -> Summary:
    from ncz.formats.zarr.reader import open_dataset
    from ncz.parallel.threads import ThreadPool
    from ncz.transfer.compare import compare
    from ncz.zmap.opening import open_zmap

    with (
        opened(options, ignore_notice) as expected,
        contextlib.closing(open_zmap(location)) as zmap,
    ):
        found = open_dataset(
            zmap, name=location.dataset_name(), modes=location.modes, notify=ignore_notice
        )
        wanted = with_data(expected.root, options.reshape)
        memory = max(_LEAST, (options.memory or DEFAULT_MEMORY) - _PROGRAM)
        # Two arrays are held at once, and what comparing makes of them.
        threads = options.threads or _threads(location, options)
        with ThreadPool(memory // 3, threads) as pool:
            summary.compared = compare(
                expected, found, wanted, location.display, pool, location.pure
            )
    return summary


def _to_cdl(options: CopyOptions, notify: Notify) -> Summary:
    from ncz.cdl.print.printer import CdlOptions, print_cdl

    with opened(options, notify) as dataset, _text_target(options) as write:
        wanted = with_data(dataset.root, options.reshape)
        count = sum(1 for _ in wanted)
        is_all = options.reshape.data_of is None and options.reshape.data_of_groups is None
        cdl = CdlOptions(variables=None if is_all else tuple(sorted(wanted)))
        print_cdl(dataset, cdl, write, notify)
    return Summary(variables=count, ways={"text": count})


@contextlib.contextmanager
def _text_target(options: CopyOptions) -> Iterator[Callable[[bytes], object]]:
    """Give what writes the text: to a stream, or to a file that is there whole or not at all."""
    if not isinstance(options.target, str):
        yield options.target.write
        return
    from ncz.errors import StoreExists
    from ncz.zmap.local.directory import partial_name
    from ncz.zmap.os_errors import storage_error

    path = options.target
    if os.path.lexists(path) and not options.overwrite:
        raise StoreExists("already exists", path, "use --overwrite to replace it")
    partial = os.path.join(os.path.dirname(os.path.abspath(path)), partial_name())
    try:
        with open(partial, "xb") as file:
            yield file.write
        os.replace(partial, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        if isinstance(error, OSError) and not hasattr(error, "what"):
            raise storage_error(error, path, "write") from error
        raise
