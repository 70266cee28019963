"""Notices of programs that misread a new store; see `ncz.formats.zarr.readers.programs`."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from functools import partial

from ncz.codec.catalogue import codec_id, is_object_codec
from ncz.errors import Notice, list_names, named_notice, option
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.arrays.strings import are_bytes
from ncz.formats.zarr.readers.chunk_forms import common_codecs, refused_chunks, refused_forms
from ncz.formats.zarr.readers.contents import Contents, contents_of
from ncz.formats.zarr.readers.forms import Form
from ncz.formats.zarr.readers.programs import READERS, WIDESPREAD, ChunkForm, Feature, Reader
from ncz.formats.zarr.types.fill_values import is_null_fill
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.plan import DatasetPlan
from ncz.model.chunks import ChunkLayout
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.packing import packing_of
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.record import replace


def reader_notices(
    plan: DatasetPlan,
    form: Form,
    *,
    zipped: bool,
    source: Form | None = None,
    was_zipped: bool = False,
    is_default: bool = False,
    audience: Collection[str] = (),
) -> Iterator[Notice]:
    """Yield notices of programs that do not read a new store, or see something else in it.

    Parameters
    ----------
    plan
        The plan of the store.
    form, zipped
        Its form, and whether it is a zip file.
    source, was_zipped
        The same of the store that was copied; None for a text. Parts that a program cannot read in
        the source either are omitted, except for netCDF-C if the store becomes NCZarr V2, its own
        form.
    is_default
        Whether the form is the default for copies of files, which is for xarray and zarr-python.
    audience
        The names of the readers that the store is for, if any. They can open it; the notices name
        values that they show differently, and no other readers. Without one, notices name
        widespread readers only; `ncz check --for` covers others.
    """
    if audience:
        yield from _misread(contents_of(plan.dataset, zipped=zipped), form, audience)
        if "xarray" in audience:
            yield from _masks(plan, is_asked=True)
        return
    contents = contents_of(plan.dataset, zipped=zipped)
    if plan.options.has_annotations:  # see `visibility`
        masked = ("masked", "masked-char")
        opened = {s: fqn for s, fqn in contents.examples.items() if s not in masked}
        contents = replace(contents, examples=opened)
    is_new_form = source is None or source.name != form.name
    becomes_its_own = form.name == "nczarr-v2" and is_new_form
    names: Iterable[str] = WIDESPREAD
    features, source_features = set(contents.features(form)), set[Feature]()
    if source is not None:
        source_contents = contents_of(plan.dataset, zipped=was_zipped)
        source_features.update(source_contents.features(source))
        names = [
            name for name in WIDESPREAD if not _excludes(source_contents, source, READERS[name])
        ]
    if is_default:
        names = ("xarray", "zarr-python")
    own = ["netcdf-c"] if becomes_its_own else []
    names = list(dict.fromkeys((*names, *own)))
    yield from _exclusion(contents, form, names)
    if becomes_its_own:
        yield from _scalars(plan)
    if "xarray" in names and is_new_form:
        yield from _masks(plan)
        if ("string", "fixed") in features - source_features:
            yield from _strings(plan)
    if "netcdf-c" in names and form.name == "zarr-v2" and is_new_form:
        yield from _fills(plan)
    readers = [READERS[n] for n in names if ("format", form.name) not in READERS[n].unread]
    yield from _codecs(plan, form, readers, source, own)
    yield from _uneven(plan)


def _uneven(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays that get chunks of different lengths, which are new in Zarr V3."""
    fqns = [
        array.fqn
        for array in plan.arrays
        if array.layout.lengths is not None and not isinstance(array.variable.data, ZarrArray)
    ]
    return named_notice(
        "reader-excluded",
        "zarr-python opens chunks of different lengths only if asked",
        fqns,
        hint=f"set array.rectilinear_chunks, or use {option('zarr_format', 2)}",
    )


