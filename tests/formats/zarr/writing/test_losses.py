"""Faults that refuse a dataset, and losses of pure Zarr."""

from __future__ import annotations

import pytest

from ncz.formats.zarr.writing.losses import faults, hidden_attributes, name_fault, pure_losses
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.record import replace
from tests.test_round_trip import parsed

BARE = WriteOptions(flavour="zarr")
ANNOTATED = WriteOptions(flavour="zarr", consolidated=True)
LENGTHY = parsed(b"""netcdf s { dimensions: t = UNLIMITED ; x = 2 ; unused = 3 ;
variables: int v(t, x) ; v:f = 1.f ; v:i = 1 ; char c(x) ; data: v = 1, 2 ; c = "ab" ;
group: g { variables: int w(x) ; } }""")


def attribute(name: str) -> Attribute:
    return Attribute(name=name, type=Atomic.INT, values=(1,))


@pytest.mark.parametrize(
    ("name", "pure", "reason"),
    [
        ("v", True, None),
        ("", False, "cannot be empty"),
        ("a/b", False, "cannot have a slash"),
        (".zarray", False, "metadata object"),
        ("zarr.json", False, "metadata object"),
        (".v", False, None),
        (".v", True, "begin with a dot"),
        ("..", False, ""),
    ],
)
def test_names_of_groups_and_variables(name: str, pure: bool, reason: str | None):
    answer = name_fault(name, "", pure=pure)
    assert (answer is None) if reason is None else (answer is not None and reason in answer)


def test_all_faults_are_found():
    double = Variable(name="v", type=Atomic.INT, dimensions=("/no",))
    root = Group(
        name="",
        dimensions=(Dimension(name="a/b", size=1),),
        variables=(double, double),
        attributes=(attribute("a"), attribute("a"), attribute("_nczarr_group")),
    )
    texts = [*faults(replace(LENGTHY, root=root), pure=False)]
    assert len(texts) == 6
    for part in (
        "attribute a, which is given 2 times", "_nczarr_group, whose name is reserved",
        "dimension name 'a/b' in /", "/v: a group or variable of that name already exists",
        "variable /v over the dimension /no, which is not defined",
    ):  # fmt: skip
        assert any(part in text for text in texts), part
    assert [*faults(LENGTHY, pure=True)] == []


def test_names_of_hdf5_are_hidden():
    root = replace(LENGTHY.root, attributes=(attribute("_Netcdf4Dimid"), attribute("a")))
    (notice,) = hidden_attributes(replace(LENGTHY, root=root))
    assert notice.code == "attribute-hidden"
    assert ":_Netcdf4Dimid" in str(notice)
    assert [*hidden_attributes(LENGTHY)] == []


def codes(dataset: Dataset, options: WriteOptions) -> dict[str, str]:
    return {notice.code: str(notice) for notice in pure_losses(dataset, options)}


def test_each_kind_of_loss_is_one_notice():
    notices = codes(LENGTHY, BARE)
    assert [*notices] == [
        "unlimited-fixed", "dimension-unused", "dimension-repeated", "char-as-string",
        "attribute-type-lost",
    ]  # fmt: skip
    for code, names in {
        "unlimited-fixed": "/t", "dimension-unused": "/unused", "char-as-string": "/c",
        "attribute-type-lost": "v:f",
    }.items():  # fmt: skip
        assert names in notices[code]
    assert codes(LENGTHY, ANNOTATED) == {}
    assert "dimension-names-lost" in codes(LENGTHY, replace(BARE, xarray=False))


def test_one_name_with_several_lengths_is_a_conflict_for_readers():
    dataset = parsed(b"""netcdf s { dimensions: x = 2 ; group: g { dimensions: x = 3 ;
variables: int v(x) ; int w(/x) ; } }""")
    assert [*codes(dataset, ANNOTATED)] == ["dimension-conflict"]
    assert "/g/x" in codes(dataset, ANNOTATED)["dimension-conflict"]
