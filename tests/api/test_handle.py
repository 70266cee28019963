"""Closing a dataset, and opening it again."""

from __future__ import annotations

import gc
import multiprocessing
import pickle

import numpy as np
import pytest

import ncz
from tests.api.test_dataset import store as store
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def groups(tmp_path_factory):
    target = tmp_path_factory.mktemp("api") / "groups.zarr"
    ncz.gen(ROOT / "cdl_examples" / "groups.cdl", target)
    return target


def test_a_variable_keeps_its_dataset_open(store):
    def variable():
        return ncz.open(store)["lat"]

    lat = variable()
    gc.collect()
    assert lat[0] == 50


def test_a_closed_dataset_cannot_be_read(store):
    with ncz.open(store) as ds:
        lat = ds["lat"]
    ds.close()
    assert ds.is_closed
    with pytest.raises(OSError, match=r"the dataset is closed; open it again with ncz\.open"):
        lat[0]
    assert lat.shape == (3,)  # metadata stay


def test_pickles_are_opened_again(store, groups, monkeypatch, tmp_path):
    monkeypatch.chdir(store.parent)
    ds = ncz.open(store.name)
    texts = [pickle.dumps(each) for each in (ds, ds["temperature"], ncz.open(groups)["ocean/ice"])]
    monkeypatch.chdir(tmp_path)
    again, t, ice = map(pickle.loads, texts)
    assert list(again) == list(ds)
    np.testing.assert_array_equal(t[...], ds["temperature"][...])
    assert ice["thickness"].shape == (2, 2)
    ds.close()
    assert again["lat"][0] == 50


def first(variable):
    return float(variable[0])


def test_another_process_reads_a_variable(store):
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.map(first, [ncz.open(store)["lat"]]) == [50.0]
