"""The documents of a new store, and their order."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncz.formats.zarr.json import parse_document, print_document
from ncz.model.tree import Group
from tests import strategies
from tests.formats.zarr.writing.test_writer import NCZARR, PURE, small, text, write
from tests.sampled import share_of


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=share_of(60))
@given(strategies.datasets(), st.sampled_from([NCZARR, PURE]))
def test_the_same_dataset_gives_the_same_bytes_in_the_same_order(dataset, options):
    assert list(write(dataset, options)[0].items()) == list(write(dataset, options)[0].items())


def test_documents_are_laid_out_as_netcdf_c_lays_them_out():
    dataset = small(attributes=(text("units", "m"),))
    objects, notices = write(dataset)
    assert notices == []
    assert objects["v/.zarray"].decode() == (
        '{"zarr_format": 2, "shape": [3], "dtype": "<i4", "chunks": [3], '
        '"fill_value": null, "order": "C", "compressor": null, "filters": null}'
    )
    assert objects["v/.zattrs"].decode() == (
        '{"units": "m", "_ARRAY_DIMENSIONS": ["x"], '
        '"_nczarr_array": {"dimension_references": ["/x"], "storage": "chunked", '
        '"fill_value": -2147483647}, '
        '"_nczarr_attr": {"types": '
        '{"units": ">S1", "_nczarr_array": "|J0", "_nczarr_attr": "|J0"}}}'
    )
    assert objects[".zgroup"] == b'{"zarr_format": 2}'
    root = parse_document(objects[".zattrs"], "x")
    assert list(root) == ["_NCProperties", "_nczarr_group", "_nczarr_superblock", "_nczarr_attr"]
    assert root["_nczarr_group"] == {"dimensions": {"x": 3}, "arrays": ["v"], "groups": []}


def test_the_root_comes_last():
    inner = Group(name="g", groups=(Group(name="h"),))
    dataset = replace(small(), root=replace(small().root, groups=(inner,)))
    objects, _ = write(dataset, replace(NCZARR, consolidated=True))
    assert list(objects) == [
        "v/0", "v/.zattrs", "v/.zarray",
        "g/h/.zattrs", "g/h/.zgroup", "g/.zattrs", "g/.zgroup",
        ".zmetadata", ".zattrs", ".zgroup",
    ]  # fmt: skip
    metadata = parse_document(objects[".zmetadata"], "x")
    assert metadata["zarr_consolidated_format"] == 1
    assert {k: print_document(v) for k, v in metadata["metadata"].items()} == {
        k: v for k, v in objects.items() if "/." in f"/{k}" and k != ".zmetadata"
    }
