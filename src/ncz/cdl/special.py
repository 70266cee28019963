"""The special attributes: what ``ncdump -s`` prints about storage, read back to `Storage`.

They are not attributes of the dataset, with one exception: the attributes of quantization remain,
as netcdf-c writes them, and also request rounding. Source: ncgen's man page ("Special Attributes")
and the behaviour of netcdf-c 4.10.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from ncz.cdl.constants import Constant, Kind, decode_text
from ncz.cdl.items import Item, parse_items
from ncz.cdl.syntax_tree import AttributeSyntax
from ncz.codec.catalogue import writing_fault
from ncz.errors import Notice, Notify, quantity, shorten
from ncz.model.filters import DEFLATE, FLETCHER32, SHUFFLE, Filter, Hdf5Filter
from ncz.model.hdf5_filters import from_hdf5, missing_codec_reason, parse_numbers
from ncz.model.netcdf_kinds import NetcdfKind, kind_of
from ncz.model.quantization import ATTRIBUTES as QUANTIZE_ATTRIBUTES
from ncz.model.quantization import MAX_DIGITS, Quantization
from ncz.model.tree import Attribute, Endianness, Storage, StorageClass
from ncz.model.types import Atomic, NcType
from ncz.record import record
from ncz.text.source import SourceText

_STORAGE_CLASSES: tuple[StorageClass, ...] = ("contiguous", "compact", "chunked")
_BYTE_ORDERS: tuple[Endianness | Literal["native"], ...] = ("little", "big", "native")

Word = TypeVar("Word", bound=str)

VARIABLE_ATTRIBUTES = frozenset(
    {
        "_Storage",
        "_ChunkSizes",
        "_ShardSizes",
        "_DeflateLevel",
        "_Shuffle",
        "_Fletcher32",
        "_Endianness",
        "_NoFill",
        "_Filter",
        "_Codecs",
    }
)
DATASET_ATTRIBUTES = frozenset({"_Format", "_NCProperties", "_SuperblockVersion", "_IsNetcdf4"})

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@record
class _SpecialAttribute:
    """One special attribute and its values."""

    source: SourceText
    syntax: AttributeSyntax
    items: Sequence[Item]

    @property
    def name(self) -> str:
        return self.syntax.name.name

    @property
    def at(self) -> int:
        return self.items[0].at if self.items else self.syntax.name.at

    def error(self, what: str, hint: str | None = None) -> Exception:
        return self.source.error(self.at, f"{self.name}: {what}", hint)

    def constant(self, kind: Kind) -> Constant:
        if len(self.items) == 1:
            item = self.items[0]
            if isinstance(item, Constant) and item.kind is kind:
                return item
        raise self.error(f"expected exactly one value, {kind.value}")

    def text(self) -> str:
        return decode_text(self.constant(Kind.STRING).value)

    def integer(self) -> int:
        return int(self.constant(Kind.INTEGER).value)

    def integers(self) -> tuple[int, ...]:
        integers = [
            i.value for i in self.items if isinstance(i, Constant) and i.kind is Kind.INTEGER
        ]
        if len(integers) != len(self.items) or not integers:
            raise self.error("expected whole numbers")
        return tuple(integers)

    def choice(self, *words: Word) -> Word:
        text = self.text()
        for word in words:
            if text == word:
                return word
        choices = ", ".join(f'"{word}"' for word in words)
        raise self.error(f'"{shorten(text)}" is not valid', f"use one of {choices}")

    def flag(self) -> bool:
        item = self.items[0] if len(self.items) == 1 else None
        text = ""
        if isinstance(item, Constant) and item.kind is Kind.STRING:
            text = decode_text(item.value)
        elif isinstance(item, Constant) and item.kind is Kind.INTEGER:
            text = str(item.value)
        if text not in _FLAGS:
            raise self.error('expected "true" or "false"')
        return _FLAGS[text]


def read_storage(
    source: SourceText,
    given: Mapping[str, AttributeSyntax],
    nc_type: NcType,
    rank: int,
    notify: Notify,
) -> Storage:
    """Read the special attributes of a variable.

    Parameters
    ----------
    given
        The attributes by name.
    rank
        Number of dimensions of the variable.

    Returns
    -------
    Storage
        Without `fill`, which the caller adds.

    Raises
    ------
    CdlError
        A value is not valid.
    """
    read = {
        name: _SpecialAttribute(
            source, syntax, parse_items(source, syntax.data.start, syntax.data.stop)
        )
        for name, syntax in given.items()
    }
    chunks = _sizes(read["_ChunkSizes"], rank, notify) if "_ChunkSizes" in read else None
    shards = _shards(read["_ShardSizes"], rank, chunks, notify) if "_ShardSizes" in read else None
    storage_class: StorageClass | None = None
    if "_Storage" in read:
        storage_class = read["_Storage"].choice(*_STORAGE_CLASSES)
    if chunks is not None or shards is not None:
        storage_class = "chunked"
    endianness: Endianness | None = None
    if "_Endianness" in read:
        order = read["_Endianness"].choice(*_BYTE_ORDERS)
        endianness = None if order == "native" else order
    return Storage(
        storage_class=storage_class,
        chunks=chunks,
        shards=shards,
        endianness=endianness,
        filters=_make_filters(read, nc_type),
        no_fill="_NoFill" in read and read["_NoFill"].flag(),
    )


def _shards(
    attribute: _SpecialAttribute, rank: int, chunks: tuple[int, ...] | None, notify: Notify
) -> tuple[int, ...] | None:
    shards = _sizes(attribute, rank, notify)
    if shards is not None and chunks is not None:
        for shard, chunk in zip(shards, chunks, strict=True):
            if shard % chunk:
                raise attribute.error(
                    f"a shard of {shard} is not a whole number of chunks of {chunk}",
                    "use multiples of _ChunkSizes",
                )
    return shards


def _sizes(attribute: _SpecialAttribute, rank: int, notify: Notify) -> tuple[int, ...] | None:
    """Return one size for each dimension; None if the default is requested."""
    sizes = attribute.integers()
    what = "shard" if attribute.name == "_ShardSizes" else "chunk"
    if any(n < 0 for n in sizes):
        raise attribute.error(f"a {what} size cannot be negative")
    if any(n > Atomic.INT64.limits[1] for n in sizes):
        raise attribute.error(f"a {what} size is too large")
    if rank == 0:
        return None
    if len(sizes) < rank:
        raise attribute.error(
            f"{quantity(len(sizes), 'size')} for {quantity(rank, 'dimension')}",
            "write one size per dimension",
        )
    if len(sizes) > rank:
        notify(
            Notice(
                "chunk-sizes-ignored",
                f"{attribute.name} has {quantity(len(sizes), 'size')} for"
                f" {quantity(rank, 'dimension')}; the rest is ignored",
                attribute.source.location(attribute.at),
            )
        )
    sizes = sizes[:rank]
    return sizes if all(sizes) else None  # 0 requests the default


def _make_filters(
    read: Mapping[str, _SpecialAttribute], nc_type: NcType
) -> tuple[Filter, ...] | None:
    item_size = nc_type.size if isinstance(nc_type, Atomic) and nc_type.size else 1
    hdf5_filters: list[Hdf5Filter] = []
    if "_Shuffle" in read and read["_Shuffle"].flag():
        hdf5_filters.append(Hdf5Filter(SHUFFLE))
    if "_DeflateLevel" in read:
        deflate = Hdf5Filter(DEFLATE, (read["_DeflateLevel"].integer(),))
        _check_codec(read["_DeflateLevel"], from_hdf5(deflate, item_size))
        hdf5_filters.append(deflate)
    if "_Fletcher32" in read and read["_Fletcher32"].flag():
        hdf5_filters.append(Hdf5Filter(FLETCHER32))
    if "_Filter" in read:
        hdf5_filters.extend(_parse_hdf5_filters(read["_Filter"]))
    filters = [_make_codec(read, hdf5, item_size) for hdf5 in hdf5_filters]
    if "_Codecs" in read:  # ncdump -s prints both; _Codecs is complete
        return _parse_codecs(read["_Codecs"])
    return tuple(filters) if filters else None


def _make_codec(read: Mapping[str, _SpecialAttribute], hdf5: Hdf5Filter, item_size: int) -> Filter:
    codec = from_hdf5(hdf5, item_size)
    if codec is None:
        raise read["_Filter"].error(
            missing_codec_reason(hdf5), "name a codec in _Codecs instead, or remove the filter"
        )
    if "_Filter" in read:
        _check_codec(read["_Filter"], codec)
    return codec


def _check_codec(attribute: _SpecialAttribute, codec: Filter | None) -> None:
    """Raise an error about the attribute if its codec cannot encode."""
    fault = None if codec is None else writing_fault(codec.to_json())
    if fault is not None:
        raise attribute.error(fault)


def _parse_hdf5_filters(attribute: _SpecialAttribute) -> list[Hdf5Filter]:
    text = attribute.text()
    filters = []
    for spec in text.split("|"):
        numbers = parse_numbers(spec)
        if numbers is None:
            raise attribute.error(
                f'"{shorten(spec)}" is not a valid filter',
                'write "ID,PARAMETER,...", and separate several filters by |',
            )
        identifier, *parameters = numbers
        if not all(0 <= number <= Atomic.UINT.limits[1] for number in numbers):
            raise attribute.error(f'"{shorten(spec)}" has a number of more than 32 bits')
        filters.append(Hdf5Filter(identifier, tuple(parameters)))
    return filters


def _parse_codecs(attribute: _SpecialAttribute) -> tuple[Filter, ...]:
    try:
        documents = json.loads(attribute.text())
    except (ValueError, RecursionError):
        raise attribute.error("the value is not valid JSON") from None
    documents = documents if isinstance(documents, list) else [documents]
    for document in documents:
        if not isinstance(document, dict) or not isinstance(document.get("id"), str):
            raise attribute.error('each codec must be a JSON object with an "id"')
    codecs = tuple(Filter.from_json(document) for document in documents)
    for codec in codecs:
        _check_codec(attribute, codec)
    return codecs


def read_quantize(
    source: SourceText,
    attributes: Mapping[str, Attribute],
    at: int,
    nc_type: NcType,
    notify: Notify,
) -> Quantization | None:
    """Return the rounding that a variable's attributes request, or None."""
    for algorithm, name in QUANTIZE_ATTRIBUTES.items():
        if name not in attributes:
            continue
        values = attributes[name].values
        most = MAX_DIGITS.get((algorithm, nc_type)) if isinstance(nc_type, Atomic) else None
        if most is None:
            location = source.location(at)
            notify(
                Notice(
                    "special-attribute-ignored",
                    f"{name} has no effect: only float and double can be quantized",
                    location,
                )
            )
            return None
        if len(values) != 1 or not isinstance(values[0], int) or not 1 <= values[0] <= most:
            raise source.error(at, f"{name}: expected one whole number from 1 to {most}")
        return Quantization(algorithm=algorithm, digits=values[0])
    return None


def read_dataset_attribute(
    source: SourceText, syntax: AttributeSyntax, notify: Notify
) -> NetcdfKind | None:
    """Check a special attribute of the dataset, and notify the user if it has no effect.

    Returns the kind of file in ``_Format``, and None for the other attributes.
    """
    attribute = _SpecialAttribute(
        source, syntax, parse_items(source, syntax.data.start, syntax.data.stop)
    )
    location = source.location(syntax.name.at)
    if attribute.name == "_Format":
        kind = kind_of(attribute.text())
        if kind is None:
            raise attribute.error(
                f'"{shorten(attribute.text())}" is not a netCDF format', 'write "netCDF-4"'
            )
        return kind
    if attribute.name == "_NCProperties":
        attribute.text()
        notify(
            Notice(
                "special-attribute-ignored",
                "_NCProperties has no effect: ncz writes its own",
                location,
            )
        )
    elif attribute.name == "_SuperblockVersion":
        attribute.integer()
    elif not attribute.flag():
        notify(
            Notice(
                "special-attribute-ignored",
                "_IsNetcdf4 = 0 has no effect: every Zarr store is netCDF-4",
                location,
            )
        )
    return None
