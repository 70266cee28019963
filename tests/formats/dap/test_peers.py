"""netCDF-C and pydap on the same server as ncz, and ncz on the server of pydap."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import threading
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import numpy as np
import pytest

import ncz
from tests.formats.dap.conftest import LAT, LON, OF_DAP2, OF_DAP4, TEMP
from tests.servers.dap import DapDataset

needs_ncdump = pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")


def ncdump(*arguments):
    """Return the output of ncdump."""
    done = subprocess.run(
        ["ncdump", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode and "Unknown file format" in done.stderr:
        pytest.skip("this ncdump was built without OPeNDAP")
    assert done.returncode == 0, done.stderr
    return done.stdout


def values(text):
    """Return the values of each variable in CDL as texts, for any division into lines."""
    found = {}
    for statement in text.partition("data:")[2].split(";"):
        name, equals, rest = statement.partition(" = ")
        if equals:
            found[name.split()[-1]] = [part.strip() for part in rest.split(",")]
        elif " =\n" in statement:
            name, _, rest = statement.partition(" =\n")
            found[name.split()[-1]] = [part.strip() for part in rest.split(",")]
    return found


SAME = ("time", "lat", "lon", "temp", "s", "st", "part.x", "part.y", "many.x", "many.y")


@needs_ncdump
def test_ncdump_reads_the_same_by_dap2(run, dap):
    theirs = values(ncdump(f"http://{dap.address}/two#noprefetch"))
    ours = values(run("dump", dap.url("two")).text)
    for name in SAME:
        assert ours[name] == theirs[name], name
    # netCDF-C has signed bytes and integers only.
    assert ours["signed"] == ["0", "1", "2", "127", "-128", "_"]
    assert theirs["b"] == ["0", "1", "2", "127", "-128", "-1"]
    assert ours["b"] == ["0", "1", "2", "127", "128", "255"]


@needs_ncdump
@pytest.mark.parametrize("one", OF_DAP4[:7], ids=lambda one: one.name)
def test_ncdump_reads_the_same_by_dap4(run, dap, one):
    dap.datasets["single"] = DapDataset([one])
    theirs = values(ncdump(f"http://{dap.address}/single#dap4"))
    assert theirs == values(run("dump", dap.url("single", "dap4")).text)
    assert theirs


@needs_ncdump
def test_ncdump_has_the_same_dimensions_and_names(run, dap):
    def shape(text):
        header = text.partition("variables:")[2].partition("// global")[0]
        return {
            line.split(None, 1)[1].strip(" ;")
            for line in header.splitlines()
            if line.startswith("\t") and not line.startswith("\t\t")
        }

    theirs = shape(ncdump("-h", f"http://{dap.address}/two"))
    ours = shape(run("dump", "-h", dap.url("two")).text)
    different = {"names(lat)", "st", r"with\ blank(lat)"}  # texts, and names that it escapes
    assert ours - different <= theirs


@contextlib.contextmanager
def serving_wsgi(application):
    """Serve a WSGI application in a thread; yield its host and port."""

    class Silent(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    server = make_server("127.0.0.1", 0, application, handler_class=Silent)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


@pytest.mark.filterwarnings("ignore")
def test_ncz_reads_from_the_server_of_pydap(run, tmp_path):
    pytest.importorskip("pydap", reason="pydap is not installed")
    from pydap.handlers.lib import BaseHandler
    from pydap.model import BaseType, DatasetType, GridType, SequenceType, StructureType

    dataset = DatasetType("sample", attributes={"title": "of pydap", "level": 3})
    grid = GridType("temp", attributes={"units": "K"})
    grid["temp"] = BaseType("temp", TEMP, dims=("time", "lat", "lon"))
    for name, data in (("time", np.arange(4.0)), ("lat", LAT.values), ("lon", LON.values)):
        grid[name] = BaseType(name, data, dims=(name,))
    dataset["temp"] = grid
    dataset["b"] = BaseType("b", np.array([1, 200], "u1"), dims=("n",))
    dataset["one"] = BaseType("one", np.array(200, "u1"))
    dataset["names"] = BaseType("names", np.array(["abc", "de"]), dims=("n",))
    dataset["part"] = StructureType("part")
    dataset["part"]["x"] = BaseType("x", np.array([1.5, 2.5]), dims=("n",))
    dataset["log"] = SequenceType("log")
    dataset["log"]["z"] = BaseType("z")
    dataset["log"].data = np.array([(1,)], dtype=[("z", "i4")]).view(np.recarray)
    with serving_wsgi(BaseHandler(dataset)) as address:
        url = f"dods://{address}/sample"
        with ncz.open(url) as ds:
            assert dict(ds.attrs) == {"level": 3, "title": "of pydap"}
            np.testing.assert_array_equal(ds["temp"][1:3, :, 2], TEMP[1:3, :, 2])
            assert ds["temp"].attrs["units"] == "K"
            assert ds["lat"][:].tolist() == LAT.values.tolist()
            assert ds["b"][:].tolist() == [1, 200]
            assert ds["one"][...] == 200
            assert ds["names"][:].tolist() == ["abc", "de"]
            assert ds["part.x"][:].tolist() == [1.5, 2.5]
        assert "/log: it is a sequence" in run("dump", "-h", url).stderr
        ran = run("copy", "--allow-loss", "--verify", url, tmp_path / "x.zarr")
        assert ran.code == 0, ran.stderr


@pytest.mark.filterwarnings("ignore")
def test_pydap_reads_from_the_server_of_these_tests(dap):
    """The server of these tests is as others expect."""
    client = pytest.importorskip("pydap.client", reason="pydap is not installed")
    dataset = client.open_url(f"http://{dap.address}/two", protocol="dap2")
    np.testing.assert_array_equal(dataset["temp"]["temp"].data[1:3, :, 2], TEMP[1:3, :, 2:3])
    for one in OF_DAP2[:3]:
        np.testing.assert_array_equal(np.asarray(dataset[one.name].data[:]), one.values)


def documents(suffix):
    """Return files of servers that pydap's tests have, by name."""
    package = pytest.importorskip("pydap", reason="pydap is not installed")
    folder = Path(package.__file__).parent / "tests" / "data"
    found = {path.name: path for path in sorted(folder.rglob(f"*{suffix}"))}
    if not found:
        pytest.skip("this pydap comes without the files of its tests")
    return found


