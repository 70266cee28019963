"""What NCZarr notes about a store, its groups and its arrays, whatever version of Zarr it is.

The records here are checked. `ncz.formats.zarr.nczarr.v2` and `v3` map them to and from JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import Notice, Notify
from ncz.formats.zarr.json import Json, print_json
from ncz.model.tree import Attribute, Dimension, join
from ncz.model.types import Atomic
from ncz.record import record
from ncz.zmap.key import fault

SUPERBLOCK, GROUP, ARRAY = "_nczarr_superblock", "_nczarr_group", "_nczarr_array"
"""The attributes that hold the annotations of the root, of groups and of arrays."""

PROPERTIES = "_NCProperties"
"""The root attribute in which netcdf-c names the program that wrote the store."""


@record(kw_only=True)
class GroupNote:
    """The contents of `_nczarr_group`: what the group defines, in order."""

    dimensions: tuple[Dimension, ...] = ()
    arrays: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    types: Mapping[str, Json] = {}
    """The declaration of each user-defined type by name, unchecked; see docs/user-types.md."""


@record(kw_only=True)
class ArrayNote:
    """The contents of `_nczarr_array`."""

    dimension_references: tuple[str, ...] | None
    """FQNs of the dimensions; None if they are not noted."""
    scalar: bool = False
    type: str | None = None
    """The type, "char" or "string", if the data type alone could mean another."""
    no_fill: bool = False
    """Whether missing chunks are undefined; only in V3, whose arrays always have a fill value."""
    fill_value: Json = None
    """What missing chunks hold, if ``fill_value`` says something else; only in V2."""
    user_type: str | None = None
    """The FQN of the type of the elements, if it is user-defined."""
    mask: Json = None
    """The attribute ``_FillValue`` where xarray would not open an array with it; only in V3."""


@record
class UserTypeName:
    """The FQN by which a note names a user-defined type, which need not be declared."""

    fqn: str


def find_note(name: str, documents: Iterable[Mapping[str, Json] | None]) -> Json:
    """Return the member `name` of the first document that has it, or None.

    Case is ignored: netcdf-c 4.8.1 to 4.9.0 wrote ``_NCZARR_ARRAY``, later versions
    ``_nczarr_array``.
    """
    for document in documents:
        for key, value in (document or {}).items():
            if key.lower() == name:
                return value
    return None


def read_superblock(note: Json) -> int:
    """Return NCZarr's major version; 2 if the note does not give it."""
    version = note.get("version") if isinstance(note, dict) else None
    major = str(version).split(".")[0]
    return int(major) if major.isascii() and major.isdigit() and len(major) < 9 else 2


def check_group_note(
    dimensions: Json, arrays: Json, groups: Json, types: Json, location: str, notify: Notify
) -> GroupNote:
    """Check the members of a group's note, with dimensions as Zarr V2 spells them.

    Entries that are not valid are left out with a notice.
    """
    return GroupNote(
        dimensions=tuple(_dimensions(dimensions, location, notify)),
        arrays=tuple(_names(arrays, "array", location, notify)),
        groups=tuple(_names(groups, "group", location, notify)),
        types=_types(types, location, notify),
    )


def report_group_note(location: str, notify: Notify) -> None:
    """Report a group's note that is not an object."""
    notify(
        Notice(
            "annotation-damaged",
            f"{GROUP} is not an object; the group's children are found by searching",
            location,
        )
    )


def check_references(value: Json, location: str, notify: Notify) -> tuple[str, ...] | None:
    """Return the FQNs of an array's dimensions; None, with a notice, if they are not a list."""
    if not isinstance(value, list) or not all(isinstance(r, str) for r in value):
        notify(
            Notice("annotation-damaged", f"{ARRAY} has no list of dimension_references", location)
        )
        return None
    return tuple(r if r.startswith("/") else join("", r) for r in value)


def report_array_note(location: str, notify: Notify) -> None:
    """Report an array's note that is not an object."""
    notify(
        Notice("annotation-damaged", f"{ARRAY} is not an object; dimensions are inferred", location)
    )


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
                    f"dimension {name} has the invalid length {print_json(length)}; left out",
                    location,
                    lost=True,
                )
            )
        elif not name or "/" in name:
            notify(
                Notice(
                    "dimension-left-out",
                    f"{name!r} is not a valid dimension name; left out",
                    location,
                    lost=True,
                )
            )
        else:
            yield Dimension(name=name, size=size, unlimited=unlimited)


def _types(value: Json, location: str, notify: Notify) -> Mapping[str, Json]:
    if value is None or isinstance(value, dict):
        return {name: said for name, said in (value or {}).items() if name and "/" not in name}
    notify(
        Notice("annotation-damaged", "the list of types is not an object; it is ignored", location)
    )
    return {}


def write_group_types(note: GroupNote) -> dict[str, Json]:
    """Return the member of a group's note that declares its types; none if it has none."""
    return {"types": dict(note.types)} if note.types else {}


def read_user_type(note: Mapping[str, Json]) -> str | None:
    """Return the FQN of the user-defined type that an array's note names, or None."""
    name = note.get("user_type")
    return None if name is None else name if isinstance(name, str) else print_json(name)


def read_user_types(note: Json) -> dict[str, UserTypeName]:
    """Return the names of the user-defined types of a node's attributes, by name of attribute."""
    types = note.get("user_types") if isinstance(note, dict) else None
    if not isinstance(types, dict):
        return {}
    return {name: UserTypeName(said) for name, said in types.items() if isinstance(said, str)}


def user_types_of(attributes: Iterable[Attribute]) -> dict[str, UserTypeName]:
    """Return the names of the user-defined types of attributes, by name of attribute."""
    return {a.name: UserTypeName(a.type.name) for a in attributes if not isinstance(a.type, Atomic)}


def write_user_types(types: Mapping[str, UserTypeName]) -> dict[str, Json]:
    """Return the member that notes the user-defined types of attributes; none if none has one."""
    return {"user_types": {name: noted.fqn for name, noted in types.items()}} if types else {}


def _names(value: Json, kind: str, location: str, notify: Notify) -> Iterable[str]:
    if value is None:
        return
    if not isinstance(value, list):
        notify(
            Notice(
                "annotation-damaged", f"the list of {kind}s is not a list; it is ignored", location
            )
        )
        return
    for name in dict.fromkeys(n if isinstance(n, str) else print_json(n) for n in value):
        if not name or "/" in name or fault(name):
            notify(
                Notice(
                    "object-left-out",
                    f"{name!r} is not a valid {kind} name; left out",
                    location,
                    lost=True,
                )
            )
        else:
            yield name
