"""A copy by the workers of a real Dask cluster of processes."""

from __future__ import annotations

import contextlib
import gc
import json
import platform

import pytest

import ncz
from ncz.commands.copy.cluster import parts, piece_length
from ncz.errors import ignore_notice
from tests.conftest import ROOT, Run
from tests.sampled import sampled

pytest.importorskip("distributed", reason="the extra ncz[dask] is not installed")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    import logging

    import dask
    from distributed import LocalCluster

    # its lock files, which it leaves
    folder = str(tmp_path_factory.mktemp("dask"))
    with dask.config.set(temporary_directory=folder), LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL, host="127.0.0.1",
    ) as started:  # fmt: skip
        yield started.scheduler_address


@pytest.fixture
def source(tmp_path):
    ncz.gen(ROOT / "cdl_examples/chunks.cdl", tmp_path / "a.zarr", notify=ignore_notice)
    return tmp_path / "a.zarr"


def objects(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "options", sampled([["--codec", "zstd:1"], [], ["--chunk-size", "48"]], 3), ids=str
)
def test_the_same_as_without_it(run: Run, cluster, source, tmp_path, options):
    assert run("copy", source, tmp_path / "b.zarr", *options).code == 0
    ran = run(
        "copy", source, tmp_path / "c.zarr", *options, "--dask", cluster, "--json", "--verify"
    )
    assert ran.code == 0, ran.stderr
    assert objects(tmp_path / "c.zarr") == objects(tmp_path / "b.zarr")
    chunks = [p for p in objects(tmp_path / "b.zarr") if not p.name.startswith(".")]
    assert json.loads(ran.text)["chunks"] == len(chunks)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr", "b.zarr", "c.zarr"]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_impossible_options_are_one_line(run: Run, cluster, source, tmp_path):
    ran = run("copy", source, tmp_path / "c.zip", "--dask", cluster)
    assert (ran.code, "a directory that all its workers share" in ran.stderr) == (1, True)
    broken = next(p for p in source.rglob("*") if p.is_file() and not p.name.startswith("."))
    broken.write_bytes(b"broken")
    ran = run("copy", source, tmp_path / "c.zarr", "--dask", cluster, "--codec", "zstd:1")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "it is damaged" in ran.stderr or "chunk has" in ran.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr"]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("options", [["--codec", "zstd:1"], ["--chunk-size", "48"]], ids=str)
def test_unreadable_parts_are_omitted_with_allow_loss(run: Run, cluster, source, tmp_path, options):
    broken = next(p for p in source.rglob("*") if p.is_file() and not p.name.startswith("."))
    broken.write_bytes(b"broken")
    here = run("copy", source, tmp_path / "b.zarr", *options, "--allow-loss")
    ran = run("copy", source, tmp_path / "c.zarr", *options, "--allow-loss", "--dask", cluster)
    assert here.code == ran.code == 0, ran.stderr
    assert str(broken.relative_to(source)) in ran.stderr
    assert objects(tmp_path / "c.zarr") == objects(tmp_path / "b.zarr")


def test_no_cluster_is_one_line(run: Run, source, tmp_path):
    from distributed import Client

    ran = run("copy", source, tmp_path / "c.zarr", "--dask", "nonsense://")
    clients = [thing for thing in gc.get_objects() if type(thing) is Client]
    assert {client.status for client in clients} <= {"closed"}
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "the Dask scheduler does not answer" in ran.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zarr"]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_workers_write_to_s3(run: Run, cluster, source, tmp_path):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    from tests.servers.threads import serving

    with serving() as web:
        keys = "aws.access_key_id=x&aws.secret_access_key=y"
        url = f"{web.endpoint}/b/c.zarr#mode=s3&{keys}"
        ran = run("copy", source, url, "--chunk-size", "48", "--dask", cluster, "--verify")
        assert ran.code == 0, ran.stderr
        assert run("copy", source, tmp_path / "b.zarr", "--chunk-size", "48").code == 0
        there = {k.removeprefix("b/c.zarr/"): v for k, v in web.objects.items()}
        assert there == {p.as_posix(): v for p, v in objects(tmp_path / "b.zarr").items()}


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_source_that_was_replaced_is_opened_again(run: Run, cluster, tmp_path):
    source, target = tmp_path / "s.zip", tmp_path / "t.zarr"
    names = [f"v{n}" for n in range(8)]  # so that both workers write
    for values in ("1, 2, 3, 4", "5, 6, 7, 8"):
        variables, data = (
            " ".join(form.format(name) for name in names)
            for form in ("int {}(x) ;", f"{{}} = {values} ;")
        )
        text = f"netcdf s {{ dimensions: x = 4 ; variables: {variables} data: {data} }}"
        assert run("gen", "-o", source, "--overwrite", "-", stdin=text.encode()).code == 0
        ran = run("copy", source, target, "--codec", "zstd:1", "--overwrite", "--dask", cluster)
        assert ran.code == 0, ran.stderr
        assert run("dump", target).text.count(f" = {values} ;") == len(names)


