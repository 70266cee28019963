"""Parts of a store that other programs do not read."""

from __future__ import annotations

import zipfile

import pytest

import ncz
from tests.formats.zarr.check.test_gallery import good as good


def test_parts_that_readers_do_not_read(good):
    asked = ncz.check(good["nczarr"], audience=("netcdf-c",)).findings
    assert asked == ()
    asked = ncz.check(good["nczarr"], audience=("xarray",)).findings
    assert [(f.code, f.severity, f.key) for f in asked] == [("reader-unopened", "error", "c")]
    asked = ncz.check(good["zarr,v3"], audience=("netcdf-c",)).findings
    assert [(f.code, f.severity, f.key) for f in asked] == [("reader-unopened", "error", "")]
    assert ncz.check(good["nczarr"]).is_clean
    with pytest.raises(ncz.NczError, match="unknown reader 'nothing'"):
        ncz.check(good["nczarr"], audience=("nothing",))


GROUPS = """netcdf a {{ dimensions: x = 3 ; variables: int a(x) ; data: a = 1, 2, 3 ;
group: g {{ dimensions: x = 2 ; variables: int b({}) ; data: b = {} ; }} }}"""


@pytest.mark.parametrize(
    ("axes", "mode", "reader", "found"),
    [
        ("x, /x", "nczarr,v2", "xarray", [("reader-unopened", "several lengths")]),
        ("x, /x", "zarr,v3", "xarray", [("reader-unopened", "several lengths")]),
        ("x, /x", "zarr,v2", "netcdf-c", [("reader-unopened", "several lengths")]),
        ("x, /x", "nczarr,v2", "netcdf-c", []),
        ("x", "nczarr,v2", "xarray", [("reader-misread", "hides one of another length")]),
        ("x", "nczarr,v2", "zarr-python", []),
    ],
)
def test_dimensions_of_one_name_are_judged_for_each_reader(axes, mode, reader, found, tmp_path):
    (tmp_path / "a.cdl").write_text(
        GROUPS.format(axes, "1, 2, 3, 4, 5, 6" if "," in axes else "1, 2")
    )
    ncz.gen(tmp_path / "a.cdl", f"{tmp_path}/a.zarr#mode={mode}", notify=lambda _: None)
    findings = ncz.check(tmp_path / "a.zarr", audience=(reader,)).findings
    of_readers = [f for f in findings if f.code.startswith("reader-")]
    assert [f.code for f in of_readers] == [code for code, _ in found]
    for finding, (_, words) in zip(of_readers, found, strict=True):
        assert words in finding.message
        assert finding.key == "g/x"


@pytest.mark.parametrize(
    ("mode", "below", "unopened"),
    [
        ("nczarr,v2", None, ["xarray", "zarr-python"]),
        ("zarr,v2", None, ["netcdf-c"]),
        ("zarr,v2", "folder/", ["xarray", "zarr-python"]),
    ],
)
def test_the_layout_of_a_zip_file_is_judged(mode, below, unopened, tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: n = 2 ; variables: int v(n) ; }")
    store = tmp_path / "a.zip"
    ncz.gen(tmp_path / "a.cdl", f"{store}#mode={mode}", notify=lambda _: None)
    if below is not None:
        with zipfile.ZipFile(store) as old, zipfile.ZipFile(tmp_path / "b.zip", "w") as new:
            for name in old.namelist():
                new.writestr(below + name, old.read(name))
        store = tmp_path / "b.zip"
    found = [f for f in ncz.check(store).findings if "a zip file" in f.message]
    assert [f.message.partition(" ")[0] for f in found] == unopened
    assert {(f.code, f.severity) for f in found} == {("reader-unopened", "note")}


@pytest.mark.parametrize(
    ("text", "mode", "reader", "code", "what"),
    [
        ("opaque(3) t", "nczarr,v2", "netcdf-c 4.10.1", "reader-unopened", "opaque values"),
        ("int(*) t", "nczarr,v2", "netcdf-c 4.10.1", "reader-unopened", "vlen values as text"),
        ("compound t { int i ; }", "nczarr,v2", "netcdf-c 4.10.1", "reader-unopened", "compound"),
        (None, "nczarr,v2", "xarray", "reader-misread", "were never written"),
    ],
)
def test_readers_of_types_are_judged_as_when_a_store_is_written(
    text, mode, reader, code, what, tmp_path
):
    types = f"types: {text} ; " if text else ""
    cdl = f"netcdf a {{ {types}dimensions: n = 2 ; variables: {'t' if text else 'int'} v(n) ; }}"
    (tmp_path / "a.cdl").write_text(cdl)
    notices: list[ncz.Notice] = []
    ncz.gen(tmp_path / "a.cdl", f"{tmp_path}/a.zarr#mode={mode}", notify=notices.append)
    name = reader.partition(" ")[0]
    findings = ncz.check(tmp_path / "a.zarr", audience=(name,)).findings
    (found,) = (f for f in findings if f.code != "chunk-missing")
    assert (found.code, found.key) == (code, "v")
    assert found.message.startswith(reader)
    assert what in found.message
    assert any(name in notice.message and "/v" in notice.message for notice in notices)
