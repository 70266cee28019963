"""The chunks that are read, and the chunks that are kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from ncz.commands.sources import open_any
from ncz.commands.view.chunk_cache import ChunkCache
from ncz.commands.view.coordinates import known_values
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.request import Request, RequestError
from ncz.errors import NO_CALLBACKS
from ncz.model.data import ChunkSource, read_all
from ncz.model.grid import ChunkGrid, Grid, Index
from ncz.model.tree import Dataset, Dimension, Group, Variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import location_of
from tests.conftest import EXAMPLES


class Counted(ChunkSource):
    """An array whose values are their flat indices, which remembers the chunks that are read."""

    def __init__(self, shape: tuple[int, ...], chunks: tuple[int, ...]) -> None:
        self._grid = ChunkGrid(shape, chunks)
        self.read: list[Index] = []

    @property
    def grid(self) -> Grid:
        return self._grid

    @property
    def type(self) -> Atomic:
        return Atomic.INT

    @property
    def fill(self) -> int:
        return 0

    def values_of(self, indices: Sequence[Index]) -> list[Any]:
        return [self._values(index) for index in indices]

    def _values(self, index: Index) -> Any:
        self.read.append(index)
        box = self.grid.box(index)
        places = np.ix_(*(np.arange(a, b) for a, b in zip(box.start, box.stop, strict=True)))
        return np.ravel_multi_index(np.broadcast_arrays(*places), self.grid.shape).astype("i4")


def explorer_of(
    shape: tuple[int, ...], chunks: tuple[int, ...], **given: Any
) -> tuple[Explorer, Counted]:
    source = Counted(shape, chunks)
    names = "abcd"[: len(shape)]
    variable = Variable(
        name="v", type=Atomic.INT, dimensions=tuple(f"/{n}" for n in names), data=source
    )
    dimensions = tuple(Dimension(name=n, size=s) for n, s in zip(names, shape, strict=True))
    dataset = Dataset(name="x", root=Group(dimensions=dimensions, variables=(variable,)))
    return Explorer(dataset, ThreadPool(1 << 28, 2), **given), source


def whole(shape: tuple[int, ...]) -> Any:
    return np.arange(np.prod(shape)).reshape(shape)


def test_only_the_chunks_of_the_picture_are_read_and_once():
    explorer, source = explorer_of((1000, 40, 40), (1, 20, 20))
    asked = Request(x=2, y=1, at=(500,))
    values = explorer.picture(asked)[1]
    assert values is not None
    assert values.tolist() == whole((1000, 40, 40))[500].tolist()
    assert sorted(source.read) == [(500, y, x) for y in (0, 1) for x in (0, 1)]
    explorer.picture(Request(x=2, y=1, at=(500,), xs=(3, 9), ys=(2, 30)))
    assert len(source.read) == 4
    explorer.picture(Request(x=2, y=1, at=(501,), xs=(30, 34), ys=(2, 9)))
    assert source.read[4:] == [(501, 0, 1)]


def test_a_large_stride_reads_only_the_chunks_that_it_meets():
    explorer, source = explorer_of((6400, 64), (64, 64))
    values = explorer.picture(Request(x=1, y=0, stride=1600))[1]
    assert values is not None
    assert values.tolist() == whole((6400, 64))[::1600, ::1600].tolist()
    assert sorted(source.read) == [(0, 0), (25, 0), (50, 0), (75, 0)]


def test_a_coarse_picture_comes_first_if_it_takes_long():
    shape = (4096, 4096)
    explorer, source = explorer_of(shape, (256, 256), limit=1 << 30)
    found, coarse = explorer.picture(Request(x=1, y=0, pixels=(1024, 512), coarse=True))
    assert found["isFinal"] is False
    assert coarse is not None
    few = len(source.read)
    assert few * 256 * 256 * 4 <= 8 << 20
    step = found["x"]["step"]
    assert coarse.shape == (4, 8)
    assert coarse.tolist() == whole(shape)[:: found["y"]["step"], ::step].tolist()
    found, fine = explorer.picture(Request(x=1, y=0, pixels=(1024, 512)))
    assert found["isFinal"] is True
    assert fine is not None
    assert fine.shape == (512, 1024)
    assert found["x"]["step"] < step
    assert len(source.read) == len(set(source.read)) == 256  # the coarse one's were kept


def test_a_quick_picture_is_final_immediately():
    explorer, _ = explorer_of((400, 400), (100, 100))
    assert explorer.picture(Request(x=1, y=0, coarse=True))[0]["isFinal"] is True


@pytest.mark.parametrize(("x", "y"), [(1, 0), (0, 1)])
def test_too_many_chunks_are_not_read(x, y):
    explorer, source = explorer_of((4096, 4096), (64, 64), limit=1 << 20)
    found, values = explorer.picture(Request(x=x, y=y, coarse=True))
    assert values is None
    assert source.read == []
    large = found["tooLarge"]
    assert large["need"] == 4096 * 4096 * 4
    values = explorer.picture(Request(x=x, y=y, stride=large["stride"]))[1]
    assert values is not None
    assert len(source.read) * 64 * 64 * 4 <= 1 << 20
    assert explorer.picture(Request(x=x, y=y, limit=large["need"]))[1] is not None


def test_a_picture_that_is_too_large_names_its_indices():
    explorer, source = explorer_of((9, 640, 640), (1, 64, 64), limit=1 << 20)
    found, values = explorer.picture(Request(x=2, y=1, at=(4,)))
    assert values is None
    assert "tooLarge" in found
    assert found["at"] == ["[4]", "", ""]
    assert source.read == []


def test_many_tiny_chunks_are_not_read_without_asking():
    explorer, source = explorer_of((4096, 4096), (1, 1))
    assert "tooLarge" in explorer.picture(Request(x=1, y=0, pixels=(2048, 2048)))[0]
    assert source.read == []


def test_more_than_64_mib_of_chunks_are_not_read_without_asking():
    for columns, is_read in ((16, True), (17, False)):
        shape = (1024, 1024 * columns)
        explorer, source = explorer_of(shape, (1024, 1024))
        found, values = explorer.picture(Request(x=1, y=0))
        assert (values is not None) == ("tooLarge" not in found) == is_read
        assert len(source.read) == columns * is_read


@pytest.mark.parametrize(("is_remote", "most"), [(False, 8 << 20), (True, 2 << 20)])
def test_a_coarse_picture_takes_less_from_a_server(is_remote, most):
    explorer, source = explorer_of((4096, 2048), (128, 128), is_remote=is_remote)
    assert explorer.picture(Request(x=1, y=0, coarse=True))[0]["isFinal"] is False
    assert most // 2 <= len(source.read) * 128 * 128 * 4 <= most


def test_a_series_too_has_a_limit():
    explorer, source = explorer_of((4000, 64, 64), (1, 64, 64), limit=1 << 20)
    found = explorer.series(Request(at=(0, 1, 2), along=0))
    assert "tooLarge" in found
    assert len(source.read) == 1
    stride = found["tooLarge"]["stride"]
    values = explorer.series(Request(at=(0, 1, 2), along=0, stride=stride))["values"]
    assert values == whole((4000, 64, 64))[::stride, 1, 2].tolist()


def test_the_cache_is_bounded():
    cache = ChunkCache(100_000)
    for n in range(100):
        found = cache.get(n, partial(np.full, 1000, n, "i8"))
        assert found is not None
        assert found[0] == n
        assert cache.size <= 100_000
    assert cache.get(99, lambda: pytest.fail("it is kept")) is not None
    read = []
    cache.get(0, lambda: read.append(0))
    assert read == [0]
    assert cache.get("large", lambda: np.zeros(1 << 20)) is not None
    assert cache.size <= 100_000


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_variable_of_the_examples_has_answers(example):
    with (
        open_any(location_of(example), NO_CALLBACKS) as dataset,
        ThreadPool(1 << 28, 1) as pool,
    ):
        explorer = Explorer(dataset, pool)
        overview = explorer.descriptions.overview()
        answers: list[Any] = [overview, explorer.descriptions.header(Request())]
        known = list(variables_by_fqn(dataset.root))
        for listed in overview["variables"]:
            number = listed["number"]
            described = explorer.descriptions.description(Request(variable=number))
            asked = Request(variable=number, x=described["x"], y=described["y"])
            along = None if described["isText"] else described["x"]
            answers += [
                described,
                explorer.descriptions.storage(asked),
                explorer.descriptions.statistics(asked),
                explorer.series(Request(variable=number, along=along)),
            ]
            if described["isText"]:
                answers.append(explorer.table(asked))
                with pytest.raises(RequestError):
                    explorer.picture(asked)
                continue
            found, values = explorer.picture(asked)
            answers.append(found)
            variable = known[number][1]
            if values is not None and variable.data is not None and 0 < len(listed["shape"]) < 3:
                expected = known_values(read_all(variable.data), variable)
                steps = {found[a]["axis"]: found[a]["step"] for a in "xy" if found[a]}
                strided = (slice(None, None, steps.get(a)) for a in range(expected.ndim))
                expected = expected[tuple(strided)]
                if described["y"] is not None and described["y"] > described["x"]:
                    expected = expected.T
                np.testing.assert_array_equal(values.reshape(-1), expected.reshape(-1))
        json.dumps(answers)
