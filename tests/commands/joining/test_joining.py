"""The rules of copy --concat, copy --append and aggregate for joining datasets, and merging."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.model.types import Atomic
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.commands.joining.making import contents, copied, listed, make, values
from tests.conftest import Run
from tests.sampled import sampled

# Times.


@pytest.mark.parametrize("suffix", ["zarr", "nc"])
def test_times_and_their_bounds_are_converted(suffix):
    first = make(f"a.{suffix}", [0, 6])
    other = make(f"b.{suffix}", [0.5, 0.75], units="days since 2000-01-01")
    (notice,) = copied(first, other, concat="time", verify=True)
    assert notice.code == "times-converted"
    assert "'hours since 2000-01-01'" in notice.message
    assert notice.location == other
    assert values("all.zarr") == [0, 6, 12, 18]
    assert values("all.zarr", "time_bnds") == [[0, 1], [6, 7], [12, 36], [18, 42]]


def test_bounds_with_other_units():
    first = make("a.zarr", [0, 6])
    other = make(
        "b.zarr",
        [0.5, 0.75],
        units="days since 2000-01-01",
        bounds='time_bnds:units = "days since 2000-01-01" ;',
    )
    copied(first, other, concat="time")
    assert values("all.zarr", "time_bnds")[2:] == [[12, 36], [18, 42]]
    copied(other, first, target="turned.zarr", concat="time", sort=True)
    assert values("turned.zarr") == [0, 0.25, 0.5, 0.75]


def test_calendars_that_differ_only_before_1582(run: Run):
    first, other = make("a.zarr", [0]), make("b.zarr", [24], calendar="proleptic_gregorian")
    copied(first, other, concat="time")
    assert values("all.zarr") == [0, 24]
    old = make("c.zarr", [30], units="days since 1500-01-01", calendar="proleptic_gregorian")
    done = run("copy", first, old, "new.zarr", "--concat", "time")
    assert (done.code, "a time is before 1582-10-15" in done.stderr) == (1, True)


def test_scalar_times_without_the_dimension_are_compared_as_times():
    text = """netcdf s {{ dimensions: t = {t} ; variables: double start ; start:units = "{units}" ;
      int v(t) ; data: start = {start} ; v = {v} ; }}"""
    for name, count, units, start in (("a", 1, "days", 1), ("b", 2, "hours", 24)):
        v = listed(range(count))
        Path(f"{name}.cdl").write_text(
            text.format(t=count, units=f"{units} since 2000-01-01", start=start, v=v)
        )
    copied("a.cdl", "b.cdl", concat="t")
    assert ncz.open("all.zarr")["start"][...].tolist() == 1


def test_packed_times_are_not_converted(run: Run):
    text = """netcdf s {{ dimensions: t = 1 ; variables: short t(t) ; t:scale_factor = 0.5 ;
      t:units = "{} since 2000-01-01" ; data: t = {} ; }}"""
    for name, units, value in (("a", "hours", 0), ("b", "days", 1)):
        Path(f"{name}.cdl").write_text(text.format(units, value))
    for rule in ([], ["--attributes", "first"]):
        done = run("copy", "a.cdl", "b.cdl", "x.zarr", "--concat", "t", *rule)
        assert (done.code, 'units of /t is "days since' in done.stderr) == (1, True)


def test_a_coordinate_that_is_too_long_to_sort(run: Run, monkeypatch):
    monkeypatch.setattr("ncz.commands.joining.axis_order._LONGEST_COORDINATES", 3)
    monkeypatch.setattr("ncz.commands.joining.axis_coordinate._LONGEST", 3)
    first, other, long = (
        make("a.zarr", [0, 1]),
        make("b.zarr", [2, 3]),
        make("c.zarr", [0, 1, 2, 3]),
    )
    for sources in ([first, other], [long]):
        done = run("copy", *sources, "x.zarr", "--concat", "time")
        assert (done.code, "use --overlap keep" in done.stderr) == (1, True)
    copied(first, other, concat="time", overlap="keep")
    assert values("all.zarr") == [0, 1, 2, 3]


# Packing and masks.

SMALL = "v:scale_factor = 0.5 ; v:add_offset = 0. ; v:_FillValue = -1s ;"
LARGE = "v:scale_factor = 2. ; v:add_offset = 100. ; v:_FillValue = -9s ;"


def packed() -> tuple[str, str]:
    return (
        make("a.zarr", [0], type="short", packing=SMALL, values=[2, "_"]),
        make("b.zarr", [1], type="short", packing=LARGE, values=["_", 7]),
    )


def test_packed_values_are_unpacked():
    (notice,) = copied(*packed(), concat="time", unpack=True, verify=True)
    assert (notice.code, "/v" in notice.message) == ("packing-changed", True)
    v = ncz.open("all.zarr")["v"]
    fill = Atomic.DOUBLE.default_fill
    assert v[...].tolist() == [[1, fill], [fill, 114]]
    assert v.attrs == {"_FillValue": fill, "units": "K"}


@pytest.mark.parametrize("chosen", ["byte", "ushort", "int"])
def test_packed_values_are_packed_again_within_the_bound(chosen):
    notices = copied(*packed(), concat="time", repack=chosen, verify=True)
    bound = float(notices[0].message.rpartition(" ")[2])
    v = ncz.open("all.zarr")["v"]
    scale, offset = v.attrs["scale_factor"], v.attrs["add_offset"]
    stored = v[...]
    assert stored.dtype.name.startswith(
        {"byte": "int8", "ushort": "uint16", "int": "int32"}[chosen]
    )
    assert abs(stored[0, 0] * scale + offset - 1) <= bound <= 113 / 250
    assert abs(stored[1, 1] * scale + offset - 114) <= bound
    assert stored[0, 1] == stored[1, 0] == v.attrs["_FillValue"]


def test_variables_that_are_packed_alike_stay_packed():
    one = make("a.zarr", [0], type="short", packing=SMALL, values=[2, 3])
    other = make("b.zarr", [1], type="short", packing=SMALL, values=[4, 5])
    assert copied(one, other, concat="time", unpack=True) == []
    assert values("all.zarr", "v") == [[2, 3], [4, 5]]


def test_unsigned_packed_values():
    unsigned = 'v:_Unsigned = "true" ; v:scale_factor = 0.5 ;'
    one = make("a.zarr", [0], type="byte", packing=unsigned, values=[-1, 1])
    other = make("b.zarr", [1], type="byte", packing="v:scale_factor = 1. ;", values=[-1, 1])
    copied(one, other, concat="time", unpack=True)
    assert values("all.zarr", "v") == [[127.5, 0.5], [-1, 1]]


def test_other_masks_are_converted_if_attributes_may_differ(run: Run):
    first = make("a.zarr", [0], packing="v:_FillValue = -1.f ;", values=["_", 1])
    other = make("b.zarr", [1], packing="v:_FillValue = -2.f ;", values=["_", 5])
    assert copied(first, other, concat="time", attributes="first") == []
    assert values("all.zarr", "v") == [[-1, 1], [-1, 5]]
    clash = make("c.zarr", [1], packing="v:_FillValue = -2.f ;", values=["_", -1])
    done = run("copy", first, clash, "new.zarr", "--concat", "time", "--attributes", "first")
    assert (done.code, "the value -1.0 would become missing data" in done.stderr) == (1, True)
    assert not os.path.exists("new.zarr")


def test_another_mask_does_not_hide_another_type():
    first = make("a.zarr", [0], packing="v:_FillValue = -1.f ;", values=["_", 0.5])
    other = make("b.zarr", [1], type="double", packing="v:_FillValue = -2. ;", values=["_", 0.1])
    (notice,) = copied(first, other, concat="time", attributes="first")
    assert (notice.code, notice.location) == ("types-converted", other)
    assert notice.message == "/v is double, and float in a.zarr; it is joined as double"
    assert values("all.zarr", "v") == [[-1, 0.5], [-1, 0.1]]
    assert ncz.open("all.zarr")["v"].attrs["_FillValue"] == -1


def test_a_packed_store_grows_by_repacked_values(run: Run):
    store = make("a.zarr", [0], type="short", packing=SMALL, values=[2, "_"])
    more = make("b.zarr", [1], type="float", values=[1.3, 4])
    for option in ([], ["--unpack"], ["--repack", "int"]):
        before = contents("a.zarr")
        done = run("copy", more, store, "--append", "time", *option)
        assert (done.code, contents("a.zarr") == before) == (1, True), done.stderr
        assert "scale_factor" in done.stderr or "--repack short" in done.stderr
    done = run("copy", more, store, "--append", "time", "--repack", "short")
    assert (done.code, "change by at most 0.25" in done.stderr) == (0, True)
    assert values(store, "v") == [[2, -1], [3, 8]]
    before = contents("a.zarr")
    large = make("c.zarr", [2], type="float", values=[1, 1e6])
    done = run("copy", large, store, "--append", "time", "--repack", "short")
    assert (done.code, "the value 1e+06 cannot be packed" in done.stderr) == (1, True)
    assert contents("a.zarr") == before


def test_several_sources_are_packed_once(run: Run):
    store = make("a.zarr", [0], type="short", packing=SMALL, values=[2, "_"])
    more = [
        make("b.zarr", [1], type="short", packing=LARGE, values=[-50, -49]),
        make("c.zarr", [2], type="short", packing=SMALL, values=[9, "_"]),
    ]
    done = run("copy", *more, store, "--append", "time", "--repack", "short")
    assert done.code == 0, done.stderr
    assert values(store, "v") == [[2, -1], [0, 4], [9, -1]]


def test_packed_and_plain_values_are_unpacked(run: Run):
    plain = make("c.zarr", [2], type="double", values=[5, 6])
    copied(*packed(), plain, concat="time", unpack=True)
    assert values("all.zarr", "v")[2] == [5, 6]
    turned = [make(f"m{-t}.zarr", [t], type="float", values=[1, 2]) for t in (-2, -1)]
    copied(*turned, *packed(), target="turned.zarr", concat="time", unpack=True)
    assert values("turned.zarr", "v")[:2] == [[1, 2], [1, 2]]
    done = run("copy", *turned, *packed(), "x.zarr", "--concat", "time")
    assert "attribute scale_factor of /v is 0.5, but missing in m2.zarr" in done.stderr


def test_unsigned_bytes_in_two_ways():
    unsigned = 'v:_Unsigned = "true" ;'
    files = (
        make("a.zarr", [0], type="byte", packing=unsigned, values=[1, -1]),
        make("b.zarr", [1], type="ubyte", packing=unsigned, values=[255, 2]),
    )
    copied(*files, concat="time")
    assert values("all.zarr", "v") == [[1, -1], [-1, 2]]
    wider = make("c.zarr", [2], type="short", values=[-300, 300])
    copied(*files, wider, target="wide.zarr", concat="time")
    assert values("wide.zarr", "v") == [[1, 255], [255, 2], [-300, 300]]
    assert "_Unsigned" not in ncz.open("wide.zarr")["v"].attrs


def test_a_scale_factor_that_is_text_packs_nothing():
    packing = 'v:scale_factor = "0.5" ;'
    files = [make(f"{t}.zarr", [t], type="short", packing=packing, values=[2, 3]) for t in (0, 1)]
    assert copied(*files, concat="time") == []
    assert values("all.zarr", "v") == [[2, 3], [2, 3]]


# Errors: one line, exit code 1, and nothing is written.

GAP = {"time": [6, 7]}
OTHERS: dict[str, tuple[dict[str, object], str]] = {
    "packing": ({"type": "short", "packing": SMALL}, "attribute scale_factor of /v is 0.5, but"),
    "type": ({"type": "double"}, "/v: the type is double, not float"),
    "attribute": (
        {"packing": 'v:long_name = "n" ;'},
        'attribute long_name of /v is "n", but missing in',
    ),
    "units of a coordinate": (
        {"x_units": "degrees_east"},
        'attribute units of /x is "degrees_east", but "degrees_north" in',
    ),
    "length": ({"x": "1, 2, 3"}, "dimension x of / differs: its length is 3, but 2 in"),
    "values of a coordinate": ({"x": "1, 3"}, "/x: [1] is 3.0, not 2.0"),
    "calendar": ({"calendar": "noleap"}, "are in the calendar noleap, but standard in"),
    "no times": ({"units": "m"}, 'attribute units of /time is "m", but "hours since'),
    "inexact times": (
        {"kind": "float", "units": "days since 1900-01-01", "time": [0.1, 0.2]},
        "/time: ",
    ),
    "overlap": ({"time": [1, 5]}, "it overlaps"),
    "repeated": ({"time": [0, 1]}, "all its values of /time are in"),
    "backwards": (
        {"time": [7, 6]},
        "is neither ascending nor descending: 6 (2000-01-01 06) follows",
    ),
    "twice": ({"time": [6, 6]}, "the coordinate /time repeats: 6 (2000-01-01 06) follows 6"),
}


@pytest.mark.parametrize(
    ("command", "case"),
    [
        (command, case)
        for command in ("concat", "append", "aggregate")
        for case in OTHERS
        if (command, case) not in (("concat", "type"), ("concat", "inexact times"))
    ],
)
def test_refused_values(run: Run, command, case):
    changes, message = OTHERS[case]
    store = make("a.zarr", [0, 1], kind="int" if case == "inexact times" else "double")
    times = changes.get("time", [6, 7])
    other = make("b.zarr", times, **{k: v for k, v in changes.items() if k != "time"})  # type: ignore[arg-type]
    before = contents("a.zarr")
    arguments = {
        "concat": ["copy", store, other, "all.zarr", "--concat", "time"],
        "append": ["copy", other, store, "--append", "time"],
        "aggregate": ["aggregate", "all.zarr", store, other, "--axis", "time"],
    }[command]
    done = run(*arguments)
    assert done.code == 1
    assert message in done.stderr
    assert "b.zarr" in done.stderr
    assert done.stderr.count("\n") == done.stderr.count("ncz: notice") + 1
    assert contents("a.zarr") == before
    assert not os.path.exists("all.zarr")


def test_a_source_before_the_first_is_refused_but_sorted_by_aggregate(run: Run):
    later, earlier = make("a.zarr", [6, 7]), make("b.zarr", [0, 1])
    for arguments in (
        ["copy", later, earlier, "all.zarr", "--concat", "time"],
        ["copy", earlier, later, "--append", "time"],
    ):
        done = run(*arguments)
        assert (done.code, "b.zarr: it is before" in done.stderr) == (1, True)
    assert run("aggregate", "-q", "all.zarr", later, earlier, "--axis", "time").code == 0
    assert values("all.zarr") == [0, 1, 6, 7]


# Ways out of a difference.


@pytest.mark.parametrize(
    ("overlap", "expected"), [("first", [0, 1, 2, 3, 4]), ("last", [0, 1, 2, 3, 4])]
)
def test_overlaps(overlap, expected):
    first = make("a.zarr", [0, 1, 2], values=[1] * 6)
    other = make("b.zarr", [1, 2, 3, 4], values=[2] * 8)
    copied(first, other, concat="time", overlap=overlap, verify=True)
    assert values("all.zarr") == expected
    kept = 3 if overlap == "first" else 1
    assert [row[0] for row in values("all.zarr", "v")] == [1] * kept + [2] * (5 - kept)  # type: ignore[index]


def test_a_store_grows_by_the_following_values(run: Run):
    store, other = make("a.zarr", [0, 1, 2]), make("b.zarr", [1, 2, 3, 4])
    arguments = ["copy", "--append", "time", "--overlap", "first", "--verify", other, store]
    for _ in range(2):
        assert run(*arguments).code == 0
        assert values(store) == [0, 1, 2, 3, 4]
        assert values(store, "v") == [[10 * t, 10 * t + 1] for t in range(5)]
        assert ncz.check(store, data=True).is_clean


def test_several_sources_are_appended_together():
    store, *more = (make(f"{name}.zarr", [time]) for name, time in (("a", 0), ("b", 1), ("c", 2)))
    copied(*more, target=store, append="time", verify=True)
    assert values(store) == [0, 1, 2]


FORMS = ["zarr,v2", "nczarr,v2", "zarr,v3", "nczarr,v3", "zip,nczarr"]

WAYS: list[tuple[list[list[float]], dict[str, object]]] = [
    ([[0, 1, 2], [1, 2, 3, 4]], {"overlap": "last"}),
    ([[0, 1, 2, 3], [1, 2]], {"overlap": "last"}),
    ([[0, 1, 2, 3, 4], [1.5, 3.5]], {"overlap": "last"}),  # the store becomes shorter
    ([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 3], [7, 8, 12]], {"overlap": "last"}),
    ([[5, 6, 7], [0, 1]], {"sort": True}),
    ([[0, 2, 4, 6], [1, 3, 5]], {"sort": True}),
    ([[3, 1, 2], [0]], {"sort": True}),
    ([[0, 2, 4], [2, 3, 4, 5], [1, 5]], {"sort": True, "overlap": "last"}),
    ([[0, 2, 4], [2, 3, 4, 5]], {"sort": True, "overlap": "first"}),
    ([[0, 1], [1, 2]], {"overlap": "keep"}),
    ([[0], [1], [2]], {"attributes": "agreeing"}),
    ([[0], [1], [2]], {"attributes": "none"}),
    ([[0], [1], [2]], {"attributes": "first"}),
    ([[0, 1], [1, 2]], {"attributes": "agreeing", "overlap": "last"}),
]


def differing(times: list[list[float]]) -> list[str]:
    """Make stores whose values and attributes differ, and return their names."""
    return [
        make(
            f"{n}.zarr",
            one,
            values=[100 * n + i for i in range(2 * len(one))],
            packing=f'v:_ChunkSizes = 2, 1 ; v:note = "same" ; v:n{n} = {n} ; v:n = {n // 2} ;',
            history="h" if n < 2 else "i",
        )
        for n, one in enumerate(times)
    ]


@pytest.mark.parametrize(
    ("times", "options", "form"), sampled([(*way, form) for way in WAYS for form in FORMS], 4)
)
def test_a_grown_store_equals_a_new_one(times, options, form):
    if "attributes" not in options:
        options = {**options, "attributes": "first"}
    first, *more = differing(times)
    target = "grown.zip" if "zip" in form else "grown.zarr"
    ncz.copy(first, f"{target}#mode={form}", notify=ignore_notice)
    copied(*more, target=target, append="time", verify=True, **options)
    copied(first, *more, target="grown", concat="time", **options)
    assert ncz.diff(target, "grown", notify=ignore_notice) == []
    assert ncz.check(target, data=True).is_clean
    kept = {"made.cdl", "grown", target, first, *more}
    assert {p.name for p in Path().iterdir()} == kept


@pytest.mark.parametrize("at", ["v/1.0", "time/.zarray", ".zmetadata"])
def test_a_store_whose_values_cannot_be_replaced_stays(monkeypatch, at):
    store, other = differing([[0, 1, 2], [1, 2, 3]])
    ncz.copy(store, "s.zarr#mode=zarr,v2,consolidated", notify=ignore_notice)
    before, put = contents("s.zarr"), WritableDirectoryZmap.put

    def full(zmap: WritableDirectoryZmap, key: str, value: bytes) -> None:
        if key == at:
            raise ZmapError("no space left on the device", key)
        put(zmap, key, value)

    with monkeypatch.context() as patch:
        patch.setattr(WritableDirectoryZmap, "put", full)
        with pytest.raises(ZmapError, match="no space left"):
            copied(other, target="s.zarr", append="time", overlap="last", attributes="first")
    assert contents("s.zarr") == before
    assert {p.name for p in Path().iterdir()} == {"made.cdl", "s.zarr", store, other}
    copied(other, target="s.zarr", append="time", overlap="last", attributes="first")
    assert values("s.zarr") == [0, 1, 2, 3]


def test_values_on_a_server_are_kept_or_replaced(run: Run, s3):
    store, other = differing([[0, 1, 2], [1, 2, 3]])
    ncz.copy(store, "local.zarr", notify=ignore_notice)
    ncz.copy(store, f"{s3}/again.zarr#mode=s3", notify=ignore_notice)
    ncz.copy(store, f"{s3}/s.zarr#mode=s3", notify=ignore_notice)
    arguments = [
        "copy",
        "--append",
        "time",
        "--attributes",
        "agreeing",
        other,
        f"{s3}/s.zarr#mode=s3",
    ]
    for target in ("local.zarr", f"{s3}/again.zarr#mode=s3"):
        assert run(*arguments[:-1], target, "--overlap", "last").code == 0
    assert ncz.open("local.zarr")["v"][:].tolist() != values("local.zarr")
    assert not ncz.diff("local.zarr", f"{s3}/again.zarr#mode=s3")
    assert run(*arguments, "--overlap", "first").code == 0
    assert values(f"{s3}/s.zarr#mode=s3") == [0, 1, 2, 3]
    assert ncz.open(f"{s3}/s.zarr#mode=s3")["v"].attrs == {"units": "K", "note": "same", "n": 0} | {
        "n0": 0,
        "n1": 1,
    }


def test_a_master_takes_attributes_but_keeps_its_values(run: Run):
    store, other = differing([[0, 1, 2], [1, 2, 3]])
    ncz.copy(store, "m.nca", notify=ignore_notice)
    arguments = ["copy", "--append", "time", "--attributes", "none", other, "m.nca"]
    for rule in (["--overlap", "last"], ["--sort", "--overlap", "last"]):
        done = run(*arguments, *rule)
        assert (done.code, "whose pieces stay unchanged" in done.stderr) == (1, True)
    assert run(*arguments, "--overlap", "first", "--verify").code == 0
    copied(store, other, concat="time", attributes="none", overlap="first")
    assert ncz.diff("m.nca", "all.zarr", notify=ignore_notice) == []


def test_gaps_are_noted():
    first, second, third = make("a.zarr", [0, 1]), make("b.zarr", [2, 3]), make("c.zarr", [9, 10])
    (notice,) = copied(first, second, third, concat="time")
    assert notice.code == "aggregation-gap"
    assert notice.message.endswith("from 3 to 9 (2000-01-01 03 to 2000-01-01 09)")
    singles = [make(f"{t}.zarr", [t]) for t in (0, 1, 2, 5, 6)]
    (notice,) = copied(*singles, target="singles.zarr", concat="time")
    assert "from 2 to 5" in notice.message


def test_a_master_does_not_cut_files(run: Run):
    first, inside = make("a.zarr", [0, 1, 2]), make("b.zarr", [1, 2])
    arguments = ["aggregate", "all.zarr", first, inside, "--axis", "time", "--overlap", "first"]
    assert run(*arguments).code == 0
    assert values("all.zarr") == [0, 1, 2]
    partly = make("c.zarr", [2, 3])
    done = run("aggregate", "x.zarr", first, partly, "--axis", "time", "--overlap", "first")
    assert (done.code, "would have to be cut" in done.stderr) == (1, True)


def test_a_master_unpacks_its_pieces(run: Run):
    done = run("aggregate", "all.zarr", *packed(), "--axis", "time", "--unpack")
    assert done.code == 0, done.stderr
    fill = Atomic.DOUBLE.default_fill
    assert values("all.zarr", "v") == [[1, fill], [fill, 114]]


# The order of values, compared with a plain algorithm.


def test_a_source_within_another_one_with_the_last_values():
    outer = make("a.zarr", [0, 1, 2, 3, 4], values=[1] * 10)
    inner = make("b.zarr", [2, 3], values=[2] * 4)
    copied(outer, inner, concat="time", overlap="last", verify=True)
    assert [row[0] for row in values("all.zarr", "v")] == [1, 1, 2, 2, 1]  # type: ignore[index]


# Merge.


def test_options_that_need_a_dimension(run: Run):
    for option in (["--sort"], ["--repack", "short"], ["--overlap", "first"]):
        done = run("copy", make("a.zarr", [0]), "b.zarr", *option)
        assert (done.code, f"{option[0]} needs --concat or --append" in done.stderr) == (2, True)


def test_a_target_within_a_later_source_is_refused(run: Run):
    first, other = make("a.zarr", [0]), make("b.zarr", [1])
    done = run("copy", first, other, "b.zarr/inner.zarr", "--concat", "time")
    assert (done.code, "the target is within the source" in done.stderr) == (1, True)
