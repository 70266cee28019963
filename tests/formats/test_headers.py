"""Headers of files as bytes: the dataset is the same, and is read out of the file."""

from __future__ import annotations

import io
import os
import pickle
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ncz.errors import NczError, ZmapError
from ncz.formats.headers import Header, read_header, scan
from ncz.formats.kinds import OpenOptions
from ncz.formats.open_datasets import OpenDatasets
from ncz.formats.opening import open_dataset
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Dataset, each_variable, variables_by_fqn
from ncz.record import replace
from ncz.zmap.location import Location, parse_location
from tests.sampled import sampled

CORPUS = Path(__file__).parents[1] / "corpus"
FILES = sorted(
    path.relative_to(CORPUS).as_posix()
    for ending in (".nc", ".nc3", ".nc4", ".hdf5", ".zip", ".json")
    for path in CORPUS.glob(f"*/*{ending}")
)
OPEN = OpenOptions()


def pool_of() -> OpenDatasets:
    return OpenDatasets(lambda place: open_dataset(place, OPEN))


@pytest.mark.parametrize("name", sampled(FILES, 25))
def test_the_dataset_matches_the_file(name: str) -> None:
    place = parse_location(str(CORPUS / name))
    try:
        data = scan(place, OPEN)
    except NczError as error:
        with pytest.raises(type(error)), open_dataset(place):
            raise AssertionError from error
        return
    with closing(pool_of()) as pool, open_dataset(place) as opened:
        header = read_header(data, pool)
        assert header is not None
        assert _described(header.dataset) == _described(opened.dataset)
        theirs = dict(variables_by_fqn(header.dataset.root))
        for fqn, variable in variables_by_fqn(opened.dataset.root):
            ours, other = variable.data, theirs[fqn].data
            assert (ours is None) == (other is None)
            if ours is None or other is None:
                continue
            assert (other.grid.shape, other.type) == (ours.grid.shape, ours.type)
            for index in [*ours.grid.indices()][:20]:
                assert repr(_values(other, index)) == repr(_values(ours, index)), fqn
            if isinstance(ours, EncodedSource) and isinstance(other, EncodedSource):
                _compare_encoded(ours, other)


def _described(dataset: Dataset) -> str:
    """Return a dataset without its data as text, so that NaN is equal to itself."""
    return repr(each_variable(dataset, lambda _, variable: replace(variable, data=None)))


def _values(source: Any, index: Any) -> object:
    try:
        found = source.chunk(index)
    except NczError as error:
        return error.message
    return None if found is None else found.tolist()


def _compare_encoded(ours: EncodedSource, theirs: EncodedSource) -> None:
    """Compare the stored chunks, their places, and the chunks of a reference set."""
    for one, other in ((ours, theirs), (ours.referable(), theirs.referable())):
        assert isinstance(one, EncodedSource)
        assert isinstance(other, EncodedSource)
        assert one.layout == other.layout
        try:
            indices = [*one.present()][:20]
        except NczError:
            continue
        assert [*other.present()][:20] == indices
        for index in indices:
            try:
                wanted = one.encoded_chunk(index)
            except NczError:
                continue
            assert other.encoded_chunk(index) == wanted
            assert other.place(index) == one.place(index)


@pytest.fixture
def file(tmp_path: Path) -> Location:
    import shutil

    name = next(name for name in FILES if name.endswith(".nc"))
    shutil.copy(CORPUS / name, tmp_path / "f.nc")
    return parse_location(str(tmp_path / "f.nc"))


def test_a_file_that_changed_since_is_an_error(tmp_path: Path) -> None:
    netcdf4 = pytest.importorskip("netCDF4")
    path = tmp_path / "f.nc"
    with netcdf4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 3000)
        file.createVariable("v", "f8", ("x",))[:] = range(3000)
    data = scan(parse_location(str(path)), OPEN)
    os.utime(path, ns=(0, 0))
    with closing(pool_of()) as pool:
        header = read_header(data, pool)
        assert header is not None
        source = dict(variables_by_fqn(header.dataset.root))["/v"].data
        assert source is not None
        with pytest.raises(ZmapError, match="the file changed while it was read"):
            source.chunk((0,))


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch ran",)


class Hidden:
    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (Header, "__init__")


@pytest.mark.parametrize("value", [Evil(), Hidden(), [1], "text", {"a": Evil()}])
def test_other_objects_are_not_read(
    value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(pool_of()) as pool:
        for data in (zlib.compress(pickle.dumps(value)), pickle.dumps(value), b"", b"x"):
            assert read_header(data, pool) is None
    assert not (tmp_path / "ran").exists()


def test_a_module_of_ncz_gives_its_records_alone(file: Location) -> None:
    """A name with a dot leads to imports of a module, and to methods of classes."""
    from ncz.formats.headers import _Unpickler

    with closing(pool_of()) as pool:
        unpickler = _Unpickler(io.BytesIO(), pool)
        assert unpickler.find_class("ncz.formats.headers", "Header") is Header
        for module, name in (
            ("ncz.formats.reopened_arrays", "os"), ("ncz.formats.reopened_arrays", "os.system"),
            ("ncz.formats.headers", "scan"), ("ncz.formats.headers", "Header.__init__"),
            ("ncz.formats.open_datasets", "OpenDatasets"), ("os", "system"),
            ("builtins", "getattr"), ("ncz.zmap.local.claims", "remove"),
        ):  # fmt: skip
            with pytest.raises(pickle.UnpicklingError):
                unpickler.find_class(module, name)
    assert read_header(scan(file, OPEN), pool) is not None
