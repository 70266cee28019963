"""A netCDF file as the target of a copy or of gen: its plan and its creation."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from typing import Any

from ncz.codec.catalogue import writing_fault
from ncz.codec.chain import encoding_fault
from ncz.errors import (
    NO_PROGRESS,
    LossError,
    NczError,
    Notice,
    Notify,
    Progress,
    UrlError,
    named_notice,
    option,
)
from ncz.formats.chunks import values_to_write, write_boxes, write_chunks
from ncz.formats.create_options import CreateOptions
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.plan import notify_of_plugins
from ncz.formats.hdf5.plan import plan_arrays as plan_hdf5
from ncz.formats.hdf5.trial import with_usable_filters
from ncz.formats.hdf5.write import create_hdf5
from ncz.formats.nanoseconds import with_nanoseconds
from ncz.formats.netcdf.attribute_names import with_normal_attributes
from ncz.formats.netcdf.classic.layout import VERSIONS
from ncz.formats.netcdf.classic.layout import plan_arrays as plan_classic
from ncz.formats.netcdf.classic.writer import create_classic, plan_file
from ncz.formats.netcdf.losses import adapt, faults, is_classic, natural_kind
from ncz.formats.netcdf.names import HDF5_SUFFIXES, requested_kind
from ncz.formats.netcdf.storage_changes import changes_of
from ncz.formats.netcdf.strings import bytes_as_chars, strings_as_chars, without_encodings
from ncz.formats.signatures import CLASSIC, HDF5
from ncz.formats.undecoded_times import undecoded_durations
from ncz.formats.write_plan import (
    ReportSize,
    RequestedChanges,
    StorageChange,
    WriteArray,
    WritePlan,
    ignore_size,
    refuse_codecs,
    refuse_to_resume,
)
from ncz.model.encoded_arrays import (
    ArrayStore,
    EncodedTarget,
    TargetArray,
    takes_chunks,
    takes_values,
)
from ncz.model.netcdf_kinds import NetcdfKind, is_hdf5
from ncz.model.tree import Dataset, Provenance, json_attributes, variables_by_fqn
from ncz.model.types import Compound
from ncz.model.user_types import numpy_dtype
from ncz.record import record
from ncz.system_errors import storage_error
from ncz.zmap.claim import Claim
from ncz.zmap.local.creation import create_file
from ncz.zmap.local.locks import hold_lock
from ncz.zmap.location import Location

_MAGIC = (*CLASSIC, HDF5)
"""The first bytes of the files that ``--overwrite`` may replace."""

Create = Callable[[str], AbstractContextManager[Mapping[str, ArrayStore]]]
"""Creates the file at a path, and returns the writers of each variable, by its FQN."""


def plan_netcdf(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> NetcdfPlan:
    """Plan a netCDF file; see `ncz.formats.kinds.Plan`."""
    _check_location(location)
    if options.audience:
        raise UrlError(
            f"{option('audience')} chooses the form of a Zarr store, not of a netCDF file",
            location.display,
            f"omit {option('audience')}",
        )
    kind = _kind(dataset, location, options)
    given = dataset = with_nanoseconds(bytes_as_chars(with_normal_attributes(dataset)))
    strings: tuple[Notice, ...] = ()
    if is_classic(kind):
        dataset, strings = strings_as_chars(dataset, kind)
    else:
        dataset = without_encodings(dataset, notify)
    for notice in named_notice(
        "attribute-as-text",
        "attributes that are objects or lists of JSON are written as their text",
        json_attributes(dataset.root),
    ):
        notify(notice)
    for notice in (*undecoded_durations(dataset), *_unopened_masks(dataset)):
        notify(notice)
    found = list(faults(dataset, kind))
    if found:
        raise LossError(
            f"a file of kind {kind!r} cannot represent {'; '.join(found)}",
            hint=_hint(given, kind),
        )
    dataset, losses = adapt(dataset, kind)
    losses = (*strings, *losses)
    arrays: Sequence[TargetArray]
    create: Create
    if is_hdf5(kind):
        load_h5py()
        hdf5_arrays = arrays = with_usable_filters(plan_hdf5(dataset), notify)
        notify_of_plugins(hdf5_arrays, notify)
        strict = kind != "netCDF-4"

        def create(path: str) -> AbstractContextManager[Mapping[str, ArrayStore]]:
            return create_hdf5(path, dataset, hdf5_arrays, location.display, strict=strict)
    else:
        classic_arrays = arrays = plan_classic(dataset)
        header, layout = plan_file(dataset, classic_arrays, VERSIONS[kind])

        def create(path: str) -> AbstractContextManager[Mapping[str, ArrayStore]]:
            return create_classic(path, header, layout, classic_arrays, location.display)

    return NetcdfPlan(location=location, kind=kind, arrays=arrays, losses=losses, create=create)


def _unopened_masks(dataset: Dataset) -> Iterator[Notice]:
    """Name the masks of a store that keep xarray from a file; of a file they are not new."""
    if dataset.provenance.zarr_format is None:
        return
    masked = [
        fqn[1:]
        for fqn, variable in variables_by_fqn(dataset.root)
        if isinstance(variable.type, Compound) and variable.mask is not None
    ]
    yield from named_notice(
        "reader-excluded",
        "xarray's engine netcdf4 opens no file with a compound _FillValue",
        masked,
        f"use {option('drop_attributes', 'NAME:_FillValue')}",
    )


@record(kw_only=True)
class NetcdfPlan(WritePlan):
    """The plan of a dataset in a netCDF file."""

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

    def changes(self, source: Provenance, requested: RequestedChanges) -> Iterable[StorageChange]:
        """Return the storage properties of the source that the file does not preserve."""
        return changes_of(source, self.kind, self.arrays, requested)

    def check_codecs(self, fqns: Set[str]) -> None:
        """Raise `LossError` if chunks of one of these variables cannot be encoded."""
        targets = (array.encoded_target for array in self.arrays if array.fqn in fqns)
        refuse_codecs((each.fqn, _codec_fault(each)) for each in targets if each is not None)

    def write(
        self,
        write_array: WriteArray | None = None,
        *,
        overwrite: bool,
        claim: Claim | None = None,
        check: Callable[[], None] = lambda: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Write the file; see `WritePlan.write`."""
        refuse_to_resume(claim, "a netCDF file", self.location)
        write_one = write_array or self.write_values
        with (
            _created_file(self.location, overwrite) as partial,
            _storage_errors(self.location.display),
            self.create(partial) as stores,
            hold_lock(partial),
        ):
            for array in self.arrays:
                write_one(array, stores[array.fqn])
            check()

    def write_values(
        self, array: TargetArray, store: ArrayStore, report: ReportSize = ignore_size
    ) -> int:
        """Write the values of the variable's source; return the number of chunks."""
        source = values_to_write(array)
        if array.encoded_target is not None and takes_chunks(store):
            return (
                0 if source is None else write_chunks(store, source, array.encoded_target, report)
            )
        assert takes_values(store)
        return write_boxes(store, source, array.layout.shape, report)


