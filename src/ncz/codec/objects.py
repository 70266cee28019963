"""Codecs of objects: texts, bytes and arrays of varying length, JSON and MessagePack.

numcodecs' JSON and MessagePack allocate the memory that the data request, so they are decoded here.

Sources: numcodecs' vlen.pyx; its json.py and msgpacks.py for the layout of encoded objects: the
objects, then the dtype and the shape.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

from ncz.codec import (
    BYTES_OF_OBJECT,
    DTYPE,
    ArraySpec,
    Codec,
    Configuration,
    EncodedBytes,
    Parameter,
    Stage,
    TooLong,
    V3Spelling,
    flag,
    integer,
    to_bytes,
)
from ncz.errors import CodecError
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


class _CountedObjects(Codec):
    """A codec that writes the number of objects, then the length and the bytes of each."""

    kind = "object codec"

    def check(self, data: Bytes, stage: Stage) -> None:
        """Check the number of objects; each has at least four bytes of length."""
        count = int.from_bytes(data[:4], "little")
        if len(data) < 4 or count != stage.count:
            raise ValueError(f"it does not contain {stage.count} objects")
        if 4 + 4 * count > len(data):
            raise ValueError(f"its {len(data)} bytes are too few for {count} objects")

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Check the number of objects."""
        count = array.count
        return int.from_bytes(data[:4], "little") == count and len(data) >= 4 + 4 * count


class VlenUtf8(_CountedObjects):
    """The codec vlen-utf8: texts."""

    id = "vlen-utf8"
    v3 = V3Spelling("vlen-utf8", ())
    objects = "text"


class VlenBytes(_CountedObjects):
    """The codec vlen-bytes: bytes of any length."""

    id = "vlen-bytes"
    v3 = V3Spelling("vlen-bytes", ())
    objects = "bytes"


class VlenArray(_CountedObjects):
    """The codec vlen-array: arrays along one axis."""

    id = "vlen-array"
    parameters = (DTYPE,)
    objects = "arrays"


_TOKENS = 1 << 20
_LEAST_DOCUMENTS = 1 << 20


class _Document(Codec):
    kind = "object codec"

    def object_budget(self, encoded_size: int, count: int) -> int:
        """Return less than for other objects, as JSON and MessagePack grow when they are parsed."""
        return max(_LEAST_DOCUMENTS, 4 * encoded_size, BYTES_OF_OBJECT * count)


class Json2(_Document):
    """The codec json2: JSON."""

    id = "json2"
    parameters = (
        Parameter("encoding", "text", "utf-8"),
        flag("skipkeys", False),
        flag("ensure_ascii", True),
        flag("check_circular", True),
        flag("allow_nan", True),
        flag("sort_keys", True),
        Parameter("indent"),
        Parameter("separators"),
        flag("strict", True),
    )

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Parse a text with not too many values."""
        import json

        configuration = stage.configuration
        self.load(configuration)  # raises if numcodecs does not know a parameter
        text = to_bytes(value).decode(configuration.get("encoding") or "utf-8")
        if sum(map(text.count, "[{,:")) > _TOKENS + 8 * stage.count:
            raise ValueError(f"it contains more values than a chunk of {stage.count} objects may")
        return _objects(json.loads(text, strict=configuration.get("strict", True)), stage)


class MsgPack2(_Document):
    """The codec msgpack2: MessagePack."""

    id = "msgpack2"
    parameters = (
        flag("use_single_float", False),
        flag("use_bin_type", True),
        flag("raw", False),
    )
    install = "pip install 'numcodecs[msgpack]'"

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Unpack objects."""
        self.load(stage.configuration)  # raises if it is not installed
        import msgpack

        raw = bool(stage.configuration.get("raw", False))
        return _objects(msgpack.unpackb(to_bytes(value), raw=raw, strict_map_key=False), stage)


def _objects(items: Any, stage: Stage) -> Elements:
    """Return an array of the objects, which are followed by a dtype and a shape."""
    message = f"it does not contain {stage.count} objects"
    if not isinstance(items, list) or len(items) < 2 or not isinstance(items[-1], list):
        raise ValueError(message)
    *values, dtype, shape = items
    if not all(type(n) is int and n >= 0 for n in shape) or math.prod(shape) != stage.count:
        raise ValueError(message)
    kind = np.dtype(dtype.decode() if isinstance(dtype, bytes) else dtype)
    if kind.itemsize * stage.count > stage.limit:
        raise TooLong(stage.limit)
    elements = np.empty(shape, kind)
    if shape:
        if len(values) != shape[0]:
            raise ValueError(message)
        elements[:] = values
    else:
        elements[...] = values[0] if values else None
    return elements


class Json(Codec):
    """JSON as numcodecs once wrote it."""

    id = "json"
    kind = "object codec"
    parameters = (Parameter("encoding"),)
    can_encode = False


class MsgPack(Codec):
    """MessagePack as numcodecs once wrote it."""

    id = "msgpack"
    kind = "object codec"
    parameters = (Parameter("encoding"),)
    can_encode = False


class Pickle(Codec):
    """Pickled objects, which ncz neither reads nor writes."""

    id = "pickle"
    kind = "object codec"
    parameters = (integer("protocol", 5, 0, 5),)

    def load(self, configuration: Configuration) -> NoReturn:
        """Refuse: to decode a pickle runs the code of its writer."""
        raise CodecError(
            "ncz does not use pickle: reading a pickled chunk would run code from its writer",
            hint="write the array with another codec, such as vlen-utf8",
        )


CODECS = (
    VlenUtf8(), VlenBytes(), VlenArray(), Json2(), MsgPack2(), Json(), MsgPack(), Pickle()
)  # fmt: skip
