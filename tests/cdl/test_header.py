"""Declarations: references, types, virtual attributes."""

from __future__ import annotations

from ncz.cdl.printer import HeaderStyle, Scope, declare_group
from ncz.model.tree import Attribute, Dimension, Group, Provenance, Storage, Variable
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, Vlen


def lines(group: Group, outer: Scope | None = None, fqn: str = "", **style) -> list[str]:
    scope = (outer or Scope()).within(group, fqn)
    provenance = Provenance(properties="version=2", superblock=2) if not fqn else None
    return list(declare_group(group, scope.references(), HeaderStyle(**style), provenance))


def test_a_dimension_is_named_by_its_path_only_where_another_hides_it():
    root = Group(dimensions=(Dimension(name="x", size=2), Dimension(name="y z", size=1)))
    group = Group(
        name="g",
        dimensions=(Dimension(name="x", size=3),),
        variables=(
            Variable(name="v", type=Atomic.INT, dimensions=("/g/x", "/y z")),
            Variable(name="u", type=Atomic.INT, dimensions=("/x",)),
            Variable(name="w", type=Atomic.INT, dimensions=("/other/x",)),
        ),
    )
    assert lines(group, Scope().within(root, ""), "/g")[2:] == [
        "variables:",
        "\tint v(x, y\\ z) ;",
        "\tint u(/x) ;",
        "\tint w(/other/x) ;",
    ]


def test_types_are_declared_and_referred_to():
    kind = Enumeration(name="/kind", base=Atomic.UBYTE, members=(("clear", 0), ("my fog", 2)))
    inner = Compound(name="/inner", fields=(Field(name="a", type=Atomic.INT),))
    outer = Compound(
        name="/outer",
        fields=(Field(name="in", type=inner), Field(name="t", type=Atomic.CHAR, shape=(2, 3))),
    )
    group = Group(
        types=(kind, Opaque(name="/op", size=5), Vlen(name="/v l", base=kind), inner, outer),
        variables=(
            Variable(
                name="c",
                type=kind,
                attributes=(Attribute(name="_FillValue", type=kind, values=(2,)),),
            ),
        ),
        attributes=(Attribute(name="a", type=inner, values=((1,), (2,))),),
    )
    assert lines(group) == [
        "types:",
        "  ubyte enum kind {clear = 0, my\\ fog = 2} ;",
        "  opaque(5) op ;",
        "  kind(*) v\\ l ;",
        "  compound inner {",
        "    int a ;",
        "  }; // inner",
        "  compound outer {",
        "    inner in ;",
        "    char t(2, 3) ;",
        "  }; // outer",
        "variables:",
        "\tkind c ;",
        "\t\tkind c:_FillValue = my\\ fog ;",
        "",
        "// global attributes:",
        "\t\tinner :a = {1}, {2} ;",
    ]


def test_a_variable_named_as_a_section_stands_apart_from_its_colon():
    storage = Storage(storage_class="chunked", chunks=(2,), endianness="big")
    units = Attribute(name="units", type=Atomic.CHAR, values=("m",))
    note = Attribute(name="note", type=Atomic.STRING, values=("n",))
    variable = Variable(name="data", type=Atomic.INT, attributes=(units, note), storage=storage)
    assert lines(Group(name="g", variables=(variable,)), fqn="/g", special=True) == [
        "variables:",
        "\tint data ;",
        '\t\tdata :units = "m" ;',
        '\t\tstring data :note = "n" ;',
        '\t\tdata :_Storage = "chunked" ;',
        "\t\tdata :_ChunkSizes = 2 ;",
        '\t\tdata :_Endianness = "big" ;',
        "",
        "// group attributes:",
    ]


def test_only_strings_without_values_have_a_type():
    record = Compound(name="/record", fields=(Field(name="a", type=Atomic.INT),))
    attributes = [
        Attribute(name="a", type=t, values=()) for t in (Atomic.STRING, Atomic.INT, record)
    ]
    found = lines(Group(types=(record,), attributes=tuple(attributes)))
    assert found[-3:] == ['\t\tstring :a = "" ;', '\t\t:a = "" ;', '\t\t:a = "" ;']


def test_virtual_attributes_of_the_dataset():
    assert lines(Group(), special=True)[2:] == [
        '\t\t:_NCProperties = "version=2" ;',
        "\t\t:_SuperblockVersion = 2 ;",
        "\t\t:_IsNetcdf4 = 1 ;",
        '\t\t:_Format = "netCDF-4" ;',
    ]
    assert lines(Group(), special=True, properties=False)[2] == "\t\t:_SuperblockVersion = 2 ;"


def test_typed_fill():
    fill = Attribute(name="_FillValue", type=Atomic.INT, values=(5,))
    other = Attribute(name="other", type=Atomic.INT, values=(5,))
    group = Group(variables=(Variable(name="v", type=Atomic.INT, attributes=(fill, other)),))
    assert lines(group, typed_fill=True)[2:] == [
        "\t\tint v:_FillValue = 5 ;",
        "\t\tv:other = 5 ;",
    ]