def _codec_fault(target: EncodedTarget) -> str | None:
    """Return the reason that chunks of an array cannot be encoded, or None."""
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
    return create_file(location, overwrite=overwrite, replaces=_is_replaced)


def _is_replaced(first: bytes) -> bool:
    return first.startswith(_MAGIC)


_NUMBER = re.compile(r"errno = (\d+)")


@contextlib.contextmanager
def _storage_errors(location: str) -> Iterator[None]:
    """Turn errors of the operating system, including HDF5's, into a `ZmapError`."""
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
    """Return the kind of the file: requested, from the source, or one that fits the dataset."""
    asked = requested_kind(location, options.kind)
    source = dataset.provenance
    kind = source.asked_kind or source.kind_of_file
    if asked is not None:
        # A mode selects any kind of classic file, or any of netCDF-4.
        is_same = options.kind is None and kind is not None and is_hdf5(kind) == is_hdf5(asked)
        return kind if is_same and kind is not None else asked
    if location.path.lower().endswith(HDF5_SUFFIXES) and not (kind and is_hdf5(kind)):
        return "netCDF-4"
    if kind is not None:
        return _with_filters(dataset) if _needs_filters(dataset, kind) else kind
    if not source.is_text or location.path.lower().endswith(".nc4"):
        return "netCDF-4"
    return natural_kind(dataset)


def _needs_filters(dataset: Dataset, kind: NetcdfKind) -> bool:
    """Return whether filters were requested for a classic file, which cannot have them."""
    if is_hdf5(kind) or dataset.provenance.kind_of_file != kind:
        return False
    return any(variable.storage.filters for _, variable in variables_by_fqn(dataset.root))


def _with_filters(dataset: Dataset) -> NetcdfKind:
    """Return the kind of netCDF-4 that a classic file becomes, as nccopy chooses it."""
    kind: NetcdfKind = "netCDF-4 classic model"
    return kind if next(faults(dataset, kind), None) is None else "netCDF-4"


def _hint(dataset: Dataset, kind: NetcdfKind) -> str:
    """Return a hint for faults: another kind of file, if one has no faults."""
    others: tuple[NetcdfKind, ...] = ("cdf5", "netCDF-4")
    for other in others:
        if other != kind and next(faults(dataset, other), None) is None:
            return f"use {option('kind', other)} (nothing was written)"
    return "rename or convert the listed parts (nothing was written)"