def test_descriptions_that_servers_sent(dap):
    for name, path in documents(".dmr").items():
        dap.answers["/sent.dmr.xml"] = (200, {}, path.read_bytes())
        with ncz.open(dap.url("sent", "dap4"), notify=lambda _: None) as ds:
            assert ds.variables or ds.groups or "gsodock" in name, name
    for path in documents(".dds").values():
        das = path.with_suffix(".das")
        text = das.read_bytes() if das.exists() else b"Attributes {}"
        dap.answers["/sent.dds"], dap.answers["/sent.das"] = (
            (200, {}, path.read_bytes()),
            (200, {}, text),
        )
        with ncz.open(dap.url("sent"), notify=lambda _: None) as ds:
            assert ds.variables or ds.groups, path.name


def test_values_that_servers_sent(dap):
    """Their checksums are compared; responses with one variable resemble ncz's."""
    read = 0
    for path in documents(".dap").values():
        body = path.read_bytes()
        size = int.from_bytes(body[1:4], "big")
        dap.answers["/sent.dmr.xml"] = (200, {}, body[4 : 4 + size])
        dap.answers["/sent.dap"] = (200, {}, body)
        with ncz.open(dap.url("sent", "dap4"), notify=lambda _: None) as ds:
            if len(ds.variables) == 1 and not ds.groups:
                (variable,) = ds.variables.values()
                assert variable[...].shape == variable.shape
                read += 1
    assert read
