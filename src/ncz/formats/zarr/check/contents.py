"""The contents of a store as its reader sees them, and the reader's reports, as findings."""

from __future__ import annotations

import contextlib
import re
from functools import partial

from ncz.errors import FormatError, Notice, Notify, ignore_notice
from ncz.formats.findings import CODES, Finding, finding
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents.hierarchy import ArrayNode, GroupNode, Root
from ncz.formats.zarr.documents.versions import find_root
from ncz.formats.zarr.opening.lost_root import no_store
from ncz.formats.zarr.opening.part import part_of
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import Dataset, Variable, each_variable, walk
from ncz.record import record, replace
from ncz.zmap import Zmap
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

_PLACE = r": line [0-9]+ column [0-9]+$"


@record(kw_only=True)
class StoreContents:
    """A store that could be read, by the keys of its nodes.

    `arrays` and `groups` are the ones that the reader found, and `variables` the arrays whose data
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


def read_contents(
    zmap: Zmap, location: Location, consolidated: bool | None
) -> tuple[StoreContents | None, list[Finding]]:
    """Read the metadata of a store, and return the reports of the reader.

    Returns None for the store if its root cannot be read.
    """
    notices: list[Notice] = []
    try:
        found = find_root(zmap, location.modes, consolidated, ignore_notice)
        if found is None or zmap.is_unfinished:
            raise no_store(zmap)
        dataset = _dataset(zmap, found, location, consolidated, notices.append)
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
    read = StoreContents(
        zmap=zmap, dataset=dataset, root=root, arrays=arrays, groups=groups, variables=variables
    )
    return read, _findings(zmap, notices)


def _dataset(
    zmap: Zmap, root: Root, location: Location, consolidated: bool | None, notify: Notify
) -> Dataset:
    """Return the dataset of a store, or of a group of it with the notes of the groups above.

    The keys of its arrays are keys of `zmap`.
    """
    read = partial(
        open_dataset,
        name=location.dataset_name(),
        modes=location.modes,
        consolidated=consolidated,
        notify=notify,
    )
    part = None if "zarr" in location.modes else part_of(root, location)
    if part is None:
        return read(zmap)

    def in_group(_: str, variable: Variable) -> Variable:
        data = variable.data
        if not isinstance(data, ZarrArray):
            return variable
        key = data.key.removeprefix(part.key).removeprefix("/")
        return replace(variable, data=replace(data, zmap=zmap, key=key))

    with contextlib.closing(open_zmap(part.store)) as store:
        return each_variable(read(store, within=part.key), in_group)


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
