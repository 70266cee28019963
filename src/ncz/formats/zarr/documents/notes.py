"""NCZarr's notes about a store, its groups and its arrays, as JSON of V2 and of V3.

Sources: the NCZarr documents of 2023 (version 1, Appendix F; keys in the objects) and of 2024 (keys
in `.zattrs`; V3 in Appendix E), and stores of netcdf-c 4.9.0 and 4.10.1.
docs/reference/nczarr-v3.md specifies V3 in full, including the open questions of the appendix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ncz.errors import Notice, Notify
from ncz.formats.zarr.json import Json, decode, from_base64
from ncz.model.json_text import print_json
from ncz.model.tree import Attribute, Dimension, join
from ncz.model.types import Atomic, plain_type, readable_text
from ncz.record import record
from ncz.zmap.key import fault

if TYPE_CHECKING:
    from ncz.formats.kept_sums import KeptSums

SUPERBLOCK, GROUP, ARRAY = "_nczarr_superblock", "_nczarr_group", "_nczarr_array"
"""The attributes that contain the annotations of the root, of groups and of arrays."""

PROPERTIES = "_NCProperties"
"""The root attribute where netcdf-c names the program that wrote the store."""


ANNOTATIONS = "nczarr"
"""The member with the annotations of pure Zarr: of `.zmetadata` in V2, of ``consolidated_metadata``
of the root in V3. No other reader sees it; see `ncz.formats.zarr.documents.annotations`."""

OBJECTS = {
    SUPERBLOCK: ".nczarr",
    GROUP: ".nczgroup",
    ARRAY: ".nczarray",
    "_nczarr_attr": ".nczattr",
}
"""The objects of version 1 (netcdf-c up to 4.8.0); since then they are members."""

CHAR = ">S1"
"""The dtype that records the type char of an attribute."""

DEFAULT_STRING_LENGTH = 128
"""Bytes that netcdf-c allots to a string whose length is not declared."""

_SPELLINGS = {
    "dimensions": ("dimensions", "dims"),
    "arrays": ("arrays", "vars"),
    "groups": ("subgroups", "groups"),
    "dimension_references": ("dimension_references", "dimrefs"),
}
"""The names of each member: since netcdf-c 4.9.3 and before, and in V3 and V2."""

_DTYPES = {
    "char": CHAR,
    "string": f"|S{DEFAULT_STRING_LENGTH}",
    "json": "|J0",
    "int8": "<i1",
    "uint8": "<u1",
    "int16": "<i2",
    "uint16": "<u2",
    "int32": "<i4",
    "uint32": "<u4",
    "int64": "<i8",
    "uint64": "<u8",
    "float32": "<f4",
    "float64": "<f8",
}
"""The types of attributes in V3, with the dtypes that V2 records for them."""


_ALIASES = ("char", "string", "json")
"""The types that are noted of arrays whose data types have another meaning; json is char."""


@record(kw_only=True)
class GroupNote:
    """The contents of `_nczarr_group`: the definitions of the group, in order."""

    dimensions: tuple[Dimension, ...] = ()
    arrays: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    types: Mapping[str, Json] = {}
    """The declaration of each user-defined type by name: docs/reference/user-types.md."""


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
    """The contents of missing chunks, if they are not ``fill_value``; only in V2."""
    beside_fill: tuple[Json, ...] = ()
    """The ``fill_value`` of the document when `fill_value`, `no_fill` and `no_mask` were noted;
    () if that is not known. Only in annotations."""
    user_type: str | None = None
    """The FQN of the type of the elements, if it is user-defined."""
    mask: Json = None
    """The attribute ``_FillValue`` where xarray would not open an array with it, except in NCZarr
    V2."""
    mask_stand_in: str | None = None
    """The attribute that has the mask in the store, and is not one of the variable; only in
    annotations of V3."""
    no_mask: bool = False
    """Whether ``fill_value`` is not a mask, although readers treat it as one; only in Zarr V2."""
    keeps_empty: bool = False
    """Whether empty strings are values, although netcdf-c reads them as NIL."""
    values: KeptSums | None = None
    """The sums of the values, if they are kept."""
    attribute_order: tuple[str, ...] = ()
    """The names of the attributes, if ``_FillValue`` has another place than in the store."""


@record
class UserTypeName:
    """The FQN of a user-defined type in a note, which need not be declared."""

    fqn: str


@record
class NotedTexts:
    """The bytes of the strings of an attribute that JSON cannot represent; None is NIL.

    `dtype` is the noted type of the attribute.
    """

    dtype: Json
    texts: tuple[bytes | None, ...]

    @property
    def readable(self) -> list[str]:
        """The texts that are stored for other readers."""
        return ["" if text is None else readable_text(text) for text in self.values]

    @property
    def values(self) -> tuple[str | None, ...]:
        """The values of the attribute."""
        return tuple(
            None if text is None else text.decode("utf-8", "surrogateescape") for text in self.texts
        )

    def attribute(self, name: str, value: Json) -> Attribute | None:
        """Return the attribute if `value` is the stored one; None if it has changed."""
        listed = value if isinstance(value, list) else [value] if self.texts else []
        if listed != self.readable or (value and not self.texts):
            return None
        nc_type = Atomic.CHAR if self.dtype == CHAR else Atomic.STRING
        return Attribute(name=name, type=nc_type, values=self.values)


@record
class NotedJson:
    """An attribute that is an object or a list of JSON, and not text that netcdf-c wrote so."""


OwnType = UserTypeName | NotedTexts | NotedJson
"""ncz's annotation of an attribute whose dtype does not say enough."""


