"""One commit to a repository of Icechunk."""

from __future__ import annotations

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from tests.zmap.icechunk.test_writer import folder as folder
from tests.zmap.icechunk.test_writer import (
    messages,
    opened,
    seen,
    write,
    written_with,
    xarray,
    zarr,
)
from tests.zmap.icechunk.test_writer import quiet as quiet


def test_another_writer_in_the_meantime_is_an_error() -> None:
    def interfere() -> None:
        other = opened("repo.icechunk").writable_session("main")
        zarr.open_group(other.store).attrs["title"] = "theirs"
        other.commit("theirs")

    ncz.copy(write("a.nc"), "repo.icechunk", notify=ignore_notice)
    with pytest.raises(ZmapError, match="another program changed the branch main"):
        written_with("repo.icechunk", interfere, overwrite=True)
    assert messages("repo.icechunk")[-1] == "theirs"
    assert seen("repo.icechunk").attrs["title"] == "theirs"


def test_names_are_not_changed_and_parts_are_removed() -> None:
    ncz.copy(write("a.nc"), "repo.icechunk", notify=ignore_notice)
    with pytest.raises(ZmapError, match="names in this kind of store cannot be changed"):
        ncz.edit("repo.icechunk", rename=["v=w"], notify=ignore_notice)
    ncz.edit("repo.icechunk", remove=["g"], notify=ignore_notice)
    assert [*ncz.open("repo.icechunk").groups] == []
    assert len(messages("repo.icechunk")) == 2


def test_values_are_replaced_in_one_commit() -> None:
    ncz.copy(write("a.nc"), "repo.icechunk", notify=ignore_notice)
    write("b.nc", 2, 5, fill=100)
    ncz.copy("b.nc", "repo.icechunk", append="time", overlap="last", notify=ignore_notice)
    first = xarray.open_dataset("a.nc").isel(time=slice(0, 2))
    wanted = xarray.concat([first, xarray.open_dataset("b.nc")], "time", data_vars=["v"])
    xarray.testing.assert_equal(seen("repo.icechunk"), wanted.load())
    assert len(messages("repo.icechunk")) == 2