def packing_notices(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the variables of a netCDF file that xarray unpacks to other values from the store.

    It multiplies by the attribute as it reads it, which is a double in JSON.
    """
    return named_notice(
        "packed-as-double",
        "xarray reads packed values as float64, not float32 (Zarr attributes have no type)",
        [array.fqn for array in plan.arrays if _is_unpacked_otherwise(array.variable)],
    )


def _is_unpacked_otherwise(variable: Variable) -> bool:
    """Return whether xarray unpacks the values of a file to float, and rounds them."""
    if variable.attribute("scale_factor") is None:
        return False
    nc_type, packing = variable.type, packing_of(variable)
    if not isinstance(nc_type, Atomic) or nc_type.kind not in "iuf" or packing.scale is None:
        return False
    if packing.factor_type is not Atomic.FLOAT:
        return False
    if packing.offset is not None:
        return nc_type.size != 4 or nc_type.is_floating
    if not math.isfinite(packing.scale):
        return False
    digits = abs(packing.scale.as_integer_ratio()[0]).bit_length()
    return nc_type.is_floating or digits + 8 * nc_type.size > _MANTISSA


_MANTISSA = 24
"""Bits of the digits of a float: products that have no more are the same in float and double."""


def _misread(contents: Contents, form: Form, audience: Iterable[str]) -> Iterator[Notice]:
    """Name the readers that show a part of the store differently, in any form."""
    by_reason: dict[str, list[str]] = {}
    for name in audience:
        unavoidable = READERS[name].unavoidable
        if why := [feature for feature in contents.features(form) if feature in unavoidable]:
            by_reason.setdefault(contents.words(why), []).append(name)
    if by_reason:
        text = "; ".join(
            f"{_and(names)} {'misreads' if len(names) == 1 else 'misread'} {why}"
            for why, names in by_reason.items()
        )
        yield Notice("reader-misread", text)


def _excludes(contents: Contents, form: Form, reader: Reader) -> bool:
    return ("format", form.name) in reader.unread or bool(
        _unopened_features(contents, form, reader)
    )


def _unopened_features(contents: Contents, form: Form, reader: Reader) -> list[Feature]:
    if ("format", form.name) in reader.unread:
        return []  # the version of Zarr was requested
    return [
        feature
        for feature in contents.features(form)
        if feature in reader.unopened and feature not in _TOLD_ELSEWHERE
    ]


_TOLD_ELSEWHERE: frozenset[Feature] = frozenset(
    {("number", "bare-v2"), ("number", "bare-v3"), ("lengths", "zarr"), ("lengths", "nczarr")}
    | {("filled", "text")}
)
"""Features with a separate notice, or that no form avoids: reported only on request."""


def _exclusion(contents: Contents, form: Form, names: Iterable[str]) -> Iterator[Notice]:
    """Name the readers that do not open all of the store."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        if why := _unopened_features(contents, form, READERS[name]):
            by_reason.setdefault(contents.words(why), []).append(name)
    if by_reason:
        text = "; ".join(f"{_and(n)} cannot open {why}" for why, n in by_reason.items())
        text += _tested_version(name for named in by_reason.values() for name in named)
        first = next(iter(by_reason.values()))[0]
        hint = f"use {option('audience', first)} to write for that reader"
        yield Notice("reader-excluded", text, hint=hint)


def _scalars(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the scalars, which netcdf-c reads only as arrays of one element."""
    return named_notice(
        "scalar-shape",
        "scalars have the shape [1] in NCZarr V2, also in xarray",
        [array.fqn for array in plan.arrays if not array.layout.shape],
        f"use {option('modes', 'zarr')} to keep the shape []",
    )


def _strings(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays of strings of a fixed length, which xarray does not decode."""
    return named_notice(
        "reader-misread",
        "xarray reads these strings as bytes",
        [
            array.fqn
            for array in plan.arrays
            if array.variable.type is Atomic.STRING and not are_bytes(array.variable)
        ],
        f"use {option('audience', 'xarray')} to write text",
    )


def _masks(plan: DatasetPlan, *, is_asked: bool = False) -> Iterator[Notice]:
    """Name the arrays of NCZarr whose values that were never written are masked by xarray.

    `is_asked` is true for a store for xarray; there they are written unless they are too many.
    """
    unasked = f"use {option('audience', 'xarray')} to write them, or {option('zarr_format', 3)}"
    return named_notice(
        "fill-masked",
        "xarray masks elements that were never written",
        [a.fqn for a in plan.arrays if a.masks_missing and not plan.options.pure],
        f"use {option('zarr_format', 3)}" if is_asked else unasked,
    )


def _fills(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the fills of strings in base64, which netcdf-c does not decode."""
    return named_notice(
        "text-fill",
        "the fill_value of texts is base64, which netCDF-C shows",
        [
            array.fqn
            for array in plan.arrays
            if array.encoding.base64_fill and not is_null_fill(array.fill, array.encoding)
        ],
        "use mode=nczarr so that it reads them",
    )


def _codecs(
    plan: DatasetPlan,
    form: Form,
    readers: Iterable[Reader],
    source: Form | None,
    own: Container[str],
) -> Iterator[Notice]:
    """Name the codecs that some readers do not decode.

    Values that a reader cannot decode in the source either are omitted, except for readers in
    `own`.
    """
    fqns_by_codec: dict[str, dict[str, list[str]]] = {}
    alike = list(_alike_arrays(plan.arrays))
    for reader in readers:
        unknown = partial(_unknown, *_refusals(reader, form))
        unread = None
        if source is not None and reader.name not in own:
            unread = partial(_unknown, *_refusals(reader, source))
        for arrays in alike:
            refused = unknown(arrays[0].layout, arrays[0].encoding.dtype)
            for array in arrays if refused else ():
                old = array.variable.data if unread is not None else None
                if unread and isinstance(old, EncodedSource) and unread(old.layout, _dtype_of(old)):
                    continue
                for codec in refused:
                    fqns = fqns_by_codec.setdefault(codec, {}).setdefault(reader.name, [])
                    fqns.append(array.fqn)
    if fqns_by_codec:
        text = "; ".join(
            _cannot_decode(codec, by_reader) for codec, by_reader in fqns_by_codec.items()
        )
        text += _tested_version(name for by_reader in fqns_by_codec.values() for name in by_reader)
        first = next(iter(next(iter(fqns_by_codec.values()))))
        hint = f"use {option('audience', first)} for codecs that it decodes"
        yield Notice("codec-not-widespread", text, hint=hint)


def _alike_arrays(arrays: Iterable[ArrayPlan]) -> Iterator[list[ArrayPlan]]:
    """Yield lists of arrays with the same chunks and codecs."""
    some: list[ArrayPlan] = []
    form = None
    for array in arrays:
        own = (array.encoding.dtype, array.layout)
        if own != form and some:
            yield some
            some = []
        form = own
        some.append(array)
    if some:
        yield some


def _dtype_of(source: EncodedSource) -> object:
    """Return the dtype of a variable in its store."""
    return source.encoding.dtype if isinstance(source, ZarrArray) else source.stored_dtype


def _cannot_decode(codec: str, by_reader: Mapping[str, list[str]]) -> str:
    names = dict.fromkeys(name for fqns in by_reader.values() for name in fqns)
    return f"{_and(list(by_reader))} cannot decode {codec} ({list_names(list(names))})"


def _refusals(reader: Reader, form: Form) -> tuple[frozenset[ChunkForm], frozenset[str] | None]:
    """Return the forms of chunks that a reader does not decode, and the codecs that it decodes."""
    version = form.zarr_format
    return refused_chunks([reader], version), common_codecs([reader], version)


def _unknown(
    forms: frozenset[ChunkForm],
    codecs: frozenset[str] | None,
    layout: ChunkLayout,
    dtype: object,
) -> list[str]:
    """Return the codecs and forms of chunks that a reader with these refusals does not decode."""
    refused = refused_forms(forms, layout, dtype)
    if codecs is not None:
        chain = [codec.to_json() for codec in layout.inner_codecs]
        refused += [
            codec_id(c) for c in chain if not is_object_codec(c) and codec_id(c) not in codecs
        ]
    return refused


def _tested_version(names: Iterable[str]) -> str:
    """Return the version of netcdf-c that the table is about, if it is named: others read more."""
    return f" (netcdf-c {READERS['netcdf-c'].version})" if "netcdf-c" in names else ""


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
