"""The DAS: the attributes of a dataset of DAP2, in containers that may be nested."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ncz.formats.dap.scanner import DEEPEST, Tokens, decoded_name, unquote_text
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.record import record

ATOMIC = {
    "byte": Atomic.UBYTE, "int8": Atomic.BYTE, "uint8": Atomic.UBYTE, "int16": Atomic.SHORT,
    "uint16": Atomic.USHORT, "int32": Atomic.INT, "uint32": Atomic.UINT, "int64": Atomic.INT64,
    "uint64": Atomic.UINT64, "float32": Atomic.FLOAT, "float64": Atomic.DOUBLE,
    "string": Atomic.STRING, "url": Atomic.STRING,
    "int": Atomic.INT, "uint": Atomic.UINT, "float": Atomic.DOUBLE,
}  # fmt: skip
"""The type of each type of DAP2, whose names are in lower case, and the types of some servers."""

_NOT_FINITE = {
    "nan": math.nan, "nan.": math.nan, "-nan": math.nan, "+nan": math.nan, "inf": math.inf,
    "infinity": math.inf, "inf.": math.inf, "+inf": math.inf, "-inf": -math.inf,
    "-infinity": -math.inf, "-inf.": -math.inf,
}  # fmt: skip


@record
class Container:
    """Attributes and containers by their names, as written."""

    attributes: tuple[Attribute, ...] = ()
    containers: tuple[tuple[str, Container], ...] = ()

    def find(self, name: str) -> Container | None:
        """Return the container with a name; None if none exists."""
        return next((found for known, found in self.containers if known == name), None)

    def text(self, name: str) -> str:
        """Return the text of an attribute; "" if it does not exist."""
        values = next((a.values for a in self.attributes if a.name == name), ())
        return "".join(value for value in values if isinstance(value, str))


NOTHING = Container()


def read_das(text: bytes, location: str) -> Container:
    """Return the attributes of a dataset. Raises `FormatError` if the text is not a DAS."""
    scanner = Tokens(text, "DAS", location)
    if scanner.word().lower() != b"attributes":
        raise scanner.error("it does not begin with Attributes")
    return _container(scanner, 0)


def _container(scanner: Tokens, depth: int) -> Container:
    if depth > DEEPEST:
        raise scanner.error("it is nested too deeply")
    scanner.need(b"{")
    attributes: dict[str, Attribute] = {}
    containers: dict[str, Container] = {}
    while not scanner.skip(b"}"):
        word = scanner.word()
        if scanner.is_next(b"{"):
            containers[decoded_name(word)] = _container(scanner, depth + 1)
            continue
        attribute = _attribute(scanner, word.decode("latin-1").lower())
        if attribute is not None:
            attributes.setdefault(attribute.name, attribute)
    return Container(tuple(attributes.values()), tuple(containers.items()))


def _attribute(scanner: Tokens, type_name: str) -> Attribute | None:
    """Return an attribute; None for another name of one (an alias)."""
    name = decoded_name(scanner.word())
    tokens: list[tuple[str, bytes]] = []
    parts: list[bytes] = []  # of a value without quotation marks, which may have blanks
    while True:
        kind, text = scanner.take()
        if kind == "text":
            tokens.append((kind, text))
        elif kind == "word":
            parts.append(text)
        elif text in (b",", b";"):
            if parts:
                tokens.append(("word", b" ".join(parts)))
                parts = []
            if text == b";":
                break
        else:
            parts.append(text)
    if type_name == "alias":
        return None
    nc_type = ATOMIC.get(type_name, Atomic.STRING)
    if nc_type is Atomic.STRING:
        texts = tuple(
            unquote_text(text) if kind == "text" else text.decode("utf-8", "surrogateescape")
            for kind, text in tokens
        )
        return text_attribute(name, texts)
    convert = number_of(nc_type)
    try:
        values = tuple(convert(text.decode("latin-1").strip()) for _, text in tokens)
    except ValueError as error:
        raise scanner.error(f"the attribute {name} is not of type {type_name}") from error
    return Attribute(name=name, type=nc_type, values=values)


def text_attribute(name: str, texts: tuple[str, ...]) -> Attribute:
    """Return an attribute of texts: of type char if it is one, and otherwise of string."""
    if len(texts) == 1:
        return Attribute(name=name, type=Atomic.CHAR, values=texts if texts[0] else ())
    return Attribute(name=name, type=Atomic.STRING, values=texts)


def number_of(nc_type: Atomic) -> Callable[[str], Any]:
    """Return a function that reads a number of a type. It raises ValueError."""

    def integer(text: str) -> int:
        number = int(text) if text.lstrip("+-").isdigit() else _whole(float(text))
        least, most = nc_type.limits
        if nc_type.size == 1 and -128 <= number <= 255:  # servers write bytes with a sign or not
            return (number - least) % 256 + least
        if not least <= number <= most:
            raise ValueError(text)
        return number

    def real(text: str) -> float:
        known = _NOT_FINITE.get(text.lower())
        return to_type(float(text) if known is None else known, nc_type)

    return real if nc_type.is_floating else integer


def _whole(number: float) -> int:
    """Return a number that a server writes as a float; raise ValueError if it is not whole."""
    if not number.is_integer():
        raise ValueError(number)
    return int(number)


def to_type(number: float, nc_type: Atomic) -> float:
    """Return a number rounded to float, if that is the type."""
    if nc_type is not Atomic.FLOAT or not math.isfinite(number):
        return number
    import struct

    try:
        value: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return value
