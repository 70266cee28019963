"""Filters of numbers give the same results as numcodecs, with numbers of documents."""

from __future__ import annotations

import json
from typing import Any

import numcodecs
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.codec import chain
from ncz.errors import CodecError
from ncz.formats.zarr.json import parse_json
from tests.sampled import share_of

DTYPES = [
    *(order + name for name in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8")
      for order in "<>"),
    "|i1", "|u1", "|b1",
]  # fmt: skip
NUMBERS = st.sampled_from(["10", "10.0", "1e1", "0.1", "3", "1000", "1000.5", "1E3"])


@st.composite
def filters(draw: st.DrawFn) -> tuple[str, str]:
    """Draw the dtype of the values, and the configuration of a codec as text."""
    before, after = draw(st.sampled_from(DTYPES)), draw(st.sampled_from([*DTYPES, ""]))
    dtypes = f'"dtype": "{before}"' + (f', "astype": "{after}"' if after else "")
    texts = (
        f'{{"id": "fixedscaleoffset", "scale": {draw(NUMBERS)}, "offset": {draw(NUMBERS)}, '
        f"{dtypes}}}",
        f'{{"id": "delta", {dtypes}}}',
        f'{{"id": "quantize", "digits": {draw(st.integers(-3, 9))}, {dtypes}}}',
        f'{{"id": "astype", "decode_dtype": "{before}", "encode_dtype": "{after or before}"}}',
        f'{{"id": "bitround", "keepbits": {draw(st.integers(0, 52))}}}',
    )
    return before, draw(st.sampled_from(texts))


def values_of(dtype: np.dtype, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.kind == "f":
        return rng.normal(1000, 100, 20).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, 20).astype(dtype)
    limits = np.iinfo(dtype)
    small = rng.integers(max(limits.min, -100), min(limits.max, 100), 16)
    return np.array([*small, 0, 1, limits.max // 2, limits.min], dtype)


def outcome(call: Any) -> bytes | None:
    """Return the bytes that a function gives; None if it raises."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(call()).tobytes()
    except Exception:  # a library may raise anything
        return None


@settings(max_examples=share_of(2000))
@given(filters(), st.integers(0, 99))
def test_they_give_the_same_as_numcodecs(drawn, seed):
    dtype, text = np.dtype(drawn[0]), drawn[1]
    configuration = parse_json(text.encode(), "v/.zarray")
    values = values_of(dtype, seed)
    try:
        codec = numcodecs.get_codec(json.loads(text))
    except ValueError:
        codec = None
    encoded = outcome(lambda: codec.encode(values))
    try:
        with np.errstate(all="ignore"):
            found = chain.encode([configuration], values, item_size=dtype.itemsize, location="v")
    except CodecError:
        found = None
    assert found is None or found == encoded
    if encoded is None:
        return
    decoded = outcome(lambda: codec.decode(encoded))
    how = {"count": values.size, "item_size": dtype.itemsize, "location": "v"}
    order = ">" if dtype.str[0] == ">" else "<"
    with np.errstate(all="ignore"):
        again = outcome(lambda: chain.decode([configuration], encoded, order=order, **how))
    assert again == decoded
