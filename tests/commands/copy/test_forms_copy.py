"""copy: from every form to every form; equal chunks are copied raw.

``make test`` takes a part of the pairs of forms and of the examples; the other cases are long.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import CopyPlan
from ncz.commands.copy.summary import Summary
from ncz.commands.sources import location_of_target
from ncz.errors import Callbacks, LossError, Notice, ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.model.filters import DEFLATE, Filter
from ncz.model.hdf5_filters import to_hdf5
from ncz.model.tree import walk
from ncz.model.types import Atomic, Vlen
from ncz.zmap.location import location_of, parse_location
from ncz.zmap.memory import STORES
from ncz.zmap.opening import open_zmap
from tests.commands.copy.conftest import SHARED
from tests.conftest import EXAMPLES, ROOT
from tests.sampled import pairs, sampled

CORPUS = EXAMPLES
KINDS = ("directory", "zip", "memory")
FLAVOURS = (
    "nczarr,v2", "zarr,v2", "nczarr,v2,consolidated", "zarr,v2,consolidated",
    "nczarr,v3", "zarr,v3", "zarr,v3,consolidated",
)  # fmt: skip
DOCUMENT = re.compile(r"(.*/)?(\.[^/]*|zarr\.json)")
FORMS = list(itertools.product(KINDS, FLAVOURS))


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
    is_consolidated = "consolidated" in target.partition("#")[2]
    ncz.gen(source, target, consolidated=is_consolidated, allow_loss=True, notify=ignore_notice)


def copied(
    source: str, target: str, consolidated: bool | None = None, *, verify: bool = False
) -> tuple[Summary, CopyPlan]:
    plans: list[CopyPlan] = []

    def keep(plan: CopyPlan) -> bool:
        plans.append(plan)
        return True

    summary = copy_dataset(
        CopyOptions(
            source=location_of(source),
            target=location_of_target(target),
            create=CreateOptions(allow_loss=True, consolidated=consolidated),
            verify=verify,
        ),
        on_plan=keep,
    )
    return summary, plans[0]


@pytest.mark.parametrize("path", sampled(CORPUS, 10), ids=lambda p: p.stem)
def test_nczarr_to_any_form_gives_the_same_as_gen(path, tmp_path):
    """The same objects, byte for byte, and chunks were not decoded on the way."""
    source = place(tmp_path, "source", ("directory", "nczarr"))
    gen(path, source)
    for number, form in enumerate(FORMS):
        target, made = place(tmp_path, f"t{number}", form), place(tmp_path, f"m{number}", form)
        summary, plan = copied(source, target, consolidated="consolidated" in form[1])
        gen(path, made)
        theirs = objects(made)
        for key, value in objects(target).items():
            assert value == theirs.pop(key), (form, key)
        assert not theirs
        assert ways_of(plan, form) <= {"raw", "rewrapped", "none"}
        assert summary.chunks == sum(not DOCUMENT.fullmatch(key) for key in objects(target))


def ways_of(plan: CopyPlan, *forms: tuple[str, str]) -> set[str]:
    """The ways of the variables, except for strings between V2 and V3, which differ there.

    Strings also differ between NCZarr and pure Zarr with annotations, and vlens between others and
    pure Zarr V2 without.

    Deflate is rewrapped between V2 and V3: it is decoded for its checksum, and not compressed. With
    another codec after it, it is recoded.
    """
    has_v3 = any("v3" in flavour for _, flavour in forms)
    has_arrays = any(
        f.startswith("zarr") and not {"consolidated", "v3"} & set(f.split(",")) for _, f in forms
    )
    has_text = has_v3 or any(f.startswith("zarr") and "consolidated" in f for _, f in forms)
    return {
        "rewrapped" if has_v3 and v.transfer is not None and v.transfer.is_rewrapped else v.way
        for v in plan.variables
        if not (has_v3 and any(map(is_deflate, v.array.layout.inner_codecs[:-1])))
        if not (has_arrays and isinstance(v.array.variable.type, Vlen))
        if not (has_text and v.array.variable.type is Atomic.STRING)
    }


def is_deflate(codec: Filter) -> bool:
    hdf5 = to_hdf5(codec)
    return hdf5 is not None and hdf5.id == DEFLATE


@pytest.mark.parametrize("path", sampled(reversed(CORPUS), 6), ids=lambda p: p.stem)
def test_through_all_forms_and_back_nothing_changes(path, tmp_path):
    """Each NCZarr form from the last; in the end every object is unchanged.

    However, missing chunks of V3 are written to V2 (docs/reference/fill-values.md).
    """
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
        added = {key: theirs.pop(key) for key in theirs.keys() - ours.keys()}
        for name in [k.removesuffix("/.zarray") for k in ours if k.endswith("/.zarray")]:
            count = missing(ours, name)
            assert sum(key.startswith(f"{name}/") for key in added) == count, name
            if count:
                ours |= with_noted_fill(ours, name)
                key = f"{name}/.zattrs"
                ours[key], theirs[key] = plain(ours[key]), plain(theirs[key])
            added = {key: o for key, o in added.items() if not key.startswith(f"{name}/")}
        assert not added
        assert theirs == ours
    printed = [ncz.dump(place, notify=ignore_notice).partition("{")[2] for place in (first, last)]
    assert printed[0] == printed[1]


def missing(store: dict[str, bytes], name: str) -> int:
    """The number of missing chunks of an array if xarray takes its fill for the mask."""
    array, attributes = (json.loads(store[f"{name}/{d}"]) for d in (".zarray", ".zattrs"))
    if "_FillValue" in attributes or array["fill_value"] is None:
        return 0
    total: int = math.prod(-(-n // c) for n, c in zip(array["shape"], array["chunks"], strict=True))
    of_name = [key for key in store if key.startswith(f"{name}/")]
    return total - sum(not DOCUMENT.fullmatch(key) for key in of_name)


def with_noted_fill(store: dict[str, bytes], name: str) -> dict[str, bytes]:
    """The documents of an array that masks nothing, and notes its fill."""
    keys = f"{name}/.zarray", f"{name}/.zattrs"
    array, attributes = (json.loads(store[key]) for key in keys)
    attributes["_nczarr_array"]["fill_value"] = array["fill_value"]
    array["fill_value"] = None
    return {
        key: plain(json.dumps(document).encode())
        for key, document in zip(keys, (array, attributes), strict=True)
    }


def plain(document: bytes) -> bytes:
    """A document without members of codecs that have the default value, in one order."""
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
    shutil.rmtree(folder)  # a process may come back to this module


def identity(value: str | tuple[str, str]) -> str:
    return value if isinstance(value, str) else "-".join(value)


PAIRS = [
    (name, (kind, flavour), (other, target))
    for name, flavour, target, kind, other in pairs(
        ["weather", "groups", "chunks"], FLAVOURS, FLAVOURS, KINDS, KINDS
    )
]


@pytest.mark.parametrize(("name", "source_form", "target_form"), PAIRS, ids=identity)
def test_every_pair_of_forms(name, source_form, target_form, example_as, tmp_path):
    source = example_as(name, source_form)
    target = place(tmp_path, "target", target_form)
    summary, plan = copied(source, target, verify=True)
    if any("v3" in flavour for _, flavour in (source_form, target_form)):
        assert ways_of(plan, source_form, target_form) <= {"raw", "rewrapped", "none"}
    else:
        others = {v.array.fqn: v.way for v in plan.variables if v.way not in ("raw", "none")}
        is_recoded = name == "weather" and recodes_strings(source_form[1], target_form[1])
        assert others == ({"/station": "recode"} if is_recoded else {})
    assert summary.compared == sum(int(np.prod(v.array.layout.shape)) for v in plan.variables)
    assert stored_as(source) == stored_as(target)


def recodes_strings(source: str, target: str) -> bool:
    """Whether a copy from one flavour of V2 to another recodes strings.

    Pure Zarr with annotations, which a copy writes by default, has strings of any length. NCZarr
    and what `gen` makes without consolidated metadata have strings of a fixed length.
    """
    if source.startswith("nczarr"):
        return target.startswith("zarr")
    return source == "zarr,v2,consolidated" and target.startswith("nczarr")


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
    """Both print the same, and the new one is of version 2."""
    target = tmp_path / f"{store.stem}.zarr"
    copy_dataset(
        CopyOptions(source=location_of(store), target=location_of_target(str(target)), verify=True)
    )
    printed = [ncz.dump(place, notify=ignore_notice) for place in (store, target)]
    assert printed[0].partition("{")[2] == printed[1].partition("{")[2]
    assert b"_nczarr_superblock" in (target / ".zattrs").read_bytes()


def test_types_that_the_target_lacks_stop_the_copy(tmp_path):
    source, target = str(tmp_path / "a.zarr"), f"file://{tmp_path}/b.zip#mode=zarr,zip"
    gen(ROOT / "cdl_examples/weather.cdl", source)
    with pytest.raises(LossError) as caught:
        copy_dataset(
            CopyOptions(
                source=location_of(source),
                target=location_of_target(target),
                create=CreateOptions(annotations=False),
            )
        )
    assert "unlimited dimensions become fixed in pure Zarr: /time" in str(caught.value)
    assert "does not record the type of attributes" in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr"]
    notices: list[Notice] = []
    options = CopyOptions(
        source=location_of(source),
        target=location_of_target(target),
        create=CreateOptions(annotations=False, allow_loss=True),
    )
    copy_dataset(options, Callbacks(notices.append))
    codes = [notice.code for notice in notices]
    assert codes == ["unlimited-fixed", "attribute-type-lost", "reader-excluded"]


def test_a_copy_without_losses_needs_no_option(tmp_path):
    source, target = str(tmp_path / "a.zarr"), f"{tmp_path}/b.zarr#mode=zarr"
    text = b"netcdf a { dimensions: x = 2 ; variables: int v(x) ; v:n = 1 ; data: v = 1, 2 ; }"
    (tmp_path / "a.cdl").write_bytes(text)
    ncz.gen(tmp_path / "a.cdl", source)
    copy_dataset(CopyOptions(source=location_of(source), target=location_of_target(target)))
    assert ncz.dump(target, notify=ignore_notice) == ncz.dump(source).replace(" a {", " b {")
