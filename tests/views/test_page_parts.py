"""Parts of a page."""

from __future__ import annotations

import pytest

from ncz.views.html import print_page
from ncz.views.page_parts import ChunkCell, ChunkMap, GroupPart, Page, VariablePart


def part(**more: object) -> VariablePart:
    return VariablePart(name="v", heading="int v(x)", facts=(), attributes=(), **more)  # type: ignore[arg-type]


def test_missing_parts_of_a_variable_are_empty():
    found = part()
    assert (found.statistics, found.histogram, found.range) == ((), (), ("", ""))
    assert found.picture is None
    assert found.chunks is None


def test_a_page_prints_its_groups_within_each_other():
    def group(name: str, *groups: GroupPart) -> GroupPart:
        return GroupPart(name=name, dimensions=(), attributes=(), variables=(), groups=groups)

    page = Page(title="<t>", facts=(), root=group("/", group("g", group("h"))))
    text = "".join(print_page(page))
    assert "<t>" not in text
    assert text.index("<h1>&lt;t&gt;</h1>") < text.index("<b>g/</b>") < text.index("<b>h/</b>")


def test_equal_parts_are_equal_and_cannot_be_changed():
    cells = ChunkMap(columns=1, cells=(ChunkCell(first=0, count=1, present=1, size=8),))
    assert part(chunks=cells) == part(chunks=cells) != part()
    with pytest.raises(AttributeError):
        part().name = "w"  # type: ignore[misc]
    with pytest.raises(TypeError, match="facts"):
        VariablePart(name="v", heading="int v")  # type: ignore[call-arg]
