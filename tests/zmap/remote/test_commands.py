"""The commands on remote stores: as on local ones.

``make test`` takes a part of the examples and of the moments when a writer is killed; the other
cases are long.
"""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from itertools import repeat

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.key import MARK, display, is_document
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.conftest import ROOT
from tests.forked import forked, run_ncz
from tests.sampled import sampled

pytest.importorskip("s3fs", reason="s3fs is not installed")

EXAMPLES = ("chunks", "filters", "groups", "scalars", "strings", "types", "unicode", "weather")


def example(name):
    return ROOT / f"cdl_examples/{name}.cdl"


@pytest.mark.parametrize(
    ("name", "mode"),
    sampled(itertools.product(reversed(EXAMPLES), ["nczarr", "zarr,consolidated"]), 9),
)
def test_a_store_on_s3_is_as_the_local_one(run, s3, tmp_path, name, mode):
    local = f"file://{tmp_path}/{name}.zarr#mode={mode}"
    remote = f"{s3}/{name}.zarr#mode={mode},s3"
    allow = ["--allow-loss"] if "zarr," in mode else []
    for target in (local, remote):
        ran = run("gen", example(name), "-o", target, *allow)
        if ran.code and allow:
            ran = run("gen", example(name), "-o", target)
        assert ran.code == 0, ran.stderr
    ours, theirs = (open_zmap(parse_location(text)) for text in (local, remote))
    assert list(ours.walk()) == list(theirs.walk())
    assert all(ours.get(key) == theirs.get(key) for key in ours.walk())
    theirs.close()
    dumped = [run("dump", target) for target in (local, remote)]
    assert dumped[0].code == dumped[1].code == 0, dumped[1].stderr
    assert dumped[0].stdout == dumped[1].stdout
    listed = [run("ls", "-rl", target) for target in (local, remote)]
    assert listed[0].stdout == listed[1].stdout


@pytest.mark.parametrize("options", [["-l"], ["-rl"]], ids=" ".join)
def test_sizes_match_the_listing_and_are_not_requested_one_by_one(
    run, s3, tmp_path, monkeypatch, options
):
    from ncz.zmap.remote.s3fs import S3Objects

    source, local = example("groups"), tmp_path / "g.zarr"
    assert run("gen", source, "-o", f"{s3}/g.zarr#mode=s3").code == 0
    assert run("gen", source, "-o", local).code == 0
    asked: list[str] = []
    inner = S3Objects.size

    def size(self, path):
        asked.append(path)
        return inner(self, path)

    monkeypatch.setattr(S3Objects, "size", size)
    listed = run("ls", *options, f"{s3}/g.zarr#mode=s3")
    assert listed.stdout == run("ls", *options, local).stdout
    documents = ("zarray", "zgroup", "nczarray", "nczgroup")  # which mark folders
    assert [path for path in asked if not path.endswith(documents)][1:] == []
    if "-rl" in options:
        assert len(asked) <= 1


def test_an_existing_store_is_kept_and_overwritten_on_demand(run, s3):
    target = f"{s3}/x.zarr#mode=s3"
    assert run("gen", example("weather"), "-o", target).code == 0
    ran = run("gen", example("groups"), "-o", target)
    assert ran.code == 1
    assert ran.stderr == f"ncz: {s3}/x.zarr: already exists; use --overwrite to replace it\n"
    assert run("gen", example("groups"), "-o", target, "--overwrite").code == 0
    ran = run("dump", "-h", target)
    assert (ran.code, "temperature" in ran.text) == (0, False)


def test_wrong_cdl_leaves_the_old_store(run, s3):
    target = f"{s3}/x.zarr#mode=s3"
    assert run("gen", example("weather"), "-o", target).code == 0
    before = run("dump", target).stdout
    ran = run("gen", "-", "-o", target, "--overwrite", stdin=b"netcdf x { data: y = 1; }")
    assert ran.code == 1
    assert run("dump", target).stdout == before


