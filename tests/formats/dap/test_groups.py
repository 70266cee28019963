"""Groups that are filled in any order."""

from __future__ import annotations

from ncz.formats.dap.groups import Groups
from ncz.model.tree import Attribute, Dimension, Variable, walk
from ncz.model.types import Atomic, Opaque


def test_groups_above_are_added_too():
    groups = Groups()
    assert groups.add("/a/b/c") == "/a/b/c"
    assert groups.add("/a/d") == "/a/d"
    assert groups.add("") == ""
    assert [fqn for fqn, _ in walk(groups.root())] == ["", "/a", "/a/b", "/a/b/c", "/a/d"]


def test_members_keep_their_order_and_the_first_of_a_name_stays():
    groups = Groups()
    one = Variable(name="v", type=Atomic.INT)
    assert groups.add_variable("/g", one)
    assert not groups.add_variable("/g", Variable(name="v", type=Atomic.FLOAT))
    assert groups.add_variable("/g", Variable(name="a", type=Atomic.INT))
    assert groups.has_variable("/g/v")
    assert not groups.has_variable("/v")
    for value in (1, 2):
        groups.add_attributes("/g", [Attribute(name="x", type=Atomic.INT, values=(value,))])
    (group,) = groups.root().groups
    assert [v.name for v in group.variables] == ["v", "a"]
    assert group.variables[0] is one
    assert [a.values for a in group.attributes] == [(1,)]


def test_dimensions_and_types():
    groups = Groups()
    groups.dimensions("")["x"] = Dimension(name="x", size=2)
    groups.dimensions("")["y"] = Dimension(name="y", size=3)
    groups.add_type("/g", Opaque(name="/g/o", size=2))
    root = groups.root()
    assert [d.name for d in root.dimensions] == ["x", "y"]
    assert root.groups[0].types == (Opaque(name="/g/o", size=2),)
