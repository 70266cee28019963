"""Several datasets for commands that describe, check or change one."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "days").mkdir()
    for name in ("a", "b", "c"):
        ncz.gen(ROOT / "cdl_examples/weather.cdl", f"days/{name}.nc", **QUIET)
    return [f"days/{name}.nc" for name in ("a", "b", "c")]


def test_each_is_printed(files, run):
    assert run("dump", "-h", *files).text.count("netcdf ") == 3
    assert run("info", *files[:2]).text.count("temperature(time, lat, lon)") == 2


def test_texts_of_json_are_one_object(files, run):
    printed = json.loads(run("dump", "--json", "-h", *files).text)
    assert [*printed] == files
    assert {text["format"] for text in printed.values()} == {"ncz-dataset"}


def test_json_is_whole_after_an_error(files, run, tmp_path):
    (tmp_path / files[1]).write_bytes(b"CDF\x01")
    done = run("dump", "--json", "-h", *files)
    assert done.code == 1
    assert [text and text["name"] for text in json.loads(done.text).values()] == ["a", None, "c"]


def test_the_options_are_for_each(files, run):
    printed = run("dump", "-v", "lat", *files[:2]).text
    assert printed.count("lat = 50, 52.5, 55 ;") == 2
    assert "temperature =" not in printed


def test_each_is_checked_and_named(files, run):
    done = run("check", *files)
    assert done.code == 0
    assert [line for line in done.text.splitlines() if line.endswith(":")] == [
        f"{name}:" for name in files
    ]


def test_a_folder_of_files_is_checked(files, run):
    assert run("check", "days").text == run("check", *files).text


def test_a_folder_of_one_file_is_checked(files, run, tmp_path):
    for name in files[1:]:
        (tmp_path / name).unlink()
    assert run("check", "days").text.startswith(f"{files[0]}:\n")


@pytest.mark.parametrize("option", ["-r", "-R", "--recursive"])
def test_all_datasets_under_a_folder_are_checked(files, run, tmp_path, option):
    (tmp_path / "days/2023/june").mkdir(parents=True)
    run("copy", files[0], "days/2023/store.zarr")
    run("copy", files[0], "days/2023/june/d.nc")
    done = run("check", option, "days")
    assert done.code == 0
    checked = [line for line in done.text.splitlines() if line.endswith(":")]
    expected = [*files, "days/2023/store.zarr", "days/2023/june/d.nc"]
    assert checked == [f"{name}:" for name in expected]


def test_a_folder_of_files_has_their_digests(files, run, tmp_path):
    assert run("digest", "days").text == run("digest", *files).text
    (tmp_path / "days/2023").mkdir()
    run("copy", files[0], "days/2023/store.zarr")
    expected = run("digest", *files, "days/2023/store.zarr").text
    assert len(expected.splitlines()) == 4
    for option in ("-r", "-R", "--recursive"):
        assert run("digest", option, "days").text == expected


def test_folders_and_files_are_checked_together(files, run, tmp_path):
    shutil.copytree("days", "weeks")
    run("copy", files[0], "d.nc")
    assert run("check", "days", "weeks", "d.nc").text.count(":\n") == 7


def test_an_error_in_an_inner_folder_is_found(files, run, tmp_path):
    (tmp_path / "days/2023").mkdir()
    run("copy", files[0], "days/2023/d.nc")
    with open("days/2023/d.nc", "r+b") as file:
        file.truncate(3000)
    assert run("check", "-r", "days").code == 1


def test_a_store_is_checked_as_a_whole(files, run):
    run("copy", files[0], "store.zarr")
    assert run("check", "-r", "store.zarr").text == run("check", "store.zarr").text


def test_a_folder_without_datasets_is_no_clean_one(files, run, tmp_path):
    (tmp_path / "empty").mkdir()
    assert run("check", "-r", "empty").code == 1


def test_the_exit_code_matches_the_worst(files, run):
    with open(files[1], "r+b") as file:
        file.truncate(3000)
    done = run("check", *files)
    assert done.code == 1
    assert f"{files[2]}:" in done.text


def test_the_others_are_changed_after_an_error(files, run):
    assert run("edit", files[0], "--delete", "title").code == 0
    done = run("edit", *files, "--delete", "title")
    assert (done.code, done.stderr.count("no attribute title")) == (1, 1)
    assert not any("title" in ncz.open(name).attrs for name in files)


def test_a_list_of_digests_is_checked(files, run, tmp_path):
    sums = tmp_path / "SUMS"
    sums.write_text(run("digest", *files).text)
    done = run("digest", "--check", str(sums))
    assert (done.code, done.text) == (0, "".join(f"{name}: OK\n" for name in files))
    assert run("edit", files[1], "title=Other").code == 0
    shutil.move(files[2], "moved.nc")
    done = run("digest", "--check", str(sums))
    assert done.code == 1
    assert done.text == f"{files[0]}: OK\n{files[1]}: FAILED\n{files[2]}: FAILED\n"
    assert f"{files[2]}: no file or store exists" in done.stderr
    for text in ("", "nonsense\n"):
        sums.write_text(text)
        assert "not a line of digests" in run("digest", "--check", str(sums)).stderr
    for words in ([], [files[0], "--check", str(sums)], ["--json", "--check", str(sums)]):
        assert run("digest", *words).code == 2


def test_each_is_changed_but_two_may_mean_a_copy(files, run):
    assert run("edit", *files, "--set", "title=Mine").code == 0
    assert {ncz.open(name).attrs["title"] for name in files} == {"Mine"}
    done = run("edit", *files[:2], "--set", "title=Yours")
    assert done.code == 2
    assert f"with -o NEW in a copy; type: ncz edit {files[0]} CHANGES" in done.stderr
    assert {ncz.open(name).attrs["title"] for name in files} == {"Mine"}


def test_one_file_does_not_take_several(files, run):
    done = run("dump", *files, "-o", "all.cdl")
    assert done.code == 2
    assert "dump writes one dataset to a file; name one" in done.stderr


def test_two_datasets_to_check_mean_a_comparison(files, run):
    assert f"ncz diff {files[0]} {files[1]}" in run("check", *files[:2]).stderr


def test_files_of_two_folders_are_compared_by_their_names(files, run, tmp_path):
    shutil.copytree("days", "other")
    assert run("diff", "days", "other").code == 0
    run("edit", "other/b.nc", "--set", "title=Other")
    done = run("diff", "days", "other")
    assert done.code == 1
    assert "title" in done.text
    (tmp_path / "other/c.nc").unlink()
    assert "only in one folder: days/c.nc" in run("diff", "days", "other").text
    assert run("diff", "days", "other", "--data-only").code == 1


def test_findings_of_several_datasets_are_one_object(files, run):
    found = json.loads(run("check", "--json", *files).stdout)
    assert list(found) == list(files)
    assert {each["format"] for each in found.values()} == {"ncz-check"}


def test_datasets_below_a_prefix_on_a_server(files, run, moto, monkeypatch):
    with moto.bucket("below", monkeypatch) as url:
        ncz.copy(files[0], f"{url}/one.zarr", **QUIET)
        ncz.copy(files[1], f"{url}/runs/two.zarr", **QUIET)
        done = run("check", "-q", "-r", url)
        assert done.code == 0
        headings = [line[:-1] for line in done.text.splitlines() if line.startswith("s3://")]
        assert headings == [f"{url}/one.zarr", f"{url}/runs/two.zarr"]
        digests = run("digest", "-r", f"{url}/").text.splitlines()
        assert [line.split("  ")[1] for line in digests] == headings


@pytest.mark.parametrize(
    "line",
    [["info"], ["dump", "-h"], ["check"], ["digest"], ["ls"], ["diff", "days/b.nc"],
     ["view", "-v", "temperature", "-o", "map.png"]],
    ids=lambda line: line[0],
)  # fmt: skip
def test_a_pattern_with_one_match_is_this_dataset(files, run, line):
    done = run(*line, "days/a*")
    assert done.code == 0
    assert done.text == run(*line, "days/a.nc").text
    assert "it matches 3 paths" in run(*line, "days/*.nc").stderr
