"""copy: from every form to every form, with what is the same moved as it is.

``make test`` takes a part of the pairs of forms and of the examples; the other cases are long.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.commands.copy.command import copy
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.copy.summary import Summary
from ncz.errors import LossError, Notice, UrlError, ZmapError, ignore_notice
from ncz.model.filters import DEFLATE, Filter, to_hdf5
from ncz.model.tree import walk
from ncz.model.types import Atomic, Vlen
from ncz.transfer.difference import DifferenceError
from ncz.zmap.location import parse_location
from ncz.zmap.memory import STORES
from ncz.zmap.opening import open_zmap
from tests.conftest import EXAMPLES, ROOT
from tests.sampled import sampled

CORPUS = EXAMPLES
KINDS = ("directory", "zip", "memory")
FLAVOURS = (
    "nczarr,v2", "zarr,v2", "nczarr,v2,consolidated", "zarr,v2,consolidated",
    "nczarr,v3", "zarr,v3", "zarr,v3,consolidated",
)  # fmt: skip
DOCUMENT = re.compile(r"(.*/)?(\.[^/]*|zarr\.json)")
FORMS = list(itertools.product(KINDS, FLAVOURS))


SHARED = "shared"
"""The folder of sources that many tests read; their names in memory begin with it."""


@pytest.fixture(autouse=True)
def no_stores():
    """No store in memory is left to the next test."""
    yield
    for name in [name for name in STORES if not name.startswith(f"{SHARED}-")]:
        del STORES[name]


def place(folder: Path, name: str, form: tuple[str, str]) -> str:
    """A location of that form."""
    kind, flavour = form
    if kind == "memory":
        return f"memory://{folder.name}-{name}#mode={flavour}"
    return f"file://{folder}/{name}.{'zip' if kind == 'zip' else 'zarr'}#mode={flavour}"


def objects(location: str) -> dict[str, bytes]:
    with contextlib.closing(open_zmap(parse_location(location))) as zmap:
        return {key: zmap.get(key) or b"" for key in zmap.walk()}


def gen(source: Path, target: str) -> None:
    ncz.gen(source, target, notify=ignore_notice)


def copied(source: str, target: str, **options: object) -> tuple[Summary, CopyPlan]:
    plans: list[CopyPlan] = []

    def keep(plan: CopyPlan) -> bool:
        plans.append(plan)
        return True

    summary = copy(
        CopyOptions(source=source, target=target, allow_loss=True, **options),  # type: ignore[arg-type]
        on_plan=keep,
    )
    return summary, plans[0]


@pytest.mark.parametrize("path", sampled(CORPUS, 6), ids=lambda p: p.stem)
def test_nczarr_to_any_form_gives_what_gen_makes(path, tmp_path):
    """The same objects, byte for byte, and chunks were not decoded on the way."""
    source = place(tmp_path, "source", ("directory", "nczarr"))
    gen(path, source)
    for number, form in enumerate(FORMS):
        target, made = place(tmp_path, f"t{number}", form), place(tmp_path, f"m{number}", form)
        summary, plan = copied(source, target)
        gen(path, made)
        theirs = objects(made)
        for key, value in objects(target).items():
            assert value == theirs.pop(key), (form, key)
        assert not theirs
        assert ways_of(plan, form) <= {"raw", "rewrapped", "none"}
        assert summary.chunks == sum(not DOCUMENT.fullmatch(key) for key in objects(target))


def ways_of(plan: CopyPlan, *forms: tuple[str, str]) -> set[str]:
    """The ways of the variables, but for strings and vlens between V2 and V3, which differ there.

    Deflate is rewrapped between V2 and V3: it is decoded for its checksum, and not compressed. With
    another codec after it, it is recoded.
    """
    has_v3 = any("v3" in flavour for _, flavour in forms)
    return {
        "rewrapped" if has_v3 and v.transfer is not None and v.transfer.is_rewrapped else v.way
        for v in plan.variables
        if not (has_v3 and any(map(is_deflate, v.array.layout.inner_codecs[:-1])))
        if not (has_v3 and isinstance(v.array.variable.type, Vlen))
        if not (has_v3 and v.array.variable.type is Atomic.STRING)
    }


def is_deflate(codec: Filter) -> bool:
    hdf5 = to_hdf5(codec)
    return hdf5 is not None and hdf5.id == DEFLATE


@pytest.mark.parametrize("path", sampled(reversed(CORPUS), 6), ids=lambda p: p.stem)
def test_through_all_forms_and_back_nothing_changes(path, tmp_path):
    """Each NCZarr form from the last; in the end every object is as it was."""
    forms = [f for f in FORMS if f[1].startswith("nczarr")]
    first = place(tmp_path, "first", forms[0])
    gen(path, first)
    last = first
    for number, form in enumerate([*forms, forms[0]]):
        target = place(tmp_path, f"t{number}", form)
        copied(last, target, verify=True, consolidated="consolidated" in form[1])
        last = target
    if "string" not in ncz.dump(first, header_only=True, notify=ignore_notice):
        ours, theirs = objects(first), objects(last)
        for key in [k for k in ours if k.endswith(".zarray")]:  # V3 spells codecs out
            ours[key], theirs[key] = plain(ours[key]), plain(theirs[key])
        arrays = [key for key in ours if key.endswith("/.zarray")]
        for name in [k.removesuffix("/.zarray") for k in arrays if b'"gzip"' in ours[k]]:
            assert b'"zlib"' in theirs[f"{name}/.zarray"]
            ours, theirs = (
                {key: o for key, o in each.items() if not key.startswith(f"{name}/")}
                for each in (ours, theirs)
            )
        assert theirs == ours
    printed = [ncz.dump(place, notify=ignore_notice).partition("{")[2] for place in (first, last)]
    assert printed[0] == printed[1]


def plain(document: bytes) -> bytes:
    """A `.zarray` without members of codecs that say what holds anyway, in one order."""
    shorter = re.sub(rb', "(checksum": false|blocksize": 0)', b"", document)
    return json.dumps(json.loads(shorter), sort_keys=True).encode()


@pytest.fixture(scope="module")
def example_as(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Return a function that gives an example in one of the forms; each is made once."""
    folder = tmp_path_factory.getbasetemp() / SHARED
    folder.mkdir()

    @cache
    def made(name: str, form: tuple[str, str]) -> str:
        source = place(folder, f"{name}-{'-'.join(form)}", form)
        gen(ROOT / f"cdl_examples/{name}.cdl", source)
        return source

    yield made
    STORES.clear()


