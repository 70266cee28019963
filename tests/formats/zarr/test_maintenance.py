"""Functions that check, repair and edit stores."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.commands.option_error import OptionError
from ncz.errors import NO_PROGRESS, NczError, ignore_notice
from ncz.formats.zarr.maintenance import MAINTENANCE
from ncz.formats.zarr.readers.programs import READERS
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap


@pytest.mark.parametrize(
    ("mode", "is_pure", "version"), [("nczarr", False, 2), ("zarr", True, 2), ("zarr,v3", True, 3)]
)
def test_a_store_in_memory(mode, is_pure, version):
    url = f"memory://maintenance-{mode}"
    text = io.BytesIO(b"netcdf s { variables: int v ; }")
    ncz.gen(text, f"{url}#mode={mode}", overwrite=True, notify=ignore_notice)
    location = parse_location(url)
    zmap = open_zmap(location)
    assert MAINTENANCE.is_pure(zmap, location) == is_pure
    count, changes = MAINTENANCE.consolidate(zmap, NO_PROGRESS)
    assert count >= 2
    assert list(changes.documents) == [".zmetadata" if version == 2 else "zarr.json"]
    migration = MAINTENANCE.migrate(zmap, location, ignore_notice)
    assert (migration is None) == (version == 3)
    assert "v" in MAINTENANCE.draft(zmap, location, True).nodes


def test_names_of_readers():
    assert list(MAINTENANCE.readers()) == list(READERS)
    MAINTENANCE.check_readers(["xarray"])
    with pytest.raises((OptionError, NczError), match="xary"):
        MAINTENANCE.check_readers(["xary"])


def test_attributes_of_storage():
    assert MAINTENANCE.describes_storage("_ARRAY_DIMENSIONS")
    assert not MAINTENANCE.describes_storage("units")
