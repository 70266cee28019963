"""Filters as options spell them: nccopy's -d, -s and -F, and ncz's own --codec."""

from __future__ import annotations

import re

from ncz.errors import FormatError, UrlError
from ncz.model.filters import Filter, Hdf5Filter, from_hdf5, make_filter


class OptionError(UrlError):
    """An option that cannot be understood, or names what the dataset has not."""

    exit_code = 2


_COMPRESSORS = frozenset({"zlib", "gzip", "bz2", "lzma", "lz4", "zstd", "blosc", "szip", "snappy"})
_OBJECTS = frozenset({"vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "categorize"})


def deflated(
    filters: tuple[Filter, ...], level: int, shuffle: bool, size: int
) -> tuple[Filter, ...]:
    """With zlib in the place of any compressor, as -d; 0 takes it away."""
    drop = _COMPRESSORS | ({"shuffle"} if level == 0 else set())
    rest = tuple(f for f in filters if f.id not in drop)
    if level == 0:
        return rest
    chain = (*rest, make_filter("zlib", level=level))
    return shuffled(chain, size) if shuffle else chain


def shuffled(filters: tuple[Filter, ...], size: int) -> tuple[Filter, ...]:
    """With shuffle before the compressor, if there is one and no shuffle yet."""
    at = next((i for i, f in enumerate(filters) if f.id in _COMPRESSORS), None)
    if at is None or size < 2 or any(f.id == "shuffle" for f in filters):
        return filters
    return (*filters[:at], make_filter("shuffle", elementsize=size), *filters[at:])


def with_objects(old: tuple[Filter, ...], new: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """`new`, after the codecs that make bytes of objects, without which nothing can be stored."""
    return (*(f for f in old if f.id in _OBJECTS), *(f for f in new if f.id not in _OBJECTS))


_Named = tuple[tuple[str, ...] | None, tuple[Hdf5Filter, ...]]


def parse_filterspec(spec: str) -> _Named:
    """nccopy's -F: names or *, and filters by HDF5's numbers, or none."""
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
    if from_hdf5(chosen, 4) is None:
        raise OptionError(
            f"-F {spec!r}: Zarr has no codec for HDF5's filter {chosen.id}", hint="use --codec"
        )
    return chosen


def _no_filter(spec: str) -> OptionError:
    return OptionError(f"-F {spec!r} is no filterspec", hint="write var,id,parameter,... or *,none")


def of_hdf5_filters(chosen: tuple[Hdf5Filter, ...], size: int) -> tuple[Filter, ...]:
    return tuple(codec for one in chosen if (codec := from_hdf5(one, size)) is not None)


_PARAMETERS: dict[str, tuple[tuple[str, object], ...]] = {
    "zlib": (("level", 1),),
    "gzip": (("level", 5),),
    "bz2": (("level", 5),),
    "zstd": (("level", 3),),
    "lz4": (("acceleration", 1),),
    "lzma": (("preset", 6),),
    "blosc": (("cname", "lz4"), ("clevel", 5), ("shuffle", 1)),
    "shuffle": (),
    "fletcher32": (),
    "crc32": (),
    "adler32": (),
}
"""What may stand after a codec's name, with what stands there if nothing is said."""


def parse_codecs(spec: str) -> tuple[tuple[str, ...] | None, tuple[Filter, ...]]:
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
    from ncz.formats.zarr.document.json import parse_json

    try:
        value = parse_json(text.encode(), "--codec")
    except FormatError as error:
        raise OptionError(f"--codec {spec!r}: {error.message}") from error
    chain = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in chain):
        raise OptionError(f'--codec {spec!r}: a codec is a JSON object with an "id"')
    return tuple(Filter.from_json(one) for one in chain)


def _parse_codec(text: str, spec: str) -> Filter:
    name, *given = text.strip().split(":")
    known = _PARAMETERS.get(name.lower())
    if known is None or len(given) > len(known):
        raise OptionError(
            f"--codec {spec!r} is not understood",
            hint=f"write NAME:LEVEL with one of {', '.join(sorted(_PARAMETERS))}; or none; or JSON",
        )
    configuration: dict[str, object] = dict(known)
    for (key, default), value in zip(known, given, strict=False):
        if isinstance(default, str):
            configuration[key] = value
        elif re.fullmatch(r"-?\d{1,4}", value):
            configuration[key] = int(value)
        else:
            raise OptionError(f"--codec {spec!r}: {key} must be a number, not {value!r}")
    return make_filter(name.lower(), **configuration)
