"""Notices of programs that do not read a new store rightly; see `ncz.formats.zarr.audience`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ncz.codec.catalogue.lookup import codec_id, is_object_codec
from ncz.errors import Notice
from ncz.formats.zarr.audience import (
    READERS,
    WIDESPREAD,
    Contents,
    Feature,
    Form,
    Reader,
    common_codecs,
    contents_of,
)
from ncz.formats.zarr.plan.store import DatasetPlan
from ncz.model.chunk.encoded import EncodedSource
from ncz.model.chunk.layout import ChunkLayout

_NAMED = 5
"""Variables that one notice names."""


def reader_notices(
    plan: DatasetPlan,
    form: Form,
    *,
    zipped: bool,
    source: Form | None = None,
    was_zipped: bool = False,
) -> Iterator[Notice]:
    """Yield notices of programs that do not read a new store, or see something else in it.

    Parameters
    ----------
    plan
        The plan of the store.
    form, zipped
        Its form, and whether it is a zip file.
    source, was_zipped
        The same of the store that was copied; None for a text. What a program does not read of the
        source either is left out. Without a source, only widespread programs are named, but for
        codecs of Zarr V3.
    """
    contents = contents_of(plan.dataset, zipped=zipped)
    names: Iterable[str] = WIDESPREAD
    if source is not None:
        known = contents_of(plan.dataset, zipped=was_zipped)
        names = [name for name in READERS if not _excludes(known, source, READERS[name])]
    yield from _exclusion(contents, form, names)
    is_nczarr_v2 = form.name == "nczarr-v2"
    if is_nczarr_v2 and (source is None or source.name != form.name):
        yield from _scalars(plan)
    if source is None and form.zarr_format == 3:
        names = READERS
    readers = [READERS[n] for n in names if ("format", form.name) not in READERS[n].unread]
    yield from _codecs(plan, form, readers, source)


def _excludes(contents: Contents, form: Form, reader: Reader) -> bool:
    return ("format", form.name) in reader.unread or bool(_unopened(contents, form, reader))


def _unopened(contents: Contents, form: Form, reader: Reader) -> list[Feature]:
    if ("format", form.name) in reader.unread:
        return []  # the version of Zarr was asked for
    return [feature for feature in contents.features(form) if feature in reader.unopened]


def _exclusion(contents: Contents, form: Form, names: Iterable[str]) -> Iterator[Notice]:
    """Name the readers that do not open all of the store."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        if why := _unopened(contents, form, READERS[name]):
            by_reason.setdefault(contents.words(why), []).append(name)
    if by_reason:
        told = "; ".join(f"{_and(n)} cannot open {why}" for why, n in by_reason.items())
        first = next(iter(by_reason.values()))[0]
        hint = f"use --for {first} to write for that reader"
        yield Notice("reader-excluded", told, hint=hint)


def _scalars(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the scalars, which netcdf-c reads only as arrays of one element."""
    names = [array.fqn for array in plan.arrays if not array.layout.shape]
    if names:
        yield Notice(
            "scalar-shape",
            "scalars have the shape [1] in NCZarr V2, and readers other than netCDF-C show them"
            f" with a dimension _scalar_: {_some(names)}",
            hint="use --mode zarr to keep the shape []",
        )


def _codecs(
    plan: DatasetPlan, form: Form, readers: Iterable[Reader], source: Form | None
) -> Iterator[Notice]:
    """Name the codecs that some readers do not decode."""
    found: dict[str, dict[str, list[str]]] = {}
    sources = [array.variable.data for array in plan.arrays]
    layouts = [data.layout if isinstance(data, EncodedSource) else None for data in sources]
    for reader in readers:
        for array, old in zip(plan.arrays, layouts, strict=True):
            if source is not None and old is not None and _unknown(old, reader, source):
                continue  # it does not decode the source either
            for codec in _unknown(array.layout, reader, form):
                found.setdefault(codec, {}).setdefault(reader.name, []).append(array.fqn)
    if found:
        told = "; ".join(_cannot_decode(codec, by_reader) for codec, by_reader in found.items())
        first = next(iter(next(iter(found.values()))))
        hint = f"use --for {first} for codecs that it decodes"
        yield Notice("codec-not-widespread", told, hint=hint)


def _cannot_decode(codec: str, by_reader: Mapping[str, list[str]]) -> str:
    names = dict.fromkeys(name for fqns in by_reader.values() for name in fqns)
    return f"{_and(list(by_reader))} cannot decode {codec} ({_some(list(names))})"


def _unknown(layout: ChunkLayout, reader: Reader, form: Form) -> list[str]:
    """Return the ids of the codecs of chunks that a reader does not decode."""
    known = common_codecs([reader], form.zarr_format)
    chain = [codec.to_json() for codec in layout.inner_codecs]
    if known is None:
        return []
    return [codec_id(c) for c in chain if not is_object_codec(c) and codec_id(c) not in known]


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
