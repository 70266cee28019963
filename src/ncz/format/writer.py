"""A dataset to a store of Zarr V2: NCZarr as netcdf-c 4.10 reads it, or pure as xarray does.

What cannot be held is found first; then chunks are written, the documents of arrays, those of
groups, and the root's last, so that a store that was begun and not finished is not taken for one.
The same dataset gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ncz import __version__
from ncz.codec.chain import codec_id, is_object_codec
from ncz.errors import LossError, Notice, Notify, ignore_notice
from ncz.format import nczarr
from ncz.format.attributes import (
    DEFAULT_STRING_LENGTH,
    DIMENSION_NAMES,
    PROPERTIES,
    dtype_of_attribute,
    write_attribute,
)
from ncz.format.chunking import default_chunks
from ncz.format.documents import Json, print_document
from ncz.format.dtypes import Encoding, encoding_for, write_fill
from ncz.format.losses import faults, hidden_attributes, pure_losses
from ncz.format.nczarr import ArrayNote, GroupNote
from ncz.format.quantized import QuantizedSource, write_quantize
from ncz.format.stored import write_chunks
from ncz.format.strings import DEFAULT_MAXIMUM, MAXIMUM, declared_length, string_length
from ncz.format.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP, ArrayDocument, print_array
from ncz.model.data import recut
from ncz.model.filters import Filter
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    walk,
)
from ncz.model.types import Atomic, Value
from ncz.zmap import WritableZmap
from ncz.zmap.key import join_key

_SCALAR_DIMENSION = "_scalar_"
_JSON = "|J0"
"""How the types of NCZarr's own notes are noted."""

_FLOATING = (Atomic.FLOAT, Atomic.DOUBLE)

_COMPRESSORS = frozenset({"zlib", "gzip", "bz2", "lzma", "lz4", "zstd", "blosc", "szip"})
"""Codecs that stand in `compressor` when they come last, where readers look for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """How a store is written. `flavour` is "nczarr" or "zarr" (pure)."""

    flavour: str = "nczarr"
    xarray: bool = True
    """Write `_ARRAY_DIMENSIONS`."""
    consolidated: bool = False
    """Write `.zmetadata`, too."""
    separator: str = "."
    """Between the indices of a chunk's key: "." or "/"."""
    char: str | None = None
    """The dtype of char: ">S1" or "|S1"; by default ">S1" in NCZarr and "|S1" in pure Zarr."""

    @property
    def pure(self) -> bool:
        """True for Zarr without NCZarr's annotations."""
        return self.flavour == "zarr"


