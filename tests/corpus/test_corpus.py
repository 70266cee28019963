"""Files of others, as their projects distribute them: dumps, copies to Zarr and back, and xarray.

README.md names where they come from.
"""

from __future__ import annotations

import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, ncdump
from tests.sampled import sampled

for needed in ("h5py", "netCDF4", "xarray", "zarr"):
    pytest.importorskip(needed, reason=f"{needed} is not installed")

HERE = Path(__file__).parent


def _names(*suffixes: str) -> list[str]:
    paths = (path for suffix in suffixes for path in HERE.glob(f"*/*{suffix}"))
    return sorted(path.relative_to(HERE).as_posix() for path in paths)


FILES = _names(".nc", ".nc3", ".nc4", ".hdf5")
TEXTS = _names(".cdl")
STORES = _names(".zarr", ".zarr.zip", ".zarr2", ".zarr3")


def test_all_kinds_are_here():
    assert len(FILES) > 40
    assert len(TEXTS) > 10
    assert len(STORES) > 3


LEFT_OUT = "pyfive/references.hdf5"
"""A file with references, which netCDF does not have."""

UNNAMED = (
    "pyfive/attr_datatypes.hdf5",
    "pyfive/enum_h5variable.hdf5",
    "pyfive/opaque_datetime.hdf5",
    "pyfive/opaque_fixed.hdf5",
)
"""Files with types that have no name, which netCDF-C 4.9 leaves out."""

KEPT_NULS = "pyfive/h5netcdf_test.hdf5"
"""A file with text that is padded with NUL although another character is the fill value."""


def _as_ncdump(name: str, text: str) -> str:
    """Return a text of ncz with the known differences of ncdump."""
    if name == KEPT_NULS:
        text = text.replace("\\000", "")
    if name == "pyfive/filter_pipeline_v2.hdf5":  # a variable has the name of a section of CDL
        text = text.replace("data :_", "data:_")
    return text


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", FILES)
def test_dump_equals_ncdump(run: Run, name: str) -> None:
    ran = run("dump", "-s", HERE / name)
    assert ran.code == (1 if name == LEFT_OUT else 0), ran.stderr
    expected = ncdump(HERE / name, "-s")
    ours = _as_ncdump(name, ran.text)
    if ":_IsNetcdf4 = 1 ;" in ours:  # 4.9 takes some files of the classic model for others of HDF5
        expected = expected.replace(":_IsNetcdf4 = 0 ;", ":_IsNetcdf4 = 1 ;")
    if name not in UNNAMED:
        assert ours == expected
        return
    missing = [line for line in expected.splitlines() if line not in ours.splitlines()]
    assert missing == []
    assert "_Anonymous" in ours


def _kind(run: Run, path: Path) -> str:
    return run("dump", "-k", path).text.strip()


COPIED = [name for name in FILES if name != LEFT_OUT]


@pytest.mark.parametrize("mode", ["nczarr,v2", "nczarr,v3"])
@pytest.mark.parametrize("name", sampled(COPIED, 8))
def test_through_nczarr_and_back(run: Run, tmp_path: Path, name: str, mode: str) -> None:
    path, store, again = HERE / name, tmp_path / "x.zarr", tmp_path / "x.nc"
    for command in (
        ("copy", "--verify", path, f"{store}#mode={mode}"),
        ("diff", path, store),
        ("check", store),
        ("copy", "--verify", "--kind", _kind(run, path), store, again),
        ("diff", path, again),
    ):
        ran = run(*command)
        assert ran.code == 0, ran.stdout + ran.stderr.encode()


def _loaded(dataset: Any) -> Any:
    """Load a dataset, without the attributes that netCDF's libraries keep to themselves."""
    dataset = dataset.load()
    for each in (dataset, *dataset.variables.values()):
        for name in [name for name in each.attrs if name.startswith(("_nczarr", "_NC"))]:
            del each.attrs[name]
    return dataset


NESTED = "pyfive/attr_datatypes.hdf5"
"""A file with attributes of compounds and vlens, whose types pure Zarr cannot represent."""


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("name", sampled(COPIED, 8))
def test_pure_zarr_contains_the_same(run: Run, tmp_path: Path, name: str, version: str) -> None:
    path, store = HERE / name, tmp_path / "x.zarr"
    ran = run("copy", "--verify", path, f"{store}#mode=zarr,v{version}")
    assert ran.code == 0, ran.stderr
    ran = run("diff", path, store)
    assert ran.code == 0, ran.text


