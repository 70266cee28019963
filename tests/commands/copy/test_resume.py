"""``copy --resume`` after the source has changed: the new values, or a refusal."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.zmap.local import creation
from tests.sampled import paired

TEXT = """netcdf s {
dimensions: x = 4 ; t = UNLIMITED ;
variables: short v(t, x) ; v:units = "K" ; v:n = 3s ; v:scale_factor = 0.5 ; v:old = 1 ;
 v:_ChunkSizes = 1, 4 ;
:title = "old" ; :Conventions = "CF-1.8" ; :history = "h" ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8 ;
group: g { variables: float w(x) ; w:units = "m" ; :note = "old" ; data: w = 1, 2, 3, 4 ; }
group: empty { :note = "old" ; }
}"""
CHANGES = {
    "attribute of the root": ('"old" ; :Conventions', '"new" ; :Conventions'),
    "conventions": ("CF-1.8", "CF-1.9"),
    "attribute of the root removed": (' :history = "h" ;', ""),
    "attribute of the root added": (':history = "h" ;', ':history = "h" ; :more = 1 ;'),
    "attribute of a group": ('m" ; :note = "old"', 'm" ; :note = "new"'),
    "attribute of a group removed": ('m" ; :note = "old" ;', 'm" ;'),
    "group removed": ('group: empty { :note = "old" ; }\n', ""),
    "group added": ("group: empty", 'group: more { :note = "new" ; }\ngroup: empty'),
    "attribute of a variable": ('units = "K"', 'units = "C"'),
    "attribute of a variable removed": (" v:old = 1 ;", ""),
    "attribute of a variable added": ("v:old = 1 ;", "v:old = 1 ; v:more = 1 ;"),
    "type": ("n = 3s", "n = 3"),
    "kind of number": ("n = 3s", "n = 3.0"),
    "scale": ("scale_factor = 0.5 ", "scale_factor = 0.5f "),
    "mask": ("v:old = 1 ;", "v:old = 1 ; v:missing_value = 1s ;"),
    "dimension added": ("x = 4 ;", "x = 4 ; unused = 3 ;"),
}
FORMS: tuple[dict[str, Any], ...] = (
    {},
    {"modes": ["zarr"], "annotations": False, "allow_loss": True},
    {"modes": ["zarr", "v3"]},
    {"modes": ["zarr", "v3"], "annotations": False, "allow_loss": True},
    {"modes": ["nczarr"]},
    {"modes": ["nczarr", "v3"], "consolidated": True},
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_source(name: str, text: str = TEXT) -> None:
    ncz.gen(io.BytesIO(text.encode()), name, overwrite=True, notify=ignore_notice)


def copy(source: str, target: str, form: dict[str, Any], *, resume: bool) -> None:
    ncz.copy(source, target, resume=resume, notify=ignore_notice, **form)


def objects(path: str) -> dict[str, bytes]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    return {str(p.relative_to(path)): p.read_bytes() for p in Path(path).rglob("*") if p.is_file()}


def stopped_at_the_end(monkeypatch: pytest.MonkeyPatch, source: str, target: str, form) -> None:
    """Interrupt a copy that has written all, just before the store appears."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(creation, "move_into_place", stop)
        with pytest.raises(KeyboardInterrupt):
            copy(source, target, form, resume=True)


@pytest.mark.parametrize(("form", "target"), paired(FORMS, ["b.zarr", "b.zip"]), ids=str)
def test_a_continued_copy_has_the_new_values_of_the_source(monkeypatch, target, form):
    source = "s.nc"
    for old, new in CHANGES.values():
        assert TEXT.count(old) == 1
        write_source(source)
        stopped_at_the_end(monkeypatch, source, target, form)
        write_source(source, TEXT.replace(old, new))
        copy(source, target, form, resume=True)
        copy(source, f"fresh.{target}", form, resume=False)
        assert objects(target) == objects(f"fresh.{target}")
        for name in (target, f"fresh.{target}"):
            ncz.rm(name)


@pytest.mark.parametrize(
    ("form", "names"), paired(FORMS, [("s.zarr", "b.zip"), ("s.nc", "b.zarr")]), ids=str
)
def test_a_complete_copy_is_refused_if_the_source_has_changed(names, form):
    source, target = names
    write_source(source)
    copy(source, target, form, resume=True)
    copy(source, target, form, resume=True)
    before = objects(target)
    for old, new in CHANGES.values():
        write_source(source, TEXT.replace(old, new))
        try:
            copy(source, target, form, resume=True)
        except NczError:
            pass
        else:
            copy(source, f"fresh.{target}", form, resume=False)
            assert objects(target) == objects(f"fresh.{target}")
            ncz.rm(f"fresh.{target}")
    assert objects(target) == before


@pytest.mark.parametrize("target", ["b.zarr", "b.zip"])
def test_a_chunk_that_the_source_has_no_longer_goes(monkeypatch, target):
    write_source("s.zarr")
    stopped_at_the_end(monkeypatch, "s.zarr", target, {})
    for path in Path("s.zarr/v").glob("1[./]*"):
        path.unlink() if path.is_file() else shutil.rmtree(path)
    copy("s.zarr", target, {}, resume=True)
    with ncz.open("s.zarr") as expected, ncz.open(target) as found:
        assert found["v"][...].tolist() == expected["v"][...].tolist()