def read_kept_sums(note: Mapping[str, Json]) -> KeptSums | None:
    """Return the sums of values in the note of an array, or None."""
    if "values" not in note:
        return None
    from ncz.formats.kept_sums import KeptSums

    return KeptSums.from_json(note["values"])


def find_note(name: str, documents: Iterable[Mapping[str, Json] | None]) -> Json:
    """Return the member `name` of the first document that has it, or None.

    Case is ignored: netcdf-c 4.8.1 to 4.9.0 wrote ``_NCZARR_ARRAY``, later versions
    ``_nczarr_array``.
    """
    for document in documents:
        for key, value in (document or {}).items():
            if key.lower() == name:
                return _parse_text(value)
    return None


def parse_notes(members: dict[str, Json]) -> None:
    """Replace the notes among the members of a document that are text by their objects."""
    for name, value in members.items():
        if name.lower().startswith("_nczarr_"):
            members[name] = _parse_text(value)


def _parse_text(note: Json) -> Json:
    """Return the object of a note that is the text of it, as the document of 2024 describes notes.

    Other text is returned unchanged, so that a notice names it as damaged.
    """
    if not isinstance(note, str):
        return note
    try:
        parsed = decode(note)
    except ValueError:
        return note
    return parsed if isinstance(parsed, dict) else note


def read_superblock(note: Json) -> int:
    """Return NCZarr's major version; 2 if the note does not give it."""
    version = note.get("version") if isinstance(note, dict) else None
    major = str(version).split(".")[0]
    return int(major) if major.isascii() and major.isdigit() and len(major) < 9 else 2


