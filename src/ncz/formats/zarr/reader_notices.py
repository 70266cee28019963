"""Notices of programs that do not read a new store rightly; see `ncz.formats.zarr.readers`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from ncz.codec.catalogue import codec_id, is_object_codec
from ncz.errors import (
    Notice,
    list_names,
    option,
)
from ncz.formats.zarr.elements import is_null_fill
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.options import Contents, Form, common_codecs, contents_of
from ncz.formats.zarr.plan import DatasetPlan
from ncz.formats.zarr.readers import READERS, WIDESPREAD, ChunkForm, Feature, Reader
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.encoded import EncodedSource


def reader_notices(
    plan: DatasetPlan,
    form: Form,
    *,
    zipped: bool,
    source: Form | None = None,
    was_zipped: bool = False,
    is_default: bool = False,
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
        source either is left out, but for netCDF-C if the store becomes NCZarr V2, its own form.
        Without a source, NCZarr V2 is for widespread programs, and other forms are for all.
    is_default
        Whether the form is the one of copies of files, which is for xarray and zarr-python.
    """
    contents = contents_of(plan.dataset, zipped=zipped)
    becomes_its_own = form.name == "nczarr-v2" and (source is None or source.name != form.name)
    names: Iterable[str] = WIDESPREAD if form.name == "nczarr-v2" else READERS
    if source is not None:
        known = contents_of(plan.dataset, zipped=was_zipped)
        names = [name for name in READERS if not _excludes(known, source, READERS[name])]
    if is_default:
        names = ("xarray", "zarr-python")
    own = ["netcdf-c"] if becomes_its_own else []
    names = list(dict.fromkeys((*names, *own)))
    yield from _exclusion(contents, form, names)
    if becomes_its_own:
        yield from _scalars(plan)
    if "xarray" in names and (source is None or source.name != form.name):
        yield from _masks(plan)
    if "netcdf-c" in names:
        yield from _fills(plan, form, source)
    readers = [READERS[n] for n in names if ("format", form.name) not in READERS[n].unread]
    yield from _codecs(plan, form, readers, source, own)


def _excludes(contents: Contents, form: Form, reader: Reader) -> bool:
    return ("format", form.name) in reader.unread or bool(_unopened(contents, form, reader))


def _unopened(contents: Contents, form: Form, reader: Reader) -> list[Feature]:
    if ("format", form.name) in reader.unread:
        return []  # the version of Zarr was asked for
    return [
        feature
        for feature in contents.features(form)
        if feature in reader.unopened and feature[0] != "number"  # which has a notice of its own
    ]


def _exclusion(contents: Contents, form: Form, names: Iterable[str]) -> Iterator[Notice]:
    """Name the readers that do not open all of the store."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        if why := _unopened(contents, form, READERS[name]):
            by_reason.setdefault(contents.words(why), []).append(name)
    if by_reason:
        told = "; ".join(f"{_and(n)} cannot open {why}" for why, n in by_reason.items())
        told += _tested(name for named in by_reason.values() for name in named)
        first = next(iter(by_reason.values()))[0]
        hint = f"use {option('audience', first)} to write for that reader"
        yield Notice("reader-excluded", told, hint=hint)


def _scalars(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the scalars, which netcdf-c reads only as arrays of one element."""
    names = [array.fqn for array in plan.arrays if not array.layout.shape]
    if names:
        yield Notice(
            "scalar-shape",
            "scalars have the shape [1] in NCZarr V2, and readers other than netCDF-C show them"
            f" with a dimension _scalar_: {list_names(names)}",
            hint=f"use {option('modes', 'zarr')} to keep the shape []",
        )


def _masks(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays of NCZarr of which xarray masks what was never written."""
    names = [a.fqn for a in plan.arrays if a.masks_missing and not plan.options.pure]
    if names:
        yield Notice(
            "fill-masked",
            "xarray masks elements that were never written, because fill_value is netCDF's default"
            f" fill: {list_names(names)}",
            hint=f"use {option('audience', 'xarray')} to write them, or {option('zarr_format', 3)}",
        )


def _fills(plan: DatasetPlan, form: Form, source: Form | None) -> Iterator[Notice]:
    """Name the fills of texts in base64, which netcdf-c reads as they are."""
    if form.name != "zarr-v2" or (source is not None and source.name == form.name):
        return
    names = [
        array.fqn
        for array in plan.arrays
        if array.encoding.base64_fill and not is_null_fill(array.fill, array.encoding)
    ]
    if names:
        yield Notice(
            "text-fill",
            "the fill_value of texts is base64 in pure Zarr V2, which netCDF-C does not decode: it"
            f" will show another value for missing texts: {list_names(names)}",
            hint="use mode=nczarr if netCDF-C is to read them",
        )


def _codecs(
    plan: DatasetPlan,
    form: Form,
    readers: Iterable[Reader],
    source: Form | None,
    own: Container[str],
) -> Iterator[Notice]:
    """Name the codecs that some readers do not decode.

    What a reader does not decode of the source either is left out, but for readers in `own`.
    """
    found: dict[str, dict[str, list[str]]] = {}
    # To ask for a protocol takes longer than to find a codec.
    stored = [
        (array, data if isinstance(data := array.variable.data, EncodedSource) else None)
        for array in plan.arrays
    ]
    for reader in readers:
        for array, old in stored:
            if (
                source is not None
                and old is not None
                and reader.name not in own
                and _unknown(old.layout, old.stored_dtype, reader, source)
            ):
                continue
            for codec in _unknown(array.layout, array.encoding.stored_dtype, reader, form):
                found.setdefault(codec, {}).setdefault(reader.name, []).append(array.fqn)
    if found:
        told = "; ".join(_cannot_decode(codec, by_reader) for codec, by_reader in found.items())
        told += _tested(name for by_reader in found.values() for name in by_reader)
        first = next(iter(next(iter(found.values()))))
        hint = f"use {option('audience', first)} for codecs that it decodes"
        yield Notice("codec-not-widespread", told, hint=hint)


def _cannot_decode(codec: str, by_reader: Mapping[str, list[str]]) -> str:
    names = dict.fromkeys(name for fqns in by_reader.values() for name in fqns)
    return f"{_and(list(by_reader))} cannot decode {codec} ({list_names(list(names))})"


def _unknown(layout: ChunkLayout, dtype: object, reader: Reader, form: Form) -> list[str]:
    """Return the codecs and forms of chunks that a reader does not decode."""
    chain = [codec.to_json() for codec in layout.inner_codecs]
    found: list[str] = []
    if form.zarr_format == 2:
        found += [each for each in _chunk_forms(layout, dtype, chain) if each in reader.refused_v2]
    known = common_codecs([reader], form.zarr_format)
    if known is not None:
        found += [codec_id(c) for c in chain if not is_object_codec(c) and codec_id(c) not in known]
    return found


def _chunk_forms(
    layout: ChunkLayout, dtype: object, chain: Iterable[Mapping[str, Json]]
) -> Iterator[ChunkForm]:
    if str(dtype)[:1] == ">" and dtype != ">S1":
        yield "big-endian elements"
    if layout.order != in_order(layout.rank, "C"):
        yield "the axis order F"
    if any(codec_id(codec) == "zstd" and codec.get("checksum") for codec in chain):
        yield "zstd with a checksum"


def _tested(names: Iterable[str]) -> str:
    """Return the version of netcdf-c that the table is about, if it is named: others read more."""
    return f" (netcdf-c {READERS['netcdf-c'].version})" if "netcdf-c" in names else ""


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