def identity(value: str | tuple[str, str]) -> str:
    return value if isinstance(value, str) else "-".join(value)


@pytest.mark.parametrize(
    ("name", "source_form", "target_form"),
    sampled(itertools.product(["weather", "groups", "chunks"], FORMS, FORMS), 11),
    ids=identity,
)
def test_every_pair_of_forms(name, source_form, target_form, example_as, tmp_path):
    source = example_as(name, source_form)
    target = place(tmp_path, "target", target_form)
    summary, plan = copied(source, target, verify=True)
    assert ways_of(plan, source_form, target_form) <= {"raw", "rewrapped", "none"}
    assert summary.compared == sum(int(np.prod(v.array.layout.shape)) for v in plan.variables)
    assert stored_as(source) == stored_as(target)


def stored_as(location: str) -> dict[str, object]:
    """Chunks and codecs of every variable; zlib of V2 and gzip of V3 are one filter of HDF5."""
    with ncz.open(location, notify=ignore_notice) as dataset:
        return {
            f"{fqn}/{v.name}": (v.storage.chunks, [to_hdf5(f) for f in v.storage.filters or ()])
            for fqn, group in walk(dataset.root)
            for v in group.variables
            if v.type is not Atomic.STRING
        }


GENERATIONS = sorted((ROOT / "tests/stores").glob("nczarr-*"))


