"""A small OPeNDAP server: DAP2 and DAP4 over arrays in memory, written from the specifications.

It does not import ncz. `tests/formats/dap` compares values that ncz reads from it with the arrays,
and with values that netCDF-C and pydap read.
"""

from __future__ import annotations

import contextlib
import re
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from xml.sax.saxutils import escape, quoteattr

import numpy as np

DAP2 = {
    "u1": "Byte", "i2": "Int16", "u2": "UInt16", "i4": "Int32", "u4": "UInt32", "f4": "Float32",
    "f8": "Float64", "O": "String",
}  # fmt: skip
WIRE = {
    "u1": "u1", "i2": ">i4", "u2": ">u4", "i4": ">i4", "u4": ">u4", "f4": ">f4", "f8": ">f8",
}  # fmt: skip
DAP4 = {
    "i1": "Int8", "u1": "UInt8", "S1": "Char", "i2": "Int16", "u2": "UInt16", "i4": "Int32",
    "u4": "UInt32", "i8": "Int64", "u8": "UInt64", "f4": "Float32", "f8": "Float64", "O": "String",
}  # fmt: skip


@dataclass
class Served:
    """A variable.

    `dims` are names with lengths; a name may be None. `attributes` are values by name, after their
    types in the words of DAP. With `maps`, it is a grid of DAP2. `parts` are the parts of a
    structure; each has the dimensions of the structure first. `type` replaces the type that follows
    from the values, such as an enum of DAP4.
    """

    name: str
    values: Any = None
    dims: Sequence[tuple[str | None, int]] = ()
    attributes: Mapping[str, tuple[str, Sequence[Any]]] = field(default_factory=dict)
    maps: bool = False
    parts: Sequence[Served] = ()
    sequence: bool = False
    type: str = ""

    @property
    def code(self) -> str:
        return str(self.values.dtype.str.lstrip("<>|=")) if self.values is not None else ""


@dataclass
class DapDataset:
    """Variables, attributes of the dataset, and lines that are added to the DAS and the DMR."""

    variables: Sequence[Served]
    attributes: Mapping[str, tuple[str, Sequence[Any]]] = field(default_factory=dict)
    das: str = ""
    dmr: str = ""
    big_endian: bool = False
    checksums: bool = True
    damage: Any = None
    """A function that changes the values that are sent."""

    def find(self, name: str) -> Served | None:
        return next((v for v in self.variables if v.name == name), None)

    # DAP2

    def dds(self, chosen: Sequence[Any] | None = None) -> str:
        lines = ["Dataset {"]
        for one in chosen if chosen is not None else self.variables:
            lines += _declared(self, one, "    ")
        return "\n".join([*lines, "} served;", ""])

    def das_text(self) -> str:
        lines = ["Attributes {", self.das]
        for one in self.variables:
            lines += _container(one, "    ")
        lines += ["    NC_GLOBAL {", *_attributes(self.attributes, "        "), "    }", "}", ""]
        return "\n".join(lines)

    def dods(self, constraint: str) -> bytes:
        words = constraint.split(",") if constraint else []
        chosen = _merged([_chosen(self, word) for word in words]) if words else None
        picked = self.variables if chosen is None else chosen
        data = b"".join(_xdr(self, one) for one in picked)
        data = self.damage(data) if self.damage else data
        return self.dds(chosen).encode() + b"\nData:\n" + data

    # DAP4

    def dmr_text(self, chosen: Sequence[Served] | None = None) -> str:
        variables = self.variables if chosen is None else chosen
        dims = {name: size for v in self.variables for name, size in v.dims if name}
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<Dataset xmlns="http://xml.opendap.org/ns/DAP/4.0#" dapVersion="4.0" dmrVersion="1.0"'
            ' name="served">',
        ]
        tree: dict[str, Any] = {"dims": {}, "vars": [], "groups": {}}
        for name, size in dims.items():
            *groups, plain = name.split("/")
            _node(tree, groups)["dims"][plain] = size
        for one in variables:
            *groups, _ = one.name.split("/")
            _node(tree, groups)["vars"].append(one)
        lines += _dmr_group(tree, "  ", self.dmr)
        lines += _dmr_attributes(self.attributes, "  ")
        return "\n".join([*lines, "</Dataset>", ""])

    def dap(self, constraint: str) -> bytes:
        order = ">" if self.big_endian else "<"
        chosen: list[Served] | None = None
        if constraint:
            chosen = []
            for word in constraint.split(";"):
                name, slices = _split(word)
                found = self.find(name.lstrip("/"))
                if found is None:
                    raise KeyError(name)
                chosen.append(_cut(found, slices))
        body = b""
        for one in self.variables if chosen is None else chosen:
            data = _serialized(one, order)
            body += data
            if self.checksums:
                body += struct.pack(order + "I", zlib.crc32(data))
        body = self.damage(body) if self.damage else body
        dmr = self.dmr_text(chosen).encode() + b"\r\n"
        flags = 0 if self.big_endian else 4
        answer = _chunk(flags, dmr)
        parts = [body[at : at + 1000] for at in range(0, len(body), 1000)] or [b""]
        for number, part in enumerate(parts):
            answer += _chunk(flags | (number == len(parts) - 1), part)
        return answer


