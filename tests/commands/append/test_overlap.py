"""``--append --overlap``: new values replace some of an archive, in its middle too."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import NczError, ignore_notice
from tests.commands.append.growing import FORMS, WIDTH, Form, write_day
from tests.conftest import Run

STORE = Form(name="a.zarr", modes=("zarr",))
V3 = Form(name="v3.zarr", modes=("zarr", "v3"))
CHANGED = [*(form for form in FORMS if form.master is None), STORE, V3]
NEW = 1000.0
"""The number that is added to the values of a later file."""


def expected(old: list[int], new: list[int], rule: str) -> dict[int, float]:
    """Return the number that is added to the values of each day."""
    found = {day: float(day) for day in old}
    if rule == "first":
        return found | {day: NEW for day in new if day > max(old)}
    kept = {day: value for day, value in found.items() if not min(new) <= day <= max(new)}
    return kept | dict.fromkeys(new, NEW)


@pytest.mark.parametrize("form", CHANGED, ids=lambda form: form.name)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)
@given(data=st.data())
def test_values_come_from_the_last_or_the_first(
    form: Form, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("overlap")
    count, length = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 3))
    old = [*range(count * length)]
    start = data.draw(st.integers(0, count * length))
    step = data.draw(st.sampled_from([1, 2]))
    new = [*range(start, start + data.draw(st.integers(1, 5)) * step, step)]
    rules: list[Literal["first", "last"]] = ["last", "first"]
    rule = data.draw(st.sampled_from(rules))
    wanted = expected(old, new, rule)
    files = [
        write_day(folder / f"{first:03}.nc", range(first, first + length))
        for first in range(0, len(old), length)
    ]
    place = form.join(files, folder)
    later = write_day(folder / "new.nc", new, dict.fromkeys(new, NEW))
    ncz.copy(later, str(place), append="t", overlap=rule, verify=True, notify=ignore_notice)
    with ncz.open(str(place)) as dataset:
        assert dataset["t"][:].tolist() == sorted(wanted)
        assert dataset["v"][:, 0].tolist() == [wanted[day] for day in sorted(wanted)]
        assert np.array_equal(dataset["v"][-1], np.arange(5000) + wanted[max(wanted)])


@pytest.mark.parametrize("form", CHANGED, ids=lambda form: form.name)
def test_values_that_are_replaced_by_fewer(form: Form, tmp_path: Path) -> None:
    """No chunk beyond the new length stays."""
    files = [write_day(tmp_path / f"{first}.nc", [first, first + 1]) for first in (0, 2)]
    place = form.join(files, tmp_path)
    later = write_day(tmp_path / "new.nc", [0, 2], {0: NEW, 2: NEW})
    ncz.copy(later, str(place), append="t", overlap="last", verify=True, notify=ignore_notice)
    later = write_day(tmp_path / "newer.nc", [4], {4: NEW})
    ncz.copy(later, str(place), append="t", verify=True, notify=ignore_notice)
    with ncz.open(str(place)) as dataset:
        assert dataset["t"][:].tolist() == [0, 2, 3, 4]
        assert dataset["v"][:, 0].tolist() == [NEW, NEW, 3, NEW]


@pytest.mark.parametrize(
    "form", [form for form in FORMS if form.master], ids=lambda form: form.name
)
def test_pieces_of_an_aggregation_stay(form: Form, tmp_path: Path, run: Run) -> None:
    place = form.join([write_day(tmp_path / f"{day}.nc", [day]) for day in range(3)], tmp_path)
    later = write_day(tmp_path / "new.nc", [1, 2, 3], {1: NEW})
    ran = run("copy", "--append", "t", "--overlap", "last", later, place)
    assert ran.code == 1
    assert "whose pieces stay unchanged" in ran.stderr
    assert "--overlap first, or join with --concat" in ran.stderr
    with ncz.open(str(place)) as dataset:
        assert dataset["v"][:, 0].tolist() == [0, 1, 2]


def test_other_programs_see_replaced_days_of_a_set(tmp_path: Path) -> None:
    pytest.importorskip("kerchunk")
    xarray = pytest.importorskip("xarray")
    files = [write_day(tmp_path / f"{day}.nc", [day]) for day in range(4)]
    place = FORMS[0].join(files, tmp_path)
    later = write_day(tmp_path / "new.nc", [2, 3, 4], dict.fromkeys((2, 3, 4), NEW))
    ncz.copy(later, str(place), append="t", overlap="last", notify=ignore_notice)
    with xarray.open_dataset(str(place), engine="kerchunk") as found:
        assert found["v"][:, 0].values.tolist() == [0, 1, NEW, NEW, NEW]
        assert found["t"].values.tolist() == [0, 1, 2, 3, 4]


def test_many_values_that_do_not_fit_are_next_to_the_set(tmp_path: Path, run: Run) -> None:
    days = 40  # of 40,000 bytes each, in chunks of one day
    place = FORMS[0].join([write_day(tmp_path / "old.nc", range(3))], tmp_path)
    before = place.read_bytes()
    ncz.copy(
        write_day(tmp_path / "other.nc", range(3, 3 + days)), str(tmp_path / "new.zarr"),
        codecs="zlib:4", notify=ignore_notice,
    )  # fmt: skip
    ran = run("copy", "--append", "t", "--dry-run", tmp_path / "new.zarr", place)
    assert "1.6 MB, 1.6 MB of them in a folder next to the set" in ran.text
    assert place.read_bytes() == before
    assert run("copy", "--append", "t", tmp_path / "new.zarr", place).code == 0
    (file,) = (tmp_path / "a.json.chunks").iterdir()
    assert file.stat().st_size == days * 8 * WIDTH
    with ncz.open(place) as dataset:
        assert dataset["v"][:, 0].tolist() == [*range(3 + days)]


def test_a_set_and_a_source_that_do_not_agree(tmp_path: Path) -> None:
    place = FORMS[0].join([write_day(tmp_path / "old.nc", range(3))], tmp_path)
    with pytest.raises(NczError, match="all its values of /t are in"):
        ncz.copy(write_day(tmp_path / "b.nc", [1]), str(place), append="t")
