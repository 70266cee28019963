"""The contents of an HDF5 file by h5py's low-level calls, in the words of `by_ncz`."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5g, h5i, h5l, h5o, h5p, h5s, h5t

LARGEST = 1 << 20
"""Bytes of the largest attribute that is compared."""


def contents(path: Path) -> dict[str, Any]:
    """Return groups, datasets, types and links by path."""
    found: dict[str, Any] = {}
    seen: set[int] = set()

    def visit(group: Any, path: str) -> None:
        seen.add(address(group))
        names = links(group)
        found[path] = {"kind": "group", "links": names, "attributes": attributes(group)}
        for name in names:
            inner = f"{path}/{name.decode('utf-8', 'surrogateescape')}"
            kind = group.links.get_info(name).type
            if kind != h5l.TYPE_HARD:
                found[inner] = {"kind": "soft" if kind == h5l.TYPE_SOFT else "external"}
                continue
            child = h5o.open(group, name)
            if h5i.get_type(child) == h5i.GROUP:
                if address(child) not in seen:
                    visit(child, inner)
            elif h5i.get_type(child) == h5i.DATATYPE:
                found[inner] = {"kind": "datatype", "datatype": datatype(child)}
            else:
                found[inner] = dataset(child)

    with h5py.File(path, "r") as file:
        visit(h5g.open(file.id, b"/"), "")
    return found


def address(obj: Any) -> int:
    low, high = h5g.get_objinfo(obj).objno
    return int(low) + (int(high) << 64)


def links(group: Any) -> list[bytes]:
    order = group.get_create_plist().get_link_creation_order()
    by = h5.INDEX_CRT_ORDER if order & h5p.CRT_ORDER_TRACKED else h5.INDEX_NAME
    names: list[bytes] = []
    group.links.iterate(names.append, idx_type=by, order=h5.ITER_INC)
    return names


def dataset(found: Any) -> dict[str, Any]:
    properties = found.get_create_plist()
    kind = {
        h5d.COMPACT: "compact", h5d.CONTIGUOUS: "contiguous", h5d.CHUNKED: "chunked",
        h5d.VIRTUAL: "virtual",
    }[properties.get_layout()]  # fmt: skip
    defined = properties.fill_value_defined()
    result = {
        "kind": "dataset",
        "datatype": datatype(found.get_type()),
        "space": space(found.get_space()),
        "layout": kind,
        "is_external": properties.get_external_count() > 0,
        "filters": [
            (number, tuple(values))
            for number, _, values, _ in map(properties.get_filter, range(properties.get_nfilters()))
        ],
        "fill": defined == h5d.FILL_VALUE_USER_DEFINED,
        "attributes": attributes(found),
    }
    if kind == "chunked":
        result["chunks"] = tuple(properties.get_chunk())
    return result


def chunk_places(found: Any) -> list[tuple[tuple[int, ...], int, int, int]]:
    """Return index, offset, size and mask of all chunks of a dataset, by h5py's iterator."""
    chunks = found.get_create_plist().get_chunk()
    infos: list[Any] = []
    found.chunk_iter(infos.append)
    return sorted(
        (
            tuple(at // n for at, n in zip(info.chunk_offset, chunks, strict=True)),
            info.byte_offset,
            info.size,
            info.filter_mask,
        )
        for info in infos
    )


def space(found: Any) -> tuple[str, tuple[int, ...], tuple[int | None, ...]]:
    kind = found.get_simple_extent_type()
    if kind == h5s.NULL:
        return "null", (), ()
    if kind != h5s.SIMPLE:
        return "simple", (), ()
    most = found.get_simple_extent_dims(maxdims=True)
    return (
        "simple",
        tuple(found.get_simple_extent_dims()),
        tuple(None if n == h5s.UNLIMITED else n for n in most),
    )


def datatype(found: Any) -> tuple[Any, ...]:
    kind, size = found.get_class(), found.get_size()
    if kind == h5t.INTEGER:
        signed = found.get_sign() == h5t.SGN_2
        bits = (found.get_offset(), found.get_precision())
        return "integer", size, found.get_order() == h5t.ORDER_BE, signed, *bits
    if kind == h5t.FLOAT:
        order = {h5t.ORDER_LE: "little", h5t.ORDER_BE: "big"}.get(found.get_order(), "vax")
        bits = (found.get_offset(), found.get_precision())
        return "float", size, order, *bits, tuple(found.get_fields()), found.get_ebias()
    if kind == h5t.STRING and found.is_variable_str():
        return "string", found.get_cset()
    if kind == h5t.STRING:
        return "text", size, found.get_strpad(), found.get_cset()
    if kind == h5t.OPAQUE:
        return "opaque", size, found.get_tag()
    if kind == h5t.ENUM:
        base, count = found.get_super(), found.get_nmembers()
        width = base.get_size()
        data = found.encode()[-count * width :] if count else b""
        members = tuple(
            (found.get_member_name(n), data[n * width : (n + 1) * width]) for n in range(count)
        )
        return "enumeration", datatype(base), members
    if kind == h5t.VLEN:
        return "vlen", datatype(found.get_super())
    if kind == h5t.ARRAY:
        return "array", tuple(found.get_array_dims()), datatype(found.get_super())
    if kind == h5t.COMPOUND:
        fields = []
        for n in range(found.get_nmembers()):
            place = None if is_variable(found) else found.get_member_offset(n)
            fields.append((found.get_member_name(n), place, datatype(found.get_member_type(n))))
        return "compound", tuple(fields)
    return ("class", kind)


def is_variable(found: Any) -> bool:
    """Return whether elements have another size in memory than in the file."""
    kind = found.get_class()
    if kind == h5t.STRING:
        return bool(found.is_variable_str())
    if kind == h5t.ARRAY:
        return is_variable(found.get_super())
    if kind == h5t.COMPOUND:
        members = range(found.get_nmembers())
        return any(is_variable(found.get_member_type(n)) for n in members)
    return bool(kind == h5t.VLEN)


def attributes(obj: Any) -> list[tuple[Any, ...]]:
    """Return name, datatype, space and elements of each attribute."""
    names: list[bytes] = []
    for order in (h5.INDEX_CRT_ORDER, h5.INDEX_NAME):
        try:
            h5a.iterate(
                obj,
                lambda n: names.append(
                    n if isinstance(n, bytes) else n.encode("utf-8", "surrogateescape")
                ),
                index_type=order,
            )
            break
        except RuntimeError:
            names.clear()
    found = []
    for name in names:
        attribute = h5a.open(obj, name)
        kind, shape = attribute.get_type(), space(attribute.get_space())
        count = 0 if shape[0] == "null" else math.prod(shape[1])
        values: Any = []
        if count and name != b"REFERENCE_LIST" and count * kind.get_size() <= LARGEST:
            data = np.zeros(shape[1], f"V{kind.get_size()}")
            attribute.read(data, kind)
            values = elements(kind, data.tobytes(), count)
        found.append((name, datatype(kind), shape, values))
    return found


def elements(kind: Any, data: bytes, count: int) -> list[Any]:
    """Return the elements of a datatype in memory: bytes, or lists for elements with parts."""
    size = kind.get_size()
    parts = [data[n * size : (n + 1) * size] for n in range(count)]
    if not is_variable(kind):
        return parts
    return [_element(kind, part) for part in parts]


def _element(kind: Any, part: bytes) -> Any:
    which = kind.get_class()
    if which == h5t.STRING:
        pointer = int.from_bytes(part[:8], "little")
        return ctypes.string_at(pointer) if pointer else None
    if which == h5t.VLEN:
        length, pointer = int.from_bytes(part[:8], "little"), int.from_bytes(part[8:16], "little")
        base = kind.get_super()
        data = ctypes.string_at(pointer, length * base.get_size()) if length and pointer else b""
        return elements(base, data, length)
    if which == h5t.ARRAY:
        return elements(kind.get_super(), part, math.prod(kind.get_array_dims()))
    fields = []
    for n in range(kind.get_nmembers()):
        inner = kind.get_member_type(n)
        start = kind.get_member_offset(n)
        fields.append(elements(inner, part[start : start + inner.get_size()], 1)[0])
    return fields
