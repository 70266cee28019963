"""Attributes that are set and deleted together."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.commands.edit.attribute_edits import edit_attributes
from ncz.errors import NczError, ignore_notice
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location

CDL = b'netcdf a { variables: int v ; v:a = 1 ; v:b = 2 ; :title = "t" ; data: v = 1 ; }'


@pytest.fixture(params=["a.zarr", "a.nc"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    path = tmp_path / request.param
    ncz.gen(io.BytesIO(CDL), path, notify=ignore_notice)
    return str(path)


def edit(path: str, node: str, deleted: list[str], **texts: str) -> None:
    attributes = [Attribute(name=n, type=Atomic.CHAR, values=(t,)) for n, t in texts.items()]
    edit_attributes(parse_location(path), node, attributes, deleted, ignore_notice)


def test_attributes_of_a_variable_and_of_the_root(path: str):
    edit(path, "/v", ["a"], b="new", c="x")
    edit(path, "/", ["title"], history="h")
    with ncz.open(path) as ds:
        assert ds["v"].attrs == {"b": "new", "c": "x"}
        assert ds.attrs == {"history": "h"}


@pytest.mark.parametrize(
    ("deleted", "texts"), [(["missing"], {"b": "new"}), ([], {"b": "new", "_ChunkSizes": "1"})]
)
def test_an_error_changes_nothing(path: str, deleted: list[str], texts: dict[str, str]):
    with pytest.raises(NczError):
        edit(path, "v", deleted, **texts)
    with ncz.open(path) as ds:
        assert ds["v"].attrs == {"a": 1, "b": 2}
