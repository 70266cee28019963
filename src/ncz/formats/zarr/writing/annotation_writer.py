"""Write the annotations of pure Zarr, which consolidated metadata have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ncz.formats.kept_sums import KeptSums
from ncz.formats.zarr.documents import notes
from ncz.formats.zarr.documents.annotations import (
    digest_of,
    write_annotations,
    write_array,
    write_group,
)
from ncz.formats.zarr.documents.attributes import infer, write_attribute
from ncz.formats.zarr.documents.notes import ArrayNote, NotedJson, NotedTexts, OwnType, own_types_of
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.types.dtypes import is_maskable
from ncz.formats.zarr.types.fill_values import write_fill
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.node_metadata import (
    array_attributes,
    group_attributes,
    group_note,
    user_type_of,
)
from ncz.formats.zarr.writing.plan import DatasetPlan
from ncz.formats.zarr.writing.visibility import MASK_STAND_IN
from ncz.model.tree import Attribute, Variable, dimensions_by_fqn, walk
from ncz.model.types import Atomic
from ncz.record import record
from ncz.zmap.key import join_key


@record(kw_only=True)
class StoredNode:
    """The documents of a node of pure Zarr, as JSON.

    `fill_is_mask` is true if readers take `fill_value` for the mask of an array.
    """

    attributes: Mapping[str, Json]
    data_type: Json = None
    fill_value: Json = None
    fill_is_mask: bool = False


def annotations_of(
    plan: DatasetPlan,
    stored: Callable[[str], StoredNode],
    kept: Callable[[ArrayPlan], KeptSums | None],
) -> Json:
    """Return the annotations of a store of pure Zarr: the metadata that its documents lack.

    Parameters
    ----------
    plan
        The plan of the written store.
    stored
        Returns the contents of the documents of the node at a key.
    kept
        Returns the sums of the values of an array that are kept.
    """
    nodes: dict[str, Json] = {}
    for fqn, group in walk(plan.dataset.root):
        key = join_key(fqn)
        attributes = group_attributes(group, is_root=not fqn)
        types, own = _types_to_note(attributes, stored(key).attributes)
        nodes[key] = write_group(group_note(group), types, own)
    unlimited = {f: d.unlimited for f, d in dimensions_by_fqn(plan.dataset.root).items()}
    for array in plan.arrays:
        nodes[array.key] = _annotated_array(array, stored(array.key), unlimited, kept(array))
    return write_annotations({key: nodes[key] for key in sorted(nodes)})


def _annotated_array(
    array: ArrayPlan, stored: StoredNode, unlimited: Mapping[str, bool], kept: KeptSums | None
) -> Json:
    variable, members = array.variable, stored.attributes
    attributes = array_attributes(array)
    types, own = _types_to_note(attributes, members, variable)
    has_mask = stored.fill_is_mask and stored.fill_value is not None and is_maskable(array.encoding)
    is_stored = "_FillValue" in members or (has_mask and array.mask is not None)
    masks = [a for a in attributes if a.name == "_FillValue" and not is_stored]
    names = [attribute.name for attribute in attributes]
    as_read = sorted(names, key=lambda name: name != "_FillValue" or not has_mask)
    is_last = names[-1:] == ["_FillValue"] and ("_FillValue" in types or not (types or own))
    is_ordered = is_last if masks else names == as_read
    fill = write_fill(array.fill, array.encoding)
    noted_fill = None if fill == stored.fill_value else fill
    no_fill = array.fill is None and stored.fill_value is not None
    no_mask = has_mask and array.mask is None
    note = ArrayNote(
        dimension_references=variable.dimensions,
        type=Atomic.CHAR.word if variable.type is Atomic.CHAR else None,
        user_type=user_type_of(variable),
        keeps_empty=array.encoding.keeps_empty,
        fill_value=noted_fill,
        beside_fill=(stored.fill_value,) if noted_fill is not None or no_fill or no_mask else (),
        mask=write_attribute(masks[0], typed=True) if masks else None,
        mask_stand_in=MASK_STAND_IN if MASK_STAND_IN in members.keys() - set(names) else None,
        no_fill=no_fill,
        no_mask=no_mask,
        values=kept,
        attribute_order=() if is_ordered or len(names) == 1 else tuple(names),
    )
    grows = [unlimited[fqn] for fqn in variable.dimensions]
    digest = digest_of(array.layout.shape, grows, stored.data_type, members)
    return write_array(note, types, own, digest)


def _types_to_note(
    attributes: Sequence[Attribute], members: Mapping[str, Json], variable: Variable | None = None
) -> tuple[dict[str, str], dict[str, OwnType]]:
    """Return the types of attributes that their JSON does not give back."""
    noted = own_types_of(attributes)
    own: dict[str, OwnType] = {n: t for n, t in noted.items() if not isinstance(t, NotedJson)}
    types = {}
    for attribute in attributes:
        name, nc_type = attribute.name, attribute.type
        masked = variable.type if name == "_FillValue" and variable is not None else None
        if not isinstance(nc_type, Atomic) or nc_type is masked:
            continue
        if nc_type is Atomic.STRING and not attribute.values:
            own[name] = NotedTexts(None, ())
        value = members.get(name)
        text = (attribute.text,) if nc_type is Atomic.CHAR and attribute.values else None
        # A mask without a noted type has the type of the variable.
        if masked is not None or name in own or infer(value) != (nc_type, text or attribute.values):
            types[name] = notes.V2.type_of(attribute, 1)
    return types, own
