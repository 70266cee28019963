"""The kinds of keys, for any format."""

from __future__ import annotations

import pytest

from ncz.formats.key_roles import KeyRoles
from ncz.formats.opening import key_roles
from ncz.zmap.memory import MemoryZmap


def test_a_format_knows_only_kinds_by_default():
    class Plain(KeyRoles):
        def kind(self, key, *, is_object):
            return "other"

        def decode(self, key):
            raise NotImplementedError

    roles = Plain()
    assert roles.places("v/0") == ()
    assert not roles.is_document("a.json")
    assert roles.documents() is None


def test_kinds_cannot_be_left_out():
    with pytest.raises(TypeError, match="kind"):
        KeyRoles()  # type: ignore[abstract]


@pytest.mark.parametrize(
    ("key", "is_object", "kind"),
    [
        (".zgroup", True, "group"),
        ("v/.zarray", True, "array"),
        ("v/.zattrs", True, "attributes"),
        ("v/0", True, "chunk"),
        ("notes.txt", True, "other"),
    ],
)
def test_kinds_of_zarr(key: str, is_object: bool, kind: str):
    array = b"""{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "order": "C",
        "compressor": null, "filters": null, "fill_value": 0}"""
    zmap = MemoryZmap({".zgroup": b'{"zarr_format": 2}', "v/.zarray": array, "v/0": bytes(8)})
    assert key_roles(zmap).kind(key, is_object=is_object) == kind