def _chunk(flags: int, data: bytes) -> bytes:
    return struct.pack(">I", flags << 24 | len(data)) + data


def _node(tree: dict[str, Any], groups: Sequence[str]) -> dict[str, Any]:
    for name in groups:
        tree = tree["groups"].setdefault(name, {"dims": {}, "vars": [], "groups": {}})
    return tree


def _encoded(name: str) -> str:
    return quote(name, safe="_!~*'-\"/.")


def _declared(dataset: DapDataset, one: Served, indent: str) -> list[str]:
    dims = "".join(f"[{n} = {size}]" if n else f"[{size}]" for n, size in one.dims)
    name = _encoded(one.name)
    if one.parts:
        kind = "Sequence" if one.sequence else "Structure"
        inner = [line for part in one.parts for line in _declared(dataset, part, indent + "    ")]
        return [f"{indent}{kind} {{", *inner, f"{indent}}} {name}{dims};"]
    line = f"{one.type or DAP2[one.code]} {name}{dims};"
    if not one.maps:
        return [indent + line]
    maps = [_map(dataset, n, size) for n, size in one.dims]
    inner = [line for part in maps for line in _declared(dataset, part, indent + "    ")]
    return [
        f"{indent}Grid {{", f"{indent}  Array:", f"{indent}    {line}", f"{indent}  Maps:",
        *inner, f"{indent}}} {name};",
    ]  # fmt: skip


def _map(dataset: DapDataset, name: str | None, size: int) -> Served:
    found = dataset.find(name or "")
    values = np.arange(size, dtype="f8") if found is None else found.values[:size]
    return Served(name or "", values, [(name, size)])


def _container(one: Served, indent: str) -> list[str]:
    lines = _attributes(one.attributes, indent + "    ")
    for part in one.parts:
        lines += _container(part, indent + "    ")
    return [f"{indent}{_encoded(one.name)} {{", *lines, f"{indent}}}"]


def _attributes(attributes: Mapping[str, tuple[str, Sequence[Any]]], indent: str) -> list[str]:
    def shown(kind: str, value: Any) -> str:
        if kind != "String":
            return str(value)
        text = str(value).replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}"'

    return [
        f"{indent}{kind} {_encoded(name)} {', '.join(shown(kind, v) for v in values)};"
        for name, (kind, values) in attributes.items()
    ]


def _split(word: str) -> tuple[str, list[slice]]:
    name, _, rest = word.partition("[")
    slices = []
    for part in re.findall(r"\[([^\]]*)\]", "[" + rest if rest else ""):
        numbers = [int(n) for n in part.split(":")]
        first, last = numbers[0], numbers[-1]
        slices.append(slice(first, last + 1, numbers[1] if len(numbers) == 3 else 1))
    return name, slices


