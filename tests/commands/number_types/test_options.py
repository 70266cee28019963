"""Options of the types of numbers, as people and programs write them."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.commands.number_types.options import (
    NumberTypes,
    PackingChoice,
    masks_of,
    packings_of,
    quantizations_of,
    types_of,
)
from ncz.commands.option_error import OptionError
from ncz.model.quantization import Quantization
from ncz.model.types import Atomic


def test_no_option_changes_nothing():
    assert not NumberTypes()
    assert NumberTypes(unpack=True)
    assert NumberTypes(masks=(("", 0.0),))
    none = (masks_of(None), types_of(""), packings_of(None), quantizations_of(None))
    assert none == ((), (), (), ())


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("float", (("", "float"),)),
        ("float32", (("", "float"),)),
        ("f8", (("", "double"),)),
        ({"v": "int16", "w": "u1"}, (("v", "short"), ("w", "ubyte"))),
    ],
)
def test_types_have_the_names_of_numpy_too(given: Any, found: Any):
    assert types_of(given) == found


@pytest.mark.parametrize("word", ["char", "string", "floaty", "int7"])
def test_a_type_without_numbers_is_refused(word: str):
    with pytest.raises(OptionError, match=f"'{word}' is not a type of numbers"):
        types_of(word)


def test_masks_are_for_all_data_or_by_name():
    assert masks_of(-9999) == (("", -9999),)
    assert masks_of({"v": 0, "w": 1.5}) == (("v", 0), ("w", 1.5))


@pytest.mark.parametrize(
    ("given", "name", "packing"),
    [
        ("short", "", PackingChoice(Atomic.SHORT)),
        ("i2", "", PackingChoice(Atomic.SHORT)),
        ("short:0.01:273.15", "", PackingChoice(Atomic.SHORT, 0.01, 273.15)),
        ("byte:2", "", PackingChoice(Atomic.BYTE, 2)),
        ("temperature", "temperature", PackingChoice(Atomic.SHORT)),
        ({"v": "byte"}, "v", PackingChoice(Atomic.BYTE)),
    ],
)
def test_packings(given: Any, name: str, packing: PackingChoice):
    assert packings_of(given) == ((name, packing),)


@pytest.mark.parametrize("text", ["float", "short:0", "short:x", "short:1:2:3", "short:inf", ""])
def test_wrong_packings_are_refused_with_an_example(text: str):
    with pytest.raises(OptionError, match="is not valid") as error:
        packings_of({"v": text})
    assert "short:0.01:273.15" in (error.value.hint or "")


@pytest.mark.parametrize(
    ("given", "algorithm", "digits"),
    [(3, "GranularBitRound", 3), ("BitGroom:4", "BitGroom", 4), ("bitround:9", "BitRound", 9)],
)
def test_ways_to_round(given: int | str, algorithm: Any, digits: int):
    assert quantizations_of(given) == (("", Quantization(algorithm=algorithm, digits=digits)),)


@pytest.mark.parametrize("text", ["0", "-1", "x", "groom:3", "bitgroom:", "1.5"])
def test_wrong_ways_to_round_are_refused(text: str):
    with pytest.raises(OptionError, match="is not valid"):
        quantizations_of({"v": text})
