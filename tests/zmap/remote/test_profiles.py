"""Profiles of the AWS tools."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.remote.profiles import read_profiles
from tests.zmap.remote.test_credentials import home as home


@pytest.mark.parametrize(
    "content", [b"no section = secret-text", b"[default\nx", b"\xff\xfe", b"[default]\nsecret-text"]
)
def test_a_file_of_profiles_that_is_wrong(home, content):
    (home / ".aws/credentials").write_bytes(content)
    with pytest.raises(ZmapError, match=r"\.aws/credentials") as caught:
        read_profiles({}, {"HOME": str(home)})
    assert "secret-text" not in str(caught.value)
