"""Names and configurations of extensions in documents of Zarr V3."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError
from ncz.formats.zarr.documents.extensions_v3 import check_members, read_extension


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("bytes", ("bytes", {})),
        ({"name": "gzip", "configuration": {"level": 1}}, ("gzip", {"level": 1})),
        ({"name": "crc32c"}, ("crc32c", {})),
        ({"configuration": {}}, None),
        ({"name": 1}, None),
        ([], None),
    ],
)
def test_an_extension_is_a_name_or_an_object(value, found):
    assert read_extension(value, "codec {}", "v") == found


def test_a_configuration_must_be_known():
    with pytest.raises(FormatError, match="codec gzip: configuration must be an object, not 5"):
        read_extension({"name": "gzip", "configuration": 5}, "codec {}", "v")
    check_members({"level": 1}, ["level"], "codec gzip", "v")
    with pytest.raises(FormatError, match="the parameter 'more' is not known"):
        check_members({"level": 1, "more": 2}, ["level"], "codec gzip", "v")