def write_dataset(
    dataset: Dataset,
    zmap: WritableZmap,
    options: WriteOptions = WriteOptions(),
    notify: Notify = ignore_notice,
) -> None:
    """Write all of `dataset` to an empty store.

    Raises `LossError`, before anything is written, if it has what the store cannot hold; it
    lists every such thing. In pure Zarr, what is merely not recorded is reported.
    """
    found = list(faults(dataset, pure=options.pure))
    if found:
        raise LossError(
            f"Zarr V2 cannot hold {'; '.join(found)}",
            do="rename or convert what is listed; nothing was written",
        )
    for notice in hidden_attributes(dataset):
        notify(notice)
    if options.pure:
        for notice in pure_losses(dataset, xarray=options.xarray):
            notify(notice)
    _Writing(dataset, zmap, options, notify).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How one array is stored. `fill` is what a missing chunk holds, None if that is not said."""

    document: ArrayDocument
    encoding: Encoding
    fill: Value


class _Writing:
    """One run of the writer."""

    def __init__(
        self, dataset: Dataset, zmap: WritableZmap, options: WriteOptions, notify: Notify
    ) -> None:
        self.root = dataset.root
        self.zmap = zmap
        self.options = options
        self.notify = notify
        self.dimensions = dimensions_by_fqn(dataset.root)
        self.documents: dict[str, dict[str, Json]] = {}
        self.default_length = (
            declared_length(self.root.attributes, DEFAULT_MAXIMUM) or DEFAULT_STRING_LENGTH
        )

    def run(self) -> None:
        """Write everything, the root's documents last."""
        groups = list(walk(self.root))
        plans = [
            (join(fqn, variable.name), variable, self.plan(variable, fqn))
            for fqn, group in groups
            for variable in group.variables
        ]
        self.notify_of_char([fqn for fqn, _, plan in plans if plan.document.dtype == ">S1"])
        self.notify_of_fill([fqn for fqn, _, plan in plans if _has_literal_text_fill(plan)])
        for fqn, variable, plan in plans:
            self.write_array(fqn, variable, plan)
        for fqn, group in reversed(groups[1:]):
            self.put(fqn, ATTRIBUTES, self.group_attributes(group))
            self.put(fqn, GROUP, {"zarr_format": 2})
        self.write_root()

    def write_root(self) -> None:
        attributes = self.group_attributes(self.root, is_root=True)
        zgroup: dict[str, Json] = {"zarr_format": 2}
        if self.options.consolidated:
            metadata = {
                GROUP: zgroup,
                ATTRIBUTES: attributes,
                **dict(sorted(self.documents.items())),
            }
            document = {"metadata": metadata, "zarr_consolidated_format": 1}
            self.zmap.put(CONSOLIDATED, print_document(document))
        self.put("", ATTRIBUTES, attributes)
        self.put("", GROUP, zgroup)

    def put(self, fqn: str, name: str, document: dict[str, Json]) -> None:
        """Write one metadata object, and remember it for `.zmetadata`."""
        key = join_key(fqn, name)
        self.documents[key] = document
        self.zmap.put(key, print_document(document))

    def notify_of_fill(self, names: list[str]) -> None:
        """Say once that zarr-python takes for base64 what netcdf-c takes as it is."""
        if names:
            self.notify(
                Notice(
                    "the fill_value is text, which zarr-python takes for base64: it will show"
                    f" another, or not open the store: {_examples(names)}",
                    do="use mode=zarr, or no _FillValue, if it is to read them",
                )
            )

    def notify_of_char(self, names: list[str]) -> None:
        """Say once that zarr-python will not open what NCZarr's document wants for char."""
        if names:
            self.notify(
                Notice(
                    'char is stored as ">S1", and zarr-python and xarray will not open the store:'
                    f" {_examples(names)}",
                    do='use --char "|S1", or mode=zarr, if they are to read it',
                )
            )

    def plan(self, variable: Variable, group: str) -> _Plan:
        """Everything about one array but its chunks."""
        fqn = join(group, variable.name)
        storage = variable.storage
        dimensions = [self.dimensions[d] for d in variable.dimensions]
        nc_type = variable.type
        assert isinstance(nc_type, Atomic)
        fill = self.fill_of(variable)
        length = None
        if nc_type is Atomic.STRING:
            length = string_length(fqn, variable.data, fill, self.declared_length(variable))
        encoding = encoding_for(
            nc_type,
            endianness=storage.endianness,
            string_length=length,
            char=self.options.char or ("|S1" if self.options.pure else ">S1"),
            pure=self.options.pure,
        )
        shape = tuple(d.size for d in dimensions)
        chunks = self.chunks_of(variable, dimensions, fqn)
        codecs = tuple(
            _with_item_size(codec, encoding.item_size)
            for codec in storage.filters or ()
            if not is_object_codec(codec.to_json())
        )
        has_compressor = bool(codecs) and codec_id(codecs[-1].to_json()) in _COMPRESSORS
        document = ArrayDocument(
            shape=shape,
            chunks=chunks,
            dtype=encoding.dtype,
            fill_value=write_fill(fill, encoding),
            filters=codecs[:-1] if has_compressor else codecs,
            compressor=codecs[-1] if has_compressor else None,
            separator=self.options.separator,
        )
        return _Plan(document=document, encoding=encoding, fill=fill)

    def fill_of(self, variable: Variable) -> Value:
        """What a missing chunk holds; None if the variable is not to be filled."""
        if variable.storage.no_fill:
            return None
        if variable.storage.fill is not None:
            return variable.storage.fill
        attribute = variable.attribute("_FillValue")
        if attribute is not None and attribute.type is variable.type and len(attribute.values) == 1:
            return attribute.values[0]
        assert isinstance(variable.type, Atomic)
        return variable.type.default_fill

    def declared_length(self, variable: Variable) -> int | None:
        """The declared bytes of a string variable's elements; None if nobody declared them."""
        return (
            variable.storage.string_length
            or declared_length(variable.attributes, MAXIMUM)
            or declared_length(self.root.attributes, DEFAULT_MAXIMUM)
        )

    def chunks_of(
        self, variable: Variable, dimensions: list[Dimension], fqn: str
    ) -> tuple[int, ...]:
        """The chunk shape: as asked for; one chunk if contiguous; or netcdf-c's default."""
        assert isinstance(variable.type, Atomic)
        default = default_chunks(dimensions, variable.type.size)
        storage = variable.storage
        if storage.chunks is None:
            if storage.layout in ("contiguous", "compact"):
                return tuple(max(1, d.size) for d in dimensions)
            return default
        if len(storage.chunks) != len(dimensions):
            self.notify(
                Notice(
                    f"{len(storage.chunks)} chunk sizes for {len(dimensions)} dimensions; the"
                    " default is used",
                    fqn,
                )
            )
            return default
        return tuple(n if n > 0 else d for n, d in zip(storage.chunks, default, strict=True))

    def write_array(self, fqn: str, variable: Variable, plan: _Plan) -> None:
        """Chunks first, then the attributes, then the array's own document."""
        data = None if variable.data is None else recut(variable.data, plan.document.chunks)
        quantize = variable.storage.quantize
        if data is not None and quantize is not None and plan.encoding.type in _FLOATING:
            data = QuantizedSource(data, quantize)
        if data is not None:
            key = join_key(fqn)
            write_chunks(self.zmap, key, data, plan.document.layout, plan.encoding, plan.fill)
        document = plan.document
        if not document.shape and not self.options.pure:
            # netcdf-c takes no notice of an array of shape [].
            document = replace(document, shape=(1,), chunks=(1,))
        self.put(fqn, ATTRIBUTES, self.array_attributes(variable, plan))
        self.put(fqn, ARRAY, print_array(document))

    def array_attributes(self, variable: Variable, plan: _Plan) -> dict[str, Json]:
        """The `.zattrs` of an array."""
        attributes = list(variable.attributes)
        if variable.storage.quantize is not None:
            told = write_quantize(variable.storage.quantize)
            if variable.attribute(told.name) is None:
                attributes.append(told)
        length = plan.encoding.string_length or self.default_length
        members, types = self.user_attributes(attributes, length)
        if self.options.xarray:
            names = [base_name(d) for d in variable.dimensions]
            scalar = [] if self.options.pure else [_SCALAR_DIMENSION]
            members[DIMENSION_NAMES] = names or scalar
        if not self.options.pure:
            is_plain = variable.type is not Atomic.CHAR or plan.document.dtype == ">S1"
            note = ArrayNote(
                dimension_references=variable.dimensions,
                scalar=not variable.dimensions,
                type=None if is_plain else Atomic.CHAR.word,
            )
            members[nczarr.ARRAY] = nczarr.write_array_note(note)
            members[nczarr.TYPES] = {
                "types": {**types, nczarr.ARRAY: _JSON, nczarr.TYPES: _JSON},
            }
        return members

    def group_attributes(self, group: Group, *, is_root: bool = False) -> dict[str, Json]:
        """The `.zattrs` of a group."""
        attributes = [a for a in group.attributes if not (is_root and a.name == PROPERTIES)]
        members, types = self.user_attributes(attributes, self.default_length)
        if self.options.pure:
            return members
        if is_root:
            members[PROPERTIES] = f"version=2,ncz={__version__},nczarr=2.0.0"
            types[PROPERTIES] = ">S1"
        note = GroupNote(
            dimensions=group.dimensions,
            arrays=tuple(v.name for v in group.variables),
            groups=tuple(g.name for g in group.groups),
        )
        members[nczarr.GROUP] = nczarr.write_group_note(note)
        types[nczarr.GROUP] = _JSON
        if is_root:
            members[nczarr.SUPERBLOCK] = nczarr.write_superblock()
            types[nczarr.SUPERBLOCK] = _JSON
        members[nczarr.TYPES] = {"types": {**types, nczarr.TYPES: _JSON}}
        return members

    def user_attributes(
        self, attributes: Sequence[Attribute], length: int
    ) -> tuple[dict[str, Json], dict[str, Json]]:
        """The attributes' values and their dtypes, in order."""
        typed = not self.options.pure
        return (
            {a.name: write_attribute(a, typed=typed) for a in attributes},
            {a.name: dtype_of_attribute(a, length) for a in attributes},
        )


def _examples(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" and more" if len(names) > 5 else "")


def _has_literal_text_fill(plan: _Plan) -> bool:
    """True if the array would be read by zarr-python but for its `fill_value`."""
    is_text = plan.encoding.type in (Atomic.CHAR, Atomic.STRING)
    is_literal = not plan.encoding.base64_fill and bool(plan.document.fill_value)
    return is_text and is_literal and plan.document.dtype != ">S1"


def _with_item_size(codec: Filter, item_size: int) -> Filter:
    """The codec; shuffle with the size of an element, without which no reader undoes it."""
    if codec_id(codec.to_json()) != "shuffle":
        return codec
    return Filter.from_json({**codec.to_json(), "elementsize": item_size})
