"""The states of the pieces of a master, so that a changed one is not read.

The text attribute `MARK` of the root has it as JSON, by the names of the pieces in the master; see
`ncz.zmap.reference.seals`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from ncz.model.tree import Attribute, text_of
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.zmap.fragment import SEALS, unquote
from ncz.zmap.location import Location
from ncz.zmap.reference.seals import NO_SEALS, Seal, read_seals, write_seals
from ncz.zmap.reference.targets import Targets

if TYPE_CHECKING:
    from ncz.formats.masters import MasterKind
    from ncz.formats.piece_layout import PieceLayout
    from ncz.model.tree import Dataset, Group

MARK = "ncz_sources"
"""The attribute of the root that has the states of pieces."""


def plain_name(name: str, *, is_uri: bool) -> str:
    """Return the path or the URL that a master means by the name of a piece."""
    if is_uri and not name.lower().startswith(("http:", "https:")):
        return unquote(name, errors="surrogateescape")
    return name


def seals_of(
    location: Location,
    files: Iterable[str],
    *,
    is_uri: bool,
    known: Mapping[str, Seal] = NO_SEALS,
) -> dict[str, Seal]:
    """Return the states of pieces now, by their names in the master at a location.

    States of folders, and of files whose server does not report them, are omitted. All are omitted
    if the location turns them off.

    Parameters
    ----------
    location
        The master.
    files
        The names of the pieces.
    is_uri
        Whether the names are URIs.
    known
        The states of pieces that were known before, which stay.
    """
    if location.options.get(SEALS) == "off":
        return {}
    urls = {name: plain_name(name, is_uri=is_uri) for name in files if name not in known}
    with closing(Targets(location, location.address, "aggregation")) as targets:
        found = targets.seals(urls.values())
    new = {name: found[url] for name, url in urls.items() if url in found}
    return {**known, **new}


def seals_of_layouts(
    location: Location, layouts: Mapping[str, PieceLayout], form: MasterKind
) -> dict[str, Seal]:
    """Return the states of the pieces of a new master; see `seals_of`."""
    files = itertools.chain.from_iterable(one.files.values() for one in layouts.values())
    return seals_of(location, files, is_uri=form.has_uris)


def with_seals(
    attributes: tuple[Attribute, ...], seals: Mapping[str, Seal]
) -> tuple[Attribute, ...]:
    """Return the attributes of the root of a master, with the states of its pieces."""
    if not seals:
        return attributes
    text = json.dumps(write_seals(dict(sorted(seals.items()))), separators=(",", ":"))
    return (*without_seals(attributes), Attribute(name=MARK, type=Atomic.CHAR, values=(text,)))


def without_seals(attributes: tuple[Attribute, ...]) -> tuple[Attribute, ...]:
    """Return the attributes of the root of a master without the states of its pieces."""
    return tuple(each for each in attributes if each.name != MARK)


def stored_seals(root: Group) -> dict[str, Seal]:
    """Return the states of the pieces of a master as stored, by their names in it."""
    text = next((text_of(each) for each in root.attributes if each.name == MARK), "")
    with suppress(ValueError, RecursionError):
        return read_seals(json.loads(text or "null"))
    return {}


def with_renamed_seals(dataset: Dataset, rename: Callable[[str], str]) -> Dataset:
    """Return a master with the states of its pieces by other names."""
    seals = {rename(name): seal for name, seal in stored_seals(dataset.root).items()}
    attributes = with_seals(dataset.root.attributes, seals)
    return replace(dataset, root=replace(dataset.root, attributes=attributes))
