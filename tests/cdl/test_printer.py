"""A whole dataset as text."""

from __future__ import annotations

import io
import json

import pytest

from ncz.cdl.print_data import print_data
from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.rows import DataStyle
from ncz.commands.gen import GenOptions, create_from_text
from ncz.errors import Callbacks, CdlError, CodecError, FormatError, NczError
from ncz.model.data import SLAB, ChunkSource, MemoryArray
from ncz.model.grid import ChunkGrid
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.text.format_values import Precision
from ncz.text.names import RequestedData
from ncz.views.json.writer import print_json

np = pytest.importorskip("numpy")


def variable(name: str, values, *dimensions: str) -> Variable:
    data = MemoryArray(np.asarray(values, "i4"), Atomic.INT)
    return Variable(name=name, type=Atomic.INT, dimensions=dimensions, data=data)


INNER = Group(
    name="g 1",
    dimensions=(Dimension(name="x", size=3),),
    variables=(variable("v", [1, 2, 3], "/g 1/x"), variable("u", [[1], [2]], "/x", "/t")),
    attributes=(Attribute(name="z", type=Atomic.CHAR, values=("q",)),),
)
DATASET = Dataset(
    name="1st",
    root=Group(
        dimensions=(Dimension(name="x", size=2), Dimension(name="t", size=1, unlimited=True)),
        variables=(variable("x", [1, 2], "/x"),),
        groups=(INNER, Group(name="e")),
    ),
)

WHOLE = """\
netcdf \\1st {
dimensions:
\tx = 2 ;
\tt = UNLIMITED ; // (1 currently)
variables:
\tint x(x) ;
data:

 x = 1, 2 ;

group: g\\ 1 {
  dimensions:
  \tx = 3 ;
  variables:
  \tint v(x) ;
  \tint u(/x, t) ;

  // group attributes:
  \t\t:z = "q" ;
  data:

   v = 1, 2, 3 ;

   u =
  {1},
  {2} ;
  } // group g\\ 1

group: e {
  } // group e
}
"""


def printed(dataset: Dataset, **options) -> str:
    pieces: list[bytes] = []
    print_cdl(dataset, CdlOptions(**options), pieces.append)
    return b"".join(pieces).decode()


def test_everything():
    assert printed(DATASET) == WHOLE


def test_an_empty_dataset():
    assert printed(Dataset(name="e", root=Group())) == "netcdf e {\n}\n"


def test_name():
    assert printed(DATASET, name="a b").startswith("netcdf a\\ b {\n")
    assert printed(DATASET, name="").startswith("netcdf  {\n")


def test_header_only_wins_over_coordinates():
    header = printed(DATASET, header_only=True)
    assert "data:" not in header
    assert printed(DATASET, header_only=True, requested=RequestedData(coordinates=True)) == header


def test_selections_leave_the_word_data():
    text = printed(DATASET, requested=RequestedData(variables=("v",)))
    assert "data:\n\ngroup:" in text
    assert "   v = 1, 2, 3 ;\n" in text
    assert " u =" not in text
    only = printed(DATASET, requested=RequestedData(groups=("/",)))
    assert " x = 1, 2 ;" in only
    assert "  data:" not in only


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"line_length": 9}, "line length of 9 is too small; use 10 or more"),
        ({"precision": Precision(0)}, "cannot print 0 significant digits; use 1 to 20"),
        ({"precision": Precision(None, 21)}, "cannot print 21 significant digits; use 1 to 20"),
        (
            {"requested": RequestedData(variables=("nope",))},
            "nope: no such variable; list the names with 'ncz dump -h'",
        ),
        (
            {"requested": RequestedData(groups=("nope",))},
            "nope: no such group; list the names with 'ncz dump -h'",
        ),
    ],
    ids=str,
)
def test_impossible_options_are_refused_before_anything_is_written(options, says):
    pieces: list[bytes] = []
    with pytest.raises(NczError, match=says):
        print_cdl(DATASET, CdlOptions(**options), pieces.append)
    assert pieces == []


class Broken(ChunkSource):
    """A source whose chunk cannot be decoded."""

    grid = ChunkGrid((2,), (2,))
    type = Atomic.INT
    fill = 0

    def values_of(self, indices):
        return [self._values(index) for index in indices]

    def _values(self, index):
        raise CodecError("the chunk is damaged", location="store: /v/0")