def _cut(one: Served, slices: Sequence[slice]) -> Served:
    if not slices:
        return one
    if len(slices) != len(one.dims):
        raise KeyError(f"{one.name} has {len(one.dims)} dimensions")
    sizes = [len(range(*s.indices(size))) for s, (_, size) in zip(slices, one.dims, strict=True)]
    if any(s.stop > size for s, (_, size) in zip(slices, one.dims, strict=True)):
        raise KeyError(f"{one.name} is shorter")
    dims = [(name, n) for (name, _), n in zip(one.dims, sizes, strict=True)]
    if one.parts:
        parts = [
            Served(part.name, part.values[tuple(slices)], part.dims, type=part.type)
            for part in one.parts
        ]
        return Served(one.name, None, dims, one.attributes, parts=parts)
    return Served(
        one.name,
        one.values[tuple(slices)],
        dims,
        one.attributes,
        one.maps,
        one.parts,
        type=one.type,
    )


def _chosen(dataset: DapDataset, word: str) -> Served:
    parts = [_split(part) for part in re.split(r"\.(?![^\[]*\])", word)]
    parts = [(unquote(name), slices) for name, slices in parts]
    (name, slices), *rest = parts
    found = dataset.find(name)
    if found is None:
        raise KeyError(name)
    if not rest:
        return _cut(found, slices)
    (inner, inner_slices) = rest[0]
    if found.maps:  # the array of a grid, or one map
        if inner == name:
            array = Served(name, found.values, found.dims, found.attributes)
        else:
            size = dict(found.dims)[inner]
            array = _map(dataset, inner, size)
        return Served(name, parts=[_cut(array, inner_slices)])
    part = next(p for p in found.parts if p.name == inner)
    both = Served(inner, part.values, [*found.dims, *part.dims], type=part.type)
    outer = slices or [slice(0, size) for _, size in found.dims]
    inner_slices = inner_slices or [slice(0, size) for _, size in part.dims]
    cut = _cut(both, [*outer, *inner_slices])
    rank = len(found.dims)
    own = Served(inner, cut.values, cut.dims[rank:], type=part.type)
    return Served(name, dims=cut.dims[:rank], parts=[own])


def _merged(chosen: Sequence[Served]) -> list[Served]:
    """Return variables, with structures of the same name combined."""
    found: dict[str, Served] = {}
    for one in chosen:
        known = found.get(one.name)
        if known is not None and one.parts:
            one = Served(one.name, dims=one.dims, parts=[*known.parts, *one.parts])
        found[one.name] = one
    return list(found.values())


def _xdr(dataset: DapDataset, one: Served) -> bytes:
    if one.parts:
        shape = tuple(size for _, size in one.dims)
        if not shape:
            return b"".join(_xdr(dataset, part) for part in one.parts)
        data = struct.pack(">I", int(np.prod(shape)))
        for index in np.ndindex(shape):
            for part in one.parts:
                inner = np.asarray(part.values[index], part.values.dtype)
                data += _xdr(dataset, Served(part.name, inner, part.dims))
        return data
    data = _xdr_values(one.values, bool(one.dims))
    if one.maps:
        for name, size in one.dims:
            data += _xdr(dataset, _map(dataset, name, size))
    return data


def _xdr_values(values: Any, is_array: bool) -> bytes:
    code = values.dtype.str.lstrip("<>|=")
    count = struct.pack(">I", values.size)
    if code == "O":
        data = count if is_array else b""
        for text in values.ravel():
            raw = text.encode()
            data += struct.pack(">I", len(raw)) + raw + bytes(-len(raw) % 4)
        return data
    sent: bytes = values.astype(WIRE[code]).tobytes()
    if not is_array:
        return bytes(-len(sent) % 4) + sent  # a byte is a number of four bytes
    return count * 2 + sent + bytes(-len(sent) % 4)


def _dmr_group(node: dict[str, Any], indent: str, more: str) -> list[str]:
    lines = [
        f'{indent}<Dimension name={quoteattr(n)} size="{s}"/>' for n, s in node["dims"].items()
    ]
    lines += [more] if more else []
    for one in node["vars"]:
        lines += _dmr_variable(one, indent)
    for name, inner in node["groups"].items():
        lines += [f"{indent}<Group name={quoteattr(name)}>"]
        lines += [*_dmr_group(inner, indent + "  ", ""), f"{indent}</Group>"]
    return lines


