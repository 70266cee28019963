"""Each file of the corpus through stores of every form, and against ncgen and ncdump.

``make test`` prints a store of each file; it copies, and compares with ncdump, a part of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.zarr.writing.options import WriteOptions
from tests.sampled import sampled
from tests.test_round_trip import dumped, parsed, printed, stored
from tests.user_types.netcdf_c import NEEDS_NETCDF_BIN, ncdump, ncgen

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.cdl"))

PEERS_FAULT = {
    "compound_enum": "ncgen 4.9.0 gives a wrong offset to the field before an enum",
    "enum_escaped": "ncdump does not escape members, so that ncgen cannot read them",
    "group_same_name": "ncdump prints a name that means another type",
    "no_data": "ncdump stops at an enum without data",
}
"""Cases where ncgen and ncdump give another text than ncz, and are wrong."""

PEER_REFUSES = {
    "compound_complex": "`real` is a keyword of ncgen's",
    "enum_bases": "ncgen refuses the member 65535 of a ushort enum",
}


def dump(store: Path) -> str:
    return ncz.dump(store, notify=ignore_notice)


def test_there_are_enough():
    assert len(CORPUS) >= 40


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_a_store_prints_the_same(path: Path):
    text = printed(parsed(path.read_bytes()))
    assert printed(parsed(text)) == text
    for zarr_format in (2, 3):
        objects = stored(parsed(text), WriteOptions(zarr_format=zarr_format))
        assert dumped(objects).partition(b"{")[2] == text.partition(b"{")[2]


@pytest.mark.parametrize("path", sampled(CORPUS, 4), ids=lambda p: p.stem)
def test_copies_between_versions_and_json_keep_everything(path: Path, tmp_path: Path):
    first, second, third = (tmp_path / name for name in ("1/x.zarr", "2/x.zip", "3/x.zarr"))
    for store in (first, second, third):
        store.parent.mkdir()
    ncz.gen(path, first, notify=ignore_notice)
    before = dump(first)
    ncz.copy(first, second, modes=["nczarr", "v3"], notify=ignore_notice)
    assert dump(second) == before
    ncz.copy(second, third, modes=["nczarr", "v2"], verify=True, notify=ignore_notice)
    assert dump(third) == before
    (tmp_path / "x.json").write_text(ncz.dump(third, view="json", notify=ignore_notice))
    ncz.gen(tmp_path / "x.json", third, overwrite=True, notify=ignore_notice)
    assert dump(third) == before


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("path", sampled(CORPUS, 3), ids=lambda p: p.stem)
def test_a_dump_matches_ncdump(path: Path, tmp_path: Path):
    target, store = tmp_path / f"{path.stem}.nc", tmp_path / f"{path.stem}.zarr"
    if not ncgen(path, target):
        assert path.stem in PEER_REFUSES
        return
    ncz.gen(path, store, notify=ignore_notice)
    theirs = ncdump(target)
    assert (dump(store) != theirs) is (path.stem in PEERS_FAULT), theirs
