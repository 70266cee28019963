"""A dataset to a store: NCZarr as netcdf-c 4.10 reads it, or pure as xarray does; Zarr V2 or V3.

What cannot be held is found first; then chunks are written, the documents of arrays, those of
groups, and the root's last, so that a store that was begun and not finished is not taken for one.
The same dataset gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ncz._version import __version__
from ncz.codec.lookup import is_kind
from ncz.errors import Notify, ignore_notice
from ncz.formats.zarr.array.array import write_chunks
from ncz.formats.zarr.document.consolidated import consolidated
from ncz.formats.zarr.document.json import Json, print_document
from ncz.formats.zarr.document.v2 import (
    ARRAY,
    ATTRIBUTES,
    CONSOLIDATED,
    GROUP,
    ArrayDocument,
    print_array,
)
from ncz.formats.zarr.element.encoding import write_fill
from ncz.formats.zarr.mapping.attributes import (
    DEFAULT_STRING_LENGTH,
    DIMENSION_NAMES,
    PROPERTIES,
    dtype_of_attribute,
    write_attribute,
)
from ncz.formats.zarr.mapping.quantize import QuantizedSource, write_quantize
from ncz.formats.zarr.mapping.strings import DEFAULT_MAXIMUM, declared_length
from ncz.formats.zarr.nczarr import v2 as nczarr
from ncz.formats.zarr.nczarr.v2 import ArrayNote, GroupNote
from ncz.formats.zarr.plan import (
    AS_NETCDF_C,
    ArrayPlan,
    DatasetPlan,
    WriteOptions,
    check_codecs,
    plan_dataset,
)
from ncz.formats.zarr.writer_v3 import WritingV3
from ncz.model.data import rechunk
from ncz.model.layout import in_order
from ncz.model.tree import Attribute, Dataset, Group, base_name, walk
from ncz.model.types import Atomic
from ncz.zmap import WritableZmap
from ncz.zmap.key import join_key

_SCALAR_DIMENSION = "_scalar_"
_JSON = "|J0"
"""How the types of NCZarr's own notes are noted."""

_FLOATING = (Atomic.FLOAT, Atomic.DOUBLE)

WriteData = Callable[[WritableZmap, ArrayPlan], None]
"""What writes the chunks of one array."""


def write_dataset(
    dataset: Dataset,
    zmap: WritableZmap,
    options: WriteOptions = AS_NETCDF_C,
    notify: Notify = ignore_notice,
) -> None:
    """Write all of `dataset` to an empty store.

    Raises `LossError`, before anything is written, if it has what the store cannot hold; it
    lists every such thing. In pure Zarr, what is merely not recorded is reported.
    """
    plan = plan_dataset(dataset, options, notify)
    check_codecs(plan.arrays)
    for notice in plan.losses:
        notify(notice)
    write_plan(plan, zmap)


def write_values(zmap: WritableZmap, array: ArrayPlan) -> None:
    """Write the values that the variable's source gives, rounded if that is asked for."""
    source = array.variable.data
    if source is None:
        return
    source = rechunk(source, array.layout.chunks)
    quantize = array.variable.storage.quantize
    if quantize is not None and array.encoding.type in _FLOATING:
        source = QuantizedSource(source, quantize)
    write_chunks(zmap, array.key, source, array.layout, array.encoding, array.fill, array.keys)


def write_plan(plan: DatasetPlan, zmap: WritableZmap, write_data: WriteData = write_values) -> None:
    """Write what is planned to an empty store; `write_data` writes the chunks of each array."""
    writing = _Writing(plan, zmap) if plan.options.zarr_format == 2 else WritingV3(plan, zmap)
    for array in plan.arrays:
        write_data(zmap, array)
        writing.write_array(array)
    writing.write_groups()


