"""Choose the filters of variables: nccopy's -d and -s, and codecs that HDF5 has."""

from __future__ import annotations

from ncz.codec.catalogue import is_kind, is_object_codec, writing_fault
from ncz.commands.option_error import OptionError
from ncz.errors import Notice, Notify, list_names, option
from ncz.model.filters import DEFLATE, SHUFFLE, Filter, Hdf5Filter
from ncz.model.hdf5_filters import from_hdf5, needs_plugin, to_hdf5
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.model.type_sizes import fixed_size
from ncz.record import replace


def check_deflate(level: int) -> None:
    """Raise `OptionError` if the level of -d does not exist."""
    checked_filter(_hdf5_codec(DEFLATE, (level,), 1), f"-d {level}")


def with_deflate(
    filters: tuple[Filter, ...], level: int, shuffle: bool, size: int
) -> tuple[Filter, ...]:
    """Replace any compressor by zlib, as -d does; level 0 removes it, and shuffle."""
    rest = tuple(f for f in filters if not _is_compressor(f))
    if level == 0:
        return tuple(f for f in rest if not _is_shuffle(f))
    chain = (*rest, _hdf5_codec(DEFLATE, (level,), size))
    return with_shuffle(chain, size) if shuffle else chain


def with_shuffle(filters: tuple[Filter, ...], size: int) -> tuple[Filter, ...]:
    """Add shuffle before the compressor, if there is a compressor and no shuffle yet."""
    at = next((i for i, f in enumerate(filters) if _is_compressor(f)), None)
    if at is None or size < 2 or any(map(_is_shuffle, filters)):
        return filters
    return (*filters[:at], _hdf5_codec(SHUFFLE, (), size), *filters[at:])


def with_objects(old: tuple[Filter, ...], new: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """Return `new` after the object codecs of `old`, which storing objects requires."""
    objects = (f for f in old if is_object_codec(f.to_json()))
    return (*objects, *(f for f in new if not is_object_codec(f.to_json())))


def with_plain_compressors(dataset: Dataset, notify: Notify) -> Dataset:
    """Return a dataset with zlib in place of compressors that need a plugin of HDF5.

    Stores have them by default: xarray writes blosc in Zarr V2 and zstd in V3. Notifies of the
    variables.
    """
    changed: dict[str, list[str]] = {}

    def change(fqn: str, variable: Variable) -> Variable:
        filters = variable.storage.filters or ()
        size = fixed_size(variable.type)
        compressors = [f for f in filters if _is_compressor(f) and needs_plugin(f)]
        if not compressors or not size:
            return variable
        for codec in compressors:
            changed.setdefault(codec.id, []).append(fqn)
        is_shuffled = any(f.id == "blosc" and f.get("shuffle", 1) != 0 for f in compressors)
        chain = with_deflate(filters, _PLAIN_LEVEL, is_shuffled, size)
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
"""The level of zlib that replaces a compressor that HDF5 does not have."""


def _is_compressor(codec: Filter) -> bool:
    return is_kind(codec.to_json(), "compressor")


def _is_shuffle(codec: Filter) -> bool:
    hdf5 = to_hdf5(codec)
    return hdf5 is not None and hdf5.id == SHUFFLE


def _hdf5_codec(number: int, parameters: tuple[int, ...], size: int) -> Filter:
    codec = from_hdf5(Hdf5Filter(number, parameters), size)
    assert codec is not None
    return codec


def checked_filter(codec: Filter, option: str) -> Filter:
    """Return the codec. Raises `OptionError` if nothing can be written with it."""
    fault = writing_fault(codec.to_json())
    if fault is not None:
        raise OptionError(f"{option}: {fault}")
    return codec


def of_hdf5_filters(hdf5_filters: tuple[Hdf5Filter, ...], size: int) -> tuple[Filter, ...]:
    """Return the Zarr codecs of HDF5 filters for elements of `size` bytes."""
    return tuple(codec for one in hdf5_filters if (codec := from_hdf5(one, size)) is not None)
