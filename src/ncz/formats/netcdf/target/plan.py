"""The plan of a netCDF file: which kind it has, and how each variable is stored."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ncz.codec.catalogue import writing_fault
from ncz.codec.chain import encoding_fault
from ncz.errors import LossError, NczError, Notice, Notify, UrlError
from ncz.formats.chunks import values_to_write, write_boxes, write_chunks
from ncz.formats.kinds import CreateOptions
from ncz.formats.netcdf.target.changes import changes_of
from ncz.formats.netcdf.target.contents import adapted, faults, is_classic, natural_kind
from ncz.formats.netcdf.target.strings import bytes_as_chars, strings_as_chars
from ncz.formats.netcdf.write_classic.file import create_classic, plan_file
from ncz.formats.netcdf.write_classic.layout import VERSIONS
from ncz.formats.netcdf.write_classic.layout import plan_arrays as plan_classic
from ncz.formats.netcdf.write_hdf5.extra import load_h5py
from ncz.formats.netcdf.write_hdf5.file import create_hdf5
from ncz.formats.netcdf.write_hdf5.plan import plan_arrays as plan_hdf5
from ncz.formats.targets import Change, Requested, WriteArray, refuse_to_resume
from ncz.model.chunk.encoded import ArrayStore, ChunkStore, EncodedTarget, TargetArray, ValueStore
from ncz.model.netcdf_kind import NetcdfKind, is_hdf5
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset, Provenance
from ncz.model.user_types.arrays import numpy_dtype
from ncz.record import record
from ncz.zmap.claim import Claim
from ncz.zmap.local.creation import create_file
from ncz.zmap.local.locks import held
from ncz.zmap.location import Location
from ncz.zmap.os_errors import storage_error

_MAGIC = (b"CDF\1", b"CDF\2", b"CDF\5", b"\x89HDF\r\n\x1a\n")
"""The first bytes of the files that ``--overwrite`` may replace."""

Create = Callable[[str], AbstractContextManager[Mapping[str, ArrayStore]]]
"""Creates the file at a path, and gives what takes the values of each variable, by its FQN."""


def plan_netcdf(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> NetcdfPlan:
    """Plan a netCDF file; see `ncz.formats.kinds.Plan`."""
    return _plan(dataset, location, options, notify, converts_strings=True)


def _plan(
    dataset: Dataset,
    location: Location,
    options: CreateOptions,
    notify: Notify,
    *,
    converts_strings: bool,
) -> NetcdfPlan:
    """Plan a netCDF file; `converts_strings` says whether strings may become char."""
    _check_location(location)
    if options.audience:
        raise UrlError(
            "--for chooses the form of a Zarr store, not of a netCDF file",
            location.display,
            "omit --for",
        )
    kind = _kind(dataset, location, options)
    given = dataset = bytes_as_chars(dataset)
    strings: tuple[Notice, ...] = ()
    if converts_strings and is_classic(kind):
        dataset, strings = strings_as_chars(dataset, kind)
    found = list(faults(dataset, kind))
    if found:
        raise LossError(
            f"a file of kind {kind!r} cannot hold {'; '.join(found)}",
            hint=_hint(given, kind),
        )
    dataset, losses = adapted(dataset, kind)
    losses = (*strings, *losses)
    arrays: Sequence[TargetArray]
    create: Create
    if is_hdf5(kind):
        load_h5py()
        hdf5_arrays = arrays = plan_hdf5(dataset, notify)
        strict = kind != "netCDF-4"

        def create(path: str) -> AbstractContextManager[Mapping[str, ArrayStore]]:
            return create_hdf5(path, dataset, hdf5_arrays, location.display, strict=strict)
    else:
        classic_arrays = arrays = plan_classic(dataset)
        header, layout = plan_file(dataset, classic_arrays, VERSIONS[kind])

        def create(path: str) -> AbstractContextManager[Mapping[str, ArrayStore]]:
            return create_classic(path, header, layout, classic_arrays, location.display)

    return NetcdfPlan(location=location, kind=kind, arrays=arrays, losses=losses, create=create)


def create_netcdf(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> None:
    """Write a dataset to a new file; see `ncz.formats.opening.create_dataset`."""
    # Losses are only reported here, and ncgen refuses strings in kinds without them, too.
    plan = _plan(dataset, location, options, notify, converts_strings=False)
    plan.check_codecs([array.fqn for array in plan.arrays])
    for notice in plan.losses:
        notify(notice)
    plan.write(overwrite=options.overwrite)


@record(kw_only=True)
class NetcdfPlan:
    """How a dataset will be stored in a netCDF file; a `ncz.formats.kinds.WritePlan`."""

    location: Location
    kind: NetcdfKind
    arrays: Sequence[TargetArray]
    losses: tuple[Notice, ...]
    create: Create

    @property
    def form(self) -> str:
        """The kind of the file."""
        return self.kind

    @property
    def details(self) -> Mapping[str, Any]:
        """The kind of the file, for scripts."""
        return {"kind": self.kind}

    @property
    def identity(self) -> str:
        """The kind of the file: the creation of a file cannot be resumed."""
        return self.kind

    def changes(self, source: Provenance, requested: Requested) -> Iterable[Change]:
        """Return what the file does not keep of how the source is stored."""
        return changes_of(source, self.kind, self.arrays, requested)

    def remarks(self, _: Location | None) -> Iterator[Notice]:
        """Yield nothing."""
        yield from ()

    def check_codecs(self, fqns: Collection[str]) -> None:
        """Raise `LossError` if chunks of one of these variables cannot be encoded."""
        found = []
        for array in self.arrays:
            target = array.encoded
            if array.fqn not in fqns or target is None:
                continue
            fault = _codec_fault(target)
            if fault is not None:
                found.append(f"variable {array.fqn}: {fault}")
        if found:
            raise LossError(
                "; ".join(found), hint="choose other codecs with --codec; nothing was written"
            )

    def write(
        self,
        write_array: WriteArray | None = None,
        *,
        overwrite: bool,
        claim: Claim | None = None,
        check: Callable[[], None] = lambda: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Write the file; see `ncz.formats.kinds.WritePlan`."""
        refuse_to_resume(claim, "a netCDF file", self.location)
        write_one = write_array or self.write_values
        with (
            _created_file(self.location, overwrite) as partial,
            _storage_errors(self.location.display),
            self.create(partial) as stores,
            held(partial),
        ):
            for array in self.arrays:
                write_one(array, stores[array.fqn])
            check()

    def write_values(self, array: TargetArray, store: ArrayStore) -> int:
        """Write the values of the variable's source; return the number of chunks."""
        source = values_to_write(array)
        if array.encoded is not None and isinstance(store, ChunkStore):
            return 0 if source is None else write_chunks(store, source, array.encoded)
        assert isinstance(store, ValueStore)
        return write_boxes(store, source, array.layout.shape)


