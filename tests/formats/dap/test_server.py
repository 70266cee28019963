"""Answers of servers that are errors, too long, too short, or lead elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.errors import FormatError, StoreMissing, ZmapError
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.servers.bodies import Answer, endless, serving_bodies
from tests.servers.dap import DapDataset, Served, serving_dap

DDS = b"Dataset {\n    Float64 v[n = 4];\n} x;\n"
DAS = b"Attributes {\n}\n"
PROTOCOLS = ["dap2", "dap4"]


@pytest.fixture(autouse=True)
def one(dap):
    dap.datasets["one"] = DapDataset([Served("v", np.arange(4.0), [("n", 4)])])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_error_of_a_server_is_one_line(run, dap, protocol):
    ran = run("dump", dap.url("absent", protocol))
    assert ran.code == 1
    (line,) = ran.stderr.splitlines()
    assert "the server answers with an error: no variable or dataset: 'absent" in line
    with pytest.raises(StoreMissing):
        ncz.open(dap.url("absent", protocol))


def test_an_error_with_status_200_and_a_long_message(run, dap):
    text = (
        b'Error {\n code = 500;\n message = "Bad\n \\"thing\\"\x1b[31m ' + b"x" * 5000 + b'";\n};'
    )
    dap.answers["/one.dods"] = (200, {}, text)
    ran = run("dump", dap.url("one"))
    assert ran.code == 1
    (line,) = ran.stderr.splitlines()
    assert 'data of /v: the server answers with an error: Bad "thing"\\x1b[31m x' in line
    assert len(line) < 500


def test_an_error_in_a_chunk_of_dap4(run, dap):
    message = b"<Error><Message>out of &lt;memory&gt;</Message></Error>"
    dmr = b"<Dataset/>"
    chunks = b"".join(
        bytes([flags]) + len(data).to_bytes(3, "big") + data
        for flags, data in ((4, dmr), (7, message))
    )
    dap.answers["/one.dap"] = (200, {}, chunks)
    ran = run("dump", dap.url("one", "dap4"))
    assert (ran.code, "error: out of <memory>" in ran.stderr) == (1, True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_page_is_no_dataset(dap, protocol):
    page = b"<!DOCTYPE html>\n<html><body>hello</body></html>"
    dap.answers["/page.dds"] = dap.answers["/page.dmr.xml"] = (200, {}, page)
    with pytest.raises(FormatError, match="web page"):
        ncz.open(dap.url("page", protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_answers_that_end_too_early(run, dap, protocol):
    dap.datasets["short"] = DapDataset(
        [Served("v", np.arange(4.0), [("n", 4)])], damage=lambda data: data[:17]
    )
    ran = run("dump", dap.url("short", protocol))
    assert (ran.code, "ends before all values" in ran.stderr) == (1, True)
    assert len(ran.stderr.splitlines()) == 1


def test_values_of_another_part(run, dap):
    whole = dap.datasets["one"].dods("v[0:1:1]")
    dap.answers["/one.dods"] = (200, {}, whole)
    ran = run("dump", dap.url("one"))
    assert (ran.code, "another part of the array" in ran.stderr) == (1, True)
    dap.answers["/one.dods"] = (200, {}, b"Dataset {\n} x;\n\nData:\n")
    assert "does not contain the requested variable" in run("dump", dap.url("one")).stderr
    dap.answers["/one.dods"] = (200, {}, b"nothing")
    assert "has no data" in run("dump", dap.url("one")).stderr


@pytest.mark.parametrize("suffix", [".dds", ".das", ".dods"])
def test_an_answer_without_end_is_not_read(suffix):
    answer = Answer({}, endless())
    objects = {"x.dds": DDS, "x.das": DAS}
    with serving_bodies(answer, objects, f"/x{suffix}") as url:
        with pytest.raises(ZmapError, match="more than"), ncz.open(f"{url}/x#mode=dap2") as ds:
            ds["v"][:]
        assert answer.sent < 100 << 20


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_redirects_to_other_servers_need_permission(dap, monkeypatch, tmp_path, protocol):
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving_dap(dict(dap.datasets)) as other:
        for suffix in (".dds", ".das", ".dods", ".dmr.xml", ".dap"):
            target = {"Location": f"http://{other.address}/one{suffix}"}
            dap.answers[f"/moved{suffix}"] = (302, target, b"")
        url = dap.url("moved", protocol)
        with pytest.raises(ZmapError, match="redirects to another server"):
            ncz.open(url)
        assert other.requests == []
        with ncz.open(f"{url}&reference.allow_target=http://{other.address}/") as ds:
            assert ds.variables


def test_a_server_that_fails_for_a_moment_is_asked_again(dap):
    dap.answers["/one.das"] = (503, {}, b"busy")
    with pytest.raises(ZmapError, match="answered 503"):
        ncz.open(dap.url("one"))
    assert dap.requests.count("/one.das") > 1


@pytest.mark.parametrize(
    ("dds", "message"),
    [
        (b"nothing", "does not begin with Dataset"),
        (b"Dataset { Float32 v[n = x]; } x;", "is not the length of a dimension"),
        (b"Dataset { Float32 v[n = 99999999999999999999]; } x;", "is not the length"),
        (b"Dataset { Float32 v[n = 3;", "is missing before"),
        (b"Dataset { Float32 v", "ends too early"),
        (b"Dataset {" + b"Structure {" * 60, "nested too deeply"),
        (b'Dataset { Float32 "v', "cannot be read"),
    ],
)
def test_documents_that_are_not_valid(dap, dds, message):
    dap.answers["/bad.dds"] = (200, {}, dds)
    dap.answers["/bad.das"] = (200, {}, DAS)
    with pytest.raises(FormatError, match=message):
        ncz.open(dap.url("bad"))


@pytest.mark.parametrize(
    ("das", "message"),
    [
        (b"Attributes { v { Int16 a b; } }", "is not of type int16"),
        (b"Attributes { v { Int16 a 40000; } }", "is not of type int16"),
        (b"Attributes { v { Int16 a 1.5; } }", "is not of type int16"),
        (b"Attributes { v {", "ends too early"),
        (b"Attributes {" + b"v {" * 60, "nested too deeply"),
    ],
)
def test_attributes_that_are_not_valid(dap, das, message):
    dap.answers["/one.das"] = (200, {}, das)
    with pytest.raises(FormatError, match=message):
        ncz.open(dap.url("one"))


def test_a_type_that_dap2_does_not_have(run, dap):
    dap.answers["/one.dds"] = (200, {}, b"Dataset { Float64 v[n = 4]; Complex c[n = 4]; } x;")
    ran = run("dump", dap.url("one"))
    assert "v = 0, 1, 2, 3" in ran.text
    assert (ran.code, "/c: it has the type 'complex'" in ran.stderr) == (1, True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_change_while_it_is_read(dap, protocol):
    with open_dataset(parse_location(dap.url("one", protocol))) as opened:
        opened.check_unchanged()
        dap.datasets["one"] = DapDataset([Served("v", np.arange(5.0), [("n", 5)])])
        with pytest.raises(ZmapError, match="changed while it was read"):
            opened.check_unchanged()