class NoteSpelling(ABC):
    """The JSON form of NCZarr's notes in one version of Zarr.

    Attributes
    ----------
    superblock
        The note of the root group.
    types
        The attribute that contains the types of a node's attributes.
    char, json
        How the types of text and of NCZarr's own notes are noted there.
    """

    superblock: Mapping[str, Json]
    types: str
    char: str
    json: str
    _types_member: str
    """The member of `types` that has the types."""
    _alias: str
    """The member of an array's note that has the type."""

    def read_group(self, note: Json, location: str, notify: Notify) -> GroupNote | None:
        """Return the note of a group; None, with a notice, if it is not an object.

        Entries that are not valid are left out with a notice.
        """
        if not isinstance(note, dict):
            fault = f"{GROUP} is not an object; the group's children are found by searching"
            notify(Notice("annotation-damaged", fault, location))
            return None
        dimensions = self._sizes(_member(note, "dimensions"))
        return GroupNote(
            dimensions=tuple(_dimensions(dimensions, location, notify)),
            arrays=tuple(_names(_member(note, "arrays"), "array", location, notify)),
            groups=tuple(_names(_member(note, "groups"), "group", location, notify)),
            types=_types(note.get("types"), location, notify),
        )

    def write_group(self, note: GroupNote) -> dict[str, Json]:
        """Return the JSON of a group's note."""
        types = {"types": dict(note.types)} if note.types else {}
        return {**self._group_members(note), **types}

    def read_array(self, note: Json, location: str, notify: Notify) -> ArrayNote | None:
        """Return the note of an array; None, with a notice, if it is not an object."""
        if not isinstance(note, dict):
            fault = f"{ARRAY} is not an object; dimensions are inferred"
            notify(Notice("annotation-damaged", fault, location))
            return None
        alias, user_type = note.get(self._alias), note.get("user_type")
        if user_type is not None and not isinstance(user_type, str):
            user_type = print_json(user_type)
        if alias is not None and alias not in _ALIASES:
            fault = f"{self._alias} {print_json(alias)} of {ARRAY} is not known"
            notify(Notice("annotation-damaged", f"{fault}; the type is inferred", location))
        return ArrayNote(
            dimension_references=_references(note, location, notify),
            # netcdf-c 4.9.0 marks a scalar by its storage, later versions by a separate member.
            scalar=bool(note.get("scalar")) or note.get("storage") == "scalar",
            type=alias if isinstance(alias, str) else None,
            no_fill=bool(note.get("no_fill")),
            fill_value=note.get("fill_value"),
            user_type=user_type,
            mask=note.get("mask"),
            keeps_empty=note.get("keeps_empty") == 1,
            values=read_kept_sums(note),
        )

    def write_array(self, note: ArrayNote) -> dict[str, Json]:
        """Return the JSON of an array's note."""
        members: dict[str, Json] = {
            **self._array_members(note),
            self._alias: note.type,
            "no_fill": int(note.no_fill) or None,
            "fill_value": note.fill_value,
            "user_type": note.user_type,
            "mask": note.mask,
            "keeps_empty": int(note.keeps_empty) or None,
            "values": None if note.values is None else note.values.to_json(),
        }
        return {name: value for name, value in members.items() if value is not None}

    def read_types(self, note: Json, location: str, notify: Notify) -> Mapping[str, Json]:
        """Return the noted types of a node's attributes by name, dtypes and `OwnType`s."""
        if note is None or note == {}:
            return {}
        noted = self.noted_types(note)
        if noted is None:
            fault = f"{self.types} has no {self._types_member}; attribute types are inferred"
            notify(Notice("attribute-type-inferred", fault, location))
            return {}
        types = self.dtypes(noted)
        return {**types, **read_own_types(note, types)}

    def dtypes(self, types: Mapping[str, Json]) -> dict[str, Json]:
        """Return the dtypes that noted types mean."""
        return dict(types)

    @abstractmethod
    def noted_types(self, note: Json) -> dict[str, Json] | None:
        """Return the noted types by name, as spelled; None without types in the note."""

    @abstractmethod
    def write_types(self, types: Mapping[str, Json], own: Mapping[str, OwnType]) -> dict[str, Json]:
        """Return the JSON of the noted types of attributes: as spelled by name, and ncz's own."""

    @abstractmethod
    def type_of(self, attribute: Attribute, string_length: int = DEFAULT_STRING_LENGTH) -> str:
        """Return the annotation of the type of an attribute."""

    def _sizes(self, dimensions: Json) -> Json:
        """Return the dimensions of a group's note as V2 spells them."""
        return dimensions

    @abstractmethod
    def _group_members(self, note: GroupNote) -> dict[str, Json]:
        """Return the members of a group's note, without its types."""

    @abstractmethod
    def _array_members(self, note: ArrayNote) -> dict[str, Json]:
        """Return the first members of an array's note."""


