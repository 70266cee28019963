"""Variables that the URL of an OPeNDAP server chooses."""

from __future__ import annotations

import pytest

from ncz.errors import UrlError
from ncz.formats.dap.projection import projection_of
from ncz.zmap.location import parse_location

URL = "https://example.org/d.nc"


@pytest.mark.parametrize(
    ("url", "names"),
    [
        (f"{URL}#dap2", None),
        (f"{URL}?t,g.u#dap2", ("t", "g.u")),
        (f"{URL}?dap4.ce=/t;/g/u#dap4", ("t", "g/u")),
        (f"{URL}?a%20b#dap2", ("a b",)),
    ],
)
def test_whole_variables(url, names):
    found = projection_of(parse_location(url))
    assert found.names == names
    assert found.has(["t"]) == (names is None or "t" in names)


@pytest.mark.parametrize("query", ["t[0:1]", "t,", "t&x>1"])
def test_parts_are_refused(query):
    with pytest.raises(UrlError, match="can only name whole variables"):
        projection_of(parse_location(f"{URL}?{query}#dap2"))
