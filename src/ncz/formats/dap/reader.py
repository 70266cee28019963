"""Open a dataset on an OPeNDAP server: DAP2, or DAP4 if the mode of its location selects it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ncz.errors import Notify, StoreMissing
from ncz.formats.dap.projection import Projection, projection_of
from ncz.formats.dap.server import DapServer
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.model.tree import Dataset
from ncz.system_errors import changed_object_error
from ncz.zmap.key import LARGEST_DOCUMENT
from ncz.zmap.location import Location

_DMR = (".dmr.xml", ".dmr")
"""The suffixes of the DMR; some servers know one of them only."""


@contextlib.contextmanager
def open_dap(location: Location, _: OpenOptions, notify: Notify) -> Iterator[OpenedDataset]:
    """Open the dataset at the URL of an OPeNDAP server.

    Raises
    ------
    UrlError
        If the URL has a constraint expression that chooses more than whole variables.
    StoreMissing, ZmapError
        If the server does not know the dataset, cannot be reached, or refuses.
    FormatError
        If the server answers with an error, or not as an OPeNDAP server does.
    """
    projection = projection_of(location)
    with contextlib.closing(DapServer.open(location)) as server:
        name = location.dataset_name()
        read = _read_dap4 if "dap4" in location.modes else _read_dap2
        description, dataset = read(server, name, projection, notify)

        def check_unchanged() -> None:
            if read(server, name, projection, lambda _: None)[0] != description:
                raise changed_object_error(server.url)

        yield OpenedDataset(
            dataset=dataset,
            location=location,
            netcdf_kind=dataset.provenance.netcdf_kind,
            survives_fork=False,
            check_unchanged=check_unchanged,
        )


def _read_dap2(
    server: DapServer, name: str, projection: Projection, notify: Notify
) -> tuple[tuple[bytes, ...], Dataset]:
    from ncz.formats.dap.dap2 import dataset_of
    from ncz.formats.dap.das import read_das
    from ncz.formats.dap.dds import read_dds

    dds = server.read(".dds", "", LARGEST_DOCUMENT)
    das = server.read(".das", "", LARGEST_DOCUMENT)
    declared, attributes = read_dds(dds, server.url), read_das(das, server.url)
    return (dds, das), dataset_of(declared, attributes, server, name, projection, notify)


def _read_dap4(
    server: DapServer, name: str, projection: Projection, notify: Notify
) -> tuple[tuple[bytes, ...], Dataset]:
    from ncz.formats.dap.dmr import dataset_of

    try:
        dmr = server.read(_DMR[0], "", LARGEST_DOCUMENT)
    except StoreMissing:
        dmr = server.read(_DMR[1], "", LARGEST_DOCUMENT)
    return (dmr,), dataset_of(dmr, server, name, projection, notify)
