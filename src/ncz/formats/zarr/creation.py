"""A dataset written to a new Zarr store at a location."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec.catalogue import codec_id, find_deflate, is_kind, is_object_codec
from ncz.codec.deflate import GZIP, ZLIB
from ncz.errors import Notice, Notify, UrlError
from ncz.formats.kinds import CreateOptions
from ncz.formats.zarr.audience import (
    FORMS,
    AudienceError,
    Form,
    choose_form,
    common_codecs,
    contents_of,
    readers_named,
    refused_chunks,
)
from ncz.formats.zarr.options import MOST_FILLED, WriteOptions
from ncz.formats.zarr.reader_notices import reader_notices
from ncz.formats.zarr.readers import Reader, TextForm
from ncz.formats.zarr.writer import write_dataset
from ncz.model.filters import Filter, make_filter
from ncz.model.tree import Dataset, Group, Variable, join
from ncz.record import replace
from ncz.zmap.kinds import is_reference_set, kind_of_name
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap


def create_zarr(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> None:
    """Write a dataset to a new store; see `ncz.formats.opening.create_dataset`."""
    check_kind(location, options)
    if dataset.provenance.asked_kind not in (None, "netCDF-4"):
        notify(
            Notice(
                "special-attribute-ignored",
                f'_Format = "{dataset.provenance.asked_kind}" has no effect: every Zarr store is'
                ' "netCDF-4"',
            )
        )
    text: TextForm | None = None
    readers = readers_named(options.audience)
    if readers:
        form = form_for(dataset, location, readers, char=options.char)
        location, text = with_form(location, form), form.text
        dataset = with_codecs_of(dataset, readers, form.zarr_format)
    how = write_options(location, options, readers, text)
    with create_zmap(location, overwrite=options.overwrite) as zmap:
        plan = write_dataset(dataset, zmap, how, notify)
    if not options.audience:
        form = form_of(location, options.char, plan.options.text_form)
        for notice in reader_notices(plan, form, zipped=is_zip(location)):
            notify(notice)


class KindError(UrlError):
    """A kind of netCDF file that a Zarr store cannot have."""

    exit_code = 2


def check_kind(location: Location, options: CreateOptions) -> None:
    """Raise `KindError` if the options ask for a kind of netCDF file other than netCDF-4."""
    if options.kind not in (None, "netCDF-4"):
        raise KindError(
            f"a Zarr store holds netCDF-4 data, not {options.kind!r}",
            location.display,
            "omit --kind, or give the name of a netCDF file, such as x.nc",
        )


def write_options(
    location: Location,
    options: CreateOptions,
    readers: Sequence[Reader],
    text: TextForm | None = None,
) -> WriteOptions:
    """Return how a store is written, given the modes of its location and its readers."""
    zarr_format = 3 if "v3" in location.modes else 2
    return WriteOptions(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=zarr_format,
        avoided=refused_chunks(readers, zarr_format),
        xarray="noxarray" not in location.modes,
        consolidated=_is_consolidated(location, options, readers),
        annotations=options.annotations,
        separator=options.separator,
        char=options.char,
        masks_default_fill=not any(("fill", "masked") in reader.unread for reader in readers),
        most_filled=_MOST_INLINED if is_reference_set(location) else MOST_FILLED,
        truncate_strings=options.truncate_strings,
        text=text,
    )


def _is_consolidated(location: Location, options: CreateOptions, readers: Sequence[Reader]) -> bool:
    if options.consolidated is not None:
        return options.consolidated
    return "consolidated" in location.modes or any(r.expects_consolidated for r in readers)


def form_of(location: Location, char: str | None = None, text: TextForm | None = None) -> Form:
    """Return the form that the modes of a location describe."""
    return Form(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=3 if "v3" in location.modes else 2,
        char=char,
        text=text,
    )


def is_zip(location: Location) -> bool:
    """Return whether a store that is created at a location is a zip file."""
    return "zip" in (location.kind, kind_of_name(location.path))


_MOST_INLINED = 4 << 20
"""Most bytes of chunks of equal values that a reference set holds itself for each array."""


def with_form(location: Location, form: Form) -> Location:
    """Return the location with the modes of a form."""
    modes = location.modes - {"nczarr", "zarr", "v2", "v3"}
    modes |= {"nczarr", f"v{form.zarr_format}"} | ({"zarr"} if form.flavour == "zarr" else set())
    return replace(location, modes=modes)


def form_for(
    dataset: Dataset,
    location: Location,
    readers: Sequence[Reader],
    *,
    char: str | None = None,
    preferred: Form | None = None,
) -> Form:
    """Return a form of the dataset that all readers read, and that the location's modes allow.

    `preferred` is tried first. Raises `AudienceError`.
    """
    contents = contents_of(dataset, zipped=is_zip(location))
    forms = [replace(form, char=char) for form in FORMS if _is_allowed(form, location)]
    if preferred is not None:
        forms = [preferred, *sorted(forms, key=lambda form: form.flavour != preferred.flavour)]
    is_like_v3 = preferred is not None and preferred.zarr_format == 3
    if is_reference_set(location) and not is_like_v3:  # kerchunk's engine reads Zarr V2 only
        forms.sort(key=lambda form: form.zarr_format)
    return choose_form(contents, readers, forms)


def _is_allowed(form: Form, location: Location) -> bool:
    modes = location.modes
    if "nczarr" in modes and form.flavour != ("zarr" if "zarr" in modes else "nczarr"):
        return False
    return not modes & {"v2", "v3"} or f"v{form.zarr_format}" in modes


def with_codecs_of(dataset: Dataset, readers: Sequence[Reader], zarr_format: int) -> Dataset:
    """Return the dataset with codecs that all readers decode.

    A filter that one of them does not know is left out, and a compressor is replaced by zlib, or
    gzip in Zarr V3. Scalars are stored without codecs.
    """
    known = common_codecs(readers, zarr_format)
    has_checksum = "zstd with a checksum" not in refused_chunks(readers, zarr_format)
    if known is None and has_checksum:
        return dataset
    compressor = find_deflate(ZLIB if zarr_format == 2 else GZIP).id
    if known is not None and compressor not in known:
        names = " and ".join(reader.name for reader in readers)
        raise AudienceError(f"{names} have no compressor in common", "--for", "omit one of them")

    def changed(variable: Variable) -> Variable:
        filters = variable.storage.filters or ()
        chain: list[Filter] = []
        for codec in filters if variable.dimensions else ():
            configuration = codec.to_json()
            if codec_id(configuration) == "zstd" and not has_checksum:
                codec = Filter(tuple(pair for pair in codec.configuration if pair[0] != "checksum"))
            if known is None or codec_id(configuration) in known or is_object_codec(configuration):
                chain.append(codec)
            elif is_kind(configuration, "compressor"):
                chain.append(make_filter(compressor, level=5))
        storage = replace(variable.storage, filters=tuple(chain))
        return variable if tuple(chain) == filters else replace(variable, storage=storage)

    def each(group: Group, fqn: str = "") -> Group:
        return replace(
            group,
            variables=tuple(changed(v) for v in group.variables),
            groups=tuple(each(g, join(fqn, g.name)) for g in group.groups),
        )

    return replace(dataset, root=each(dataset.root))