def test_a_refused_key_is_one_line(run, strict_s3, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    for command in (["ls"], ["dump"], ["gen", example("weather"), "-o"]):
        ran = run(*command, f"{strict_s3}/x#mode=s3")
        assert ran.code == 1
        assert "rejected the credentials" in ran.stderr
        assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(("name", "mode"), [("groups", "nczarr"), ("weather", "zarr,consolidated")])
def test_a_store_on_a_web_server_is_read_without_listing(run, web, name, mode):
    assert run("gen", example(name), "-o", f"memory://web-{name}#mode={mode}").code == 0
    memory = open_zmap(parse_location(f"memory://web-{name}"))
    for key in memory.walk():
        web.objects[f"data/x.zarr/{key}"] = memory.get(key) or b""
    wanted = run("dump", "-n", "x", f"memory://web-{name}#mode={mode}")
    ran = run("dump", "-q", f"{web.endpoint}/data/x.zarr#mode={mode}")
    assert ran.stderr == ""
    assert ran.stdout == wanted.stdout
    ran = run("ls", "-r", f"{web.endpoint}/data/x.zarr")
    assert "cannot list its keys" in ran.stderr
    assert ran.code == (0 if "consolidated" in mode else 1)
    documents = [display(key) for key in memory.walk() if is_document(key)]
    assert ran.text.splitlines() == (documents if "consolidated" in mode else [])


def test_zarr_python_reads_stores_written_to_s3(run, s3, moto):
    zarr = pytest.importorskip("zarr", reason="zarr-python is not installed")
    assert run("gen", example("weather"), "-o", f"{s3}/x.zarr#mode=zarr,s3").code == 0
    group = zarr.open_group(
        "s3://" + s3.removeprefix(f"{moto.endpoint}/") + "/x.zarr",
        mode="r",
        storage_options={
            "key": moto.access_key,
            "secret": moto.secret_key,
            "client_kwargs": {"endpoint_url": moto.endpoint},
        },
    )
    assert list(group["lat"][:]) == [float(v) for v in group["lat"][:]]
    assert "temperature" in group


@pytest.fixture(scope="module")
def weather(tmp_path_factory):
    """The text of the example, as printed for a local store; it is made once."""
    store = tmp_path_factory.mktemp("weather") / "weather.zarr"
    ncz.gen(example("weather"), store, notify=ignore_notice)
    return ncz.dump(store).encode()


@pytest.mark.parametrize(
    ("moment", "overwrite"),
    sampled(
        [*((moment, False) for moment in range(1, 27)), *((m, True) for m in (9, 18, 26, 2, 4))], 9
    ),
)
def test_a_killed_gen_leaves_no_half(run, web, tmp_path, monkeypatch, weather, moment, overwrite):
    """The server stops answering after a number of requests, and the writer is then killed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    url = f"{web.endpoint}/b/weather.zarr#mode=s3"
    if overwrite:
        assert run("gen", example("groups"), "-o", url).code == 0
    old = dict(web.objects)
    web.requests.clear()
    web.faults.extend(repeat(None, moment))
    web.faults.extend(repeat("hang", 1000))
    arguments = ["gen", str(example("weather")), "-o", url, *["--overwrite"] * overwrite]
    with forked(run_ncz, *arguments) as process:
        assert web.hanging.wait(60)
        process.kill()
    assert process.exitcode == -signal.SIGKILL
    web.faults.clear()
    web.over.set()
    if {key: value for key, value in web.objects.items() if MARK not in key} != old:
        ran = run("dump", url)
        assert ran.code == 1 or ran.stdout == weather
    assert run("gen", example("weather"), "-o", url, "--overwrite").code == 0
    assert run("dump", url).stdout == weather
    assert MARK not in "".join(web.objects)


def test_local_stores_import_nothing_for_remote_ones(run, tmp_path):
    assert run("gen", example("weather"), "-o", tmp_path / "x.zarr").code == 0
    program = (
        "import sys; from ncz.zmap.location import parse_location as p;"
        "from ncz.zmap.opening import open_zmap, create_zmap;"
        f"list(open_zmap(p({str(tmp_path / 'x.zarr')!r})).walk());"
        f"create_zmap(p({str(tmp_path / 'y.zarr')!r})).__enter__();"
        "names = {'fsspec', 's3fs', 'botocore', 'aiohttp', 'ncz.zmap.remote.store',"
        " 'ncz.zmap.remote.object_store', 'ncz.zmap.remote.credentials', 'configparser',"
        " 'concurrent.futures'};"
        "print(*sorted(names & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
