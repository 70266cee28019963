"""What the documents of every version say alike of groups and arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ncz.formats.zarr.annotations import digest_of, write_annotations, write_array, write_group
from ncz.formats.zarr.attributes import infer, write_attribute
from ncz.formats.zarr.elements import write_fill
from ncz.formats.zarr.encoding import write_quantize
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.notes import (
    PROPERTIES,
    V2,
    ArrayNote,
    GroupNote,
    NotedTexts,
    OwnType,
    own_types_of,
)
from ncz.formats.zarr.plan import ArrayPlan, DatasetPlan
from ncz.model.tree import Attribute, Group, Variable, base_name, dimensions_by_fqn, walk
from ncz.model.types import Atomic
from ncz.model.user_types import describe_user_type
from ncz.record import record
from ncz.zmap.key import join_key


def array_attributes(array: ArrayPlan) -> list[Attribute]:
    """Return the attributes of an array, with one that records how values were rounded."""
    attributes = list(array.attributes)
    quantize = array.variable.storage.quantize
    if quantize is not None:
        recorded = write_quantize(quantize)
        if array.variable.attribute(recorded.name) is None:
            attributes.append(recorded)
    return attributes


def group_attributes(group: Group, *, is_root: bool) -> list[Attribute]:
    """Return the attributes of a group, without the root's ``_NCProperties``, which are new."""
    return [a for a in group.attributes if not (is_root and a.name == PROPERTIES)]


def group_note(group: Group) -> GroupNote:
    """Return NCZarr's note of a group."""
    return GroupNote(
        dimensions=group.dimensions,
        arrays=tuple(v.name for v in group.variables),
        groups=tuple(g.name for g in group.groups),
        types={base_name(t.name): describe_user_type(t) for t in group.types},
    )


def user_type_of(variable: Variable) -> str | None:
    """Return the FQN of a variable's type if it is user-defined, or None."""
    return None if isinstance(variable.type, Atomic) else variable.type.name


# --- annotations of pure Zarr ---------------------------------------------------------------------


@record(kw_only=True)
class StoredNode:
    """What the documents of a node of pure Zarr say, as JSON.

    `fill_is_mask` is true if readers take `fill_value` for the mask of an array.
    """

    attributes: Mapping[str, Json]
    data_type: Json = None
    fill_value: Json = None
    fill_is_mask: bool = False


def annotations_of(plan: DatasetPlan, stored: Callable[[str], StoredNode]) -> Json:
    """Return the annotations of a store of pure Zarr: what its documents do not say.

    Parameters
    ----------
    plan
        What is written.
    stored
        Returns what the documents of the node at a key say.
    """
    nodes: dict[str, Json] = {}
    for fqn, group in walk(plan.dataset.root):
        key = join_key(fqn)
        attributes = group_attributes(group, is_root=not fqn)
        types, own = _types_to_note(attributes, stored(key).attributes)
        nodes[key] = write_group(group_note(group), types, own)
    unlimited = {f: d.unlimited for f, d in dimensions_by_fqn(plan.dataset.root).items()}
    for array in plan.arrays:
        nodes[array.key] = _annotated_array(array, stored(array.key), unlimited)
    return write_annotations({key: nodes[key] for key in sorted(nodes)})


def _annotated_array(array: ArrayPlan, stored: StoredNode, unlimited: Mapping[str, bool]) -> Json:
    variable, members = array.variable, stored.attributes
    attributes = array_attributes(array)
    types, own = _types_to_note(attributes, members, variable)
    has_mask = stored.fill_is_mask and stored.fill_value is not None
    is_stored = "_FillValue" in members or (has_mask and array.mask is not None)
    masks = [a for a in attributes if a.name == "_FillValue" and not is_stored]
    names = [attribute.name for attribute in attributes]
    as_read = sorted(names, key=lambda name: name != "_FillValue" or not has_mask)
    fill = write_fill(array.fill, array.encoding)
    note = ArrayNote(
        dimension_references=variable.dimensions,
        type=Atomic.CHAR.word if variable.type is Atomic.CHAR else None,
        user_type=user_type_of(variable),
        keeps_empty=array.encoding.keeps_empty,
        fill_value=None if fill == stored.fill_value else fill,
        mask=write_attribute(masks[0], typed=True) if masks else None,
        no_fill=array.fill is None and stored.fill_value is not None,
        no_mask=has_mask and array.mask is None,
        attribute_order=() if names == as_read else tuple(names),
    )
    grows = [unlimited[fqn] for fqn in variable.dimensions]
    digest = digest_of(array.layout.shape, grows, stored.data_type, members)
    return write_array(note, types, own, digest)


def _types_to_note(
    attributes: Sequence[Attribute], members: Mapping[str, Json], variable: Variable | None = None
) -> tuple[dict[str, str], dict[str, OwnType]]:
    """Return the types of attributes that their JSON does not give back."""
    own = own_types_of(attributes)
    types = {}
    for attribute in attributes:
        name, nc_type = attribute.name, attribute.type
        is_mask = name == "_FillValue" and variable is not None and nc_type is variable.type
        if is_mask or not isinstance(nc_type, Atomic):
            continue
        if nc_type is Atomic.STRING and not attribute.values:
            own[name] = NotedTexts(None, ())
        value = members.get(name)
        text = (attribute.text,) if nc_type is Atomic.CHAR and attribute.values else None
        if name in own or infer(value) != (nc_type, text or attribute.values):
            types[name] = V2.type_of(attribute, 1)
    return types, own
