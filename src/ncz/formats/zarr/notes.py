"""What NCZarr notes about a store, its groups and its arrays, whatever version of Zarr it is.

The records here are checked. `ncz.formats.zarr.nczarr_v2` and `v3` map them to and from JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncz.errors import Notice, Notify
from ncz.formats.zarr.json import Json, print_json
from ncz.model.tree import Attribute, Dimension, join
from ncz.model.types import Atomic, readable_text
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
    """The attribute ``_FillValue`` where xarray would not open an array with it, except in NCZarr
    V2."""
    no_mask: bool = False
    """Whether ``fill_value`` is not the mask, as which readers take it; only in pure Zarr V2."""
    keeps_empty: bool = False
    """Whether empty strings are values, and not NIL, as which netcdf-c reads them."""
    attribute_order: tuple[str, ...] = ()
    """The names of the attributes, if ``_FillValue`` has another place than in what is stored."""


@record
class UserTypeName:
    """The FQN by which a note names a user-defined type, which need not be declared."""

    fqn: str


@record
class NotedTexts:
    """The bytes of the texts of an attribute, for which JSON has other texts; None is NIL.

    `dtype` is the noted type of the attribute.
    """

    dtype: Json
    texts: tuple[bytes | None, ...]

    @property
    def shown(self) -> list[str]:
        """The texts that are stored for other readers."""
        return ["" if text is None else readable_text(text) for text in self.values]

    @property
    def values(self) -> tuple[str | None, ...]:
        """The values of the attribute."""
        return tuple(
            None if text is None else text.decode("utf-8", "surrogateescape") for text in self.texts
        )

    def attribute(self, name: str, value: Json) -> Attribute | None:
        """Return the attribute if `value` is what was stored for it; None if it has changed."""
        listed = value if isinstance(value, list) else [value] if self.texts else []
        if listed != self.shown or (value and not self.texts):
            return None
        nc_type = Atomic.CHAR if self.dtype == CHAR else Atomic.STRING
        return Attribute(name=name, type=nc_type, values=self.values)


OwnType = UserTypeName | NotedTexts
"""What ncz notes of an attribute for which a dtype does not say enough."""

CHAR = ">S1"
"""The dtype by which the type char of an attribute is noted."""


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


def read_own_types(note: Json, types: Mapping[str, Json]) -> dict[str, OwnType]:
    """Return what ncz notes of a node's attributes beside the dtypes in `types`, by name."""
    if not isinstance(note, dict):
        return {}
    own: dict[str, OwnType] = {
        name: UserTypeName(said)
        for name, said in _object(note.get("user_types")).items()
        if isinstance(said, str)
    }
    for name, said in _object(note.get("texts")).items():
        texts = _texts(said)
        if texts is not None:
            own[name] = NotedTexts(types.get(name, CHAR), texts)
    return own


def _texts(value: Json) -> tuple[bytes | None, ...] | None:
    if not isinstance(value, list) or not all(isinstance(v, str | None) for v in value):
        return None
    import base64

    try:
        return tuple(None if v is None else base64.b64decode(v, validate=True) for v in value)
    except ValueError:  # binascii.Error is one
        return None


def own_types_of(attributes: Iterable[Attribute]) -> dict[str, OwnType]:
    """Return what is noted of attributes beside their dtypes, by name."""
    own: dict[str, OwnType] = {}
    for attribute in attributes:
        if not isinstance(attribute.type, Atomic):
            own[attribute.name] = UserTypeName(attribute.type.name)
        elif attribute.type in (Atomic.CHAR, Atomic.STRING):
            values = attribute.values
            if attribute.type is Atomic.CHAR and values:
                values = (attribute.text,)
            noted = tuple(_bytes_of(value) for value in values)
            texts = NotedTexts(CHAR if attribute.type is Atomic.CHAR else None, noted)
            if any(text != value for text, value in zip(texts.shown, texts.values, strict=True)):
                own[attribute.name] = texts
    return own


def _bytes_of(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


def write_own_types(own: Mapping[str, OwnType]) -> dict[str, Json]:
    """Return the members that note what dtypes do not say of attributes; none if none is noted."""
    if not own:
        return {}
    import base64

    users = {name: noted.fqn for name, noted in own.items() if isinstance(noted, UserTypeName)}
    texts: dict[str, Json] = {
        name: [None if t is None else base64.b64encode(t).decode("ascii") for t in noted.texts]
        for name, noted in own.items()
        if isinstance(noted, NotedTexts)
    }
    return ({"user_types": users} if users else {}) | ({"texts": texts} if texts else {})


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


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
