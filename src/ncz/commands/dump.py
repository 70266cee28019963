"""dump: a store becomes CDL text. What netCDF's ncdump does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.errors import Notify, ignore_notice

KIND = "netCDF-4"
"""The kind of netCDF that every Zarr store is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpOptions:
    """What to print of a store: CDL, or with `kind` only the kind of netCDF that it is."""

    cdl: CdlOptions = field(default_factory=CdlOptions)
    kind: bool = False


def dump(
    location: str,
    options: DumpOptions,
    write: Callable[[bytes], object],
    notify: Notify = ignore_notice,
) -> None:
    """Write the store at `location`, a path or a URL, as CDL.

    Raises `NczError`; before anything is written if the store cannot be opened or `options` name
    what is not there. Where data cannot be read, the text ends without its last brace.
    """
    from ncz.format.reader import open_dataset
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import open_zmap

    where = parse_location(location)
    with contextlib.closing(open_zmap(where)) as zmap:
        dataset = open_dataset(zmap, name=where.dataset_name(), modes=where.modes, notify=notify)
        if options.kind:
            write(f"{KIND}\n".encode())
        else:
            print_cdl(dataset, options.cdl, write, notify)
