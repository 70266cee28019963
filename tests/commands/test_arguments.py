"""Arguments in a Python session: single texts, mistakes, warnings, descriptions."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = """netcdf s { dimensions: x = 3 ; variables: int v(x) ; v:units = "K" ; int w ;
data: v = 1, 2, 3 ; w = 4 ; }"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "s.cdl").write_text(CDL)
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.zarr", notify=ignore_notice)
    return tmp_path / "s.zarr"


def test_one_text_is_one_argument(store, tmp_path):
    assert "v = 1, 2, 3 ;" in ncz.dump(store, variables="v")
    assert ncz.ls(store, exclude="v") == ["/.zattrs", "/.zgroup", "/w"]
    copy = tmp_path / "c.zarr"
    ncz.copy(store, copy, modes="v3", codecs="gzip:1", chunks="x/2", notify=ignore_notice)
    assert ncz.open(copy)["v"].chunks == (2,)
    assert (copy / "zarr.json").exists()
    assert [v.path for v in ncz.info(store, variables="v").variables] == ["/v"]
    assert [c.after for c in ncz.edit(store, set='v:units = "m"')] == ['"m"']
    assert ncz.edit(store, delete="v:units", dry_run=True)[0].after is None
    assert ncz.check(store, audience="netcdf-c").is_clean


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda s: ncz.dump(s, view="xml"),  # type: ignore[arg-type]
            "'xml' is not a view; give one of cdl, json, ncml",
        ),
        (lambda s: ncz.diff(s, s, rtol=-1), "a tolerance cannot be negative"),
        (lambda s: ncz.check(s, audience=["gdl"]), "^audience: unknown reader 'gdl'"),
        (lambda s: ncz.edit(s, set="t"), "^set: 't' is not an attribute"),
        (lambda s: ncz.gen(s.with_suffix(".cdl"), s), "use overwrite=True to replace it"),
    ],
)
def test_a_mistake_is_reported_in_python(store, call, message):
    with pytest.raises(ncz.NczError, match=message):
        call(store)


def test_a_warning_is_about_the_line_of_the_caller(store, tmp_path):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ncz.gen(tmp_path / "s.cdl", tmp_path / "two.zarr")
        ncz.copy(store, tmp_path / "two.zip")
    assert {warning.filename for warning in seen} == {__file__}
    assert len({warning.lineno for warning in seen}) == 2


def test_results_print_as_their_text(store, tmp_path):
    other = tmp_path / "o.zarr"
    ncz.copy(store, other, notify=ignore_notice)
    ncz.edit(other, set='v:units = "m"')
    (found,) = ncz.diff(store, other)
    assert repr(found) == (
        "Difference(kind='attribute', fqn='/v', name='units', expected=('K',), found=('m',))"
    )
    assert str(found) == "attribute units of /v differs"
    (store / "stray").write_bytes(b"")
    lines = str(ncz.check(store)).splitlines()
    assert lines[0].startswith("warning: key-unowned: /stray: ")
    assert lines[-1] == "0 errors, 1 warning, 2 notes"
