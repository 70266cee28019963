"""Read the options that choose filters: nccopy's -d, -s and -F, and ncz's own --codec."""

from __future__ import annotations

import re

from ncz.codec.catalogue import find, is_kind, is_object_codec, short_names, writing_fault
from ncz.commands.names import OptionError
from ncz.errors import FormatError
from ncz.model.filters import (
    DEFLATE,
    SHUFFLE,
    Filter,
    Hdf5Filter,
    from_hdf5,
    make_filter,
    to_hdf5,
)


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
    numbers = [n.strip().rstrip("uU") for n in text.split(",")]
    if not all(n.isascii() and n.isdigit() and int(n) < 2**32 for n in numbers):
        raise _no_filter(spec)
    chosen = Hdf5Filter(int(numbers[0]), tuple(map(int, numbers[1:])))
    codec = from_hdf5(chosen, 4)
    if codec is None:
        raise OptionError(
            f"-F {spec!r}: no Zarr codec is known for the HDF5 filter {chosen.description}",
            hint="use --codec",
        )
    _checked(codec, f"-F {spec!r}")
    return chosen


def _no_filter(spec: str) -> OptionError:
    return OptionError(
        f"-F {spec!r} is not a valid filterspec", hint="write var,id,parameter,... or *,none"
    )


def of_hdf5_filters(chosen: tuple[Hdf5Filter, ...], size: int) -> tuple[Filter, ...]:
    """Return the Zarr codecs of HDF5 filters for elements of `size` bytes."""
    return tuple(codec for one in chosen if (codec := from_hdf5(one, size)) is not None)


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
        value = parse_json(text.encode(), "--codec")
    except FormatError as error:
        raise OptionError(f"--codec {spec!r}: {error.message}") from error
    chain = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in chain):
        raise OptionError(f'--codec {spec!r}: a codec is a JSON object with an "id"')
    return tuple(_checked(Filter.from_json(one), f"--codec {spec!r}") for one in chain)


def _parse_codec(text: str, spec: str) -> Filter:
    name, *given = text.strip().split(":")
    codec = find(name.lower())
    if codec is None or codec.short is None or len(given) > len(codec.short):
        raise OptionError(
            f"--codec {spec!r} is not valid",
            hint=f"write NAME:LEVEL with one of {', '.join(short_names())}; or none; or JSON",
        )
    configuration: dict[str, object] = dict(codec.short)
    for (key, default), value in zip(codec.short, given, strict=False):
        if isinstance(default, str):
            configuration[key] = value
        elif re.fullmatch(r"-?[0-9]{1,10}", value):
            configuration[key] = int(value)
        else:
            raise OptionError(f"--codec {spec!r}: {key} must be an integer, not {value!r}")
    return _checked(make_filter(codec.id, **configuration), f"--codec {spec!r}")
