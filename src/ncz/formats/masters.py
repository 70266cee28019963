"""The interface of a format whose datasets can be masters over the files of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.record import record

if TYPE_CHECKING:
    from ncz.errors import Notify, Progress
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.growth import Growth
    from ncz.formats.piece_layout import PieceLayout
    from ncz.formats.write_plan import WritePlan
    from ncz.model.tree import Dataset, Group, Variable
    from ncz.zmap import Zmap
    from ncz.zmap.claim import Leftover
    from ncz.zmap.location import Location


@record(kw_only=True)
class MasterKind:
    """A form of new masters.

    Attributes
    ----------
    name
        The convention and its version.
    has_uris
        Whether pieces are named by URIs.
    needs_all
        Whether no partition can be undefined next to others with pieces.
    packs_afterwards
        Whether the packing of a variable applies to the values that pieces have unpacked.
    """

    name: str
    has_uris: bool = False
    needs_all: bool = False
    packs_afterwards: bool = False


@record(kw_only=True)
class Masters:
    """Functions that make, move and lengthen the masters of a format.

    Attributes
    ----------
    kinds
        The forms of new masters, by the value of ``mode=`` that selects them.
    fields
        Returns the variables of a dataset that are divided into pieces, by FQN.
    is_packed
        Returns whether a variable is packed.
    master
        Returns the master of a dataset, from the pieces of its aggregated variables by FQN, and the
        location where it will be. It records the state of the pieces.
    with_names
        Returns a master, as stored at a URL, with other names of its pieces. Raises
        `FormatError` if it is not valid.
    may_be_file
        Returns whether the name of a location allows a master in a file.
    may_be
        Returns whether an open store may be a master, by its root document.
    is_own
        Returns whether a piece, as a master names it, is in the folder of the master's pieces.
    recover
        Completes or undoes the placement of a master by a killed process; returns its remains. The
        second argument says whether to change nothing. Raises `ZmapError`.
    growths
        Plans new pieces of a master, from its dataset, the axis that grows of each variable, and
        its new indices. The last arguments are the lengths of new pieces by the name of a
        dimension, and their format; None for the format of the old ones. Raises `FormatError`.
    grow
        Writes new pieces of a master, from the longer dataset, the plans that `growths` returned,
        options, a function that plans a piece, one that raises `ZmapError` if the master has
        changed, and the progress; returns the number of pieces.
    without_conventions
        Returns a dataset without the additions of a master to the conventions of its root.
    """

    kinds: Mapping[str, MasterKind]
    fields: Callable[[Group], dict[str, Variable]]
    is_packed: Callable[[Variable], bool]
    master: Callable[[Dataset, Mapping[str, PieceLayout], MasterKind, Location], Dataset]
    with_names: Callable[[Dataset, str, Callable[[str], str]], Dataset]
    may_be_file: Callable[[Location], bool]
    may_be: Callable[[Zmap], bool]
    is_own: Callable[[str, Location], bool]
    recover: Callable[[str, bool], list[Leftover]]
    growths: Callable[
        [Location, Dataset, Mapping[str, int], Mapping[str, int], Mapping[str, int], str | None],
        list[Growth],
    ]
    grow: Callable[
        [
            Dataset,
            Location,
            Sequence[Growth],
            CreateOptions,
            Callable[[Dataset, Location, CreateOptions, Notify], WritePlan],
            Callable[[], None],
            Progress,
        ],
        int,
    ]
    without_conventions: Callable[[Dataset], Dataset]