@pytest.mark.parametrize("version", ["2", "3"])
def test_texts_in_pure_zarr_are_compared(run: Run, tmp_path: Path, version: str) -> None:
    """Attributes of compounds and vlens are JSON where no annotation has their types."""
    path, store = HERE / NESTED, tmp_path / "x.zarr"
    annotated = run("copy", "--verify", path, f"{tmp_path}/a.zarr#mode=zarr,v{version}")
    assert annotated.code == 0, annotated.stderr
    bare = ("--no-annotations", "--allow-loss")
    ran = run("copy", "--verify", *bare, path, f"{store}#mode=zarr,v{version}")
    assert ran.code == 0, ran.stderr
    assert "attributes, which readers will infer: :int08_little" in ran.stderr
    ran = run("diff", path, store)
    assert (ran.code, '"[[-1, 2], [3, 4, 5]]"' in ran.text) == (1, True)


OTHERWISE = {
    "xncml/ubyte_1.nc4": "attributes of Zarr have no type, so that scale_factor is a double",
} | dict.fromkeys(
    set(UNNAMED) - {"pyfive/enum_h5variable.hdf5"}, "netCDF4 leaves out types without a name"
)
"""Files that xarray does not read in the same way from Zarr, and why."""

REFUSED = ("pyfive/h5netcdf_test.hdf5", "3")
"""A file with a _FillValue of text, which xarray reads in no form of Zarr V3."""

UNDECODED = ("compliance-checker/bad-instance.nc",)
"""Files whose times xarray cannot decode, of all forms."""


@pytest.mark.parametrize("version", ["2", "3"])
@pytest.mark.parametrize("name", sampled(COPIED, 8))
def test_xarray_reads_the_same(run: Run, tmp_path: Path, name: str, version: str) -> None:
    import xarray

    path, store = HERE / name, tmp_path / "x.zarr"
    options = {"decode_times": name not in UNDECODED}
    ran = run("copy", "--for", "xarray", "--zarr-format", version, "--allow-loss", path, store)
    if (name, version) == REFUSED:
        assert ran.code == 2
        reason = "xarray cannot read a _FillValue of text of a fixed length (/z)"
        assert reason in ran.stderr
        return
    assert ran.code == 0, ran.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = _loaded(xarray.open_dataset(path, engine="netcdf4", **options))
        ours = _loaded(xarray.open_zarr(store, consolidated=False, **options))
    assert ours.identical(theirs) is (name not in OTHERWISE), f"{ours}\n{theirs}"


RAW = dict.fromkeys(("mask_and_scale", "decode_times", "decode_coords", "concat_characters"), False)
"""Options that let xarray decode nothing."""


def _references(path: Path) -> Any:
    """Return the store of zarr-python over a reference set, as fsspec reads it."""
    import fsspec
    from fsspec.implementations.reference import LazyReferenceMapper
    from zarr.storage import FsspecStore

    refs: Any = str(path)
    if path.suffix == ".parquet":
        refs = LazyReferenceMapper(str(path), fs=fsspec.filesystem("file"), engine="pyarrow")
    mapper = fsspec.filesystem(
        "reference", fo=refs, remote_protocol="file", asynchronous=True, skip_instance_cache=True
    )
    return FsspecStore(mapper, read_only=True, path="")


