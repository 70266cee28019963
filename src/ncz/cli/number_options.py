"""Options for the types of stored numbers."""

from __future__ import annotations

import click

from ncz.cli.spellings import spelling
from ncz.text.decimal_comma import with_decimal_points


def _types(text: str, _: str) -> list[tuple[str, str]]:
    """Return names of variables, or "", and the types that their numbers get, with factors."""
    parts = (part.rpartition("=") for part in text.split(","))
    return [(name, word) for name, _, word in parts]


def _masks(text: str, option: str) -> list[tuple[str, float]]:
    """Return the name of a variable, or "", and the value of its missing data."""
    name, _, word = text.rpartition("=")
    try:
        number = float(word)
    except ValueError:
        point = with_decimal_points(text)
        hint = f"; write {option} {point}" if point != text else ""
        raise click.UsageError(f"{option}: {word!r} is not a number{hint}") from None
    return [(name, int(number) if number.is_integer() else number)]


def _quantize(text: str, _: str) -> list[tuple[str, str]]:
    """Return names of variables, or "", and their rounding; V:3 means V=3."""
    from ncz.commands.number_types.options import ALGORITHMS

    found = []
    for part in text.split(","):
        name, is_named, word = part.rpartition("=")
        before, colon, after = part.partition(":")
        if colon and not is_named and before.lower() not in ALGORITHMS:
            name, word = before, after
        found.append((name, word))
    return found


NUMBERS = {
    "unpack": spelling(
        "--unpack",
        section="Numbers",
        help="Unpack packed variables; with several SRC, variables whose scale_factor or add_offset"
        " differs.",
    ),
    "pack": spelling(
        "--pack",
        metavar="[V=]TYPE",
        section="Numbers",
        repeats=True,
        parse=_types,
        gather=dict,
        help="Pack floating-point data as this type, such as short, in the range of their values;"
        " or with factors: short:SCALE:OFFSET. V=short packs one variable.",
    ),
    "types": spelling(
        "--type",
        metavar="[V=]TYPE",
        section="Numbers",
        repeats=True,
        parse=_types,
        gather=dict,
        help="Convert floating-point data to this type, such as float; or the numbers of one"
        " variable: V=short.",
    ),
    "missing_value": spelling(
        "--missing-value",
        metavar="[V=]X",
        section="Numbers",
        repeats=True,
        parse=_masks,
        gather=dict,
        help="Write missing data as this value, and name it in _FillValue; for one"
        " variable: V=-9999.",
    ),
    "quantize": spelling(
        "--quantize",
        metavar="[V=]DIGITS",
        section="Numbers",
        repeats=True,
        parse=_quantize,
        gather=dict,
        help="Round floating-point data to DIGITS significant digits; for one variable: V=3."
        " bitgroom:3 is another algorithm, and bitround:9 keeps 9 bits.",
    ),
}
