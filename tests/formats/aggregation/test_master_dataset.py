"""The dataset of a master, in each form."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.aggregation.master_dataset import master_of
from ncz.formats.aggregation.modes import FormName
from ncz.formats.piece_layout import PieceLayout
from ncz.model.tree import variables_by_fqn, walk
from ncz.model.types import Atomic

CDL = b"""netcdf s { dimensions: t = UNLIMITED ; x = 2 ;
variables: int t(t) ; float v(t, x) ; v:units = "K" ; int plain(x) ; :title = "s" ;
data: t = 1, 2, 3, 4 ; v = 1, 2, 3, 4, 5, 6, 7, 8 ; plain = 1, 2 ; }"""
LAYOUT = PieceLayout(
    lengths=((3, 1), (2,)), files={(0, 0): "p/0.nc", (1, 0): "p/1.nc"}, address="/v", format="nc"
)


@pytest.mark.parametrize("form", get_args(FormName))
def test_other_variables_stay(form):
    dataset = read_cdl(CDL, source="s")
    made = master_of(dataset, {"/v": LAYOUT}, form)
    before, after = (dict(variables_by_fqn(each.root)) for each in (dataset, made))
    assert after["/v"].dimensions == ()
    assert after["/v"].text("units") == "K"
    assert after["/plain"] == before["/plain"]
    names = {attribute.name for attribute in made.root.attributes}
    assert {"title", "Conventions"} <= names


def test_partitions_of_cfa_04():
    made = master_of(read_cdl(CDL, source="s"), {"/v": LAYOUT}, "CFA-0.4")
    document = json.loads(dict(variables_by_fqn(made.root))["/v"].text("cfa_array"))
    assert [(p["index"], p["location"]) for p in document["Partitions"]] == [
        ([0, 0], [[0, 2], [0, 1]]), ([1, 0], [[3, 3], [0, 1]]),
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["CFA-0.5", "CF-1.13"])
def test_descriptions_are_variables(form):
    made = master_of(read_cdl(CDL, source="s"), {"/v": LAYOUT}, form)
    texts = [
        value
        for _, group in walk(made.root)
        for variable in group.variables
        if variable.data is not None and variable.type is Atomic.STRING
        for value in variable.data.values.ravel().tolist()  # type: ignore[attr-defined]
    ]
    assert {"p/0.nc", "p/1.nc"} <= set(texts)
