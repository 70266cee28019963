"""A store that becomes longer."""

from __future__ import annotations

import pytest

import ncz
from ncz.commands.append.command import append
from ncz.commands.copy.options import CopyOptions
from ncz.commands.sources import location_of_target
from ncz.errors import ZmapError
from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import location_of
from tests.commands.test_append import cdl, quiet
from tests.commands.test_append import stores as stores


@pytest.mark.parametrize("form", ["zarr", "zip"])
def test_two_parallel_appends(stores, tmp_path, form):
    target = tmp_path / f"s.{form}"
    ncz.copy(stores["nczarr"], target, notify=quiet)
    for name, times in (("one", range(5, 9)), ("two", range(9, 12))):
        (tmp_path / f"{name}.cdl").write_text(cdl(times))
    options = CopyOptions(
        source=location_of(str(tmp_path / "one.cdl")),
        target=location_of_target(str(target)),
        append="time",
        create=CreateOptions(allow_loss=True),
    )

    def meanwhile(_: object) -> bool:
        ncz.copy(tmp_path / "two.cdl", target, append="time", notify=quiet)
        return True

    with pytest.raises(ZmapError, match="changed while it was read"):
        append(options, on_plan=meanwhile)
    assert ncz.open(target)["time"][:].tolist() == [0, 1, 2, 3, 4, 9, 10, 11]
    assert ncz.open(target)["count"][5:].tolist() == [[1000 * t, 1000 * t + 1] for t in (9, 10, 11)]


def test_a_store_that_does_not_exist(stores, tmp_path):
    with pytest.raises(
        ZmapError, match=r"no file or store exists .*; to create it, omit append, or use concat"
    ):
        ncz.copy(stores["nczarr"], tmp_path / "new.zarr", append="time", notify=quiet)