def _seen(opened: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, set[str]]:
    """Return the dataset that xarray opens with its warnings, or the error that it raises."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = opened(*arguments, **options)
        except Exception as error:
            return type(error), set()
    return found, {str(warning.message) for warning in told}


def _loads(path: Any, **options: Any) -> Any:
    import xarray

    return _loaded(xarray.open_dataset(path, **options))


MISSING_CHUNKS = ("pyfive/enum_h5variable.hdf5", "pyfive/h5netcdf_test.hdf5")
"""Files without some chunks, whose path fsspec reads as NaN with pyarrow and pandas 3."""

REFERENCES = [
    (name, suffix)
    for name in COPIED
    for suffix in ("json", "parquet")
    if suffix == "json" or name not in MISSING_CHUNKS
]


@pytest.mark.parametrize(("name", "suffix"), sampled(REFERENCES, 13))
def test_references_show_the_same_in_xarray(
    run: Run, tmp_path: Path, name: str, suffix: str
) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (ncz[parquet])")
    path = HERE / name
    refs = tmp_path / f"{name.replace('/', '-')}.{suffix}"  # kerchunk's engine keeps sets by name
    ran = run("copy", path, refs)
    assert ran.code == 0, ran.stderr
    ways: list[tuple[str, Any]] = [("zarr", _references(refs))]
    if suffix == "json":  # fsspec reads Parquet with fastparquet there
        pytest.importorskip("kerchunk", reason="kerchunk is not installed (make setup)")
        ways.append(("kerchunk", str(refs)))
    for options in ({"decode_times": name not in UNDECODED}, RAW):
        theirs, known = _seen(_loads, path, engine="netcdf4", **options)
        for engine, where in ways:
            ours, told = _seen(_loads, where, engine=engine, **options)
            assert ours.identical(theirs) or name in OTHERWISE, f"{ours}\n{theirs}"
            assert told <= known
    ran = run("diff", path, refs, "--allow-target", path)
    assert (ran.code, ran.text) == (0, ""), ran.stderr


UNWRITTEN = ("pyfive/h5netcdf_test.hdf5",)
"""A file with strings, which zarr-python 3 does not write again from Zarr V2 with their filter."""

UNLIKE = {("pyfive/h5netcdf_test.hdf5", "cloud")}
"""Copies that xarray sees differently, as a notice says."""

FORMS = {"directory": "x.zarr", "zip": "x.zip", "cloud": "x.zarr"}


@pytest.mark.parametrize(
    ("name", "form"), sampled([(name, form) for form in FORMS for name in COPIED], 41)
)
def test_one_store_for_every_reader(run: Run, tmp_path: Path, name: str, form: str) -> None:
    """Stores that xarray opens, decoded, raw or as a tree, and writes again; and the way back."""
    import xarray
    from zarr.storage import ZipStore

    path, store, again = HERE / name, tmp_path / FORMS[form], tmp_path / "back.nc"
    ncz.copy(path, store, cloud=form == "cloud", notify=ignore_notice)
    where: Any = ZipStore(store, read_only=True) if form == "zip" else store
    decoded = {"decode_times": name not in UNDECODED}
    if name not in OTHERWISE and (name, form) not in UNLIKE:
        for options in (decoded, RAW):
            theirs, known = _seen(_loads, path, engine="netcdf4", **options)
            ours, told = _seen(_loads, where, engine="zarr", **options)
            assert ours.identical(theirs), f"{ours}\n{theirs}"
            assert told <= known
        theirs, ours = (
            _seen(_tree, at, engine=engine, **decoded)[0]
            for at, engine in ((path, "netcdf4"), (where, "zarr"))
        )
        assert ours is theirs or ours.identical(theirs)  # the same error, or the same tree
        failed = [
            _failed(
                _seen(xarray.open_dataset, at, engine=engine, **decoded)[0], tmp_path / engine, form
            )
            for at, engine in ((path, "netcdf4"), (where, "zarr"))
        ]
        assert failed[1] <= failed[0] or name in UNWRITTEN
    kind: Any = _kind(run, path)
    ncz.copy(store, again, kind=kind, notify=ignore_notice)
    given: Any = {"name": "x", "notify": ignore_notice}
    assert ncz.dump(again, **given) == ncz.dump(path, **given)
    assert not ncz.diff(path, store)


def _tree(path: Any, **options: Any) -> Any:
    import xarray

    return xarray.open_datatree(path, **options).load()


def _failed(dataset: Any, target: Path, form: str) -> set[str]:
    """Return the formats that xarray cannot write a dataset to."""
    version = 3 if form == "cloud" else 2
    with dataset:
        results = {
            "netcdf": _seen(dataset.to_netcdf, target.with_suffix(".nc"))[0],
            "zarr": _seen(dataset.to_zarr, target.with_suffix(".zarr"), zarr_format=version)[0],
        }
    return {to for to, result in results.items() if isinstance(result, type)}


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", TEXTS)
def test_gen_equals_ncgen(run: Run, tmp_path: Path, name: str) -> None:
    path, store = tmp_path / "x.nc", tmp_path / "x.zarr"
    subprocess.run(["ncgen", "-k", "3", "-o", path, HERE / name], check=True, timeout=60)
    ran = run("gen", "-o", store, HERE / name)
    assert ran.code == 0, ran.stderr
    assert run("dump", store).text == ncdump(path)


INVALID = "cfdm/example_field_0.zarr3"
"""A store with documents that are not valid JSON; its consolidated metadata is."""


@pytest.mark.parametrize("name", STORES)
def test_stores(run: Run, tmp_path: Path, name: str) -> None:
    """A store of others is copied to netCDF and to both forms of Zarr, and nothing differs."""
    import xarray

    source = HERE / name
    command = ["copy", "--verify", source]
    if name == INVALID:
        ran = run(*command, tmp_path / "none.nc")
        assert ran.code == 1
        assert "damaged in the store: /lon/zarr.json" in ran.stderr
        command.append("--allow-loss")
    for target in (tmp_path / "x.nc", f"{tmp_path}/2.zarr#mode=zarr,v2", f"{tmp_path}/3.zarr"):
        ran = run(*command, target)
        assert ran.code == 0, ran.stderr
        ran = run("diff", source, target)
        assert (ran.code, ran.text) == (2 * (name == INVALID), "")
        assert name != INVALID or "damaged in the store: /lon/zarr.json" in ran.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = xarray.open_dataset(source, engine="ncz", decode_times=False)
    if name.endswith(".zip"):
        source = source.with_name("trajectory.zarr")  # the same as a folder, which zarr opens
    theirs = xarray.open_zarr(source, decode_times=False)
    xarray.testing.assert_identical(_loaded(ours), _loaded(theirs))