class _Writing:
    """The documents of one store of Zarr V2."""

    def __init__(self, plan: DatasetPlan, zmap: WritableZmap) -> None:
        self.plan = plan
        self.root = plan.dataset.root
        self.zmap = zmap
        self.options = plan.options
        self.documents: dict[str, dict[str, Json]] = {}
        self.default_length = (
            declared_length(self.root.attributes, DEFAULT_MAXIMUM) or DEFAULT_STRING_LENGTH
        )

    def write_groups(self) -> None:
        """Write the documents of all groups, the root's last."""
        groups = list(walk(self.root))
        for fqn, group in reversed(groups[1:]):
            self.put(fqn, ATTRIBUTES, self.group_attributes(group))
            self.put(fqn, GROUP, {"zarr_format": 2})
        self.write_root()

    def write_root(self) -> None:
        """Write the root's documents, and `.zmetadata` before them."""
        attributes = self.group_attributes(self.root, is_root=True)
        zgroup: dict[str, Json] = {"zarr_format": 2}
        if self.options.consolidated:
            documents = {GROUP: zgroup, ATTRIBUTES: attributes, **self.documents}
            self.zmap.put(CONSOLIDATED, print_document(consolidated(documents)))
        self.put("", ATTRIBUTES, attributes)
        self.put("", GROUP, zgroup)

    def put(self, fqn: str, name: str, document: dict[str, Json]) -> None:
        """Write one metadata object, and remember it for `.zmetadata`."""
        key = join_key(fqn, name)
        self.documents[key] = document
        self.zmap.put(key, print_document(document))

    def write_array(self, array: ArrayPlan) -> None:
        """Write the attributes, then the array's own document."""
        layout = array.layout
        # A compressor that comes last is the member `compressor`, where readers look for it.
        has_compressor = bool(layout.codecs) and is_kind(layout.codecs[-1].to_json(), "compressor")
        # netcdf-c takes no notice of an array of shape [].
        is_stretched = not layout.shape and not self.options.pure
        document = ArrayDocument(
            shape=(1,) if is_stretched else layout.shape,
            chunks=(1,) if is_stretched else layout.chunks,
            dtype=array.encoding.dtype,
            fill_value=None if self.is_mask_by_accident(array) else self.fill_value(array),
            order="C" if layout.order == in_order(layout.rank) else "F",
            filters=layout.codecs[:-1] if has_compressor else layout.codecs,
            compressor=layout.codecs[-1] if has_compressor else None,
            separator=array.keys.separator,
        )
        self.put(array.fqn, ATTRIBUTES, self.array_attributes(array))
        self.put(array.fqn, ARRAY, print_array(document))

    def fill_value(self, array: ArrayPlan) -> Json:
        """The `fill_value` of an array."""
        return write_fill(array.fill, array.encoding)

    def is_mask_by_accident(self, array: ArrayPlan) -> bool:
        """Whether xarray would take for missing what is a mere zero of V3, which always has a fill.

        In V2 it masks `fill_value`, in V3 the attribute ``_FillValue`` alone.
        """
        return (
            self.options.pure
            and self.plan.dataset.provenance.zarr_format == 3
            and array.variable.attribute("_FillValue") is None
            and array.fill in (0, "", "\0")
        )

    def array_attributes(self, array: ArrayPlan) -> dict[str, Json]:
        """The `.zattrs` of an array."""
        variable = array.variable
        attributes = list(array.attributes)
        if variable.storage.quantize is not None:
            told = write_quantize(variable.storage.quantize)
            if variable.attribute(told.name) is None:
                attributes.append(told)
        length = array.encoding.string_length or self.default_length
        members, types = self.user_attributes(attributes, length)
        if self.options.xarray:
            names = [base_name(d) for d in variable.dimensions]
            scalar = [] if self.options.pure else [_SCALAR_DIMENSION]
            members[DIMENSION_NAMES] = names or scalar
        if not self.options.pure:
            is_plain = variable.type is not Atomic.CHAR or array.encoding.dtype == ">S1"
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