class _NotesV2(NoteSpelling):
    """As netcdf-c 4.10.1 writes them, and the other generations.

    netcdf-c ignores the members of an array's note from ``type`` on, which are ncz's own.
    """

    superblock = {"version": "2.0.0"}  # noqa: RUF012 - it is never changed
    types = "_nczarr_attr"
    char, json = CHAR, "|J0"
    _types_member, _alias = "types", "type"

    def noted_types(self, note: Json) -> dict[str, Json] | None:
        types = note.get("types") if isinstance(note, dict) else None
        return dict(types) if isinstance(types, dict) else None

    def write_types(self, types: Mapping[str, Json], own: Mapping[str, OwnType]) -> dict[str, Json]:
        return {"types": dict(types), **write_own_types(own)}

    def type_of(self, attribute: Attribute, string_length: int = DEFAULT_STRING_LENGTH) -> str:
        nc_type = plain_type(attribute.type)
        if nc_type is Atomic.CHAR:
            return CHAR
        if nc_type is Atomic.STRING:
            return f"|S{max(string_length, 1)}"
        return f"<{nc_type.kind}{nc_type.size}"

    def _group_members(self, note: GroupNote) -> dict[str, Json]:
        return {
            "dimensions": {
                d.name: {"size": d.size, "unlimited": 1} if d.unlimited else d.size
                for d in note.dimensions
            },
            "arrays": list(note.arrays),
            "groups": list(note.groups),
        }

    def _array_members(self, note: ArrayNote) -> dict[str, Json]:
        return {
            "dimension_references": list(note.dimension_references or ()),
            "scalar": int(note.scalar) or None,
            "storage": "chunked",
        }


class _NotesV3(NoteSpelling):
    """As docs/reference/nczarr-v3.md: lists instead of objects, and types by their names."""

    superblock = {"version": "3.0.0", "format": 3}  # noqa: RUF012 - it is never changed
    types = "_nczarr_attrs"
    char, json = "char", "json"
    _types_member, _alias = "attribute_types", "type_alias"

    def noted_types(self, note: Json) -> dict[str, Json] | None:
        types = note.get("attribute_types") if isinstance(note, dict) else None
        if not isinstance(types, list):
            return None
        types_by_name: dict[str, Json] = {}
        for entry in types:
            if isinstance(entry, dict) and isinstance(entry.get("configuration"), dict):
                name = entry.get("name")
                if isinstance(name, str):
                    types_by_name[name] = entry["configuration"].get("type")
        return types_by_name

    def write_types(self, types: Mapping[str, Json], own: Mapping[str, OwnType]) -> dict[str, Json]:
        return {
            "attribute_types": [
                {"name": name, "configuration": {"type": type_name}}
                for name, type_name in types.items()
            ],
            **write_own_types(own),
        }

    def type_of(self, attribute: Attribute, string_length: int = DEFAULT_STRING_LENGTH) -> str:
        dtype = V2.type_of(attribute)
        return next(name for name, each in _DTYPES.items() if each == dtype)

    def dtypes(self, types: Mapping[str, Json]) -> dict[str, Json]:
        return {n: _DTYPES.get(t, t) if isinstance(t, str) else t for n, t in types.items()}

    def _sizes(self, dimensions: Json) -> Json:
        if not isinstance(dimensions, list):
            return dimensions
        return {
            str(d["name"]): {"size": d.get("size"), "unlimited": d.get("unlimited", 0)}
            for d in dimensions
            if isinstance(d, dict) and "name" in d
        }

    def _group_members(self, note: GroupNote) -> dict[str, Json]:
        return {
            "dimensions": [
                {"name": d.name, "size": d.size, "unlimited": int(d.unlimited)}
                for d in note.dimensions
            ],
            "arrays": list(note.arrays),
            "subgroups": list(note.groups),
        }

    def _array_members(self, note: ArrayNote) -> dict[str, Json]:
        return {"dimension_references": list(note.dimension_references or ())}


V2, V3 = _NotesV2(), _NotesV3()


def _member(note: Mapping[str, Json], name: str) -> Json:
    return next((note[spelling] for spelling in _SPELLINGS[name] if spelling in note), None)


def _references(note: Mapping[str, Json], location: str, notify: Notify) -> tuple[str, ...] | None:
    """Return the FQNs of an array's dimensions; None, with a notice, if they are not a list."""
    value = _member(note, "dimension_references")
    if not isinstance(value, list) or not all(isinstance(r, str) for r in value):
        fault = f"{ARRAY} has no list of dimension_references"
        notify(Notice("annotation-damaged", fault, location))
        return None
    return tuple(r if r.startswith("/") else join("", r) for r in value)