def _codec_fault(target: EncodedTarget) -> str | None:
    """Return why chunks of an array cannot be encoded, or None."""
    codecs = [codec.to_json() for codec in target.layout.codecs]
    if target.variable.data is None:
        return next(filter(None, map(writing_fault, codecs)), None)
    if not codecs:
        return None
    return encoding_fault(codecs, numpy_dtype(target.stored_dtype), target.item_size)


def _created_file(location: Location, overwrite: bool) -> AbstractContextManager[str]:
    """Yield a temporary path for a file that appears, complete, when the context ends."""
    if location.kind == "remote":
        from ncz.zmap.remote.opening import create_remote_file

        return create_remote_file(
            location, overwrite=overwrite, replaces=_is_replaced, first=len(_MAGIC[-1]),
            what="a netCDF file",
        )  # fmt: skip
    return create_file(location.path, overwrite=overwrite, replaces=_is_replaced)


def _is_replaced(first: bytes) -> bool:
    return first.startswith(_MAGIC)


_NUMBER = re.compile(r"errno = (\d+)")


@contextlib.contextmanager
def _storage_errors(location: str) -> Iterator[None]:
    """Turn errors of the operating system, also those that HDF5 reports, into a `ZmapError`."""
    try:
        yield
    except NczError:
        raise
    except (OSError, RuntimeError) as error:
        number = _NUMBER.search(str(error))
        if number is not None:
            reason = OSError(int(number[1]), os.strerror(int(number[1])))
            raise storage_error(reason, location, "write") from error
        if isinstance(error, OSError):
            raise storage_error(error, location, "write") from error
        raise


def _check_location(location: Location) -> None:
    """Raise `UrlError` for a location in memory."""
    if location.kind == "memory":
        raise UrlError(
            "a netCDF file cannot be written to memory", location.display, "write it to a path"
        )


def _kind(dataset: Dataset, location: Location, options: CreateOptions) -> NetcdfKind:
    """Return the kind of the file: as asked, as the source says, or one that holds the dataset."""
    if options.kind is not None:
        return options.kind
    source = dataset.provenance
    kind = source.asked_kind or source.kind_of_file
    if kind is not None:
        return kind
    if source.zarr_format is not None or location.path.lower().endswith(".nc4"):
        return "netCDF-4"
    return natural_kind(dataset)


def _hint(dataset: Dataset, kind: NetcdfKind) -> str:
    """Return what to do about faults: to choose another kind, if one has none."""
    others: tuple[NetcdfKind, ...] = ("cdf5", "netCDF-4")
    for other in others:
        if other != kind and next(faults(dataset, other), None) is None:
            return f"use --kind {other} (nothing was written)"
    return "rename or convert what is listed (nothing was written)"
