"""The variables that a constraint expression in the URL of a dataset chooses.

A projection of whole variables is applied: ``?lat,temp`` in DAP2, ``?dap4.ce=/lat;/g/temp`` in
DAP4. Parts of arrays, conditions and functions are refused: ncz makes such constraints itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import unquote

from ncz.errors import FormatError, UrlError, did_you_mean
from ncz.record import record
from ncz.zmap.location import Location

_OTHERS = "[]()<>=&|{}"


@record
class Projection:
    """The names of variables, or of the structures that they are in; None for all variables."""

    names: tuple[str, ...] | None = None

    def has(self, names: Iterable[str]) -> bool:
        """Return whether a variable with one of these names is chosen."""
        return self.names is None or not set(self.names).isdisjoint(names)

    def check(self, known: Iterable[str], error: Callable[[str, str], FormatError]) -> None:
        """Raise an error of a message and a hint if a name is unknown."""
        all_known = list(known)
        for name in self.names or ():
            if name not in all_known:
                raise error(f"no variable is named {name!r}", did_you_mean(name, all_known, ""))


def projection_of(location: Location) -> Projection:
    """Return the variables that the URL of a location chooses.

    Raises `UrlError` for a constraint that chooses more than whole variables.
    """
    if not location.query:
        return Projection()
    query, separator = location.query, ","
    if location.dap_mode == "dap4":
        query, separator = query.removeprefix("dap4.ce="), ";"
    words = [unquote(word).strip() for word in query.split(separator)]
    if any(character in word for word in words for character in _OTHERS) or not all(words):
        raise UrlError(
            "a constraint in the URL of an OPeNDAP server can only name whole variables",
            location.display,
            "use --isel or --sel for parts",
        )
    return Projection(tuple(word.strip("/") for word in words))
