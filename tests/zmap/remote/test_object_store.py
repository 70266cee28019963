"""The default methods of every transport."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.remote.object_store import ListingPage, ObjectStore
from ncz.zmap.remote.versions import Version


class Readable(ObjectStore):
    """Objects that can only be read."""

    def get(self, path, limit):
        return None

    def get_range(self, path, start, count):
        return None

    def version(self, path):
        return Version(size=3) if path == "known" else None

    def address(self, path):
        return f"https://h/{path}"

    def page(self, folder, *, deep, token, most):
        return ListingPage([])

    def storage_error(self, error, location, action):
        return ZmapError(str(error), location)

    def close(self):
        pass


def test_the_size_is_part_of_the_version():
    assert [Readable().size(path) for path in ("known", "absent")] == [3, None]


@pytest.mark.parametrize(
    "change",
    [lambda s: s.put("x", b""), lambda s: s.put_new("x", b""), lambda s: s.delete(["x"])],
    ids=["put", "put_new", "delete"],
)
def test_a_web_server_is_read_only(change):
    with pytest.raises(ZmapError, match="https://h/: a web server is read-only"):
        change(Readable())


def test_an_object_is_put_by_servers_without_conditions():
    class Writable(Readable):
        def put(self, path, value):
            objects[path] = value

    objects = {"x": b"old"}
    assert Writable().put_new("x", b"new")
    assert objects == {"x": b"new"}
