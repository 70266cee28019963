"""After a copy, xarray masks the same values as in the file, for any ``_FillValue`` of the file.

netCDF's library writes only masks of the variable's type; HDF5 files of other programs also have
masks of other types.
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from uuid import uuid4

import h5py
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.sampled import sampled, share_of

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
np = pytest.importorskip("numpy")
xr = pytest.importorskip("xarray", reason="the peer xarray is not installed")
pytest.importorskip("zarr", reason="the peer zarr is not installed")

INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
CODES = st.sampled_from([*INTEGERS, "f4", "f8"])
NUMBERS = {
    **{code: st.integers(np.iinfo(code).min, np.iinfo(code).max) for code in INTEGERS},
    "f4": st.floats(width=32),
    "f8": st.floats(),
}
NEAR = st.sampled_from([0, 1, 2, 4, 0.5, 1.5, -1, float("nan"), float("inf"), 1e300, 2.0**40])


@st.composite
def masks(draw):
    """A value of an attribute: one number, several, none, or a text, of any type."""
    code = draw(st.sampled_from([*INTEGERS, "f4", "f8", "S", "str"]))
    if code == "S":
        return np.bytes_(draw(st.sampled_from([b"x", b"NaN", b"1", b"missing"])))
    if code == "str":
        return draw(st.sampled_from(["x", "", "1", "NaN"]))
    count = draw(st.sampled_from([1, 1, 1, 0, 2, 3]))
    if not count and draw(st.booleans()):
        return h5py.Empty(code)
    numbers = draw(st.lists(NEAR | NUMBERS[code], min_size=count, max_size=count))
    with np.errstate(all="ignore"):
        return np.array(numbers, "f8" if code in INTEGERS else code).astype(code)


def make(path: Path, code: str, mask, own) -> None:
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 6)
        variable = file.createVariable("v", code, ("x",))
        variable.units = "m"
        variable[:] = np.array([1, 2, 0, 4, 127, 1], code)
    with h5py.File(path, "a") as file:
        if own is not None:
            file["v"].attrs["missing_value"] = own
        if mask is not None:
            file["v"].attrs["_FillValue"] = mask


def seen(path: Path, engine: str, *, raw: bool):
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        xr.open_dataset(str(path), engine=engine, mask_and_scale=not raw) as dataset,
    ):
        variable = dataset["v"].load()
    return variable.drop_encoding()


TARGETS = {"v2": ["zarr"], "v3": ["zarr", "v3"], "references": ["reference"]}


@settings(max_examples=share_of(50), deadline=None, suppress_health_check=list(HealthCheck))
@given(CODES, st.none() | masks(), st.none() | masks(), st.sampled_from(list(TARGETS)))
@example("i2", np.array([np.nan], "f4"), None, "v2")
@example("i2", np.array([np.nan], "f4"), None, "v3")
@example("i1", np.array([0.5], "f4"), None, "v3")
@example("u1", np.array([np.inf], "f8"), None, "v3")
@example("f4", np.array([-1], "i4"), None, "v3")
@example("f8", np.array([0.5], "f4"), None, "v3")
@example("i4", np.bytes_(b"x"), None, "v3")
@example("i4", np.array([1, 2], "i4"), None, "v3")
@example("i2", np.array([], "i2"), None, "v2")
@example("i2", h5py.Empty("S1"), None, "v2")
@example("f4", h5py.Empty("S1"), None, "v3")
@example("f4", np.bytes_(b"NaN"), None, "references")
@example("i2", np.array([0, np.nan]), None, "v3")
@example("f4", np.array([1, np.nan, np.nan]), None, "v3")
@example("f8", None, np.array([0, np.nan]), "v3")
@example("i2", None, np.array([1, np.nan, np.nan]), "v3")
@example("i2", None, h5py.Empty("f8"), "v3")
@pytest.mark.filterwarnings("ignore")
def test_xarray_masks_the_same_after_a_copy(tmp_path, code, mask, own, target):
    source = tmp_path / "m.nc"
    # fsspec keeps the references of a set of the same name
    store = tmp_path / (f"{uuid4()}.json" if target == "references" else "m.zarr")
    make(source, code, mask, own)
    said: list[ncz.Notice] = []
    ncz.copy(source, store, modes=TARGETS[target], overwrite=True, notify=said.append, threads=1)
    engine = "kerchunk" if target == "references" else "zarr"
    codes = {notice.code for notice in said}
    if codes & {"mask-left-out", "attribute-empty"}:  # the other mask has the place
        assert own is not None or np.isinf(mask).any()
    else:
        ours, theirs = seen(store, engine, raw=False), seen(source, "netcdf4", raw=False)
        assert ours.dtype == theirs.dtype
        xr.testing.assert_equal(ours, theirs)
        if own is None:
            xr.testing.assert_identical(ours, theirs)
    ours, theirs = seen(store, engine, raw=True), seen(source, "netcdf4", raw=True)
    xr.testing.assert_equal(ours, theirs)
    is_number = own is None and isinstance(mask, np.ndarray) and mask.shape == (1,)
    if is_number and (
        target != "v3" or np.issubdtype(code, np.floating) == (mask.dtype.kind == "f")
    ):
        is_read = target != "v3" or mask.dtype.kind != "f" or code[0] == "f" or mask[0].is_integer()
        if is_read:
            xr.testing.assert_identical(ours, theirs)
    told: list[ncz.Notice] = []
    assert not ncz.diff(source, store, notify=told.append)
    assert ncz.dump(store, name="m", notify=told.append) == ncz.dump(source, notify=ignore_notice)
    assert {notice.code for notice in told} <= {"digits-left-out"}


def test_a_mask_that_has_no_place_in_v3_is_named(tmp_path):
    """`missing_value` cannot mean it, since the variable has one."""
    source = tmp_path / "m.nc"
    told: list[ncz.Notice] = []
    make(source, "i2", np.array([1, 2], "i2"), np.array([4], "i2"))
    ncz.copy(source, tmp_path / "m.zarr", modes=["zarr", "v3"], notify=told.append)
    assert [n.code for n in told] == ["mask-left-out"]
    assert not ncz.diff(source, tmp_path / "m.zarr")


@pytest.mark.parametrize(("flag", "mask"), [("false", 255), ("false", 127), ("true", 255)])
@pytest.mark.filterwarnings("ignore")
def test_xarray_opens_masks_of_integers_that_an_attribute_makes_signed(tmp_path, flag, mask):
    source, store, back = tmp_path / "m.nc", tmp_path / "m.zarr", tmp_path / "back.nc"
    told: list[ncz.Notice] = []
    make(source, "u1", np.array([mask], "u1"), None)
    with netCDF4.Dataset(source, "a") as file:
        file["v"].setncattr("_Unsigned", flag)
    ncz.copy(source, store, modes=["zarr", "v3"], notify=told.append)
    ours, theirs = seen(store, "zarr", raw=False), seen(source, "netcdf4", raw=False)
    if (flag, mask) == ("false", 255):  # -1, which xarray does not make of it in Zarr V3
        assert [n.code for n in told] == ["mask-left-out"]
    else:
        assert not told
        xr.testing.assert_identical(ours, theirs)
    ncz.copy(store, back)
    assert not ncz.diff(source, back)


def test_without_annotations_such_a_mask_is_a_loss(tmp_path):
    source = tmp_path / "m.nc"
    make(source, "i2", np.array([1, 2], "i2"), None)
    with pytest.raises(ncz.NczError, match="masks of another type are left out of Zarr V3: /v"):
        ncz.copy(source, tmp_path / "m.zarr", modes=["zarr", "v3"], annotations=False)


TEXT_MASKS = {
    "int": np.array([5], "i4"), "code": np.array([97], "i2"), "NaN": np.array([np.nan], "f8"),
    "float": np.array([1.5], "f4"), "several": np.array([1, 2], "i4"),
    "none": np.array([], "i4"), "no double": np.array([], "f8"), "char": np.bytes_(b"a"),
    "string": "a", "empty string": "", "empty char": np.bytes_(b""), "no char": h5py.Empty("S1"),
    "NaNs": np.array([np.nan, np.nan]), "some NaN": np.array([0, np.nan]),
    "no int": h5py.Empty("i4"),
}  # fmt: skip
TEXTS = {"char": ("S1", np.array([b"a", b"b", b"\0"], "S1")), "string": (str, ["a", "b", ""])}


def make_text(path: Path, kind: str, name: str, mask) -> None:
    code, values = TEXTS[kind]
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 3)
        file.createVariable("v", code, ("x",))[:] = np.array(values, "S1" if code == "S1" else "O")
    with h5py.File(path, "a") as file:
        file["v"].attrs[name] = mask


def texts(variable) -> list[object]:
    """Return the texts, which are bytes where they have a fixed length."""
    found = variable.astype("O").values.reshape(-1).tolist()
    return [each.decode() if isinstance(each, bytes) else each for each in found]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("of", "name", "kind", "target"),
    sampled(
        (
            (of, name, kind, target.split(","))
            for of in TEXT_MASKS
            for name in ("missing_value", "_FillValue")
            for kind in TEXTS
            for target in ("zarr", "zarr,v3", "nczarr")
            if (kind, target) != ("char", "nczarr")  # xarray does not open it
        ),
        8,
    ),
    ids=str,
)
def test_masks_of_any_type_on_texts(tmp_path, of, name, kind, target):
    source, store = tmp_path / "m.nc", tmp_path / "m.zarr"
    make_text(source, kind, name, TEXT_MASKS[of])
    told: list[ncz.Notice] = []
    ncz.copy(source, store, modes=target, notify=told.append, threads=1)
    codes = {notice.code for notice in told}
    is_empty = name == "missing_value" and of.startswith("no") and of != "no char"
    assert ("attribute-empty" in codes) == (is_empty and target == ["zarr"])
    is_opened = "text-fill" not in codes
    for raw in (False, True) if is_opened else ():
        ours, theirs = seen(store, "zarr", raw=raw), seen(source, "netcdf4", raw=raw)
        if raw or not (codes & {"attribute-empty", "mask-left-out"}):
            assert texts(ours) == pytest.approx(texts(theirs), nan_ok=True), raw
            # a mask makes objects of bytes
            assert kind == "string" or ours.dtype.kind == theirs.dtype.kind, raw
    assert not ncz.diff(source, store)
    assert ncz.dump(store, name="m") == ncz.dump(source)


def through_mapper(path: Path, **options):
    import fsspec
    from zarr.storage import FsspecStore

    settings = {"remote_options": {"asynchronous": True}, "asynchronous": True}
    files = fsspec.filesystem("reference", fo=str(path), **settings)
    return xr.open_zarr(FsspecStore(files, read_only=True), zarr_format=2, **options)


READERS_OF_REFERENCES = {
    "kerchunk": lambda path, **options: xr.open_dataset(str(path), engine="kerchunk", **options),
    "mapper": through_mapper,
    "ncz": lambda path, **options: xr.open_dataset(path, engine="ncz", **options),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("suffix", sampled(["json", "parquet"], 2))
def test_masks_of_texts_in_references(tmp_path, suffix):
    """xarray uses the same masks in the file and in the references."""
    for package in ("kerchunk", "fastparquet", "pyarrow"):
        pytest.importorskip(package, reason=f"{package} is not installed (make setup)")
    masks = list(TEXT_MASKS.values())
    names = {
        f"{kind}_{attribute[:1]}_{number}": (kind, attribute, mask)
        for kind in TEXTS
        for attribute in ("missing_value", "_FillValue")
        for number, mask in enumerate(masks)
    }
    source = tmp_path / f"{uuid4()}.nc"  # fsspec keeps the sets that it has read
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 3)
        for name, (kind, *_) in names.items():
            code, values = TEXTS[kind]
            values = np.array(values, "S1" if code == "S1" else "O")
            file.createVariable(name, code, ("x",))[:] = values
    with h5py.File(source, "a") as file:
        for name, (_, attribute, mask) in names.items():
            file[name].attrs[attribute] = mask
    ncz.copy(source, source.with_suffix(f".{suffix}"), notify=ignore_notice)
    own = [f"char___{list(TEXT_MASKS).index(of)}" for of in ("char", "empty char")]
    checked = [*own, *(f"string___{n}" for n in range(5)), *(f"char_m_{n}" for n in range(5))]
    for opened in READERS_OF_REFERENCES.values():
        with (
            opened(source.with_suffix(f".{suffix}")) as ours,
            xr.open_dataset(source, engine="netcdf4") as theirs,
        ):
            for name in (*checked, f"string___{list(TEXT_MASKS).index('char')}"):
                xr.testing.assert_identical(ours[name].load(), theirs[name].load())
    assert not ncz.diff(source, source.with_suffix(f".{suffix}"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", TEXTS)
def test_xarray_opens_nczarr_of_v3_with_texts_of_such_a_mask(tmp_path, kind):
    source, store = tmp_path / "m.nc", tmp_path / "m.zarr"
    for of, mask in TEXT_MASKS.items():
        is_own = kind in of and of not in ("no char", "empty char") and kind == "string"
        if is_own:
            continue  # xarray opens no strings with a mask in NCZarr V3, as a notice says
        make_text(source, kind, "_FillValue", mask)
        modes = ["nczarr", "v3"]
        ncz.copy(source, store, modes=modes, overwrite=True, notify=ignore_notice, threads=1)
        assert seen(store, "zarr", raw=True).shape == (3,), of
        assert not ncz.diff(source, store)


def test_a_mask_that_has_another_name_in_v3_is_named(tmp_path):
    source = tmp_path / "m.nc"
    make(source, "i2", np.array([1, 2], "i2"), None)
    told: list[ncz.Notice] = []
    ncz.copy(source, tmp_path / "m.zarr", modes=["zarr", "v3"], notify=told.append)
    assert [n.code for n in told] == ["mask-renamed"]
    assert seen(tmp_path / "m.zarr", "zarr", raw=True).attrs["missing_value"] == [1, 2]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", ["i2", "f4"])
def test_an_empty_missing_value_of_numbers_in_v2_is_said(tmp_path, code):
    source = tmp_path / "m.nc"
    make(source, code, np.array([2], code), np.array([], "i4"))
    told: list[ncz.Notice] = []
    ncz.copy(source, tmp_path / "m.zarr", modes=["zarr"], notify=told.append)
    assert [n.code for n in told] == ["attribute-empty"]
    ncz.copy(source, tmp_path / "three.zarr", modes=["zarr", "v3"], notify=told.append)
    assert len(told) == 1
    ours, theirs = (
        seen(tmp_path / name, engine, raw=False)
        for name, engine in (("three.zarr", "zarr"), ("m.nc", "netcdf4"))
    )
    xr.testing.assert_identical(ours, theirs)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["xarray", "zarr-python"])
def test_a_fill_that_zarr_python_does_not_open_is_said_and_avoided(tmp_path, name):
    source, store = tmp_path / "m.nc", tmp_path / "m.zarr"
    make_text(source, "string", "_FillValue", "a")
    told: list[ncz.Notice] = []
    ncz.copy(source, store, modes=["nczarr"], notify=told.append)
    assert [notice.code for notice in told] == ["text-fill", "reader-misread"]
    with pytest.raises(ValueError, match="base64"):
        seen(store, "zarr", raw=True)
    found = [f for f in ncz.check(store, audience=[name]).findings if "base64" in f.message]
    assert [(finding.code, name in finding.message) for finding in found] == [
        ("reader-unopened", True)
    ]
    ncz.copy(source, store, audience=[name], overwrite=True, notify=ignore_notice)
    assert texts(seen(store, "zarr", raw=True)) == ["a", "b", ""]


USER_TYPES = """netcdf m {
types: compound c_t { byte a ; double b ; } ; opaque(2) o_t ; int(*) v_t ; byte enum e_t { x = 1 } ;
 c_t(*) w_t ; compound s_t { string s ; int n ; } ;
dimensions: n = 2 ;
variables: KIND_t k(n) ; KIND_t k:_FillValue = VALUE ; k:units = "1" ; int v(n) ;
data: k = VALUE, VALUE ; v = 1, 2 ; }"""


@pytest.mark.parametrize("mode", ["zarr,v3", "nczarr,v3", "zarr,v2"])
@pytest.mark.parametrize(
    ("kind", "value"),
    [("c", "{1, 2}"), ("o", "0X0102"), ("v", "{1, 2}"), ("w", "{{1, 2}}"), ("s", '{"a", 1}')],
)
@pytest.mark.filterwarnings("ignore")
def test_xarray_opens_a_store_with_masks_of_user_defined_types(tmp_path, kind, value, mode):
    source, store = tmp_path / "m.nc", tmp_path / "m.zarr"
    ncz.gen(io.BytesIO(USER_TYPES.replace("KIND", kind).replace("VALUE", value).encode()), source)
    told: list[ncz.Notice] = []
    ncz.copy(source, store, modes=mode.split(","), notify=told.append)
    masks = [notice.message for notice in told if notice.code == "mask-left-out"]
    is_text = kind in "vws" and mode == "zarr,v2"  # which xarray masks
    said = ["xarray does not see masks of user-defined types in Zarr: /k"]
    assert masks == ([] if is_text else said)
    opened = xr.open_zarr(store)
    assert opened["v"].values.tolist() == [1, 2]
    assert "_FillValue" not in opened["k"].attrs
    assert ("_FillValue" in opened["k"].encoding) is is_text
    if is_text:
        assert opened["k"].isnull().all()
    assert not ncz.diff(source, store)
    assert ncz.dump(store, name="m") == ncz.dump(source, name="m")


@pytest.mark.filterwarnings("ignore")
def test_xarray_sees_masks_of_enums_in_v3(tmp_path):
    source, store = tmp_path / "m.nc", tmp_path / "m.zarr"
    ncz.gen(io.BytesIO(USER_TYPES.replace("KIND", "e").replace("VALUE", "x").encode()), source)
    told: list[ncz.Notice] = []
    ncz.copy(source, store, modes=["zarr", "v3"], notify=told.append)
    assert "mask-left-out" not in [notice.code for notice in told]
    assert xr.open_zarr(store)["k"].encoding["_FillValue"] == 1
