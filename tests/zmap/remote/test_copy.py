"""copy between S3 and everything else, and leftovers of stopped copies.

``make test`` copies one store in one form, a part of the examples, and stops at a part of the
moments; the other cases are long.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import signal
from itertools import repeat

import pytest

from ncz.zmap.key import MARK
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.conftest import EXAMPLES, ROOT
from tests.forked import forked, run_ncz
from tests.sampled import sampled

pytest.importorskip("s3fs", reason="s3fs is not installed")

FLAVOURS = ("zarr,consolidated", "nczarr", "zarr", "nczarr,consolidated")
CORPUS = [p for p in EXAMPLES if p.stem != "groups"]


def example(name):
    return ROOT / f"cdl_examples/{name}.cdl"


def objects(location):
    with contextlib.closing(open_zmap(parse_location(location))) as zmap:
        return {key: zmap.get(key) for key in zmap.walk()}


def through(run, source, server, tmp_path, flavour, *options):
    """To a directory, S3, S3, a zip, S3, memory, S3, each from the last: the same objects."""
    local = f"file://{tmp_path}/{flavour}.zarr#mode={flavour}"
    remote = f"{server}/{flavour}.zarr#mode=s3,{flavour}"
    again = f"{server}/{flavour}-2.zarr#mode=s3,{flavour}"
    back = f"file://{tmp_path}/{flavour}.zip#mode=zip,{flavour}"
    third = f"{server}/{flavour}-3.zarr#mode=s3,{flavour}"
    memory = f"memory://{tmp_path.name}-{flavour}#mode={flavour}"
    last = f"{server}/{flavour}-4.zarr#mode=s3,{flavour}"
    places = [source, local, remote, again, back, third, memory, last]
    for one, other in itertools.pairwise(places):
        # With mode=zarr, annotations would not be read.
        stored = one.replace(f"#mode={flavour}", "").replace(f",{flavour}", "")
        ran = run("copy", stored, other, "--allow-loss", "--json", *options)
        assert ran.code == 0, ran.stderr
        # Pure Zarr with annotations has strings of any length, NCZarr of a fixed one.
        is_recoded = one == source and flavour.startswith("zarr")
        assert json.loads(ran.text)["recode"] == int(is_recoded)
    expected = objects(local)
    for place in places[2:]:
        assert objects(place) == expected, place


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "flavour"), sampled(itertools.product(["weather", "unicode"], FLAVOURS), 8)
)
def test_to_s3_and_on_in_every_form(run, s3, tmp_path, name, flavour):
    source = f"{tmp_path}/{name}.zarr"
    assert run("gen", example(name), "-o", source).code == 0
    through(run, source, s3, tmp_path, flavour, "--verify")


@pytest.mark.parametrize("path", sampled(CORPUS[::2], 40), ids=lambda p: p.stem)
def test_the_corpus_through_s3(run, web, tmp_path, monkeypatch, path):
    """The same with the fast server of these tests, which speaks S3's protocol."""
    monkeypatch.setenv("HOME", str(tmp_path))
    source = f"{tmp_path}/{path.stem}.zarr"
    assert run("gen", path, "-o", source).code == 0
    through(run, source, f"{web.endpoint}/b", tmp_path, "nczarr")


def test_rechunked_on_s3(run, s3, tmp_path):
    assert run("gen", example("weather"), "-o", f"{s3}/a.zarr#mode=s3").code == 0
    ran = run(
        "copy", f"{s3}/a.zarr#mode=s3", f"{s3}/b.zarr#mode=s3", "-c", "time/3,lat/2", "--codec",
        "zstd:3", "--verify", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["rechunk"] == 3  # and the coordinates stay whole
    ours, theirs = run("dump", f"{s3}/a.zarr#mode=s3"), run("dump", f"{s3}/b.zarr#mode=s3")
    assert ours.text.partition("{")[2] == theirs.text.partition("{")[2]


def test_consolidate_on_s3(run, s3):
    url = f"{s3}/a.zarr#mode=s3"
    assert run("gen", example("groups"), "-o", url).code == 0
    assert run("consolidate", url).code == 0
    made = objects(url).pop(".zmetadata")
    assert run("gen", example("groups"), "-o", f"{s3}/b.zarr#mode=s3,consolidated").code == 0
    assert objects(f"{s3}/b.zarr#mode=s3")[".zmetadata"] == made


def test_a_refused_key_is_one_line(run, strict_s3, tmp_path, monkeypatch):
    assert run("gen", example("weather"), "-o", tmp_path / "a.zarr").code == 0
    assert run("copy", tmp_path / "a.zarr", f"{strict_s3}/x#mode=s3", "--verify").code == 0
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    for one, other in (
        (f"{strict_s3}/x#mode=s3", tmp_path / "b.zarr"),
        (tmp_path / "a.zarr", f"{strict_s3}/y#mode=s3"),
    ):
        ran = run("copy", one, other)
        assert (ran.code, ran.stderr.count("\n")) == (1, 1)
        assert "rejected the credentials" in ran.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr"]


def test_a_store_does_not_replace_itself_on_s3(run, s3):
    url = f"{s3}/a.zarr#mode=s3"
    assert run("gen", example("weather"), "-o", url).code == 0
    before = objects(url)
    ran = run("copy", url, url, "--overwrite", "-d", "1")
    assert (ran.code, "the target is also a source" in ran.stderr) == (1, True)
    assert objects(url) == before


def test_a_group_does_not_replace_the_store_that_contains_it(run, s3):
    url = f"{s3}/a.zarr#mode=s3"
    assert run("gen", example("groups"), "-o", url).code == 0
    before = objects(url)
    group = sorted(key for key in before if key.endswith("/.zgroup"))[0].removesuffix("/.zgroup")
    ran = run("copy", f"{s3}/a.zarr/{group}#mode=s3", url, "--overwrite")
    assert (ran.code, "the source is within the target" in ran.stderr) == (1, True)
    assert objects(url) == before


MOMENTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 21, 24, 27)