def _dimensions(value: Json, location: str, notify: Notify) -> Iterable[Dimension]:
    if value is None:
        return
    if not isinstance(value, dict):
        fault = "the list of dimensions is not an object; they are inferred"
        notify(Notice("annotation-damaged", fault, location))
        return
    for name, length in value.items():
        size, unlimited = length, False
        if isinstance(length, dict):
            size, unlimited = length.get("size"), bool(length.get("unlimited"))
        if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 2**63:
            fault = f"dimension {name} has the invalid length {print_json(length)}; left out"
            notify(Notice("dimension-left-out", fault, location, lost=True))
        elif not name or "/" in name:
            fault = f"{name!r} is not a valid dimension name; left out"
            notify(Notice("dimension-left-out", fault, location, lost=True))
        else:
            yield Dimension(name=name, size=size, unlimited=unlimited)


def _types(value: Json, location: str, notify: Notify) -> Mapping[str, Json]:
    if value is None or isinstance(value, dict):
        return {
            name: type_name for name, type_name in (value or {}).items() if name and "/" not in name
        }
    fault = "the list of types is not an object; it is ignored"
    notify(Notice("annotation-damaged", fault, location))
    return {}


def read_own_types(note: Json, types: Mapping[str, Json]) -> dict[str, OwnType]:
    """Return the annotations of a node's attributes next to the dtypes in `types`, by name."""
    if not isinstance(note, dict):
        return {}
    own: dict[str, OwnType] = {
        name: UserTypeName(type_name)
        for name, type_name in _object(note.get("user_types")).items()
        if isinstance(type_name, str)
    }
    listed = note.get("json")
    own |= {n: NotedJson() for n in (listed if isinstance(listed, list) else ()) if type(n) is str}
    for name, encoded in _object(note.get("texts")).items():
        texts = _texts(encoded)
        if texts is not None:
            own[name] = NotedTexts(types.get(name, CHAR), texts)
    return own


def _texts(value: Json) -> tuple[bytes | None, ...] | None:
    if not isinstance(value, list) or not all(isinstance(v, str | None) for v in value):
        return None
    texts = tuple(map(from_base64, value))
    is_valid = all(text is not None or v is None for text, v in zip(texts, value, strict=True))
    return texts if is_valid else None


def own_types_of(attributes: Iterable[Attribute]) -> dict[str, OwnType]:
    """Return the annotations of attributes next to their dtypes, by name."""
    own: dict[str, OwnType] = {}
    for attribute in attributes:
        if not isinstance(attribute.type, Atomic):
            own[attribute.name] = UserTypeName(attribute.type.name)
        elif attribute.holds_json:
            own[attribute.name] = NotedJson()
        elif attribute.type in (Atomic.CHAR, Atomic.STRING):
            values = attribute.values
            if attribute.type is Atomic.CHAR and values:
                values = (attribute.text,)
            if all(value is not None and value.isascii() for value in values):
                continue
            noted = tuple(_bytes_of(value) for value in values)
            texts = NotedTexts(CHAR if attribute.type is Atomic.CHAR else None, noted)
            if any(text != value for text, value in zip(texts.readable, texts.values, strict=True)):
                own[attribute.name] = texts
    return own


def _bytes_of(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogateescape")


OWN_MEMBERS = ("user_types", "texts", "json")
"""The members of a note of attributes that `write_own_types` returns."""


def write_own_types(own: Mapping[str, OwnType]) -> dict[str, Json]:
    """Return the members with properties of attributes that dtypes lack; empty without any."""
    if not own:
        return {}
    import base64

    users = {name: noted.fqn for name, noted in own.items() if isinstance(noted, UserTypeName)}
    texts: dict[str, Json] = {
        name: [None if t is None else base64.b64encode(t).decode("ascii") for t in noted.texts]
        for name, noted in own.items()
        if isinstance(noted, NotedTexts)
    }
    objects: list[Json] = [name for name, noted in own.items() if isinstance(noted, NotedJson)]
    members = zip(OWN_MEMBERS, (users, texts, objects), strict=True)
    return {name: member for name, member in members if member}


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _names(value: Json, kind: str, location: str, notify: Notify) -> Iterable[str]:
    if value is None:
        return
    if not isinstance(value, list):
        text = f"the list of {kind}s is not a list; it is ignored"
        notify(Notice("annotation-damaged", text, location))
        return
    for name in dict.fromkeys(n if isinstance(n, str) else print_json(n) for n in value):
        if not name or "/" in name or fault(name):
            text = f"{name!r} is not a valid {kind} name; left out"
            notify(Notice("object-left-out", text, location, lost=True))
        else:
            yield name