@pytest.mark.parametrize("store", GENERATIONS, ids=lambda s: s.name)
def test_old_generations_become_today_s(store, tmp_path):
    """What is printed of both is the same, and the new one is of version 2."""
    target = tmp_path / f"{store.stem}.zarr"
    copy(CopyOptions(source=str(store), target=str(target), verify=True))
    printed = [ncz.dump(place, notify=ignore_notice) for place in (store, target)]
    assert printed[0].partition("{")[2] == printed[1].partition("{")[2]
    assert b"_nczarr_superblock" in (target / ".zattrs").read_bytes()


def test_what_cannot_be_held_stops_the_copy(tmp_path):
    source, target = str(tmp_path / "a.zarr"), f"file://{tmp_path}/b.zip#mode=zarr,zip"
    gen(ROOT / "cdl_examples/weather.cdl", source)
    with pytest.raises(LossError) as caught:
        copy(CopyOptions(source=source, target=target))
    assert "unlimited dimensions become fixed in pure Zarr: /time" in str(caught.value)
    assert "does not record the type of attributes" in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr"]
    notices: list[Notice] = []
    copy(CopyOptions(source=source, target=target, allow_loss=True), notices.append)
    codes = [notice.code for notice in notices]
    assert codes == ["unlimited-fixed", "attribute-type-lost", "reader-excluded"]


def test_what_loses_nothing_needs_no_leave(tmp_path):
    source, target = str(tmp_path / "a.zarr"), f"{tmp_path}/b.zarr#mode=zarr"
    text = b"netcdf a { dimensions: x = 2 ; variables: int v(x) ; v:n = 1 ; data: v = 1, 2 ; }"
    (tmp_path / "a.cdl").write_bytes(text)
    ncz.gen(tmp_path / "a.cdl", source)
    copy(CopyOptions(source=source, target=target))
    assert ncz.dump(target, notify=ignore_notice) == ncz.dump(source).replace(" a {", " b {")


# --- pure to pure ---------------------------------------------------------------------------------


