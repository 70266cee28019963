"""The contents of an HDF5 file by ncz's own reader, in the words of `by_h5py`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from ncz.formats.hdf5.metadata.chunk_index import read_chunk_index
from ncz.formats.hdf5.metadata.datatype import Datatype, TypeClass
from ncz.formats.hdf5.metadata.few_chunks import read_few_chunks
from ncz.formats.hdf5.metadata.file import Hdf5Metadata, open_metadata
from ncz.formats.hdf5.metadata.global_heap import GlobalHeap, HeapReader
from ncz.formats.hdf5.metadata.objects import Hdf5Object, Objects
from ncz.zmap.file import LocalFile
from tests.formats.hdf5.by_h5py import LARGEST


class File:
    """An open file."""

    def __init__(self, path: Path) -> None:
        self.metadata: Hdf5Metadata = open_metadata(LocalFile(str(path)))
        self.objects: Objects = self.metadata.objects()
        self._heap: GlobalHeap = self.metadata.heap(self.objects.source)

    def contents(self) -> dict[str, Any]:
        """Return groups, datasets, types and links by path."""
        found: dict[str, Any] = {}
        seen: set[int] = set()

        def visit(group: Hdf5Object, path: str) -> None:
            seen.add(group.address)
            found[path] = {
                "kind": "group",
                "links": [link.name for link in group.links],
                "attributes": self.attributes(group),
            }
            for link in group.links:
                inner = f"{path}/{link.name.decode('utf-8', 'surrogateescape')}"
                if link.kind != "hard":
                    found[inner] = {"kind": link.kind}
                    continue
                child = self.objects.find(link.address)
                if child.kind == "dataset":
                    found[inner] = self.dataset(child)
                elif child.kind == "datatype":
                    assert child.datatype is not None
                    found[inner] = {"kind": "datatype", "datatype": datatype(child.datatype)}
                elif child.address not in seen:
                    visit(child, inner)

        visit(self.objects.root, "")
        self.objects.source.verify()
        return found

    def dataset(self, found: Hdf5Object) -> dict[str, Any]:
        assert found.datatype is not None
        assert found.layout is not None
        result = {
            "kind": "dataset",
            "datatype": datatype(found.datatype),
            "space": space(found.space),
            "layout": found.layout.kind,
            "is_external": found.external is not None,
            "filters": [(each.number, each.parameters) for each in found.filters],
            "fill": bool(found.fill.data),
            "attributes": self.attributes(found),
        }
        if found.layout.kind == "chunked":
            result["chunks"] = found.layout.chunks[:-1]
        return result

    def chunk_places(self, found: Hdf5Object) -> list[tuple[tuple[int, ...], int, int, int]]:
        """Return index, offset, size and mask of all chunks of a dataset."""
        assert found.layout is not None
        assert found.space is not None
        assert found.datatype is not None
        superblock = self.metadata.superblock
        columns = read_chunk_index(
            self.metadata.source(), superblock.sizes, found.layout, found.space,
            is_filtered=bool(found.filters), item_size=found.datatype.size,
        )  # fmt: skip
        size = 0 if found.filters else math.prod(found.layout.chunks[:-1]) * found.datatype.size
        few = read_few_chunks(
            self.metadata.source(), superblock.sizes, found.layout, chunk_size=size
        )
        places = sorted(
            zip(
                map(tuple, columns.indices.tolist()),
                (columns.offsets + superblock.base).tolist(),
                columns.sizes.tolist(),
                columns.skipped.tolist(),
                strict=True,
            )
        )
        if few is not None:
            plain = [(n, each.offset, each.size, each.skipped) for n, each in few.items()]
            assert sorted(plain) == places
        return places

    def attributes(self, found: Hdf5Object) -> list[tuple[Any, ...]]:
        """Return name, datatype, space and elements of each attribute."""
        result = []
        for attribute in found.attributes.values():
            kind, shape = attribute.datatype, attribute.space
            values: Any = []
            is_small = shape.count * kind.size <= LARGEST
            if shape.count and attribute.name != b"REFERENCE_LIST" and is_small:
                data = attribute.data[attribute.at : attribute.at + shape.count * kind.size]
                values = self.elements(kind, data, shape.count)
            result.append((attribute.name, datatype(kind), space(shape), values))
        return result

    def elements(self, kind: Datatype, data: bytes, count: int) -> list[Any]:
        """Return elements: bytes, or lists for elements with parts."""
        parts = [data[n * kind.size : (n + 1) * kind.size] for n in range(count)]
        if not is_variable(kind):
            return parts
        return [self._element(kind, part) for part in parts]

    def _element(self, kind: Datatype, part: bytes) -> Any:
        if kind.kind is TypeClass.ARRAY:
            return self.elements(kind.element, part, math.prod(kind.shape))
        if kind.kind is TypeClass.COMPOUND:
            return [
                self.elements(inner, part[at : at + inner.size], 1)[0]
                for _, at, inner in kind.parts
            ]
        length = int.from_bytes(part[:4], "little")
        address = int.from_bytes(part[4:-4], "little")
        number = int.from_bytes(part[-4:], "little")
        reader = HeapReader(self._heap)
        data = reader.read(length * kind.element.size, address, number) if address else b""
        if kind.is_string:
            return data.partition(b"\0")[0] if address else None
        return self.elements(kind.element, data, length if address else 0)


def space(found: Any) -> tuple[str, tuple[int, ...], tuple[int | None, ...]]:
    return ("null" if found.is_null else "simple"), found.shape, found.largest


def datatype(found: Datatype) -> tuple[Any, ...]:
    size, bits = found.size, (found.offset, found.precision)
    match found.kind:
        case TypeClass.INTEGER:
            return "integer", size, found.is_big, found.is_signed, *bits
        case TypeClass.FLOAT:
            assert found.fields is not None
            order = "vax" if found.is_vax else "big" if found.is_big else "little"
            *parts, bias, _ = found.fields.parts
            return "float", size, order, *bits, tuple(parts), bias
        case TypeClass.STRING:
            return "text", size, found.padding, found.character_set
        case TypeClass.OPAQUE:
            return "opaque", size, found.tag
        case TypeClass.ENUM:
            return "enumeration", datatype(found.element), found.labels
        case TypeClass.VLEN:
            return (
                ("string", found.character_set)
                if found.is_string
                else ("vlen", datatype(found.element))
            )
        case TypeClass.ARRAY:
            return "array", found.shape, datatype(found.element)
        case TypeClass.COMPOUND:
            is_fixed = not is_variable(found)
            fields = ((n, at if is_fixed else None, datatype(p)) for n, at, p in found.parts)
            return "compound", tuple(fields)
        case _:
            return "class", int(found.kind)


def is_variable(found: Datatype) -> bool:
    """Return whether elements have another size in memory than in the file."""
    if found.kind is TypeClass.ARRAY:
        return is_variable(found.element)
    if found.kind is TypeClass.COMPOUND:
        return any(is_variable(part) for _, _, part in found.parts)
    return found.kind is TypeClass.VLEN
