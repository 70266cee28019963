"""The storage properties of a JSON variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.codec.catalogue import writing_fault
from ncz.model.filters import Filter
from ncz.model.json_decoding import decode_value
from ncz.model.quantization import ATTRIBUTES, Quantization
from ncz.model.tree import Storage
from ncz.model.types import NcType
from ncz.views.json.tree import parse_node

if TYPE_CHECKING:
    from ncz.views.json.members import Members
    from ncz.views.json.tree import Node, Object


_STORAGE = (
    "layout",
    "chunks",
    "shards",
    "endianness",
    "codecs",
    "fill",
    "no_fill",
    "string_length",
    "quantize",
)


def read_storage(members: Members, node: Object, nc_type: NcType, rank: int) -> Storage:
    """Read the member "storage" of a variable. Raise CdlError if it is not valid."""
    if "storage" not in node.members:
        return Storage()
    nodes = members.object(node.members["storage"], '"storage"', _STORAGE).members
    lists = {}
    for key in ("chunks", "shards"):
        if key in nodes:
            lists[key] = members.wholes(nodes[key], f'"{key}"', least=1)
            if len(lists[key]) != rank:
                raise members.source.error(
                    nodes[key].at, f'"{key}" must have one number per dimension: {rank}'
                )
    return Storage(
        storage_class=members.choice(nodes, "layout", ("chunked", "contiguous", "compact")),
        chunks=lists.get("chunks"),
        shards=lists.get("shards"),
        endianness=members.choice(nodes, "endianness", ("little", "big")),
        filters=_read_codecs(members, nodes["codecs"]) if "codecs" in nodes else None,
        fill=members.value(nodes["fill"], lambda v: decode_value(v, nc_type))
        if "fill" in nodes
        else None,
        no_fill="no_fill" in nodes and members.flag(nodes["no_fill"], '"no_fill"'),
        string_length=members.whole(nodes["string_length"], '"string_length"', 1)
        if "string_length" in nodes
        else None,
        quantize=_read_quantize(members, nodes["quantize"]) if "quantize" in nodes else None,
    )


def _read_codecs(members: Members, node: Node) -> tuple[Filter, ...]:
    documents = parse_node(members.source, node)
    if not isinstance(documents, list) or not all(
        isinstance(d, dict) and isinstance(d.get("id"), str) for d in documents
    ):
        raise members.source.error(node.at, 'each codec must be an object with a member "id"')
    for document in documents:
        fault = writing_fault(document)
        if fault is not None:
            raise members.source.error(node.at, fault)
    return tuple(Filter.from_json(document) for document in documents)


def _read_quantize(members: Members, node: Node) -> Quantization:
    node = members.object(node, '"quantize"', ("algorithm", "digits"))
    return Quantization(
        algorithm=members.one_of(
            members.member(node, "algorithm", '"quantize"'), "algorithm", tuple(ATTRIBUTES)
        ),
        digits=members.whole(members.member(node, "digits", '"quantize"'), '"digits"', 1),
    )
