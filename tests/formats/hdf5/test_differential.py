"""Files that h5py and others made: ncz reads the structures, types and values that h5py reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from ncz.formats.signatures import HDF5
from tests.conftest import ROOT
from tests.formats.hdf5 import by_h5py, by_ncz
from tests.formats.hdf5.features import FEATURES
from tests.sampled import sampled, share_of

OTHERS = [
    path
    for suffix in ("nc", "nc4", "h5", "hdf5")
    for path in sorted((ROOT / "tests").rglob(f"*.{suffix}"))
    if path.read_bytes()[: len(HDF5)] == HDF5
]
"""Files that other programs made."""


def compare(path: Path) -> None:
    """Compare all that h5py finds in a file."""
    expected = by_h5py.contents(path)
    file = by_ncz.File(path)
    found = file.contents()
    assert found.keys() == expected.keys()
    for name, each in expected.items():
        assert found[name] == each, name
    with h5py.File(path) as opened, ncz.open(path, notify=ignore_notice) as dataset:
        opened.visititems(lambda name, obj: _compare_data(file, name, obj, dataset))


def _compare_data(file: by_ncz.File, name: str, found: Any, dataset: ncz.Dataset) -> None:
    """Compare where the chunks of a dataset are, and the values."""
    if not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
        return
    own = file.objects.find(by_h5py.address(found.id))
    assert own.layout is not None
    assert own.space is not None
    if found.chunks and not _is_misplaced(own):
        inside = [-(-n // c) for n, c in zip(found.shape, found.chunks, strict=True)]
        places = [p for p in file.chunk_places(own) if all(map(int.__lt__, p[0], inside))]
        if own.layout.leaves_edges:
            places = [(index, at, size, mask & 0) for index, at, size, mask in places]
        assert places == by_h5py.chunk_places(found.id), name
    numbers = (h5py.h5t.INTEGER, h5py.h5t.FLOAT, h5py.h5t.ENUM)
    if found.id.get_type().get_class() not in numbers:
        return  # for some of the other types, such as H5T_TIME, numpy has no dtype
    *above, last = name.split("/")
    is_hidden = "/".join([*above, f"_nc4_non_coord_{last}"]) in found.file
    if found.dtype.kind in "iuf" and name in dataset and not is_hidden:
        values = np.asarray(dataset[name][...])
        expected = found[()]
        assert values.shape == np.shape(expected)
        assert values.astype(expected.dtype).tobytes() == np.asarray(expected).tobytes(), name


def _is_misplaced(found: Any) -> bool:
    """Return whether HDF5's own list of the chunks is wrong.

    H5Dchunk_iter of HDF5 1.14 and 2.0 is, for extensible arrays whose unlimited axis is not the
    first. The values that h5py reads are right.
    """
    return found.layout.index == "extensible array" and found.space.largest[0] is not None


@pytest.mark.parametrize("name", sampled(FEATURES, 2))
def test_every_structure_of_the_format(name, tmp_path):
    FEATURES[name](tmp_path / "x.h5")
    compare(tmp_path / "x.h5")


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.name)
def test_files_of_others(path):
    compare(path)


DTYPES = ["<i1", ">i2", "<i4", ">i8", "<u8", "<f4", ">f8", "<f2"]


@st.composite
def datasets(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the description of a dataset: its shape, its chunks and filters, and its values."""
    rank = draw(st.integers(0, 4))
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=rank, max_size=rank)))
    made: dict[str, Any] = {"shape": shape, "dtype": draw(st.sampled_from(DTYPES))}
    if rank and draw(st.booleans()):
        made["chunks"] = tuple(draw(st.integers(1, max(1, n))) for n in shape)
        made["maxshape"] = tuple(draw(st.sampled_from([max(1, n), n + 3, None])) for n in shape)
        made["shuffle"] = draw(st.booleans())
        made["fletcher32"] = draw(st.booleans())
        made["compression"] = draw(st.sampled_from([None, 1, "lzf"]))
    if draw(st.booleans()):
        made["fillvalue"] = draw(st.integers(0, 100))
    return made


@settings(max_examples=share_of(200), deadline=None)
@given(
    made=st.lists(datasets(), min_size=1, max_size=4),
    version=st.sampled_from(["earliest", "v110", "latest"]),
    user_block=st.sampled_from([0, 0, 512]),
    written=st.randoms(use_true_random=False),
)
def test_random_files(made, version, user_block, written, tmp_path_factory):
    path = tmp_path_factory.mktemp("random") / "x.h5"
    with h5py.File(path, "w", libver=version, userblock_size=user_block) as file:
        for n, options in enumerate(made):
            dataset = file.create_dataset(f"g{n % 2}/v{n}", **options)
            dataset.attrs["numbers"] = np.arange(n, dtype=options["dtype"])
            shape = options["shape"]
            if written.random() < 0.8 and all(shape):
                start = [written.randrange(length) for length in shape]
                part = tuple(slice(at, at + written.randint(1, 5)) for at in start)
                dataset[part] = written.randrange(100)
    compare(path)


def test_the_axis_that_grows_may_be_any(tmp_path, run):
    """HDF5's own list of chunks has wrong places here, and wrong values were printed."""
    values = np.arange(504).reshape(6, 7, 12)
    with h5py.File(tmp_path / "x.h5", "w", libver="latest") as file:
        file.create_dataset("v", data=values, maxshape=(6, None, 12), chunks=(2, 3, 4))
    with ncz.open(tmp_path / "x.h5") as dataset:
        assert np.array_equal(dataset["v"][...], values)
    assert run("copy", tmp_path / "x.h5", tmp_path / "x.zarr").code == 0
    with ncz.open(tmp_path / "x.zarr") as dataset:
        assert np.array_equal(dataset["v"][...], values)


def test_data_that_were_never_written_behind_a_user_block(tmp_path):
    """h5py gives an offset for them, and bytes of the header were printed."""
    with h5py.File(tmp_path / "x.h5", "w", userblock_size=2048) as file:
        file.create_dataset("v", (3,), "i4", fillvalue=7)
        file.create_dataset("w", (3,), "f8")
    with ncz.open(tmp_path / "x.h5") as dataset:
        assert dataset["v"][:].tolist() == [7, 7, 7]
        assert dataset["w"][:].tolist() == [0, 0, 0]