@pytest.mark.parametrize("moment", sampled(MOMENTS, 9))
def test_a_killed_copy_leaves_no_half_and_is_gone_on_with(run, web, tmp_path, monkeypatch, moment):
    """The server stops answering after a number of requests, and the writer is then killed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    source = tmp_path / "weather.zarr"
    assert run("gen", example("weather"), "-o", source).code == 0
    whole = run("dump", source).stdout
    url = f"{web.endpoint}/b/weather.zarr#mode=s3"
    web.requests.clear()
    web.faults.extend(repeat(None, moment))
    web.faults.extend(repeat("hang", 1000))
    with forked(run_ncz, "copy", str(source), url) as process:
        assert web.hanging.wait(60)
        process.kill()
    assert process.exitcode == -signal.SIGKILL
    web.faults.clear()
    web.over.set()
    ran = run("dump", url)
    assert ran.code == 1 or ran.stdout == whole
    ran = run("copy", source, url, "--resume", "--json")
    assert ran.code == 0, ran.stderr
    assert run("dump", url).stdout == whole
    assert MARK not in "".join(web.objects)
    assert objects(url) == objects(str(source))


def test_only_missing_objects_are_sent_again(run, web, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    source = tmp_path / "weather.zarr"
    assert run("gen", example("weather"), "-o", source).code == 0
    url = f"{web.endpoint}/b/weather.zarr#mode=s3"
    web.code = "AccessDenied"  # which is not tried again
    web.faults.extend([*repeat(None, 10), *repeat("403", 100)])
    ran = run("copy", source, url, "--resume")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    web.faults.clear()
    there = [key for key in web.objects if "/." not in key]
    ran = run("copy", source, url, "--resume", "--json")
    assert ran.code == 0, ran.stderr
    summary = json.loads(ran.text)
    assert summary["chunks_kept"] == len(there)
    assert summary["chunks_kept"] + summary["chunks"] == 10
    # Begun as something else, it is not gone on with.
    web.objects.clear()
    web.faults.extend([*repeat(None, 10), *repeat("403", 100)])
    assert run("copy", source, url, "--resume").code == 1
    web.faults.clear()
    ran = run("copy", source, url, "--resume", "-d", "9")
    assert (ran.code, "another source or other options" in ran.stderr) == (1, True)


def test_a_copy_that_the_network_stopped_is_continued(run, web, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    source = tmp_path / "weather.zarr"
    assert run("gen", example("weather"), "-o", source).code == 0
    url = f"{web.endpoint}/b/weather.zarr#mode=s3"
    web.faults.extend([*repeat(None, 10), *repeat("503", 1000)])
    ran = run("copy", source, url, "--threads", "1")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "kept; run the same command again to resume the copy" in ran.stderr
    web.faults.clear()
    for words in (["info"], ["dump"], ["check"]):
        said = run(*words, url)
        assert said.code == 1
        assert "a copy to this place was interrupted" in said.stderr + said.text
        assert "ncz clean" in said.stderr + said.text
    ran = run("copy", source, url, "-d", "9")
    assert (ran.code, "an unfinished copy is here" in ran.stderr) == (1, True)
    assert "run ncz clean, or use --overwrite" in ran.stderr
    ran = run("copy", source, url, "--json")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["chunks_kept"] > 0
    assert objects(url) == objects(str(source))


def test_a_source_that_changed_is_not_continued_on_a_server(run, web, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    source = tmp_path / "weather.zarr"
    assert run("gen", example("weather"), "-o", source).code == 0
    url = f"{web.endpoint}/b/weather.zarr#mode=s3"
    web.faults.extend([*repeat(None, 10), *repeat("503", 1000)])
    assert run("copy", source, url, "--threads", "1").code == 1
    web.faults.clear()
    chunk = next(path for path in source.rglob("0.0.0"))
    chunk.write_bytes(chunk.read_bytes())
    assert "an unfinished copy is here" in run("copy", source, url).stderr
    assert run("clean", url).code == 0
    assert run("copy", source, url).code == 0
    assert objects(url) == objects(str(source))


def test_a_copy_from_a_web_server(run, web, tmp_path):
    """Nothing can be listed there: each chunk is requested, and missing chunks stay missing."""
    source = tmp_path / "a.zarr"
    text = b"""netcdf a { dimensions: x = 60 ; y = 2 ; variables: int v(x) ; v:_ChunkSizes = 2 ;
      int w(y) ; data: w = 1, 2 ; v = %s ; }""" % b", ".join(b"%d" % n for n in range(60))
    assert run("gen", "-", "-o", source, stdin=text).code == 0
    for key, value in objects(str(source)).items():
        if key not in ("v/3", "v/17"):
            web.objects[f"data/x.zarr/{key}"] = value
    ran = run("copy", f"{web.endpoint}/data/x.zarr", tmp_path / "b.zarr", "--verify", "--json")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["chunks"] == 29
    assert not (tmp_path / "b.zarr/v/3").exists()
    for chunks, count in (("x/4", 16), ("x/1", 57)):
        target = tmp_path / f"{count}.zarr"
        ran = run("copy", f"{web.endpoint}/data/x.zarr", target, "-c", chunks, "--json")
        assert json.loads(ran.text)["chunks"] == count
        assert (
            run("dump", "-n", "x", target).text == run("dump", "-n", "x", tmp_path / "b.zarr").text
        )
    ran = run("copy", source, f"{web.endpoint}/data/y.zarr")
    assert (ran.code, "a web server is read-only" in ran.stderr) == (1, True)


def test_a_zip_on_s3(run, s3, tmp_path):
    source, url = tmp_path / "a.zarr", f"{s3}/a.zip#mode=s3"
    assert run("gen", example("weather"), "-o", source).code == 0
    assert run("copy", source, url, "--verify").code == 0
    assert run("dump", url).stdout == run("dump", source).stdout
    assert run("copy", source, tmp_path / "b.zip").code == 0
    assert objects(url) == objects(str(tmp_path / "b.zip"))
    ran = run("copy", source, url)
    assert (ran.code, "already exists; use --overwrite" in ran.stderr) == (1, True)
    assert run("gen", example("groups"), "-o", url, "--overwrite").code == 0
    ran = run("dump", "-h", url)
    assert (ran.code, "temperature" in ran.text) == (0, False)
    before = run("dump", url).stdout
    ran = run("gen", "-", "-o", url, "--overwrite", stdin=b"netcdf x { variables: int v(n) ; }")
    assert ran.code == 1
    assert run("dump", url).stdout == before
    # Nothing but a zip is replaced.
    with contextlib.closing(open_zmap(parse_location(f"{s3}#mode=s3"), write=True)) as zmap:
        zmap.put("text.zip", b"a text")
        zmap.put("store.zip/.zgroup", b"{}")
    for name, told in (("text", "not a zip file"), ("store", "a store that is not a zip")):
        ran = run("copy", source, f"{s3}/{name}.zip#mode=s3", "--overwrite")
        assert (ran.code, told in ran.stderr) == (1, True), ran.stderr


@pytest.mark.parametrize("options", sampled([[], ["--cloud"]], 2), ids=["V2", "V3"])
def test_annotations_on_s3_are_kept_by_all_commands(run, s3, tmp_path, monkeypatch, options):
    monkeypatch.setenv("HOME", str(tmp_path))
    source, back = tmp_path / "ensemble.nc", tmp_path / "back" / "ensemble.nc"
    back.parent.mkdir()
    assert run("gen", example("ensemble"), "-o", source).code == 0
    whole = run("dump", source).text
    store, refs = f"{s3}/a.zarr#mode=s3", tmp_path / "refs.json"
    assert run("copy", *options, source, store).code == 0
    assert run("diff", source, store).text == ""
    assert ", annotated" in run("info", store).text
    assert run("consolidate", store).code == 0
    assert run("edit", store, "--set", ':note = "new"').code == 0
    assert run("edit", store, "--delete", ":note").code == 0
    assert run("check", "--fix", store).code == 0
    assert run("copy", "--mode", "reference", store, refs).code == 0
    for each in (store, f"{refs}#reference.allow_target={s3}/"):
        assert run("copy", "--overwrite", each, back).code == 0
        assert run("dump", back).text == whole
