"""A Zarr store to a dataset.

Reads metadata only. Values are read on demand by `ncz.formats.zarr.arrays.array.ZarrArray`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import CONSOLIDATE, FormatError, NczError, Notice, Notify, ignore_notice
from ncz.formats.zarr.arrays.array import ZarrArray, ZeroedArray
from ncz.formats.zarr.documents.attributes import (
    RESERVED_IN_HDF5,
    is_annotation,
    read_attribute,
    read_user_attribute,
    typed_values,
)
from ncz.formats.zarr.documents.dimensions import Dimensions, original_names
from ncz.formats.zarr.documents.document_v2 import ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.documents.hierarchy import DOCUMENT_SIZE, ArrayNode, GroupNode, Metadata, Root
from ncz.formats.zarr.documents.notes import (
    PROPERTIES,
    ArrayNote,
    NotedJson,
    NotedTexts,
    UserTypeName,
)
from ncz.formats.zarr.documents.versions import find_root
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.types.dtypes import is_maskable, is_time
from ncz.formats.zarr.types.fill_values import read_fill, write_fill
from ncz.model.json_text import print_json
from ncz.model.tree import (
    Attribute,
    Dataset,
    Group,
    Provenance,
    Storage,
    Variable,
    join,
    mask_of,
    parent,
)
from ncz.model.types import Atomic, Compound, NcType, UserType, Value
from ncz.record import field, record, replace
from ncz.zmap import Zmap, report_misnamed_objects
from ncz.zmap.key import ZARR_JSON

if TYPE_CHECKING:
    from ncz.formats.zarr.documents.document import ArrayDocument
    from ncz.formats.zarr.types.dtypes import Encoding
    from ncz.model.chunks import ChunkLayout
    from ncz.model.filters import Filter
    from ncz.zmap.key import ChunkKeys


def open_dataset(
    zmap: Zmap,
    *,
    name: str,
    modes: Collection[str] = frozenset(),
    consolidated: bool | None = None,
    notify: Notify = ignore_notice,
    array: str | None = None,
    within: str = "",
) -> Dataset:
    """Read the dataset in a Zarr store: V2 or V3, pure or NCZarr of any generation.

    Only metadata is read; values are read on demand. An object below the root that is broken is
    left out, or read as far as possible, with a notice.

    Parameters
    ----------
    zmap
        The store. It must stay open as long as values are read.
    name
        The name of the dataset.
    modes
        "v2" or "v3" for a store of that version only, "zarr" to ignore NCZarr's annotations,
        "noxarray" to ignore the dimension names of a pure store.
    consolidated
        Whether to use consolidated metadata: True requires it, False ignores it, None uses it if it
        is there.
    notify
        Receives notices.
    array
        The name of the variable if the root is an array; `name` if it is left out.
    within
        The key of the group or the array that is read as a separate dataset.

    Raises
    ------
    FormatError
        If no store exists, or the documents of its root are broken.
    """
    store_root = root_of(zmap, modes, consolidated, notify)
    return read_tree(store_root, within, name, array or name, modes, consolidated, notify)


def root_of(zmap: Zmap, modes: Collection[str], consolidated: bool | None, notify: Notify) -> Root:
    """Return the contents of the root of a store. Raises `FormatError` if no store exists."""
    zmap.expect((key, DOCUMENT_SIZE) for key in (ZMETADATA, ZGROUP, ZATTRS, ZARR_JSON))
    if zmap.is_unfinished:
        notify(
            Notice(
                "change-unfinished",
                "a change is not complete; its new state is read",
                zmap.url,
                "ncz clean completes one that was interrupted",
            )
        )
    store_root = find_root(zmap, modes, consolidated, notify)
    if store_root is None:
        from ncz.formats.zarr.opening.lost_root import no_store  # rarely needed

        raise no_store(zmap)
    return store_root


def read_tree(
    store_root: Root,
    within: str,
    name: str,
    array: str,
    modes: Collection[str],
    consolidated: bool | None,
    notify: Notify,
) -> Dataset:
    """Return the dataset of a store, or of the node of it that has the key `within`."""
    zmap = store_root.metadata.zmap
    is_pure = "zarr" in modes
    superblock = 0 if is_pure else store_root.superblock
    if superblock and not store_root.has_superblock:
        place = store_root.metadata.attributes_location("")
        notify(Notice("annotation-missing", _NO_SUPERBLOCK, place))
    store_root, root = _load(store_root, within, array, superblock, modes, consolidated, notify)
    report_misnamed_objects(zmap, notify)
    if store_root.metadata.zarr_format == 3 and "v3" not in modes and not within:
        from ncz.formats.zarr.opening.mixed_versions import report_v2_documents

        report_v2_documents(zmap, root, notify)
    annotations = None if superblock else store_root.metadata.annotations
    if is_pure and (store_root.superblock or annotations is not None):
        annotations = None
        notify(Notice("annotations-ignored", _ANNOTATIONS_IGNORED, zmap.url, _OMIT_MODE))
    if annotations is not None:
        from ncz.formats.zarr.opening.annotation_merge import with_annotations

        root = with_annotations(root, annotations, zmap.url, notify)
    if not superblock:
        from ncz.formats.zarr.opening.ome_zarr import with_axes

        root = with_axes(root)
    noted = {group.fqn: group.note for group in root.walk() if group.note is not None}
    declared = {fqn: note.dimensions for fqn, note in noted.items()}
    dimensions = Dimensions(declared, by_name="noxarray" not in modes)
    types: Mapping[str, UserType] = {}
    if any(note.types for note in noted.values()):  # of few stores
        from ncz.formats.zarr.opening.store_types import read_types

        types = read_types(root, store_root.metadata, notify)
    reading = _TreeReader(store_root.metadata, superblock, dimensions, types, notify)
    variables = {group.fqn: reading.variables(group) for group in root.walk()}
    dataset = Dataset(
        name=name,
        root=reading.group(root, variables),
        provenance=Provenance(
            properties=store_root.properties if isinstance(store_root.properties, str) else None,
            superblock=superblock,
            zarr_format=store_root.metadata.zarr_format,
            consolidated=store_root.metadata.has_consolidated,
            annotated=annotations is not None,
        ),
    )
    if not within:
        return dataset
    from ncz.model.subtree import subtree_at  # rarely needed

    return subtree_at(dataset, join("", within))


_ANNOTATIONS_IGNORED = (
    "mode=zarr ignores annotations, such as unlimited dimensions and types of attributes"
)
_OMIT_MODE = "omit mode=zarr to read them"
_NO_SUPERBLOCK = "the root has no NCZarr superblock; its other annotations are used"


def _load(
    store_root: Root,
    within: str,
    name: str,
    superblock: int,
    modes: Collection[str],
    consolidated: bool | None,
    notify: Notify,
) -> tuple[Root, GroupNode]:
    """Read the tree: from the documents of its nodes if consolidated metadata are older than these.

    Another program has changed the store then. If the documents lack a node, consolidated metadata
    are read, and the rest is reported as a loss.
    """
    notices: list[Notice] = []
    root = store_root.metadata.load(name, superblock, notices.append, within)
    is_stale = any(notice.code == "consolidated-stale" for notice in notices)
    if is_stale and consolidated is None:
        own: list[Notice] = []
        again = find_root(store_root.metadata.zmap, modes, False, ignore_notice)
        tree = None if again is None else again.metadata.load(name, superblock, own.append, within)
        is_whole = tree is not None and _keys(root) <= _keys(tree)
        if again is not None and tree is not None and is_whole and not any(n.lost for n in own):
            stale = [n for n in notices if n.code == "consolidated-stale"]
            notices = [*(replace(n, lost=False, hint=_RENEW) for n in stale), *own]
            store_root, root = again, tree
    for notice in notices:
        notify(notice)
    return store_root, root


_RENEW = f"the documents themselves are read; run {CONSOLIDATE} for other readers"


def _keys(group: GroupNode) -> frozenset[str]:
    """Return the keys of a group and of everything below it."""
    return frozenset(node.key for node in group.nodes())


_NO_NOTE = ArrayNote(dimension_references=None)


@record
class _StoredArray:
    """The storage of an array, shared with other arrays that have the same document."""

    document: ArrayDocument
    layout: ChunkLayout
    encoding: Encoding
    keys: ChunkKeys
    storage: Storage


@record
class _TreeReader:
    """Turns nodes into variables and groups.

    Variables are read first, because they may need dimensions that groups do not note.
    """

    metadata: Metadata
    superblock: int
    dimensions: Dimensions
    types: Mapping[str, UserType]
    """The user-defined types that NCZarr notes, by FQN."""
    notify: Notify
    _stored: dict[tuple[Any, ...], _StoredArray] = field(default_factory=dict)
    """The results of `stored_array`, because many arrays share a document."""
    _texts: dict[tuple[str, str], Attribute] = field(default_factory=dict)
    """Attributes that are text, because many arrays share some (`units`)."""

    def variables(self, node: GroupNode) -> tuple[Variable, ...]:
        """Return the variables of a group."""
        read = [self.variable(array, node.fqn) for array in node.arrays]
        return tuple(variable for variable in read if variable is not None)

    def group(self, node: GroupNode, variables: Mapping[str, tuple[Variable, ...]]) -> Group:
        """Return a group with everything below it."""
        fqn = node.fqn
        attributes = self.attributes(node.attributes, node.types, node.key, is_root=not fqn)
        return Group(
            name=node.name,
            types=self.types_of(fqn, variables[fqn]),
            dimensions=self.dimensions.of(fqn),
            variables=variables[fqn],
            attributes=attributes,
            groups=tuple(self.group(child, variables) for child in node.groups),
        )

    def types_of(self, fqn: str, variables: Sequence[Variable]) -> tuple[UserType, ...]:
        """Return the user-defined types of a group: noted ones and types implied by dtypes."""
        own = [t for t in self.types.values() if parent(t.name) == fqn]
        if all(isinstance(variable.type, Atomic) for variable in variables):
            return tuple(own)
        from ncz.formats.zarr.opening.store_types import implied_types

        return (*own, *(t for v in variables for t in implied_types(v.type, self.types)))

    def variable(self, node: ArrayNode, group: str) -> Variable | None:
        """Return the variable of an array; None, with a notice, if its type cannot be read."""
        location = self.metadata.array_location(node.key)
        document, note = node.document, node.note or _NO_NOTE
        try:
            stored = self.stored_array(node, group)
        except NczError as error:
            text = f"{error.message}; the variable is left out"
            self.notify(Notice("variable-left-out", text, location, lost=True))
            return None
        layout, encoding, storage = stored.layout, stored.encoding, stored.storage
        attributes = self.variable_attributes(node, stored)
        if document.lacks_fill:
            fill = mask_of(attributes, encoding.type)
            storage = replace(storage, fill=fill, no_fill=fill is None)
        if any(attribute.name.startswith("_Quantize") for attribute in attributes):
            from ncz.formats.zarr.documents.quantization import read_quantize

            storage = replace(storage, quantize=read_quantize(attributes))
        dimensions = self.dimensions.resolve(node, layout.shape, group, location, self.notify)
        is_zeroed = note.fill_value is not None and document.no_fill and not self.superblock
        kind = ZeroedArray if is_zeroed and encoding.item_size else ZarrArray
        kept = note.values
        is_unnamed = node.dimension_names is None and document.fill_is_mask
        return Variable(
            name=node.name,
            type=encoding.type,
            dimensions=dimensions,
            axis_names=original_names(node, dimensions, by_name=self.dimensions.by_name),
            is_unnamed=self._is_bare(node) and is_unnamed,
            attributes=attributes,
            storage=storage,
            data=kind(
                self.metadata.zmap,
                node.key,
                layout,
                encoding,
                storage.fill,
                stored.keys,
                has_fill=not document.no_fill,
                kept=None if kept is None or kept.shape != layout.shape else kept.sums,
            ),
        )

    def variable_attributes(self, node: ArrayNode, stored: _StoredArray) -> tuple[Attribute, ...]:
        """Return the attributes of a variable; the fill value of some arrays is a mask."""
        document, note = node.document, node.note or _NO_NOTE
        encoding, fill = stored.encoding, stored.storage.fill
        members = node.attributes if note.mask is None else _with_mask(node, note.mask)
        is_mask = self._fill_is_mask(node, stored)
        if is_mask:
            members = {name: value for name, value in members.items() if name != "_FillValue"}
        if "_FillValue" in members and not _is_noted_number(node, members["_FillValue"]):
            value = document.read_fill_attribute(members["_FillValue"], encoding.type)
            members = {**members, "_FillValue": value}
        attributes = self.attributes(members, node.types, node.key, variable_type=encoding.type)
        if is_mask:
            # An attribute contains text and times themselves, unlike `fill_value` (base64, "NaT").
            is_atomic = isinstance(encoding.type, Atomic)
            value = fill if node.note is None else document.fill(encoding)
            spelled = value if is_atomic else write_fill(value, encoding)
            mask = Attribute(
                name="_FillValue", type=encoding.type, values=(value,), original=(spelled,)
            )
            attributes = (mask, *attributes)
        if encoding.hints:
            present = {attribute.name for attribute in attributes}
            attributes += tuple(hint for hint in encoding.hints if hint.name not in present)
        is_netcdf_c = document.fill_is_mask and self._is_bare(node) and not is_mask
        if is_netcdf_c and not stored.layout.shape and isinstance(encoding.type, Atomic):
            attributes = _with_fill(attributes, encoding.type, fill)
        return _in_order(attributes, note.attribute_order) if note.attribute_order else attributes

    def _is_bare(self, node: ArrayNode) -> bool:
        """Return whether no annotation states whether the fill value is a mask."""
        return not self.superblock and node.note is None

    def _fill_is_mask(self, node: ArrayNode, stored: _StoredArray) -> bool:
        """Return whether readers take the fill value of an array as a missing value."""
        document, note = node.document, node.note or _NO_NOTE
        return (
            document.fill_is_mask
            and not self.superblock
            and not document.no_fill
            and not note.no_mask
            and is_maskable(stored.encoding)
            and not is_time(stored.encoding)  # NaT is missing, with any fill value
            and self.dimensions.names_axes(node, stored.layout.shape)
        )

    def stored_array(self, node: ArrayNode, group: str) -> _StoredArray:
        """Return the storage of an array of the group with FQN `group`. Raises `NczError`."""
        document, note = node.document, node.note or _NO_NOTE
        noted, user_type = note.fill_value, note.user_type
        no_fill = (document.no_fill and noted is None) or note.no_fill
        fill_key = None if noted is None else print_json(noted)
        key = id(document), note.type, user_type, no_fill, fill_key, note.keeps_empty
        cached = self._stored.get(key)
        if cached is not None:
            return cached
        layout = document.layout
        type_name = join(group, f"{node.name}_t")
        encoding = document.encoding(
            nczarr=self.superblock > 0, alias=note.type, type_name=type_name
        )
        if note.keeps_empty and encoding.type is Atomic.STRING:
            encoding = replace(encoding, keeps_empty=True)
        if user_type is not None:
            try:
                encoding = self.noted_encoding(encoding, user_type, layout.inner_codecs)
            except FormatError:
                if self.superblock:
                    raise  # pure Zarr is read without an annotation that does not fit
        fill = None
        if noted is not None:
            try:
                fill = read_fill(noted, encoding)
            except FormatError:
                if self.superblock:
                    raise  # pure Zarr is read unchanged
        else:
            fill = document.fill(encoding) if not no_fill or is_time(encoding) else None
        storage = Storage(
            storage_class="chunked",
            chunks=layout.reading_grid.chunks,
            shards=layout.chunks if layout.shard is not None else None,
            endianness=encoding.endianness,
            filters=layout.inner_codecs,
            fill=fill,
            no_fill=no_fill and noted is None,
            string_length=encoding.string_length,
        )
        stored = _StoredArray(document, layout, encoding, document.keys, storage)
        if isinstance(encoding.type, Atomic):  # a user-defined type is named after the variable
            self._stored[key] = stored
        return stored

    def noted_encoding(self, plain: Encoding, name: str, codecs: tuple[Filter, ...]) -> Encoding:
        """Return the encoding of an array whose type is noted.

        `plain` is the encoding by the dtype alone. Raises `FormatError` if the type is not
        declared, or the dtype contains other values.
        """
        from ncz.formats.zarr.types.user_types import as_noted

        if name not in self.types:
            raise FormatError(f"its type {name} is not declared")
        return as_noted(plain, self.types[name], codecs)

    def attributes(
        self,
        members: Mapping[str, Json],
        types: Mapping[str, Json],
        key: str,
        *,
        variable_type: NcType | None = None,
        is_root: bool = False,
    ) -> tuple[Attribute, ...]:
        """Return the attributes of a node, without attributes of the format."""
        location = self.metadata.attributes_location(key)
        attributes = []
        for name, value in members.items():
            if is_annotation(name) or (is_root and name == PROPERTIES):
                continue
            if name in RESERVED_IN_HDF5:
                text = f"attribute {name} is reserved by HDF5; not shown"
                self.notify(Notice("attribute-hidden", text, location, hidden=True))
                continue
            noted = types.get(name)
            if isinstance(noted, NotedTexts):
                original = noted.attribute(name, value)
                if original is not None:
                    attributes.append(self._original(original, value))
                    continue
                noted = noted.dtype
            if isinstance(noted, NotedJson):
                attributes.append(
                    read_attribute(name, value, location=location, notify=self.notify)
                )
                continue
            if isinstance(noted, UserTypeName):
                typed = self.noted_attribute(name, value, noted.fqn, location)
                attributes.append(self._original(typed, value))
                continue
            mask = _complex_mask(value, variable_type) if name == "_FillValue" else None
            if mask is not None:
                attributes.append(mask)
                continue
            is_plain = noted is None and name != "_FillValue" and isinstance(value, str)
            attribute = self._texts.get((name, value)) if is_plain else None
            if attribute is None:
                attribute = read_attribute(
                    name,
                    value,
                    noted,
                    variable_type=variable_type if isinstance(variable_type, Atomic) else None,
                    location=location,
                    notify=self.notify,
                )
                attribute = self._original(attribute, value)
                if is_plain:
                    self._texts[name, value] = attribute
            attributes.append(attribute)
        return tuple(attributes)

    def noted_attribute(self, name: str, value: Json, type_name: str, location: str) -> Attribute:
        """Return an attribute of a noted type. If it does not fit, its type is inferred."""
        nc_type = self.types.get(type_name)
        attribute = None if nc_type is None else read_user_attribute(name, value, nc_type)
        if attribute is not None:
            return attribute
        fault = "is not declared" if nc_type is None else "does not fit"
        text = f"attribute {name}: its type {type_name} {fault}; a type is inferred"
        self.notify(Notice("attribute-type-inferred", text, location, lost=True))
        return read_attribute(name, value, location=location, notify=self.notify)

    def _original(self, attribute: Attribute, value: Json) -> Attribute:
        """Return an attribute with its JSON, which copies to pure Zarr keep, if this is pure."""
        if self.superblock or attribute.original is not None:
            return attribute
        return replace(attribute, original=(value,))


def _complex_mask(value: Json, variable_type: NcType | None) -> Attribute | None:
    """Return the mask of complex numbers that xarray writes in Zarr V3; None for other values."""
    parts = value[0] if isinstance(value, list) and len(value) == 1 else None
    if not isinstance(variable_type, Compound) or not isinstance(parts, list) or len(parts) != 2:
        return None
    from ncz.formats.zarr.types.user_types import is_complex_type

    if not is_complex_type(variable_type) or not all(isinstance(part, float) for part in parts):
        return None
    number = tuple(parts)
    return Attribute(name="_FillValue", type=variable_type, values=(number,), original=(parts,))


def _is_noted_number(node: ArrayNode, mask: Json) -> bool:
    """Return whether a mask is a number by its noted type, and not the code of a char."""
    noted = node.types.get("_FillValue")
    if type(mask) is not int or not isinstance(noted, str):
        return False
    return typed_values(mask, noted) == (mask,)


def _with_mask(node: ArrayNode, mask: Json) -> dict[str, Json]:
    """Return the attributes with the noted ``_FillValue``, at the place of its noted type."""
    names = list(node.types)
    later = names[names.index("_FillValue") :] if "_FillValue" in names else names
    before = {n: value for n, value in node.attributes.items() if n not in later}
    return {**before, "_FillValue": mask, **node.attributes}


def _in_order(attributes: tuple[Attribute, ...], names: tuple[str, ...]) -> tuple[Attribute, ...]:
    """Return the attributes in the order of `names`, then the others."""
    places = {name: place for place, name in enumerate(names)}
    return tuple(sorted(attributes, key=lambda a: places.get(a.name, len(places))))


def _with_fill(
    attributes: tuple[Attribute, ...], nc_type: Atomic, fill: Value
) -> tuple[Attribute, ...]:
    """Return the attributes of a scalar of pure Zarr V2 as netcdf-c shows them.

    netcdf-c shows the fill value of scalars, and of no other arrays, as ``_FillValue`` unless it is
    the type's default. It compares them with six digits.
    """
    default = nc_type.default_fill
    if fill is None or any(a.name == "_FillValue" for a in attributes):
        return attributes
    if fill == default or (nc_type.is_floating and f"{fill:.5e}" == f"{default:.5e}"):
        return attributes
    return (Attribute(name="_FillValue", type=nc_type, values=(fill,)), *attributes)
