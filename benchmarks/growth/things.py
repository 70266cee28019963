"""Texts in CDL with any number of one kind of thing."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thing:
    """One kind of thing.

    `template` is CDL with placeholders: `<each TEXT>` is replaced by the text once for each number,
    `<list TEXT>` by the same separated by commas, `<repeat TEXT>` by the text, repeated as often,
    and `<count>` by the count. `#` is the number within a text.
    """

    name: str
    template: str
    scale: float = 1
    """How many of them take about the time of one variable."""
    refused_by: tuple[str, ...] = ()
    """The commands that such a dataset is not for."""

    def text(self, count: int) -> str:
        """Return the text with `count` of them."""

        def filled(found: re.Match[str]) -> str:
            kind, text = found.groups()
            if kind == "count":
                return str(count)
            separator = ", " if kind == "list" else ""
            return separator.join(text.replace("#", str(number)) for number in range(count))

        return re.sub(r"<(count|each|list|repeat) ?([^>]*)>", filled, self.template)


_X = "dimensions: x = 4 ; variables: int v0(x) ;"
_V0 = "data: v0 = 1, 2, 3, 4 ;"
_BYTES = 'Modèle 1 à 7, voir \\"annexe\\" \\\\ b.\\n'
"""About 32 bytes of text, with some characters outside ASCII."""

_LARGE = 200
"""The scale of data too large for the 64 kB of an HDF5 header, even a single one."""

_TABLE, _IN_PLACE = "dump --csv --vars v0 {zarr}", "edit {changed} --zarr-format 3"

THINGS = (
    Thing(
        "variables",
        'dimensions: x = 4 ; variables: <each int v#(x) ; v#:units = "K" ;>'
        " data: <each v# = 1, 2, 3, # ;>",
    ),
    Thing(
        "coordinates",
        "dimensions: <each v# = 2 ;> x = 4 ; variables: <each double v#(v#) ;>"
        ' <each v#:units = "days since 2000-01-01" ;> data: <each v# = 1, # ;>',
    ),
    Thing(
        "variables with coordinates",
        'dimensions: x = 4 ; variables: <each int v#(x) ; v#:coordinates = "v0 v#" ;>'
        " data: <each v# = 1, 2, 3, # ;>",
    ),
    Thing(
        "variables of records",
        # So many bytes between two records of v# that each record is read for itself.
        "dimensions: x = UNLIMITED ; y = 5000 ; variables: <each int v#(x) ;> int wide(x, y) ;"
        " data: <each v# = 1, 2 ;>",
    ),
    Thing("dimensions", f"dimensions: <each d# = 2 ;> x = 4 ; variables: int v0(x) ; {_V0}"),
    Thing(
        "groups",
        f"{_X} {_V0} <each group: g# {{ variables: int v(x) ; data: v = 1, 2, 3, 4 ; }}>",
    ),
    Thing(
        "nested groups",
        f"{_X} {_V0} <each group: g# {{ group: h {{ group: k {{ variables: int v(x) ;"
        " data: v = 1, 2, 3, 4 ; } } }>",
    ),
    Thing("attributes", f"{_X} <each v0:a# = #, 2 ;> {_V0}", 4),
    Thing("global attributes", f'{_X} <each :a# = "text #" ;> {_V0}', 4),
    Thing("numbers of an attribute", f"{_X} v0:a = <list #.5> ; {_V0}", _LARGE),
    Thing("strings of an attribute", f'{_X} string v0:a = <list "s#"> ; {_V0}', 50),
    Thing("lines of an attribute", f'{_X} v0:a = <list "line #\\n"> ; {_V0}', _LARGE),
    Thing("lines of text of an attribute", f'{_X} v0:a = "<repeat {_BYTES}>" ; {_V0}', 100),
    Thing(
        "types",
        "types: <each int enum e# { a = 0, b = 1 } ;> dimensions: x = 4 ;"
        f" variables: int v0(x) ; <each e# w#(x) ;> {_V0}",
    ),
    Thing(
        "members of an enum",
        "types: int enum e { <list m# = #> } ; dimensions: x = 4 ;"
        f" variables: int v0(x) ; e w(x) ; {_V0} w = m0, m1, m2, m3 ;",
    ),
    Thing(
        "fields of a compound",
        "types: compound c { <each int f# ;> } ; dimensions: x = 2 ;"
        " variables: int v0(x) ; c w(x) ; data: v0 = 1, 2 ; w = { <list #> }, { <list #> } ;",
        0.25,  # a type of HDF5 can have 64 kB
    ),
    Thing(
        "chunks",
        "dimensions: x = <count> ; variables: int v0(x) ; v0:_ChunkSizes = 1 ;"
        " data: v0 = <list #> ;",
        4,
    ),
    Thing(
        "rows",
        "dimensions: x = <count> ; y = 2 ; variables: double x(x) ; int v0(x, y) ;"
        " data: x = <list #> ; v0 = <list #, 1> ;",
        100,
    ),
    Thing(
        "numbers",
        "dimensions: x = <count> ; variables: float v0(x) ; data: v0 = <list #.25> ;",
        1000,
    ),
    Thing(
        "strings",
        'dimensions: x = <count> ; variables: string v0(x) ; data: v0 = <list "t #"> ;',
        50,
        (_IN_PLACE,),
    ),
    Thing(
        "lines of text of a string",
        f'dimensions: x = 4 ; variables: string v0(x) ; data: v0 = "<repeat {_BYTES}>", "b" ;',
        100,  # a collection of HDF5 above 16 MB is read again rather than kept
        (_IN_PLACE,),
    ),
    Thing(
        "characters",
        'dimensions: x = <count> ; variables: char v0(x) ; data: v0 = "<repeat a>" ;',
        10_000,
    ),
    Thing(
        "texts of characters",
        'dimensions: x = <count> ; y = 64 ; variables: char v0(x, y) ; data: v0 = <list "text #">;',
        1000,
    ),
    Thing(
        "lists",
        "types: int(*) l ; dimensions: x = <count> ; variables: l v0(x) ;"
        " data: v0 = <list {1, #}> ;",
        50,
        (_TABLE,),
    ),
    Thing(
        "numbers of a list",
        "types: int(*) l ; dimensions: x = 4 ; variables: l v0(x) ; data: v0 = {<list #>} ;",
        100,
        (_TABLE,),
    ),
)
"""All kinds of things."""