def test_a_fault_in_the_data_names_the_variable_and_the_text_has_no_end():
    bad = Variable(name="v", type=Atomic.INT, dimensions=("/x",), data=Broken())
    dataset = Dataset(
        name="b", root=Group(dimensions=(Dimension(name="x", size=2),), variables=(bad,))
    )
    pieces: list[bytes] = []
    with pytest.raises(CodecError, match="store: /v/0: data of /v: the chunk is damaged"):
        print_cdl(dataset, CdlOptions(), pieces.append)
    assert b"".join(pieces).endswith(b"data:\n\n v = ")


class BreakingOff(ChunkSource):
    """The first chunk can be read, the second cannot."""

    grid = ChunkGrid((2 * SLAB,), (SLAB,))
    type = Atomic.UBYTE
    fill = 0

    def values_of(self, indices):
        return [self._values(index) for index in indices]

    def _values(self, index):
        if index == (0,):
            return np.full(SLAB, 7, "u1")
        raise CodecError("the chunk\nis damaged", location="store: /v/1")


BREAKING_OFF = Dataset(
    name="b",
    root=Group(
        dimensions=(Dimension(name="x", size=2 * SLAB), Dimension(name="y", size=2)),
        variables=(
            Variable(name="v", type=Atomic.UBYTE, dimensions=("/x",), data=BreakingOff()),
            variable("w", [1, 2], "/y"),
        ),
    ),
)


def test_the_text_continues_after_data_that_break_off():
    pieces: list[bytes] = []
    errors: list[NczError] = []
    print_cdl(
        BREAKING_OFF, CdlOptions(), pieces.append, callbacks=Callbacks(on_error=errors.append)
    )
    text = b"".join(pieces).decode()
    data = text.partition(" v =")[2]
    assert data.partition("\n // ")[0].count("7") == SLAB
    assert text.endswith(
        "\n // data of /v cannot be read: the chunk?is damaged\n\n w = 1, 2 ;\n}\n"
    )
    assert [str(e) for e in errors] == ["store: /v/1: data of /v: the chunk\nis damaged"]
    with pytest.raises(CdlError, match=r"stdin:\d+:\d+: "):
        create_from_text(GenOptions(source=io.BytesIO(text.encode())))


def test_json_continues_after_data_that_break_off():
    pieces: list[bytes] = []
    print_json(BREAKING_OFF, pieces.append, callbacks=Callbacks(on_error=lambda _: None))
    variables = json.loads(b"".join(pieces))["variables"]
    assert variables["v"]["data"] == [7] * SLAB
    assert variables["v"]["data_error"] == "the chunk\nis damaged"
    assert variables["w"]["data"] == [1, 2]


def test_a_dimension_that_is_not_declared_is_an_error():
    dataset = Dataset(name="b", root=Group(variables=(variable("v", [1], "/nope"),)))
    with pytest.raises(FormatError, match="/v: dimension /nope does not exist"):
        printed(dataset)


def test_much_is_written_in_pieces():
    many = Dataset(
        name="m",
        root=Group(
            dimensions=(Dimension(name="x", size=300_000),),
            variables=(variable("v", np.arange(300_000), "/x"),),
        ),
    )
    sizes: list[int] = []
    print_cdl(many, CdlOptions(), lambda data: sizes.append(len(data)))
    assert len(sizes) > 1


def test_dates_are_printed_on_request_only():
    units = Attribute(name="units", type=Atomic.CHAR, values=("days since 2026-01-01",))
    time = replace(variable("time", [0, 31], "/x"), attributes=(units,))
    dataset = Dataset(
        name="d", root=Group(dimensions=(Dimension(name="x", size=2),), variables=(time,))
    )
    for times, values in ((None, "0, 31"), (" ", '"2026-01-01", "2026-02-01"')):
        pieces: list[bytes] = []
        print_cdl(dataset, CdlOptions(times=times), pieces.append)
        assert f" time = {values} ;" in b"".join(pieces).decode()


def test_a_variable_without_values_is_not_printed():
    empty = variable("v", np.zeros((0, 2)), "/t", "/x")
    pieces: list[bytes] = []
    dimensions = [Dimension(name="t", size=0, unlimited=True), Dimension(name="x", size=2)]
    assert print_data(empty, dimensions, DataStyle(), pieces.append) is False
    assert pieces == []
