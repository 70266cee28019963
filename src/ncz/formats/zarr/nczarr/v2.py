"""What NCZarr adds to Zarr V2: where its four generations keep it, and what they call it.

Sources: the NCZarr documents of 2023 (version 1, Appendix F; keys in the objects) and of 2024 (keys
in `.zattrs`), and stores of netcdf-c 4.9.0 and 4.10.1. Names are matched without regard to
case: 4.8.1 to 4.9.0 wrote ``_NCZARR_ARRAY``, later ones ``_nczarr_array``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import Notice, Notify
from ncz.formats.zarr.document.json import Json, print_json
from ncz.model.tree import Dimension, join
from ncz.record import record
from ncz.zmap.key import fault

SUPERBLOCK, GROUP, ARRAY, TYPES = (
    "_nczarr_superblock",
    "_nczarr_group",
    "_nczarr_array",
    "_nczarr_attr",
)
"""The four notes, by the names under which they are written now."""

OBJECTS = {
    SUPERBLOCK: ".nczarr",
    GROUP: ".nczgroup",
    ARRAY: ".nczarray",
    TYPES: ".nczattr",
}
"""The objects in which version 1 (netcdf-c up to 4.8.0) keeps them; since then they are members."""

_SPELLINGS = {
    "dimensions": ("dimensions", "dims"),
    "arrays": ("arrays", "vars"),
    "groups": ("groups",),
    "dimension_references": ("dimension_references", "dimrefs"),
}
"""Each member's name now, and before netcdf-c 4.9.3."""


@record(kw_only=True)
class GroupNote:
    """What `_nczarr_group` says: what the group defines, in order."""

    dimensions: tuple[Dimension, ...] = ()
    arrays: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@record(kw_only=True)
class ArrayNote:
    """What `_nczarr_array` says. `type` is ncz's own: "char" where the dtype alone says string."""

    dimension_references: tuple[str, ...] | None
    """FQNs; None if there are none to go by."""
    scalar: bool = False
    type: str | None = None
    no_fill: bool = False
    """Of V3, whose arrays have a fill value always."""


def find_note(name: str, documents: Iterable[Mapping[str, Json] | None]) -> Json:
    """The member `name`, in any case, of the first document that has it; else None."""
    for document in documents:
        for key, value in (document or {}).items():
            if key.lower() == name:
                return value
    return None


def read_superblock(note: Json) -> int:
    """The NCZarr major version; 2 where the note does not say it."""
    version = note.get("version") if isinstance(note, dict) else None
    major = str(version).split(".")[0]
    return int(major) if major.isascii() and major.isdigit() and len(major) < 9 else 2


def read_group_note(note: Json, location: str, notify: Notify) -> GroupNote | None:
    """The note of a group; None, with a notice, if it is none at all."""
    if not isinstance(note, dict):
        notify(
            Notice(
                "annotation-damaged",
                f"{GROUP} is not an object; the group is searched instead",
                location,
            )
        )
        return None
    return GroupNote(
        dimensions=tuple(_dimensions(_member(note, "dimensions"), location, notify)),
        arrays=tuple(_names(_member(note, "arrays"), "array", location, notify)),
        groups=tuple(_names(_member(note, "groups"), "group", location, notify)),
    )


def read_array_note(note: Json, location: str, notify: Notify) -> ArrayNote | None:
    """The note of an array; None, with a notice, if it is none at all."""
    if not isinstance(note, dict):
        notify(
            Notice(
                "annotation-damaged", f"{ARRAY} is not an object; dimensions are inferred", location
            )
        )
        return None
    references = _member(note, "dimension_references")
    if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
        notify(
            Notice("annotation-damaged", f"{ARRAY} has no list of dimension_references", location)
        )
        references = None
    # netcdf-c 4.9.0 marks a scalar by its storage, later ones by a member of their own.
    scalar = bool(note.get("scalar")) or note.get("storage") == "scalar"
    alias = note.get("type")
    return ArrayNote(
        dimension_references=None if references is None else tuple(map(_absolute, references)),
        scalar=scalar,
        type=alias if isinstance(alias, str) else None,
        no_fill=bool(note.get("no_fill")),
    )


def read_types(note: Json, location: str, notify: Notify) -> Mapping[str, Json]:
    """The dtypes of a node's attributes by name; empty where none are noted."""
    if note is None or note == {}:
        return {}
    types = note.get("types") if isinstance(note, dict) else None
    if not isinstance(types, dict):
        notify(
            Notice(
                "attribute-type-inferred",
                f"{TYPES} has no types; attribute types are inferred",
                location,
            )
        )
        return {}
    return types


def write_superblock() -> dict[str, Json]:
    """The note of the root group."""
    return {"version": "2.0.0"}


def write_group_note(note: GroupNote) -> dict[str, Json]:
    """The note of a group, as netcdf-c 4.10.1 writes it."""
    return {
        "dimensions": {
            d.name: {"size": d.size, "unlimited": 1} if d.unlimited else d.size
            for d in note.dimensions
        },
        "arrays": list(note.arrays),
        "groups": list(note.groups),
    }


def write_array_note(note: ArrayNote) -> dict[str, Json]:
    """The note of an array, as netcdf-c 4.10.1 writes it; it ignores ncz's own member ``type``."""
    document: dict[str, Json] = {"dimension_references": list(note.dimension_references or ())}
    if note.scalar:
        document["scalar"] = 1
    document["storage"] = "chunked"
    if note.type is not None:
        document["type"] = note.type
    return document


def _member(note: Mapping[str, Json], name: str) -> Json:
    return next((note[spelling] for spelling in _SPELLINGS[name] if spelling in note), None)


def _absolute(reference: str) -> str:
    return reference if reference.startswith("/") else join("", reference)


def _dimensions(value: Json, location: str, notify: Notify) -> Iterable[Dimension]:
    if value is None:
        return
    if not isinstance(value, dict):
        notify(
            Notice(
                "annotation-damaged",
                "the list of dimensions is not an object; they are inferred",
                location,
            )
        )
        return
    for name, length in value.items():
        size, unlimited = length, False
        if isinstance(length, dict):
            size, unlimited = length.get("size"), bool(length.get("unlimited"))
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 2**63:
            notify(
                Notice(
                    "dimension-left-out",
                    f"dimension {name} has the length {print_json(length)}; left out",
                    location,
                    lost=True,
                )
            )
        elif not name or "/" in name:
            notify(
                Notice(
                    "dimension-left-out",
                    f"dimension {name!r} has a name that cannot be; left out",
                    location,
                    lost=True,
                )
            )
        else:
            yield Dimension(name=name, size=size, unlimited=unlimited)


def _names(value: Json, kind: str, location: str, notify: Notify) -> Iterable[str]:
    if value is None:
        return
    if not isinstance(value, list):
        notify(
            Notice(
                "annotation-damaged",
                f"the list of {kind}s is not a list; it is taken as empty",
                location,
            )
        )
        return
    for name in dict.fromkeys(n if isinstance(n, str) else print_json(n) for n in value):
        if not name or "/" in name or fault(name):
            notify(
                Notice(
                    "object-left-out",
                    f"{kind} {name!r} has a name that cannot be a key; left out",
                    location,
                    lost=True,
                )
            )
        else:
            yield name
