"""Datasets by location: which format is chosen, and that it is opened and created whole."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from ncz.errors import StoreExists, UrlError
from ncz.formats import FORMATS
from ncz.formats.create_options import CreateOptions
from ncz.formats.kinds import DatasetFormat, OpenedDataset
from ncz.formats.opening import create_dataset, open_dataset
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.zmap.location import parse_location

VALUES = np.arange(3, dtype="i4")
DATASET = Dataset(
    name="x",
    root=Group(
        dimensions=(Dimension(name="n", size=3),),
        variables=(
            Variable(
                name="v",
                type=Atomic.INT,
                dimensions=("/n",),
                data=MemoryArray(VALUES, Atomic.INT),
            ),
        ),
    ),
)


@pytest.mark.parametrize("target", ["x.zarr", "x.zarr#mode=v3", "x.nc"])
def test_codecs_are_judged_by_a_set_of_names(run, tmp_path, monkeypatch, target):
    """A list of names would be searched for each variable, which no count of steps shows."""
    from ncz.formats.netcdf.target import NetcdfPlan
    from ncz.formats.zarr.writing.target import ZarrWritePlan

    judged = []
    for plan in (ZarrWritePlan, NetcdfPlan):

        def check_codecs(self, fqns, own=plan.check_codecs):
            judged.append(fqns)
            own(self, fqns)

        monkeypatch.setattr(plan, "check_codecs", check_codecs)
    create_dataset(DATASET, parse_location(f"{tmp_path}/from.zarr"))
    run("copy", f"{tmp_path}/from.zarr", f"{tmp_path}/{target}", "--codec", "zlib:1")
    assert [type(fqns) for fqns in judged] == [set, set]


@pytest.mark.parametrize(("stored", "asked"), [("v2", "v3"), ("v3", "v2")])
def test_a_store_of_the_version_that_the_mode_excludes_is_named(run, tmp_path, stored, asked):
    create_dataset(DATASET, parse_location(f"{tmp_path}/x.zarr#mode={stored}"))
    ran = run("dump", f"{tmp_path}/x.zarr#mode={asked}")
    assert ran.code == 1
    assert f"this is a store of Zarr {stored.upper()}, which the mode excludes" in ran.stderr
    assert f"use mode={stored}" in ran.stderr


@pytest.mark.parametrize("mode", ["", "#mode=zarr", "#mode=zip", "#mode=v3"])
def test_a_created_dataset_is_opened(tmp_path, mode):
    location = parse_location(f"{tmp_path}/x.zarr{mode}")
    create_dataset(DATASET, location)
    with open_dataset(location) as opened:
        (variable,) = opened.dataset.root.variables
        assert variable.data is not None
        assert read_all(variable.data).tolist() == [0, 1, 2]
        assert opened.dataset.name == "x"
        assert opened.netcdf_kind == "netCDF-4"


def test_a_dataset_is_replaced_only_if_asked(tmp_path):
    location = parse_location(f"{tmp_path}/x.zarr")
    create_dataset(DATASET, location)
    with pytest.raises(StoreExists, match="already exists; use --overwrite"):
        create_dataset(DATASET, location)
    create_dataset(DATASET, location, CreateOptions(overwrite=True))


@contextlib.contextmanager
def open_magic(location, _options, _notify):
    yield OpenedDataset(dataset=DATASET, location=location, netcdf_kind="magic", survives_fork=True)


MAGIC = DatasetFormat(
    name="Magic",
    recognises=lambda source: source.start.startswith(b"MAGIC"),
    is_target=lambda location, _: location.path.endswith(".magic"),
    open=open_magic,
)


@pytest.fixture
def magic(monkeypatch):
    monkeypatch.setattr("ncz.formats.opening.FORMATS", (MAGIC, *FORMATS))


@pytest.mark.usefixtures("magic")
def test_a_format_is_recognised_by_content_with_any_name(tmp_path):
    file = tmp_path / "named.zarr"
    file.write_bytes(b"MAGIC and more")
    with open_dataset(parse_location(str(file))) as opened:
        assert opened.netcdf_kind == "magic"
        assert opened.location.path == str(file)
    create_dataset(DATASET, parse_location(f"{tmp_path}/x.magic.zarr"))
    with open_dataset(parse_location(f"{tmp_path}/x.magic.zarr")) as opened:
        assert opened.netcdf_kind == "netCDF-4"


@pytest.mark.usefixtures("magic")
def test_a_format_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(UrlError, match="Magic can only be read"):
        create_dataset(DATASET, parse_location(f"{tmp_path}/x.magic"))
