"""What the reader of stores reports, as findings."""

from __future__ import annotations

import re

from ncz.commands.check.finding import CODES, Finding, finding
from ncz.errors import FormatError, Notice, ignore_notice
from ncz.formats.zarr.array.array import ZarrArray
from ncz.formats.zarr.hierarchy.nodes import ArrayNode, GroupNode
from ncz.formats.zarr.hierarchy.versions import find_root
from ncz.formats.zarr.reader import no_store, open_dataset
from ncz.model.tree import Dataset, Variable, walk
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.location import Location

_PLACE = r": line [0-9]+ column [0-9]+$"


@record(kw_only=True)
class ReadStore:
    """A store that could be read, by the keys of its nodes.

    `arrays` and `groups` are those that the reader found, and `variables` the arrays whose data
    type it could read.
    """

    zmap: Zmap
    dataset: Dataset
    root: GroupNode
    arrays: dict[str, ArrayNode]
    groups: dict[str, GroupNode]
    variables: dict[str, Variable]

    def data(self, key: str) -> ZarrArray | None:
        """Return the data of the array at `key`; None if its data type cannot be read."""
        variable = self.variables.get(key)
        data = None if variable is None else variable.data
        return data if isinstance(data, ZarrArray) else None

    @property
    def zarr_format(self) -> int:
        """The version of Zarr."""
        return self.dataset.provenance.zarr_format or 2


def read_store(
    zmap: Zmap, location: Location, consolidated: bool | None
) -> tuple[ReadStore | None, list[Finding]]:
    """Read the metadata of a store, and return what the reader reported.

    Returns None for the store if its root cannot be read.
    """
    notices: list[Notice] = []
    try:
        dataset = open_dataset(
            zmap,
            name=location.dataset_name(),
            modes=location.modes,
            consolidated=consolidated,
            notify=notices.append,
        )
        found = find_root(zmap, location.modes, consolidated, ignore_notice)
        if found is None:  # removed meanwhile
            raise no_store(zmap)
        superblock = dataset.provenance.superblock or 0
        root = found.metadata.load(location.dataset_name(), superblock, ignore_notice)
    except FormatError as error:
        where = finding("store-unreadable", key_in(zmap, error.location), error.message, error.hint)
        return None, [*_findings(zmap, notices), where]
    arrays: dict[str, ArrayNode] = {}
    groups: dict[str, GroupNode] = {}
    _collect(root, arrays, groups)
    variables = {
        variable.data.key: variable
        for _, group in walk(dataset.root)
        for variable in group.variables
        if isinstance(variable.data, ZarrArray)
    }
    read = ReadStore(
        zmap=zmap, dataset=dataset, root=root, arrays=arrays, groups=groups, variables=variables
    )
    return read, _findings(zmap, notices)


def key_in(zmap: Zmap, location: str | None) -> str:
    """Return the key that a message's location names; "" if it names none."""
    start = f"{zmap.url}: /"
    if location is None or not location.startswith(start):
        return ""
    return re.sub(_PLACE, "", location[len(start) :])


def _findings(zmap: Zmap, notices: list[Notice]) -> list[Finding]:
    found = []
    for notice in notices:
        if notice.code in CODES:
            is_harmless = notice.code == "stray-document" and not notice.lost
            found.append(
                finding(
                    notice.code,
                    key_in(zmap, notice.location),
                    notice.message,
                    notice.hint,
                    severity="note" if is_harmless else None,
                )
            )
    return found


def _collect(group: GroupNode, arrays: dict[str, ArrayNode], groups: dict[str, GroupNode]) -> None:
    is_array = len(group.arrays) == 1 and group.arrays[0].key == group.key
    if not is_array:
        groups[group.key] = group
    arrays.update((array.key, array) for array in group.arrays)
    for child in group.groups:
        _collect(child, arrays, groups)
