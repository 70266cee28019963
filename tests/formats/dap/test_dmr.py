"""The DMR: the description of a dataset of DAP4."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.errors import FormatError
from tests.formats.dap.test_dap4 import HEADER
from tests.servers.dap import DapDataset, Served


def test_another_suffix_of_the_dmr(run, dap):
    dap.answers["four.dmr.xml"] = (404, {}, b"not here")
    assert run("dump", "-h", dap.url("four", "dap4")).text == HEADER
    assert dap.requests == ["/four.dmr.xml", "/four.dmr"]


def test_variables_without_a_fixed_size_are_omitted_by_name(run, dap):
    dmr = (
        '<Sequence name="log"><Int32 name="x"/></Sequence><Opaque name="blob"/>'
        '<Structure name="mixed"><String name="s"/></Structure>'
        '<Structure name="outer"><Structure name="inner"><Int32 name="x"/></Structure></Structure>'
    )
    dap.datasets["left"] = DapDataset([Served("v", np.array(1.5))], dmr=dmr)
    ran = run("dump", dap.url("left", "dap4"))
    assert "v = 1.5" in ran.text
    assert ran.code == 1
    for name in ("log", "blob", "mixed", "outer"):
        assert f"/{name}: it is " in ran.stderr


def test_names_that_are_paths(dap):
    dmr = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
      <Dataset name="x"><Dimension name="/g/n" size="2"/><Dimension name="t" size="1"/>
      <Float32 name="/g/v"><Dim name="/t"/><Dim name="/g/n"/>
      <Attribute name="level" type="float"><Value>1.5</Value></Attribute></Float32></Dataset>"""
    dap.answers["/paths.dmr.xml"] = (200, {}, dmr)
    with ncz.open(dap.url("paths", "dap4")) as ds:
        assert list(ds.groups) == ["g"]
        assert ds["/g/v"].dims == ("t", "n")
        assert ds["/g/v"].shape == (1, 2)
        assert ds["/g/v"].attrs["level"] == 1.5


@pytest.mark.parametrize(
    ("dmr", "message"),
    [
        (b"<Dataset name='x'", "is not valid"),
        (b"<other/>", "does not begin with Dataset"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><Dataset name="x"/>', "has a declaration"),
        (b"<Dataset><Float32 name='v'><Dim name='/n'/></Float32></Dataset>", "is not declared"),
        (b"<Dataset><Float32/></Dataset>", "has no name"),
        (b"<Dataset><Dimension name='n' size='x'/></Dataset>", "is not a number"),
        (b"<Dataset><Dimension name='n' size='-1'/></Dataset>", "a length below 0"),
        (b"<Dataset><Enum name='v' enum='/e'/></Dataset>", "the enumeration of v is not declared"),
        (b"<Dataset>" + b"<Group name='g'>" * 60 + b"</Group>" * 60 + b"</Dataset>", "too deeply"),
        (b"\xff\xfe", "is not text"),
    ],
)
def test_documents_that_are_not_valid(dap, dmr, message):
    dap.answers["/bad.dmr.xml"] = (200, {}, dmr)
    with pytest.raises(FormatError, match=message):
        ncz.open(dap.url("bad", "dap4"))
