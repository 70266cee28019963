"""The interface of a form of masters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ncz.model.tree import Variable
from ncz.record import record

if TYPE_CHECKING:
    from ncz.formats.aggregation.master import AggregatedVariable
    from ncz.formats.aggregation.partitions import Partitions


@record(kw_only=True)
class MasterForm:
    """A form of masters.

    Attributes
    ----------
    name
        The convention and its version.
    recognises
        Whether a variable with the marks of an aggregated variable has this form.
    dimensions
        The attribute with the names of the dimensions.
    own
        The FQNs of the variables and the groups that only describe an aggregated variable.
    partitions
        Parses the description; raises `FormatError` if it is not valid.
    converts
        Whether a piece may have another type and may be packed, as CF permits. Otherwise it has
        the variable's own type and packing.
    has_uris
        Whether the files are named by URIs, where ``%XX`` is an encoded character.
    """

    name: str
    recognises: Callable[[Variable], bool]
    dimensions: str
    own: Callable[[AggregatedVariable], Iterable[str]]
    partitions: Callable[[AggregatedVariable], Partitions]
    converts: bool
    has_uris: bool
