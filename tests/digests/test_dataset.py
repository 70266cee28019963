"""The digest of a dataset, as docs/reference/digest.md specifies it."""

from __future__ import annotations

import json
import re

import ncz
from tests.conftest import ROOT
from tests.digests import specified

PAGE = (ROOT / "docs/reference/digest.md").read_text("utf-8")


def test_the_dataset_of_the_page(tmp_path):
    text = re.search(r"`(netcdf e \{[^`]*\})`", PAGE)
    assert text is not None
    lines = PAGE.rpartition("```\n[")[2].splitlines()
    variable, its_digest, group, expected = ("[" + lines[0], *map(str.strip, lines[1:4]))
    (tmp_path / "e.cdl").write_text(text[1])
    found = ncz.digest(tmp_path / "e.cdl")
    assert (found.value, found.variables) == (expected, {"/v": its_digest})
    assert specified.digest(json.loads(variable)) == its_digest
    assert specified.digest(json.loads(group)) == expected
