"""Copy to a reference set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from ncz.commands.copy.options import CopyOptions
from ncz.errors import Notice, UrlError, list_names, option
from ncz.model.data import ChunkSource
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Dataset, Endianness, Storage, Variable, each_variable
from ncz.record import replace
from ncz.zmap.fragment import DEFAULT_INLINE, INLINE
from ncz.zmap.location import Location
from ncz.zmap.reference.held_values import LARGEST_HELD

if TYPE_CHECKING:
    from ncz.commands.copy.plan import CopyPlan, VariablePlan

REFERENCE_SIZE = 64
"""Bytes that a reference takes at least: its key, the name of a file and numbers."""

_REASONS = {
    "raw": "some of its chunks do not fit",
    "rechunk": "its chunks would change",
    "recode": "its data type or its codecs would change",
    "write": "its values are not in chunks that Zarr can read",
}
"""The reasons for storing values again, by the way of copying."""


def with_options(location: Location, options: CopyOptions) -> Location:
    """Return the location of a new reference set, with the options for writing it."""
    from ncz.zmap.fragment import INLINE, RECORD_SIZE, RELATIVE_TO

    keys = dict(location.options)
    if options.inline is not None:
        keys.setdefault(INLINE, str(options.inline))
    if options.record_size is not None:
        keys.setdefault(RECORD_SIZE, str(options.record_size))
    if options.relative_to is not None:
        keys.setdefault(RELATIVE_TO, options.relative_to)
    return replace(location, options=keys)


def inline_of(location: Location) -> int | None:
    """Return the most bytes of a chunk that a target contains, and does not refer to.

    None for a target that contains all chunks.
    """
    from ncz.zmap.opening import is_reference_set

    if not is_reference_set(location):
        return None
    text = location.options.get(INLINE, "")
    return int(text) if text.isascii() and text.isdecimal() else DEFAULT_INLINE


def size_beside(size: float, chunks: int, inline: int) -> float:
    """Return the bytes of the values of a variable that are stored next to a set, and not in it.

    Parameters
    ----------
    size, chunks
        The bytes of the chunks that are stored again, and their number.
    inline
        The most bytes of a chunk that the set contains in any case.
    """
    return size if size > LARGEST_HELD and size > chunks * inline else 0


def remarks(
    dataset: Dataset, plan: CopyPlan, location: Location, options: CopyOptions
) -> Iterator[Notice]:
    """Yield notices of the requirements of a new set on readers."""
    from ncz.zmap.kinds import PARQUET_SUFFIXES

    sources = [source for source in options.sources if isinstance(source, Location)]
    yield from _of_servers(location, sources)
    if options.prefix is None:
        yield from _of_permission(location, plan, sources)
    yield from _of_folder(location, plan)
    yield from plan.target.remarks(next(iter(sources), None))
    if plan.target.details.get("zarr_format") == 3 and "v3" not in location.modes:
        yield Notice(
            "reader-excluded",
            "kerchunk's engine for xarray does not read a set in the form of Zarr V3",
            hint=f"use {option('zarr_format', 2)}",
        )
    is_parquet = location.path.rstrip("/").lower().endswith(PARQUET_SUFFIXES)
    if is_parquet and dataset.root.groups:
        yield Notice(
            "reader-excluded",
            "fsspec opens groups in Parquet only with the protocol of the targets",
            hint="set its option remote_protocol",
        )


def _of_folder(location: Location, plan: CopyPlan) -> Iterator[Notice]:
    """Yield a notice of values that are next to the set: both must be moved and copied together."""
    from ncz.text.sizes import format_size
    from ncz.zmap.opening import beside

    found = beside(location)
    if found is None or not found.size:
        return
    large = [each for each in plan.variables if each.encoded_size > LARGEST_HELD]
    reasons = [f"{each.array.fqn}: {_reason(each)}" for each in large]
    listed = f" ({list_names(reasons, whole=True)})" if reasons else ""
    yield Notice(
        "values-beside-set",
        f"the set refers to {format_size(found.size)} of values in {found.place}{listed}",
        hint="keep this folder next to the set",
    )


def _reason(variable: VariablePlan) -> str:
    """Return the reason that the set cannot refer to all values of a variable."""
    data = variable.array.variable.data
    copied = None if variable.transfer is None else variable.transfer.source
    misfits = (source.misfit for source in (copied, data) if source is not None)
    return next(filter(None, misfits), _REASONS[variable.way])


def _of_servers(location: Location, sources: Iterable[Location]) -> Iterator[Notice]:
    """Yield notices of servers of S3 that the set cannot name, or names by an alias."""
    of_s3 = [source for source in sources if source.is_s3 and not source.caches]
    if not of_s3:
        return
    from ncz.zmap.reference.targets import server_of
    from ncz.zmap.remote.credentials import find_settings

    aliases: dict[str, str] = {}
    for source in of_s3:
        settings = find_settings(source)
        if settings.alias:
            aliases.setdefault(settings.alias, settings.endpoint)
        found = server_of(location, f"{settings.url}/")
        if (found.endpoint, found.bucket) != (settings.endpoint, settings.bucket):
            yield Notice(
                "server-not-named",
                f"the set cannot say that {settings.url} is on the server {settings.endpoint}",
                hint=f"read it with {option('endpoint_url')} {settings.endpoint},"
                " or define an alias",
            )
    if aliases:
        alias, endpoint = next(iter(aliases.items()))
        one = f"the alias {alias} of the server {endpoint}"
        yield Notice(
            "reader-excluded",
            f"other programs do not know {one if len(aliases) == 1 else f'{len(aliases)} aliases'}",
            hint="define it wherever the set is read",
        )


def _of_permission(
    location: Location, plan: CopyPlan, sources: Iterable[Location]
) -> Iterator[Notice]:
    """Yield a notice of the places of a set that its reader must permit."""
    from ncz.zmap.opening import is_reference_set
    from ncz.zmap.permissions import allow_option
    from ncz.zmap.reference.targets import refused_folders

    if not is_reference_set(location):
        return
    folders = refused_folders(location, sources)
    if not folders or not any(_refers(variable, plan.inline or 0) for variable in plan.variables):
        return
    yield Notice(
        "permission-needed",
        f"the set leads to {list_names(folders, whole=True)}, which its readers must permit",
        hint=f"read it with {allow_option(*folders)}",
    )


def _refers(variable: VariablePlan, inline: int) -> bool:
    """Return whether the set may refer to chunks of a variable: they are too large to be in it.

    Their stored sizes are not used, as each may need a request.
    """
    if variable.way != "raw" or variable.transfer is None:
        return False
    source = variable.transfer.source
    first = source.layout.at((0,) * len(source.layout.shape))
    return first.chunk_size * max(1, source.item_size) > inline


def allow_source(location: Location, source: Location) -> Location:
    """Return the location of a set that was just made, which may lead to its source."""
    from ncz.zmap.fragment import ALLOW_TARGET

    own = source.address if source.kind == "remote" else os.path.abspath(source.path)
    allowed = " ".join((location.options.get(ALLOW_TARGET, ""), own.replace(" ", "%20"))).strip()
    return replace(location, options={**location.options, ALLOW_TARGET: allowed})


def folder_above(sources: Sequence[Location]) -> str:
    """Return the innermost folder or prefix that has all sources; "" if none exists."""
    names = [
        each.address if each.kind == "remote" else os.path.abspath(each.path).replace(os.sep, "/")
        for each in sources
    ]
    folders = [name.rstrip("/").split("/")[:-1] for name in names]
    shared = takewhile(lambda level: len({*level}) == 1, zip(*folders, strict=False))
    return "/".join(level[0] for level in shared)


def refer_below(location: Location, prefix: str, sources: Sequence[Location]) -> None:
    """Let a new set refer to its sources below a folder or URL, where they will be.

    The part of their paths below the folder that has all of them stays.
    """
    from ncz.zmap.moved_sources import Move
    from ncz.zmap.opening import move_sources

    move_sources(location, Move.of(folder_above(sources), prefix), False)


def refuse_copied(dataset: Dataset, name: str) -> None:
    """Raise `UrlError` for a dataset whose values are in a temporary copy, which no set finds."""
    if dataset.provenance.is_copied and not dataset.provenance.is_text:
        raise UrlError(
            "a reference set cannot refer to the contents of a stream or a compressed file",
            name,
            "write them to a file first, or name a store as the target, such as x.zarr",
        )


def refuse_query(source: Location) -> None:
    """Raise `UrlError` for a source whose URL has a query, which may be a secret."""
    if source.query:
        raise UrlError(
            "references to a URL with a query would contain the query, which may be a secret",
            source.address,
            "use the URL without its query",
        )


def referable(dataset: Dataset) -> Dataset:
    """Return the dataset with each variable in chunks that are parts of a file, if it can be."""

    def divide(_: str, variable: Variable) -> Variable:
        data = None if variable.data is None else variable.data.referable()
        if data is None or data is variable.data:
            return variable
        return replace(variable, data=data, storage=_storage_of(variable.storage, data))

    return each_variable(dataset, divide)


def _storage_of(storage: Storage, data: ChunkSource) -> Storage:
    """Return the storage of chunks that are parts of files, if the variable does not state it."""
    if not isinstance(data, EncodedSource):
        return storage
    endianness: Endianness = "big" if str(data.stored_dtype).startswith(">") else "little"
    return replace(
        storage,
        filters=storage.filters or data.layout.codecs or storage.filters,
        endianness=storage.endianness or endianness,
    )
