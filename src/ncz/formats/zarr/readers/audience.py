"""The audience of a store: the requested readers, and a form that all of them read.

It is chosen by the table `ncz.formats.zarr.readers.programs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.codec.catalogue import codec_id, find_deflate, is_kind, is_object_codec
from ncz.codec.deflate_streams import GZIP, ZLIB
from ncz.errors import NczError, did_you_mean, option
from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.readers.chunk_forms import common_codecs, refused_chunks
from ncz.formats.zarr.readers.contents import contents_of
from ncz.formats.zarr.readers.forms import FORMS, Form
from ncz.formats.zarr.readers.programs import READERS, Feature, Reader
from ncz.formats.zarr.readers.target_modes import form_of, is_allowed, is_zip
from ncz.model.filters import Filter, make_filter
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.record import replace
from ncz.zmap.location import Location
from ncz.zmap.opening import is_reference_set

if TYPE_CHECKING:
    from ncz.formats.zarr.readers.contents import Contents
    from ncz.formats.zarr.readers.forms import Form


class AudienceError(NczError, ValueError):
    """No form of a dataset serves all requested readers."""

    exit_code = 2


def readers_named(names: Iterable[str]) -> tuple[Reader, ...]:
    """Return readers by name. Raises `AudienceError` for a name that is not in the table."""
    readers = []
    for name in dict.fromkeys(names):
        if name not in READERS:
            raise AudienceError(
                f"unknown reader {name!r}",
                option("audience"),
                did_you_mean(name, READERS, f"known readers are {', '.join(READERS)}"),
            )
        readers.append(READERS[name])
    return tuple(readers)


def choose_form(
    contents: Contents, readers: Sequence[Reader], forms: Sequence[Form] = FORMS
) -> Form:
    """Return the first form that all readers read.

    Parameters
    ----------
    contents
        The features of the dataset.
    readers
        The readers to serve.
    forms
        The forms that are possible, the preferred first.

    Raises
    ------
    AudienceError
        If no form serves them; it names two readers that cannot be served together, or one that
        cannot be served at all, and says why.
    """
    served = {
        reader.name: [form for form in forms if not _problems(contents, form, reader)]
        for reader in readers
    }
    for form in forms:
        if all(form in readable for readable in served.values()):
            return form
    for reader in readers:
        if not served[reader.name]:
            why = _problems(contents, forms[0], reader)
            raise AudienceError(
                f"{reader.name} cannot read {contents.words(why)}",
                option("audience"),
                f"omit {option('modes')}, {option('zarr_format')} and {option('char')},"
                " or choose a directory",
            )
    first, second = _rivals(readers, served)
    form = served[first.name][0]
    why = _problems(contents, form, second)
    raise AudienceError(
        f"{first.name} and {second.name} cannot both read one store: {first.name} needs"
        f" {contents.words(why)}, which {second.name} does not read",
        option("audience"),
        "write one store for each",
    )


def _rivals(
    readers: Sequence[Reader], served: Mapping[str, Sequence[Form]]
) -> tuple[Reader, Reader]:
    """Return two readers that no form serves; if each two have one, the first and the last."""
    for i, one in enumerate(readers):
        for other in readers[i + 1 :]:
            if not any(form in served[other.name] for form in served[one.name]):
                pair = (one, other)
                return pair if len(served[one.name]) <= len(served[other.name]) else pair[::-1]
    return readers[0], readers[-1]


def _problems(contents: Contents, form: Form, reader: Reader) -> list[Feature]:
    return [feature for feature in contents.features(form) if feature in reader.unread]


def form_for(
    dataset: Dataset,
    location: Location,
    readers: Sequence[Reader],
    *,
    char: str | None = None,
    preferred: Form,
) -> Form:
    """Return a form of the dataset that all readers read, and that the location's modes allow.

    `preferred` is tried first, and then others of its flavour. Raises `AudienceError`.
    """
    contents = contents_of(dataset, zipped=is_zip(location))
    forms = [replace(form, char=char) for form in FORMS if is_allowed(form, location)]
    forms.sort(key=lambda form: form.flavour != preferred.flavour)
    if is_allowed(preferred, location):
        forms.insert(0, preferred)
    if is_reference_set(location) and preferred.zarr_format == 2:  # as kerchunk's engine reads
        forms.sort(key=lambda form: form.zarr_format)
    return choose_form(contents, readers, forms)


def with_codecs_of(dataset: Dataset, readers: Sequence[Reader], zarr_format: int) -> Dataset:
    """Return the dataset with codecs that all readers decode.

    A filter that one of them does not know is left out, and a compressor is replaced by zlib, or
    gzip in Zarr V3. Scalars are stored without codecs.
    """
    common = common_codecs(readers, zarr_format)
    has_checksum = "zstd with a checksum" not in refused_chunks(readers, zarr_format)
    if common is None and has_checksum:
        return dataset
    compressor = find_deflate(ZLIB if zarr_format == 2 else GZIP).id
    if common is not None and compressor not in common:
        names = " and ".join(reader.name for reader in readers)
        raise AudienceError(
            f"{names} have no compressor in common", option("audience"), "omit one of them"
        )

    def change(_: str, variable: Variable) -> Variable:
        filters = variable.storage.filters or ()
        chain: list[Filter] = []
        for codec in filters if variable.dimensions else ():
            configuration = codec.to_json()
            if codec_id(configuration) == "zstd" and not has_checksum:
                codec = Filter(tuple(pair for pair in codec.configuration if pair[0] != "checksum"))
            if (
                common is None
                or codec_id(configuration) in common
                or is_object_codec(configuration)
            ):
                chain.append(codec)
            elif is_kind(configuration, "compressor"):
                chain.append(make_filter(compressor, level=5))
        storage = replace(variable.storage, filters=tuple(chain))
        return variable if tuple(chain) == filters else replace(variable, storage=storage)

    return each_variable(dataset, change)


def preferred_form(location: Location, readers: Sequence[Reader], options: CreateOptions) -> Form:
    """Return the form that is tried first: pure Zarr with annotations, but NCZarr for netcdf-c."""
    is_own = any(reader.name == "netcdf-c" for reader in readers)
    pure = not is_own and ("nczarr" not in location.modes or location.pure)
    modes = location.modes - {"zarr"} | ({"nczarr", "zarr"} if pure else {"nczarr"})
    form = form_of(replace(location, modes=modes), options.char)
    is_annotated = pure and options.annotations and options.consolidated is not False
    return replace(form, text="vlen", stands_in=form.zarr_format == 3) if is_annotated else form
