"""Groups and arrays of a store that are opened by themselves, and roots without a superblock."""

from __future__ import annotations

import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import ncz
from ncz.cdl.reader import read_cdl
from ncz.errors import FormatError, Notice, ignore_notice
from ncz.formats.opening import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.subtree import subtree_at
from ncz.model.tree import Dataset, join, variables_by_fqn, walk
from ncz.zmap.location import parse_location
from tests.sampled import share_of
from tests.test_round_trip import as_generation, datasets, printed, stored

CDL = b"""netcdf s {
types: byte enum e_t { A = 0, B = 1 } ;
dimensions: time = UNLIMITED ; n = 3 ;
variables: int v(time) ; v:range = 1s, 2s ;
data: v = 1, 2 ;
group: g {
 dimensions: x = 2 ;
 variables: short w(time, x) ; w:valid_range = 1s, 2s ; char c(n) ; e_t e(x) ;
 data: w = 1, 2, 3, 4 ; c = "abc" ; e = A, B ;
 group: h { variables: double q(time, x) ; q:at = 1.5f ; data: q = 1, 2, 3, 4 ; }
}
}"""
FORMS = {
    "nczarr-v2": WriteOptions(),
    "nczarr-v3": WriteOptions(zarr_format=3),
    "zarr-v2": WriteOptions(flavour="zarr", consolidated=True),
    "zarr-v3": WriteOptions(flavour="zarr", zarr_format=3, consolidated=True),
}


def written(objects: dict[str, bytes], folder: Path) -> Path:
    for key, data in objects.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def text_of(place: Path | str, name: str = "t") -> tuple[str, list[str]]:
    """Return the CDL of the dataset at a path, and the codes of the notices."""
    notices: list[Notice] = []
    with open_dataset(parse_location(str(place)), notify=notices.append) as opened:
        text = printed(opened.dataset).decode("utf-8", "surrogateescape")
    _, brace, rest = text.partition(" {")
    return f"netcdf {name}{brace}{rest}", [notice.code for notice in notices]


def expected(dataset: Dataset, fqn: str) -> str:
    return printed(Dataset(name="t", root=subtree_at(dataset, fqn).root)).decode(
        "utf-8", "surrogateescape"
    )


@pytest.fixture(params=FORMS)
def store(request, tmp_path: Path) -> Path:
    objects = stored(read_cdl(CDL, source="t"), FORMS[request.param])
    return written(objects, tmp_path / "s.zarr")


@pytest.mark.parametrize("fqn", ["/g", "/g/h", "/v", "/g/e", "/g/c"])
def test_notes_of_the_groups_above_are_used(store: Path, fqn: str):
    whole = read_cdl(CDL, source="t")
    assert text_of(f"{store}{fqn}") == (expected(whole, fqn), [])


def test_a_group_is_found_from_within_it(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(store / "g")
    assert text_of(".")[0] == text_of(store / "g")[0]
    assert text_of("h")[0] == text_of(store / "g" / "h")[0]


def test_a_group_in_a_zip_file(store: Path, tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        for path in sorted(store.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(store))
    assert text_of(tmp_path / "s.zip" / "g") == text_of(store / "g")
    assert text_of(f"zip://g/h::file://{tmp_path}/s.zip") == text_of(store / "g" / "h")


def test_mode_zarr_ignores_the_notes(store: Path):
    text, _ = text_of(f"{store}/g#mode=zarr")
    assert "UNLIMITED" not in text


def test_the_group_is_copied_and_checked(store: Path, tmp_path: Path):
    ncz.copy(store / "g", tmp_path / "g.zarr", verify=True)
    assert ncz.diff(store / "g", tmp_path / "g.zarr") == []
    findings = ncz.check(store / "g").findings
    assert [f for f in findings if f.severity != "note"] == []


def test_the_store_is_changed_and_not_a_group_of_it(store: Path):
    with pytest.raises(FormatError, match=r"this is /g of the store .*s\.zarr, which has notes"):
        ncz.edit(store / "g", set=['w:units = "K"'])
    ncz.edit(store, set=['/g/w:units = "K"'])
    assert 'w:units = "K"' in text_of(store / "g")[0]


def test_a_group_of_pure_zarr_without_annotations_says_all_of_itself(tmp_path: Path):
    objects = stored(read_cdl(CDL, source="t"), WriteOptions(flavour="zarr"))
    text, codes = text_of(written(objects, tmp_path / "s.zarr") / "g")
    assert "w(time, x)" in text
    assert codes == []


@pytest.mark.parametrize("generation", ["upper", "lower", "objects"])
def test_groups_of_every_generation(tmp_path: Path, generation: str):
    whole = read_cdl(CDL, source="t")
    store = written(as_generation(stored(whole, WriteOptions()), generation), tmp_path / "s.zarr")
    assert text_of(store / "g") == (expected(whole, "/g"), [])


def without_superblock(objects: dict[str, bytes]) -> dict[str, bytes]:
    """Return a store whose root another program has written again."""
    key = ".zattrs" if ".zattrs" in objects else "zarr.json"
    document: dict[str, Any] = json.loads(objects[key])
    attributes = document.get("attributes", document)
    del attributes["_nczarr_superblock"]
    return {**objects, key: json.dumps(document).encode()}


@pytest.mark.parametrize("form", ["nczarr-v2", "nczarr-v3"])
def test_a_root_without_a_superblock_has_its_other_notes(tmp_path: Path, form: str):
    whole = read_cdl(CDL, source="t")
    objects = without_superblock(stored(whole, FORMS[form]))
    store = written(objects, tmp_path / "s.zarr")
    assert text_of(store) == (expected(whole, ""), ["annotation-missing"])
    assert [f.code for f in ncz.check(store).findings if f.severity == "warning"] == [
        "annotation-missing"
    ]


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_every_group_and_array_is_the_same_as_in_the_whole_store(form: str):
    @given(datasets)
    @settings(max_examples=share_of(60), deadline=None)
    def holds(drawn: Dataset) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                store = written(stored(drawn, FORMS[form]), Path(folder) / "s.zarr")
            except (ncz.NczError, OSError):  # a form or a file system has limits
                return
            location = parse_location(str(store))
            with open_dataset(location, notify=ignore_notice) as opened:
                whole = opened.dataset
                places = [fqn for fqn, _ in walk(whole.root) if fqn]
                places += [fqn for fqn, _ in variables_by_fqn(whole.root)]
                for fqn in places:
                    assert text_of(join(str(store), fqn[1:]))[0] == expected(whole, fqn), fqn

    holds()