def foreign(folder: Path) -> Path:
    """A store of zarr-python's with what netCDF has no types for."""
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    root = zarr.open_group(folder, mode="w", zarr_format=2)
    root.attrs.update({"flag": True, "nothing": None, "list": [], "nested": {"a": [1, None]}})
    arrays = {
        "bools": np.array([[True, False], [False, True]]),
        "times": np.array(["2000-01-01", "NaT"], "M8[ns]"),
        "spans": np.array([5, -3], "m8[s]"),
        "half": np.array([0.5, 2], "f2"),
        "complex": np.array([1 + 2j, 3], "c8"),
        "records": np.array([(1, 2.5), (3, 4.5)], [("a", "<i2"), ("b", "<f8")]),
        "texts": np.array(["é", "longer"], "U8"),
        "bytes": np.array([b"x", b"yz"], "S3"),
        "big": np.arange(6, dtype=">i4").reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        "scalar": np.array(7.5),
        "none": np.zeros((0, 3)),
    }
    for name, values in arrays.items():
        array = root.create_array(
            name,
            shape=values.shape,
            dtype=values.dtype,
            chunks=tuple(max(1, (n + 1) // 2) for n in values.shape),
            order="F" if name == "fortran" else "C",
        )
        array[...] = values
    return folder


@pytest.mark.parametrize("codec", [None, "zstd:3", "blosc:lz4:3"])
def test_pure_v2_to_pure_v3_and_back(tmp_path, codec):
    """Dtypes that netCDF has not keep their meaning in V3, and chunks move as they are."""
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source, middle, back = foreign(tmp_path / "a.zarr"), tmp_path / "b.zarr", tmp_path / "c.zarr"
    if codec is not None:
        ncz.copy(
            source, back, modes=["zarr"], codecs=[codec], allow_loss=True, notify=ignore_notice
        )
        source, back = back, tmp_path / "d.zarr"
    _, plan = copied(str(source), f"{middle}#mode=zarr,v3", verify=True)
    assert {v.way for v in plan.variables} <= {"raw"}
    _, plan = copied(str(middle), f"{back}#mode=zarr,v2", verify=True)
    assert {v.way for v in plan.variables} <= {"raw"}
    groups = [zarr.open_group(place, mode="r") for place in (source, middle, back)]
    for name, array in groups[0].arrays():
        expected = array[...]
        assert groups[1][name].metadata.zarr_format == 3
        for group in groups[1:]:
            # In V3 the order of bytes is a codec's affair, and values have that of the machine.
            assert group[name].dtype.newbyteorder("=") == array.dtype.newbyteorder("=")
            np.testing.assert_array_equal(expected, group[name][...], err_msg=name)
    ours, theirs = objects(str(source)), objects(str(back))
    for key, value in ours.items():
        if key.endswith(".zarray"):
            found, expected = json.loads(theirs[key]), json.loads(value)
            assert (found["dtype"], found["order"]) == (expected["dtype"], expected["order"]), key
        elif not DOCUMENT.fullmatch(key):
            assert theirs[key] == value, key


def named(store: dict[str, bytes], key: str) -> bool:
    """Whether the array of this `.zarray` names its dimensions as xarray does."""
    return b"_ARRAY_DIMENSIONS" in store.get(f"{key.rpartition('/')[0]}/.zattrs", b"")


def test_pure_to_pure_keeps_dtypes_and_attributes(tmp_path):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source = foreign(tmp_path / "a.zarr")
    target = f"{tmp_path}/b.zarr#mode=zarr"
    copy(CopyOptions(source=str(source), target=target, allow_loss=True))
    ours, theirs = objects(str(source)), objects(str(tmp_path / "b.zarr"))
    for key, value in ours.items():
        name = key.rpartition("/")[2]
        if name == ".zattrs":
            added = {"_ARRAY_DIMENSIONS"}
            found = {k: v for k, v in json.loads(theirs[key]).items() if k not in added}
            assert found == {k: v for k, v in json.loads(value).items() if k not in added}, key
        elif name == ".zarray":
            found, expected = json.loads(theirs[key]), json.loads(value)
            if expected["fill_value"] == -(2**63):
                expected["fill_value"] = "NaT"  # two spellings of one value
            if expected["dtype"] == "|S3":  # tensorstore reads only fills of the whole length
                assert expected["fill_value"] == ""
                expected["fill_value"] = "AAAA"
            if named(theirs, key) and not named(ours, key):  # or xarray would see a mask
                expected["fill_value"] = None
            for member in ("shape", "chunks", "dtype", "order", "fill_value"):
                assert found[member] == expected[member], (key, member)
        elif not name.startswith("."):
            assert theirs[key] == value, key
    before, after = (
        zarr.open_group(source, mode="r"),
        zarr.open_group(tmp_path / "b.zarr", mode="r"),
    )
    for name, array in before.arrays():
        np.testing.assert_array_equal(array[...], after[name][...], err_msg=name)


def test_pure_to_pure_recodes_and_recuts_what_netcdf_has_not(tmp_path):
    zarr = pytest.importorskip("zarr", reason="the peer zarr is not installed")
    source = foreign(tmp_path / "a.zarr")
    for number, codec in enumerate(["none", "zstd:1", "shuffle+zlib:2"]):
        for chunk_size in (None, 12):
            target = tmp_path / f"b{number}-{chunk_size}.zarr"
            ncz.copy(
                source, target, modes=["zarr"], codecs=[codec], chunk_size=chunk_size,
                allow_loss=True, notify=ignore_notice, verify=True,
            )  # fmt: skip
            before, after = zarr.open_group(source, mode="r"), zarr.open_group(target, mode="r")
            for name, array in before.arrays():
                np.testing.assert_array_equal(array[...], after[name][...], err_msg=name)


# --- sources and targets --------------------------------------------------------------------------


def test_a_store_may_replace_itself(tmp_path):
    source = tmp_path / "a.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    before = ncz.dump(source)
    ncz.copy(source, source, codecs=["zstd:5"], overwrite=True)
    assert ncz.dump(source) == before
    with ncz.open(source) as dataset:
        assert [f.id for f in ncz.api.find(dataset, "temperature").storage.filters or ()] == [
            "zstd"
        ]


def test_no_store_within_another(tmp_path):
    source = tmp_path / "a.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    with pytest.raises(UrlError, match="the target lies within the source"):
        ncz.copy(source, source / "b.zarr")


def test_a_target_that_is_there_is_kept(tmp_path):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    gen(ROOT / "cdl_examples/groups.cdl", str(target))
    before = objects(str(target))
    with pytest.raises(ZmapError, match="already exists; use overwrite=True"):
        ncz.copy(source, target)
    assert objects(str(target)) == before
    ncz.copy(source, target, overwrite=True)
    assert objects(str(target)) == objects(str(source))


def test_a_broken_chunk_leaves_no_target(tmp_path):
    source = tmp_path / "a.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    (source / "temperature/0.0.0").write_bytes(b"no zlib")
    with pytest.raises(ncz.CodecError, match=r"a\.zarr: /temperature/0\.0\.0: "):
        ncz.copy(source, tmp_path / "b.zarr", codecs=["zstd:1"])
    with pytest.raises(ncz.CodecError):
        ncz.copy(source, tmp_path / "b.zip", chunks=["time/1"])
    assert [p.name for p in tmp_path.iterdir()] == ["a.zarr"]
    # Moved as it is, it is as broken as it was, and the rest is whole.
    with pytest.raises(ncz.CodecError, match="1 damaged chunk was copied unchanged"):
        ncz.copy(source, tmp_path / "b.zarr", keep_going=True, notify=ignore_notice)
    assert objects(str(tmp_path / "b.zarr")) == objects(str(source))


# --- verify ---------------------------------------------------------------------------------------


def changed(source: Path, target: Path, key: str, value: bytes) -> None:
    ncz.copy(source, target)
    (target / key).write_bytes(value)


@pytest.mark.parametrize(
    ("key", "old", "new", "message"),
    [
        (".zattrs", b"title", b"titel", "attribute title of / is missing"),
        (".zattrs", b'"lat": 3', b'"lat": 4', "dimension lat of / differs"),
        ("lat/.zattrs", b"degrees_north", b"degrees_south", "attribute units of /lat differs"),
        (
            "temperature/.zarray",
            b'"shape": [4,3,5]',
            b'"shape": [4,3,4]',
            "dimension _Anonymous_Dim_4 of / is not expected",
        ),
    ],
)
def test_verify_finds_a_changed_document(tmp_path, key, old, new, message):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    ncz.copy(source, target)
    document = (target / key).read_bytes()
    assert old in document
    (target / key).write_bytes(document.replace(old, new, 1))
    with pytest.raises(ncz.NczError, match=message):
        ncz.copy(source, target, verify=True)


@pytest.mark.parametrize("zarr_format", ["v2", "v3"])
@pytest.mark.parametrize(("node", "named"), [("", "/"), ("lat/", "/lat")])
def test_verify_finds_an_extra_attribute_in_nczarr(tmp_path, zarr_format, node, named):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    location = f"{target}#mode=nczarr,{zarr_format}"
    ncz.copy(source, location, verify=True, notify=ignore_notice)
    path = target / node / (".zattrs" if zarr_format == "v2" else "zarr.json")
    document = json.loads(path.read_text())
    (document if zarr_format == "v2" else document["attributes"])["extra"] = "new"
    path.write_text(json.dumps(document))
    with pytest.raises(DifferenceError, match=f"attribute extra of {named} is not expected"):
        ncz.copy(source, location, verify=True, notify=ignore_notice)


def test_verify_finds_one_wrong_value(tmp_path):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    ncz.copy(source, target, codecs=["none"], chunks=["time/1"])
    ncz.copy(source, target, verify=True)
    chunk = bytearray((target / "temperature/1.0.0").read_bytes())
    chunk[4 * 7] ^= 1
    (target / "temperature/1.0.0").write_bytes(chunk)
    with pytest.raises(DifferenceError) as caught:
        ncz.copy(source, target, verify=True)
    assert "/temperature: [1,1,2] is " in str(caught.value)
    (target / "temperature/1.0.0").unlink()
    with pytest.raises(DifferenceError, match=r"/temperature: \[1,0,0\]"):
        ncz.copy(source, target, verify=True)
