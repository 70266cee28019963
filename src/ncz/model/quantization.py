"""Lossy rounding before compression: its algorithms, and the attributes that record them.

Source: nc_def_var_quantize in the netCDF-C documentation.
"""

from __future__ import annotations

from typing import Literal

from ncz.model.types import Atomic
from ncz.record import record

QuantizeAlgorithm = Literal["BitGroom", "GranularBitRound", "BitRound"]

ATTRIBUTES: dict[QuantizeAlgorithm, str] = {
    "BitGroom": "_QuantizeBitGroomNumberOfSignificantDigits",
    "GranularBitRound": "_QuantizeGranularBitRoundNumberOfSignificantDigits",
    "BitRound": "_QuantizeBitRoundNumberOfSignificantBits",
}
"""The attribute that records each algorithm."""

MAX_DIGITS: dict[tuple[QuantizeAlgorithm, Atomic], int] = {
    ("BitGroom", Atomic.FLOAT): 7,
    ("BitGroom", Atomic.DOUBLE): 15,
    ("GranularBitRound", Atomic.FLOAT): 7,
    ("GranularBitRound", Atomic.DOUBLE): 15,
    ("BitRound", Atomic.FLOAT): 23,
    ("BitRound", Atomic.DOUBLE): 52,
}
"""The largest number of digits (of bits for BitRound) that each type allows."""


@record(kw_only=True)
class Quantization:
    """Lossy rounding before compression, as netCDF-C 4.9 defines it.

    `digits` counts decimal digits, or bits for "BitRound".
    """

    algorithm: QuantizeAlgorithm
    digits: int