def faults() -> int:
    """Return the number of pages that the system has given to this process."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def faults_of_ten_arrays() -> int:
    """Create and free ten arrays of 512 pages, while other arrays fill earlier free memory."""
    held = [bytearray(b"x") * (2 << 20) for _ in range(50)]
    before = faults()
    for _ in range(10):
        bytearray(b"x") * (2 << 20)
    del held
    return faults() - before


@pytest.mark.long
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has these limits")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_workers_use_the_memory_of_a_chunk_for_the_next_one(run: Run, cluster, tmp_path):
    """Each of 32 chunks has 512 pages, and is read, shuffled and compressed."""
    from distributed import Client

    source, count, size = tmp_path / "a.zarr", 32, 2 << 20
    (source / "v").mkdir(parents=True)
    (source / ".zgroup").write_text('{"zarr_format": 2}')
    array = {
        "zarr_format": 2, "shape": [count * size // 4], "chunks": [size // 4], "dtype": "<i4",
        "compressor": None, "fill_value": 0, "order": "C", "filters": None,
    }  # fmt: skip
    (source / "v/.zarray").write_text(json.dumps(array))
    for number in range(count):
        (source / f"v/{number}").write_bytes(bytes([number, 0, 0, 1]) * (size // 4))

    def copy(target: str) -> None:
        recode = ("--codec", "shuffle+zlib:1", "--dask", cluster)
        ran = run("copy", source, tmp_path / target, *recode)
        assert ran.code == 0, ran.stderr

    copy("b.zarr")  # which imports the modules for copying
    with contextlib.closing(Client(cluster, set_as_default=False)) as client:
        before = sum(client.run(faults).values())
        copy("c.zarr")
        assert sum(client.run(faults).values()) - before < count * 512
        # Afterwards glibc returns memory to the system immediately again, as Dask set it.
        workers = client.scheduler_info()["workers"]
        futures = [client.submit(faults_of_ten_arrays, workers=[w], pure=False) for w in workers]
        assert min(client.gather(futures)) > 9 * 512


SHAPES = {
    "many small chunks": (20_000, 5_000),
    "large chunks": (640, 8 << 20),
    "huge chunks": (640, 200 << 20),
    "few chunks": (70, 1 << 20),
}


@pytest.mark.parametrize("threads", [1, 2, 64])
@pytest.mark.parametrize("shape", SHAPES)
def test_pieces_are_even_and_small(shape, threads):
    count, size = SHAPES[shape]
    length = piece_length(count, size, threads)
    indices = [(n, 0, 0) for n in range(count)]
    pieces = list(parts(iter(indices), length))
    assert [index for piece in pieces for index in piece] == indices
    assert {len(piece) for piece in pieces[:-1]} <= {length}
    # No more than 64 MiB and 1,000 chunks, nor less than 1 MiB, and several for each thread.
    assert length == 1 or length * size <= 64 << 20
    assert length <= 1000
    assert (length + 1) * size > 1 << 20
    assert len(pieces) >= min(8 * threads, count * size >> 20)


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_workers_read_the_headers_of_many_files(run: Run, cluster, tmp_path, monkeypatch):
    from ncz.commands.copy import scan

    monkeypatch.setattr(scan, "MANY", 3)
    monkeypatch.setattr(scan, "_TOGETHER", 2)
    text = "netcdf d {{ dimensions: t = UNLIMITED ; variables: int t(t) ; data: t = {} ; }}"
    files = [tmp_path / f"{day}.nc" for day in range(9)]
    for day, path in enumerate(files):
        assert run("gen", "-o", path, "-", stdin=text.format(day).encode()).code == 0
    here = []
    monkeypatch.setattr("ncz.formats.headers.scan", lambda *_: here.append(1))
    for target, options in (("s.json", []), ("r.icechunk", ["--mode", "reference"])):
        if target == "r.icechunk":
            pytest.importorskip("icechunk")
        words = ["copy", "--concat", "t", *files, tmp_path / target, *options]
        ran = run(*words, "--dask", cluster)
        assert ran.code == 0, ran.stderr
        with ncz.open(tmp_path / target) as dataset:
            assert dataset["t"][:].tolist() == [*range(9)]
    assert not here
    files[4].write_bytes(b"damaged")
    ran = run("copy", "--concat", "t", *files, tmp_path / "x.json", "--dask", cluster)
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert str(files[4]) in ran.stderr
