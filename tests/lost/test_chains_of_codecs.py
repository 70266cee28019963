"""For any requested codecs, zarr-python decodes the chunks, or the copy is refused."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import NczError, ignore_notice
from tests.sampled import share_of

zarr = pytest.importorskip("zarr", reason="zarr is not installed")

TEXT = b"""netcdf s { types: compound pair { int a ; byte b ; } ; opaque(3) three ;
dimensions: x = 5 ; n = 3 ;
variables: string text(x) ; char c(x, n) ; double d(x) ; pair p(x) ; three o(x) ; ubyte b(x) ;
 short one ; string word ;
data: text = "a", "bcd", "", "efghi", "j" ; c = "abc", "def", "ghi", "jkl", "mno" ;
 d = 1, 2, 3, 4, 5 ; p = {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 1} ; b = 0, 1, 1, 0, 2 ;
 o = 0X010203, 0X040506, 0X0a0b0c, 0X000000, 0X111111 ; one = 3 ; word = "xyz" ; }"""
CODECS = ("shuffle", "zlib", "zstd", "fletcher32", "crc32", "blosc", "bz2", "packbits")
FORMS = (["zarr", "v2"], ["zarr", "v3"], ["nczarr", "v2"], ["nczarr", "v3"])


def decoded(store: Path) -> None:
    """Let zarr-python decode each array whose dtype it knows."""
    for path in filter(Path.is_dir, sorted(store.iterdir())):
        document = path / ".zarray"
        if not document.exists() or b">S1" not in document.read_bytes():
            zarr.open_array(path, mode="r")[...]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=share_of(60), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(CODECS), max_size=3),
    st.sampled_from(FORMS),
    st.lists(st.sampled_from(FORMS), max_size=2),
)
def test_zarr_python_decodes_them(codecs, first, others):
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        ncz.gen(io.BytesIO(TEXT), here / "0", modes=first, allow_loss=True, notify=ignore_notice)
        expected = ncz.dump(here / "0", name="x")
        try:
            chain = json.dumps([{"id": name} for name in codecs])
            ncz.copy(here / "0", here / "1", codecs=[chain], notify=ignore_notice)
        except NczError:
            return
        decoded(here / "1")
        assert ncz.dump(here / "1", name="x") == expected
        for number, form in enumerate(others, 1):
            source, target = here / str(number), here / str(number + 1)
            ncz.copy(source, target, modes=form, allow_loss=True, notify=ignore_notice)
            decoded(target)


@pytest.fixture
def booleans(tmp_path: Path) -> np.ndarray:
    """Write booleans that packbits packs, and return them."""
    numcodecs = pytest.importorskip("zarr.codecs.numcodecs")
    values: np.ndarray = np.arange(20) % 3 == 0
    group = zarr.open_group(tmp_path / "s.zarr", mode="w", zarr_format=3)
    group.create_array(
        "v", shape=(20,), dtype=bool, chunks=(7,), filters=[numcodecs.PackBits()],
        dimension_names=("x",),
    )[...] = values  # fmt: skip
    return values


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS, ids=",".join)
def test_packed_booleans_are_read_in_every_form(tmp_path, booleans, form):
    notices: list[str] = []
    target = tmp_path / "n.zarr"
    ncz.copy(tmp_path / "s.zarr", target, modes=form, notify=lambda n: notices.append(str(n)))
    found = zarr.open_group(target, mode="r")["v"][...]
    assert found.astype(bool).tolist() == booleans.tolist()
    assert ncz.check(target, audience=["zarr-python"]).findings == ()
    is_left_out = form == ["nczarr", "v3"]
    assert any("codecs packbits+zstd become zstd" in each for each in notices) == is_left_out


@pytest.mark.filterwarnings("ignore")
def test_check_finds_numbers_that_are_packed(tmp_path, booleans):
    ncz.copy(tmp_path / "s.zarr", tmp_path / "n.zarr", modes=["nczarr", "v3"], notify=ignore_notice)
    path = tmp_path / "n.zarr/v/zarr.json"
    document = json.loads(path.read_bytes())
    document["codecs"].insert(0, {"name": "numcodecs.packbits", "configuration": {}})
    path.write_text(json.dumps(document))
    found = ncz.check(tmp_path / "n.zarr", audience=["zarr-python"]).findings
    assert any("does not decode chunks of packbits of numbers" in each.message for each in found)


def test_packbits_of_other_numbers_is_refused(tmp_path):
    ncz.gen(io.BytesIO(TEXT), tmp_path / "s.zarr", modes=["zarr", "v2"], notify=ignore_notice)
    with pytest.raises(NczError, match="packbits cannot store 2"):
        ncz.copy(tmp_path / "s.zarr", tmp_path / "t.zarr", codecs=['b=[{"id": "packbits"}]'])