def _dmr_variable(one: Served, indent: str) -> list[str]:
    name = one.name.rpartition("/")[2]
    kind, more = one.type or (DAP4[one.code] if one.code else ""), ""
    if kind.startswith("Enum "):
        kind, more = "Enum", f" enum={quoteattr(kind[5:])}"
    if one.parts:
        kind = "Sequence" if one.sequence else "Structure"
    dims = [
        f"{indent}  <Dim name={quoteattr('/' + n)}/>" if n else f'{indent}  <Dim size="{s}"/>'
        for n, s in one.dims
    ]
    inner = [line for part in one.parts for line in _dmr_variable(part, indent + "  ")]
    return [
        f"{indent}<{kind} name={quoteattr(name)}{more}>", *inner, *dims,
        *_dmr_attributes(one.attributes, indent + "  "), f"{indent}</{kind}>",
    ]  # fmt: skip


def _dmr_attributes(attributes: Mapping[str, tuple[str, Sequence[Any]]], indent: str) -> list[str]:
    lines = []
    for name, (kind, values) in attributes.items():
        lines.append(f'{indent}<Attribute name={quoteattr(name)} type="{kind}">')
        lines += [f"{indent}  <Value>{escape(str(value))}</Value>" for value in values]
        lines.append(f"{indent}</Attribute>")
    return lines


def _serialized(one: Served, order: str) -> bytes:
    if one.parts:
        shape = tuple(size for _, size in one.dims)
        data = b""
        for index in np.ndindex(shape):
            for part in one.parts:
                inner = np.asarray(part.values[index], part.values.dtype)
                data += _serialized(Served(part.name, inner, part.dims), order)
        return data
    if one.code == "O":
        parts = [text.encode() for text in one.values.ravel()]
        return b"".join([struct.pack(order + "Q", len(raw)) + raw for raw in parts])
    return bytes(one.values.astype(one.values.dtype.newbyteorder(order)).tobytes())


class DapService:
    """A running server: its address, the requests, and responses that replace those to datasets."""

    def __init__(self, address: str, datasets: Mapping[str, DapDataset]) -> None:
        self.address = address
        self.datasets = datasets
        self.requests: list[str] = []
        self.answers: dict[str, tuple[int, Mapping[str, str], bytes]] = {}
        """A status, headers and a body by the end of a path."""

    def url(self, name: str, protocol: str = "dap2") -> str:
        return f"http://{self.address}/{name}#mode={protocol}"


_ERROR = 'Error {{\n    code = {code};\n    message = "{message}";\n}};\n'
_ERROR_DAP4 = (
    '<?xml version="1.0"?>\n<Error xmlns="http://xml.opendap.org/ns/DAP/4.0#" httpcode="{code}">'
    "<Message>{message}</Message></Error>\n"
)


@contextlib.contextmanager
def serving_dap(datasets: Mapping[str, DapDataset]) -> Iterator[DapService]:
    """Serve datasets by their names, over DAP2 and DAP4, until the context ends."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._send(200, {}, b"")

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            service.requests.append(self.path)
            for end, (status, headers, body) in service.answers.items():
                if parts.path.endswith(end):
                    self._send(status, headers, body)
                    return
            path, query = unquote(parts.path).lstrip("/"), unquote(parts.query)
            is_dap4 = path.endswith((".dmr", ".dmr.xml", ".dap"))
            try:
                self._send(200, {}, self._body(path, query))
            except KeyError as error:
                document = _ERROR_DAP4 if is_dap4 else _ERROR
                text = document.format(code=404, message=f"no variable or dataset: {error}")
                self._send(404, {"Content-Description": "dods_error"}, text.encode())

        def _body(self, path: str, query: str) -> bytes:
            name, _, suffix = path.partition(".")
            dataset = service.datasets[name]
            if suffix == "dds":
                return dataset.dds().encode()
            if suffix == "das":
                return dataset.das_text().encode()
            if suffix == "dods":
                return dataset.dods(query)
            if suffix in ("dmr", "dmr.xml"):
                return dataset.dmr_text().encode()
            if suffix == "dap":
                found = re.search(r"dap4\.ce=([^&]*)", query)
                return dataset.dap(found[1] if found else "")
            raise KeyError(path)

        def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                with contextlib.suppress(OSError):  # the client has read enough
                    self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = DapService(f"127.0.0.1:{server.server_port}", datasets)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
