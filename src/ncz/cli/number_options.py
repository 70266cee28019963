"""Options for the types of stored numbers."""

from __future__ import annotations

from ncz.cli.command import LITERAL, spelled


def _types(text: str, _: str) -> list[tuple[str, str]]:
    """Return the name of a variable, or "", and the type that its numbers get."""
    name, _, word = text.rpartition("=")
    return [(name, word)]


NUMBERS = {
    "unpack": spelled(
        "--unpack",
        section="Numbers",
        help="Unpack packed variables; of several SRC, those whose scale_factor or add_offset"
        " differs.",
    ),
    "pack": spelled("--pack", metavar="TYPE", values=LITERAL, section="Numbers"),
    "types": spelled(
        "--type",
        metavar="[V=]TYPE",
        section="Numbers",
        repeats=True,
        parse=_types,
        gather=dict,
        help="Convert floating-point data to this type, such as float; or the numbers of one"
        " variable: V=short.",
    ),
}
