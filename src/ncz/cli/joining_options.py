"""Options about differences between datasets that are joined."""

from __future__ import annotations

from ncz.cli.spellings import LITERAL, number, spelling

_ATTRIBUTES = {
    "attributes": spelling("--attributes", metavar="RULE", values=LITERAL, section="Joining")
}
_UNPACK = {"unpack": spelling("--unpack", section="Joining")}
_TOLERANCE = {
    "tolerance": spelling(
        "--tolerance",
        metavar="T",
        values=number(0),
        section="Joining",
        help="Let values of variables without the dimension differ by up to T; the first's are"
        " kept.",
    )
}
_OVERLAP = {"overlap": spelling("--overlap", metavar="RULE", values=LITERAL, section="Joining")}

AGREEMENT = {**_ATTRIBUTES, **_UNPACK, **_TOLERANCE, **_OVERLAP}
"""Options of aggregations."""

JOINING = {
    **_ATTRIBUTES,
    **_UNPACK,
    "repack": spelling("--repack", metavar="TYPE", values=LITERAL, section="Joining"),
    "headroom": spelling(
        "--headroom",
        metavar="PERCENT",
        values=number(0),
        section="Joining",
        help="With --repack, leave PERCENT of the range of values free at both its ends, for later"
        " ones.",
    ),
    **_TOLERANCE,
    "sort": spelling("--sort", section="Joining"),
    **_OVERLAP,
}
"""Options of copies."""
