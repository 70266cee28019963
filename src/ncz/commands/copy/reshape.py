"""Apply the options of a copy to a dataset: other chunks, codecs, dimensions or variables.

Only the description of the dataset changes here; data are converted when they are written.
"""

from __future__ import annotations

import re
from math import prod
from typing import Literal

from ncz.codec import Codec, Parameter
from ncz.codec.catalogue import find, is_kind, is_object_codec, short_names, writing_fault
from ncz.commands import fields
from ncz.commands.options import (
    Chunkspec,
    OptionError,
    chosen_variables,
    is_in_group,
    is_named,
    named,
    with_shards,
)
from ncz.commands.subsets.variables import notice_of_left, only_variables
from ncz.errors import FormatError, Notice, Notify, ignore_notice, list_names, option
from ncz.model.encoded import EncodedSource
from ncz.model.filters import (
    BUILT_IN,
    DEFLATE,
    SHUFFLE,
    Filter,
    Hdf5Filter,
    from_hdf5,
    make_filter,
    parse_numbers,
    to_hdf5,
    why_not_written,
)
from ncz.model.tree import (
    Dataset,
    Group,
    StorageClass,
    Variable,
    dimensions_by_fqn,
    each_dimension,
    each_variable,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.model.user_types import fixed_size
from ncz.record import record, replace

# Read the options that choose filters: nccopy's -d, -s and -F, and ncz's own --codec.


def check_deflate(level: int) -> None:
    """Raise `OptionError` if -d asks for a level that does not exist."""
    _checked(_hdf5_codec(DEFLATE, (level,), 1), f"-d {level}")


def deflated(
    filters: tuple[Filter, ...], level: int, shuffle: bool, size: int
) -> tuple[Filter, ...]:
    """Replace any compressor by zlib, as -d does; level 0 removes it, and shuffle."""
    rest = tuple(f for f in filters if not _is_compressor(f))
    if level == 0:
        return tuple(f for f in rest if not _is_shuffle(f))
    chain = (*rest, _hdf5_codec(DEFLATE, (level,), size))
    return shuffled(chain, size) if shuffle else chain


def shuffled(filters: tuple[Filter, ...], size: int) -> tuple[Filter, ...]:
    """Add shuffle before the compressor, if there is a compressor and no shuffle yet."""
    at = next((i for i, f in enumerate(filters) if _is_compressor(f)), None)
    if at is None or size < 2 or any(map(_is_shuffle, filters)):
        return filters
    return (*filters[:at], _hdf5_codec(SHUFFLE, (), size), *filters[at:])


def with_objects(old: tuple[Filter, ...], new: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """Return `new` after the object codecs of `old`, without which objects cannot be stored."""
    objects = (f for f in old if is_object_codec(f.to_json()))
    return (*objects, *(f for f in new if not is_object_codec(f.to_json())))


def with_plain_compressors(dataset: Dataset, notify: Notify) -> Dataset:
    """Return a dataset with zlib in place of compressors for which readers of HDF5 need a plugin.

    Stores have them by default: xarray writes blosc in Zarr V2 and zstd in V3. Notifies of the
    variables.
    """
    changed: dict[str, list[str]] = {}

    def change(fqn: str, variable: Variable) -> Variable:
        filters = variable.storage.filters or ()
        size = fixed_size(variable.type)
        compressors = [f for f in filters if _is_compressor(f) and not _is_in_hdf5(f)]
        if not compressors or not size:
            return variable
        for codec in compressors:
            changed.setdefault(codec.id, []).append(fqn)
        is_shuffled = any(f.id == "blosc" and f.get("shuffle", 1) != 0 for f in compressors)
        chain = deflated(filters, _PLAIN_LEVEL, is_shuffled, size)
        return replace(variable, storage=replace(variable.storage, filters=chain))

    result = each_variable(dataset, change)
    for name, fqns in changed.items():
        notify(
            Notice(
                "form-changed",
                f"{name} becomes zlib, because HDF5 needs a plugin for it: {list_names(fqns)}",
                hint=f"use {option('codecs')} to choose a codec",
            )
        )
    return result


_PLAIN_LEVEL = 4
"""The level of zlib that stands for a compressor that HDF5 does not have."""


def _is_in_hdf5(codec: Filter) -> bool:
    """Return whether HDF5 has a codec without a plugin."""
    hdf5_filter = to_hdf5(codec)
    return hdf5_filter is not None and hdf5_filter.id in BUILT_IN


def _is_compressor(codec: Filter) -> bool:
    return is_kind(codec.to_json(), "compressor")


def _is_shuffle(codec: Filter) -> bool:
    hdf5 = to_hdf5(codec)
    return hdf5 is not None and hdf5.id == SHUFFLE


def _hdf5_codec(number: int, parameters: tuple[int, ...], size: int) -> Filter:
    codec = from_hdf5(Hdf5Filter(number, parameters), size)
    assert codec is not None
    return codec


def _checked(codec: Filter, option: str) -> Filter:
    """Return the codec. Raises `OptionError` if nothing can be written with it."""
    fault = writing_fault(codec.to_json())
    if fault is not None:
        raise OptionError(f"{option}: {fault}")
    return codec


_Named = tuple[tuple[str, ...] | None, tuple[Hdf5Filter, ...]]


def parse_filterspec(spec: str) -> _Named:
    """Read nccopy's -F: names or *, and filters by their HDF5 numbers, or none."""
    if spec.strip().lower() == "none":
        return None, ()
    text, comma, tail = spec.partition(",")
    if not comma or not tail:
        raise _no_filter(spec)
    names = None if text == "*" else tuple(text.split("|"))
    if tail.strip().lower() == "none":
        return names, ()
    return names, tuple(_parse_hdf5(one, spec) for one in tail.split("|"))


def _parse_hdf5(text: str, spec: str) -> Hdf5Filter:
    numbers = parse_numbers(text)
    if numbers is None or not all(0 <= number < 2**32 for number in numbers):
        raise _no_filter(spec)
    hdf5_filter = Hdf5Filter(numbers[0], tuple(numbers[1:]))
    codec = from_hdf5(hdf5_filter, 4)
    if codec is None:
        raise OptionError(
            f"-F {spec!r}: {why_not_written(hdf5_filter)}",
            hint=f"use {option('codecs')} to choose a codec",
        )
    _checked(codec, f"-F {spec!r}")
    return hdf5_filter


def _no_filter(spec: str) -> OptionError:
    return OptionError(
        f"-F {spec!r} is not a valid filterspec", hint="write var,id,parameter,... or *,none"
    )


def of_hdf5_filters(hdf5_filters: tuple[Hdf5Filter, ...], size: int) -> tuple[Filter, ...]:
    """Return the Zarr codecs of HDF5 filters for elements of `size` bytes."""
    return tuple(codec for one in hdf5_filters if (codec := from_hdf5(one, size)) is not None)


def parse_codecs(spec: str) -> tuple[tuple[str, ...] | None, tuple[Filter, ...]]:
    """Read ncz's --codec: names of variables, or None for all, and the codecs to apply."""
    names: tuple[str, ...] | None = None
    text = spec.strip()
    match = re.match(r"([^:={}\[\]+]+)=(.*)", text, re.DOTALL)
    if match:
        names, text = tuple(match[1].split(",")), match[2].strip()
    if text[:1] in ("{", "["):
        return names, _json_codecs(text, spec)
    if text.lower() in ("none", ""):
        return names, ()
    return names, tuple(_parse_codec(one, spec) for one in re.split(r"[+|]", text))


def _json_codecs(text: str, spec: str) -> tuple[Filter, ...]:
    from ncz.formats.zarr.json import parse_json

    try:
        value = parse_json(text.encode(), option("codecs"))
    except FormatError as error:
        raise OptionError(f"{option('codecs')} {spec!r}: {error.message}") from error
    chain = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in chain):
        raise OptionError(f'{option("codecs")} {spec!r}: a codec is a JSON object with an "id"')
    return tuple(_checked(Filter.from_json(one), f"{option('codecs')} {spec!r}") for one in chain)


def _parse_codec(text: str, spec: str) -> Filter:
    name, *values = text.strip().split(":")
    codec = find(name.lower())
    parameters = () if codec is None else _in_short(codec)
    if codec is None or len(values) > len(parameters):
        raise OptionError(
            f"{option('codecs')} {spec!r} is not valid",
            hint=f"write NAME:LEVEL with one of {', '.join(short_names())}; or none; or JSON",
        )
    configuration: dict[str, object] = dict(codec.short or ())
    for parameter, value in zip(parameters, values, strict=False):
        configuration[parameter.name] = _value_of(parameter, value, spec)
    parsed = make_filter(codec.id, **configuration)
    _checked(_with_dtype(parsed, "<f8"), f"{option('codecs')} {spec!r}")
    return parsed


def _in_short(codec: Codec) -> tuple[Parameter, ...]:
    """Return the parameters of the short form, in order: its own, or those without a flag."""
    by_name = {parameter.name: parameter for parameter in codec.parameters}
    if codec.short is not None:
        return tuple(by_name[name] for name, _ in codec.short)
    return tuple(p for p in codec.parameters if p.type != "boolean" and p.name != "dtype")


def _value_of(parameter: Parameter, value: str, spec: str) -> object:
    """Return the value of a parameter from its text."""
    if parameter.type == "integer" or (parameter.choices and value.lstrip("-").isdecimal()):
        if re.fullmatch(r"-?[0-9]{1,10}", value):
            return int(value)
        raise OptionError(
            f"{option('codecs')} {spec!r}: {parameter.name} must be an integer, not {value!r}"
        )
    if parameter.type == "number":
        try:
            return float(value)
        except ValueError:
            raise OptionError(
                f"{option('codecs')} {spec!r}: {parameter.name} must be a number, not {value!r}"
            ) from None
    return value


def _with_dtype(codec: Filter, dtype: str) -> Filter:
    """Return the codec with the dtype of its elements, if it needs one and has none."""
    configuration = codec.to_json()
    entry = find(codec.id)
    needs = entry is not None and any(p.name == "dtype" and p.required for p in entry.parameters)
    if not needs or "dtype" in configuration:
        return codec
    return Filter.from_json({**configuration, "dtype": dtype})


_WORTH_PACKING = 64 << 10
"""Bytes of a variable from which it is compressed where its source has no compression."""


@record(kw_only=True)
class Reshape:
    """What to change, as spelled on the command line; () or None changes nothing."""

    only: tuple[str, ...] | None = fields.option(
        "-V",
        "--only",
        default=None,
        metavar="V,...",
        section="Selection",
        parse=fields.listed,
        completes="variables",
        help="Copy these variables only.",
        python="The variables to copy; by default all.",
        argument="variables",
    )
    data_of: tuple[str, ...] | None = fields.option(
        "-v",
        "--data-of",
        default=None,
        metavar="V,...",
        section="Selection",
        parse=fields.listed,
        completes="variables",
        help="Copy the data of these variables only.",
        python="The variables whose data are copied; by default all.",
    )
    only_groups: tuple[str, ...] | None = fields.option(
        "-G",
        "--only-groups",
        default=None,
        metavar="G,...",
        section="Selection",
        parse=fields.listed,
        completes="groups",
        help="Copy these groups only.",
        python="The groups to copy; by default all.",
    )
    data_of_groups: tuple[str, ...] | None = fields.option(
        "-g",
        "--data-of-groups",
        default=None,
        metavar="G,...",
        section="Selection",
        parse=fields.listed,
        completes="groups",
        help="Copy the data of these groups only.",
        python="The groups whose data are copied; by default all.",
    )
    drop_attributes: tuple[str, ...] = fields.option(
        "--drop-attribute",
        default=(),
        metavar="NAME,...",
        section="Selection",
        parse=fields.listed,
        help="Copy without these attributes: NAME or a glob anywhere, V:NAME of a variable, :NAME"
        " of groups.",
        python='Attributes to leave out: "history", "v:history", or ":history" of groups.',
    )
    chunkspecs: tuple[str, ...] = fields.option(
        "-c",
        "--chunks",
        default=(),
        metavar="SPEC",
        repeats=True,
        section="Chunks and codecs",
        common=True,
        completes="chunks",
        help="Chunk lengths: dim/length,dim/,... or var:length,... A single"
        " / means one chunk each, and var:contiguous or var:compact one variable without chunks.",
        python='Lengths by dimension, such as {"time": 100, "lat": -1}, or chunkspecs:'
        ' "time/100,lat/" for dimensions, "v:10,20" for a variable.',
        argument="chunks",
        type="Words | Mapping[str, int | None]",
    )
    chunk_size: int | None = fields.option(
        "--chunk-size",
        default=None,
        metavar="SIZE",
        values=fields.SIZE,
        section="Chunks and codecs",
        common=True,
        help="Largest size of a chunk, such as 10MB.",
        python="Largest size of a chunk in bytes; all variables are rechunked.",
    )
    chunking: Literal["balanced", "netcdf"] = fields.option(
        "--chunking",
        default="balanced",
        metavar="RULE",
        values=fields.choice("balanced", "netcdf"),
        section="Chunks and codecs",
        help="Shape for --chunk-size: balanced (for time series and maps alike) or netcdf.",
        python='The shape of chunks of a given size: "balanced", or "netcdf" as netCDF-C shapes'
        " them.",
    )
    least_chunk: int | None = fields.option(
        "-M",
        "--min-chunk-size",
        default=None,
        metavar="N",
        values=fields.integer(0),
        section="Chunks and codecs",
        help="Write a variable of fixed shape as one chunk if its chunks have less than N bytes.",
        python="Variables of fixed shape with chunks of fewer bytes are written as one chunk.",
        argument="min_chunk_size",
    )
    shards: tuple[str, ...] = fields.SHARDS
    fixed: bool = fields.option(
        "-u",
        "--fixed",
        default=False,
        section="Store",
        help="Make unlimited dimensions fixed.",
        python="Whether to make unlimited dimensions fixed.",
    )
    deflate: int | None = fields.option(
        "-d",
        "--deflate",
        default=None,
        metavar="N",
        values=fields.integer(),
        section="Chunks and codecs",
        help="zlib level, 0 to 9; 0 removes compression.",
        instead="codecs",
    )
    shuffle: bool = fields.option(
        "-s",
        "--shuffle",
        default=False,
        section="Chunks and codecs",
        help="Apply the shuffle filter before compression.",
        instead="codecs",
    )
    filters: tuple[str, ...] = fields.option(
        "-F",
        "--filter",
        default=(),
        metavar="SPEC",
        repeats=True,
        section="Chunks and codecs",
        help="nccopy's filterspec: V|V,id,parameter,... or *,none or none.",
        instead="codecs",
    )
    codecs: tuple[str, ...] = fields.option(
        "--codec",
        default=(),
        metavar="SPEC",
        repeats=True,
        section="Chunks and codecs",
        common=True,
        completes="codecs",
        help="Codecs: zstd:5, shuffle+zlib:4, none or JSON. V=SPEC for one variable.",
        python='Codecs such as "zstd:5", for all variables or for one: "t2m=zlib:4".',
    )
    plain_codec: str | None = None
    """Codec of variables whose source has neither chunks nor filters, if no other is chosen."""

    @property
    def chooses(self) -> bool:
        """Whether some variables, or the data of some, are not copied."""
        options = self.data_of, self.only, self.data_of_groups, self.only_groups
        return any(names is not None for names in options)

    @property
    def changes_codecs(self) -> bool:
        """Whether other codecs are asked for."""
        return bool(self.deflate is not None or self.shuffle or self.filters or self.codecs)


def reshaped(dataset: Dataset, reshape: Reshape, notify: Notify = ignore_notice) -> Dataset:
    """Return `dataset` with the changes that `reshape` describes.

    Parameters
    ----------
    dataset
        The source of a copy.
    reshape
        What to change.
    notify
        Receives a notice of what the chosen variables refer to, but the copy will not have.

    Returns
    -------
    Dataset
        The changed description, with the data of `dataset`.

    Raises
    ------
    OptionError
        If an option is not valid, or names something that the dataset does not have.
    """
    root = dataset.root
    if reshape.only is not None:
        root = only_variables(root, chosen_variables(root, reshape.only, is_named))
    if reshape.only_groups is not None:
        root = only_variables(root, chosen_variables(root, reshape.only_groups, is_in_group))
    if reshape.chooses:
        notice = notice_of_left(dataset.root, root, with_data(root, reshape))
        if notice is not None:
            notify(notice)
    changed = replace(dataset, root=root)
    if reshape.fixed:
        changed = each_dimension(changed, lambda _, d: replace(d, unlimited=False))
    return with_shards(_stored_otherwise(changed, reshape), reshape.shards)


def with_data(root: Group, reshape: Reshape) -> frozenset[str]:
    """Return the FQNs of the variables whose data are to be copied. Raises `OptionError`."""
    variables = frozenset(fqn for fqn, _ in variables_by_fqn(root))
    if reshape.data_of is not None:
        variables &= chosen_variables(root, reshape.data_of, is_named)
    if reshape.data_of_groups is not None:
        variables &= chosen_variables(root, reshape.data_of_groups, is_in_group)
    return variables


def _stored_otherwise(dataset: Dataset, reshape: Reshape) -> Dataset:
    """Return the dataset with the chunks and the codecs that are asked for."""
    from ncz.model.axes import axes_of

    root = dataset.root
    dimensions = dimensions_by_fqn(root)
    axes = axes_of(root) if reshape.chunk_size is not None else {}
    chunkspecs = [Chunkspec.parse(spec, root) for spec in reshape.chunkspecs]
    hdf5 = [parse_filterspec(spec) for spec in reshape.filters]
    codecs = [parse_codecs(spec) for spec in reshape.codecs]
    of_hdf5 = [(names and named(root, names), chosen) for names, chosen in hdf5]
    if reshape.deflate is not None:
        check_deflate(reshape.deflate)
    of_codecs = [(names and named(root, names), chain) for names, chain in codecs]

    plain: tuple[Filter, ...] = ()
    if reshape.plain_codec is not None and not reshape.changes_codecs:
        plain = parse_codecs(reshape.plain_codec)[1]

    def change(fqn: str, variable: Variable) -> Variable:
        if not variable.dimensions:
            return variable  # a scalar is one element, which needs no chunks or filters
        shape = shape_of(variable, dimensions)
        grows = tuple(dimensions[d].unlimited for d in variable.dimensions)
        chunks = _chunks(variable, shape)
        size = fixed_size(variable.type)
        if not size:
            size = variable.storage.string_length or 0
        if reshape.chunk_size is not None:
            from ncz.model.chunks import balanced_chunks, default_chunks

            chunks = (
                balanced_chunks(
                    shape, [axes.get(d) for d in variable.dimensions], size, reshape.chunk_size
                )
                if reshape.chunking == "balanced"
                else default_chunks(
                    [dimensions[d] for d in variable.dimensions], size, reshape.chunk_size
                )
            )
        storage_class: StorageClass | None = None
        for chunkspec in chunkspecs:
            chunks = chunkspec.chunks(fqn, variable, shape, chunks, grows)
            if chunkspec.lengths_of(fqn, variable) is not None:
                storage_class = chunkspec.storage_class
        if (
            chunks is not None
            and not any(grows)
            and prod(chunks) * size < (reshape.least_chunk or 0)
        ):
            chunks = tuple(max(1, n) for n in shape)
        filters = variable.storage.filters or ()
        is_plain = not filters and variable.storage.chunks is None and _is_numeric(variable)
        if is_plain and prod(shape) * size >= _WORTH_PACKING:
            filters = plain
        if reshape.deflate is not None:
            filters = deflated(filters, reshape.deflate, reshape.shuffle, size)
        elif reshape.shuffle:
            filters = shuffled(filters, size)
        for names, chosen in of_hdf5:
            if names is None or fqn in names:
                filters = with_objects(filters, of_hdf5_filters(chosen, size))
        for names, chain in of_codecs:
            if names is None or fqn in names:
                dtype = _dtype_of(variable)
                filters = with_objects(filters, tuple(_with_dtype(one, dtype) for one in chain))
        storage = replace(variable.storage, chunks=chunks, filters=filters)
        is_same = chunks == variable.storage.chunks and filters == (variable.storage.filters or ())
        if storage_class is not None or not is_same:
            storage = replace(storage, storage_class=storage_class or "chunked")
        return replace(variable, storage=storage)

    return each_variable(dataset, change)


def _chunks(variable: Variable, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the variable's chunk shape, or None if it has none."""
    if variable.storage.chunks is not None:
        return variable.storage.chunks
    if variable.storage.storage_class in ("contiguous", "compact"):
        if isinstance(variable.data, EncodedSource) and variable.data.layout.shape == shape:
            return variable.data.layout.chunks  # the pieces in which it is read
        return tuple(max(1, n) for n in shape)
    return None


def _dtype_of(variable: Variable) -> str:
    """Return the dtype of stored elements, as codecs have it in their configurations."""
    order = ">" if variable.storage.endianness == "big" else "<"
    kind = variable.type.dtype if isinstance(variable.type, Atomic) else "|O"
    return kind if kind[:1] == "|" else order + kind.lstrip("<>=")


def _is_numeric(variable: Variable) -> bool:
    return isinstance(variable.type, Atomic) and variable.type is not Atomic.STRING
