"""The limits of each kind of netCDF file."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.formats.netcdf.losses import adapt, faults, natural_kind, record_dimension
from ncz.model.tree import Attribute, Dataset
from ncz.model.types import Atomic
from ncz.record import replace


def dataset(text: str) -> Dataset:
    return read_cdl(f"netcdf s {{ {text} }}".encode(), source="s")


@pytest.mark.parametrize(
    ("text", "kind", "reasons"),
    [
        ("variables: int v ;", "classic", []),
        ("variables: int64 v ;", "classic", ["variable /v of the type int64"]),
        ("variables: int64 v ;", "cdf5", []),
        ("variables: string v ;", "cdf5", ["variable /v of the type string"]),
        ("variables: string v ;", "netCDF-4", []),
        ("group: g { }", "classic", ["group /g"]),
        ("types: opaque(3) o ; variables: o v ;", "classic",
         ["the user-defined type /o", "variable /v of the user-defined type /o"]),
        ('variables: int v ; string v:a = "x", "y" ;', "classic",
         ["variable /v: attribute a of the type string"]),
        ('string :a = "x" ;', "classic", []),
        ("dimensions: x = 0 ; t = UNLIMITED ; variables: int v(t) ;", "classic",
         ["dimension /x of length 0, which is not the record dimension"]),
        ("dimensions: a = 1000000 ; variables: double v(a, a, a, a) ;", "netCDF-4",
         [f"variable /v of {8 * 10**24} bytes"]),
    ],
)  # fmt: skip
def test_reasons(text, kind, reasons):
    assert list(faults(dataset(text), kind)) == reasons


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "a name cannot be empty"),
        ("a/b", "a name cannot have a slash or a NUL"),
        (".", "HDF5 has no such name"),
        ("x" * 257, "a name cannot have more than 256 bytes"),
    ],
)
def test_names(name, reason):
    whole = dataset("variables: int v ;")
    (variable,) = whole.root.variables
    root = replace(whole.root, variables=(replace(variable, name=name),))
    assert any(reason in each for each in faults(replace(whole, root=root), "netCDF-4"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("variables: int v ;", "classic"),
        ("variables: string v ;", "netCDF-4"),
        ("dimensions: x = 4 ; variables: int v(x) ; v:_ChunkSizes = 2 ;", "netCDF-4"),
        ("dimensions: x = UNLIMITED ; y = UNLIMITED ; variables: int v(x) ; int w(y) ;",
         "netCDF-4"),
        ('string :a = "x" ;', "netCDF-4"),
    ],
)  # fmt: skip
def test_the_kind_that_loses_nothing(text, kind):
    assert natural_kind(dataset(text)) == kind


def test_the_record_dimension_is_only_first():
    head = "dimensions: x = UNLIMITED ; y = UNLIMITED ; variables:"
    assert record_dimension(dataset(f"{head} int v(y) ;")) == "/x"
    assert record_dimension(dataset(f"{head} int v(y, x) ;")) == "/y"
    assert record_dimension(dataset("dimensions: x = 2 ;")) is None


def test_the_part_of_a_dataset_that_a_classic_file_represents():
    whole = dataset(
        'dimensions: x = UNLIMITED ; y = UNLIMITED ; variables: int v(y) ; string v:a = "t" ;'
        ' :title = "x" ;'
    )
    odd = Attribute(name="a/b", type=Atomic.INT, values=(1,))
    root = replace(whole.root, attributes=(*whole.root.attributes, odd))
    found, losses = adapt(replace(whole, root=root), "classic")
    assert [d.unlimited for d in found.root.dimensions] == [True, False]
    (attribute,) = found.root.variables[0].attributes
    assert (attribute.type, attribute.values) == (Atomic.CHAR, ("t",))
    assert [a.name for a in found.root.attributes] == ["title"]
    codes = ["unlimited-fixed", "attribute-left-out", "attribute-type-lost"]
    assert [notice.code for notice in losses] == codes


def test_only_names_of_hdf5_are_reserved():
    whole = dataset(":NAME = 1 ;")
    assert adapt(whole, "netCDF-4")[0].root.attributes == ()
    assert adapt(whole, "classic")[0] == whole
