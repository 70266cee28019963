"""User-defined types in netCDF-4 files: of ncgen, and for ncdump; most files are long."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, Notice, ignore_notice
from tests.conftest import Run
from tests.sampled import sampled
from tests.user_types.netcdf_c import NEEDS_NETCDF_BIN, ncdump, ncgen
from tests.user_types.test_corpus import CORPUS, PEERS_FAULT, dump

NEGATIVE = {"enum_bases"}
"""Types with members above 2^63 - 1, which ncdump prints as negative numbers."""


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("path", sampled(CORPUS, 3), ids=lambda p: p.stem)
def test_a_file_of_ncgen_is_read_as_ncdump_prints_it(path: Path, tmp_path: Path):
    target = tmp_path / f"{path.stem}.nc"
    if not ncgen(path, target) or path.stem == "everything":
        return
    same = path.stem not in PEERS_FAULT or path.stem == "compound_enum"
    assert (dump(target) == ncdump(target)) is same


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("path", sampled(CORPUS, 3), ids=lambda p: p.stem)
def test_files_and_stores_are_copied_into_each_other(path: Path, tmp_path: Path):
    name = path.stem
    store, file, again = (
        tmp_path / f for f in (f"1/{name}.zarr", f"2/{name}.nc", f"3/{name}.zarr")
    )
    for target in (store, file, again):
        target.parent.mkdir()
    ncz.gen(path, store, notify=ignore_notice)
    ncz.copy(store, file, verify=True, notify=ignore_notice)
    assert dump(file) == dump(store)
    if path.stem not in {"enum_escaped", "group_same_name", *NEGATIVE}:
        assert ncdump(file) == dump(store)
    ncz.copy(file, again, modes=["v3"], notify=ignore_notice)
    assert dump(again) == dump(store)


def test_packed_chunks_are_not_decoded(run: Run, tmp_path: Path):
    path = next(path for path in CORPUS if path.stem == "compressed")
    store, file = tmp_path / "x.zarr", tmp_path / "x.nc"
    ncz.gen(path, store, notify=ignore_notice)
    ncz.copy(store, file, notify=ignore_notice)
    for source, target in ((store, file), (file, store)):
        done = run("copy", "--dry-run", "--json", source, target.with_stem("y"))
        assert {v["name"]: v["way"] for v in json.loads(done.text)["variables"]} == {
            "/c": "raw", "/e": "raw", "/o": "raw",
        }  # fmt: skip


LARGE = "uint64 enum E {a = 1, top = 18446744073709551615, mid = 9223372036854775808} ;"


def test_members_of_enums_can_be_any_number_of_the_base(tmp_path: Path):
    import h5py

    text = f"netcdf e {{ types: {LARGE} variables: E v ; data: v = mid ; }}"
    ncz.gen(BytesIO(text.encode()), tmp_path / "x.nc")
    ncz.copy(tmp_path / "x.nc", tmp_path / "x.zarr", notify=ignore_notice)
    ncz.copy(tmp_path / "x.zarr", tmp_path / "y.nc", verify=True, notify=ignore_notice)
    for name in ("x.nc", "x.zarr", "y.nc"):
        printed = " ".join(ncz.dump(tmp_path / name, notify=ignore_notice).split())
        assert LARGE in printed
        assert "v = mid ;" in printed
    with h5py.File(tmp_path / "big.nc", "w") as file:
        for kind in ("<i2", ">i2", "i1", ">u8"):
            first, second = (2, 2**63 - 1) if kind == ">u8" else (-2, 127)
            made = h5py.h5t.enum_create(h5py.h5t.py_create(np.dtype(kind)))
            made.enum_insert(b"a", first)
            made.enum_insert(b"b", second)
            made.commit(file.id, kind.strip("<").replace(">", "b").encode())
    printed = ncz.dump(tmp_path / "big.nc", notify=ignore_notice)
    for line in ("short enum i2 {a = -2, b = 127}", "short enum bi2 {a = -2, b = 127}",
                 "byte enum i1 {a = -2, b = 127}",
                 "uint64 enum bu8 {a = 2, b = 9223372036854775807}"):  # fmt: skip
        assert line in printed


def test_classic_files_contain_no_user_defined_types(tmp_path: Path):
    path = next(path for path in CORPUS if path.stem == "opaque_scalar")
    with pytest.raises(LossError, match="the user-defined type /key_t"):
        ncz.gen(path, tmp_path / "x.nc", kind="classic", notify=ignore_notice)


def test_a_type_that_netcdf_does_not_have_is_left_out_by_name(tmp_path: Path):
    import h5py
    import numpy as np

    with h5py.File(tmp_path / "x.h5", "w", track_order=True) as file:
        file["number_t"] = np.dtype("f8")
        file["v"] = 1
    notices: list[Notice] = []
    text = ncz.dump(tmp_path / "x.h5", allow_loss=True, notify=notices.append)
    assert [n.code for n in notices] == ["type-left-out"]
    assert "/number_t" in notices[0].message
    assert "int64 v ;" in text


CHARS = ("9", "3, 3", "2, 2, 3", "3, 1")
TEXTS = (
    '"ab","c","def"',
    '"ab","","c"',
    '"","a"',
    '"","","b"',
    '"abcd","e"',
    '"","",""',
    '"abc",""',
)


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("shape", CHARS)
def test_each_text_of_a_field_of_chars_takes_whole_rows(shape: str, tmp_path: Path):
    """An empty text takes a row, so that the following rows stay in their places."""
    compared = 0
    for number, text in enumerate(TEXTS):
        source, file, store = (tmp_path / f"{number}.{end}" for end in ("cdl", "nc", "zarr"))
        source.write_text(
            f"netcdf c {{ types: compound t {{ char x({shape}) ; int i ; }} ; dimensions: n = 12 ;"
            f" variables: t v ; char w(n) ; data: v = {{{{{text}}}, 5}} ; w = {text} ; }}"
        )
        if not ncgen(source, file) or ", 5}" not in (expected := ncdump(file)):
            continue  # the texts do not fit
        ncz.gen(source, store, notify=ignore_notice)
        assert dump(store).partition("{")[2] == expected.partition("{")[2]
        compared += 1
    assert compared >= 3
