"""A reference set as a zmap: the contract of every zmap, and errors that are not missing keys."""

from __future__ import annotations

import os

import pytest

from ncz.errors import ZmapError
from tests.zmap.contract import ZmapContract
from tests.zmap.reference.sets import open_set, write_set


class TestRanges(ZmapContract):
    """The contract of every zmap, over ranges of one file."""

    @pytest.fixture
    def store(self, tmp_path, closing):
        numbers = iter(range(1_000_000))

        def store(objects):
            name = f"all{next(numbers)}.bin"
            references, data = {}, b"before"
            for key, value in objects.items():
                references[key] = [name, len(data), len(value)]
                data += value + b"between"
            (tmp_path / name).write_bytes(data)
            return closing(open_set(write_set(tmp_path / "refs.json", references)))

        return store


class TestInline(ZmapContract):
    """The contract of every zmap, over values in the set itself."""

    @pytest.fixture
    def store(self, tmp_path, closing):
        from base64 import b64encode

        def store(objects):
            references = {k: f"base64:{b64encode(v).decode()}" for k, v in objects.items()}
            return closing(open_set(write_set(tmp_path / "refs.json", references)))

        return store


class TestWholeFiles(ZmapContract):
    """The contract of every zmap, for files that are each one object."""

    @pytest.fixture
    def store(self, tmp_path, closing):
        numbers = iter(range(1_000_000))

        def store(objects):
            references = {}
            for key, value in objects.items():
                name = f"part{next(numbers)}"
                (tmp_path / name).write_bytes(value)
                references[key] = [name]
            return closing(open_set(write_set(tmp_path / "refs.json", references)))

        return store


@pytest.fixture
def opened(tmp_path, closing):
    """Opens a set next to a file of 10 bytes, ``ten``."""
    (tmp_path / "ten").write_bytes(b"0123456789")

    def opened(references, **options):
        return closing(open_set(write_set(tmp_path / "refs.json", references), **options))

    return opened


@pytest.mark.parametrize("reference", [["ten", 5, 6], ["ten", 11, 1], ["ten", 0, 1 << 40]])
def test_a_range_past_the_end_is_an_error(opened, reference):
    zmap = opened({"k": reference})
    with pytest.raises(ZmapError, match=r"goes past the end of .*ten, which has 10 bytes") as error:
        zmap.get("k", 1 << 50)
    assert str(error.value.location).endswith("refs.json: /k")
    with pytest.raises(ZmapError, match="goes past the end"):
        zmap.get_range("k", 0, reference[2])


def test_a_terabyte_is_refused_before_it_is_read(opened):
    zmap = opened({"k": ["ten", 0, 1 << 40]})
    with pytest.raises(ZmapError, match="larger than the 67108864 bytes"):
        zmap.get("k")


def test_an_empty_range_is_an_empty_object(opened):
    assert opened({"k": ["ten", 3, 0]}).get("k") == b""


@pytest.mark.parametrize("reference", [["gone", 0, 1], ["gone"], ["ten/below", 0, 1]])
def test_a_dead_link_is_an_error_and_not_a_missing_key(opened, reference):
    zmap = opened({"k": reference})
    for call in (zmap.get, lambda key: zmap.get_range(key, 0, 1)):
        with pytest.raises(ZmapError, match=r"the target of the reference does not exist: .*"):
            call("k")
    assert zmap.get("other") is None


def test_a_folder_or_a_pipe_is_not_a_target(opened, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    zmap = opened({"a": ["folder"], "b": ["pipe", 0, 1]})
    for key in "ab":
        with pytest.raises(ZmapError, match="is not a regular file"):
            zmap.get(key)


def test_relative_targets_belong_to_the_set(opened, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ten").write_bytes(b"elsewhere!")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert opened({"k": ["ten"]}).get("k") == b"0123456789"
    assert opened({"k": ["ten"]}, relative_to="ref").get("k") == b"0123456789"
    assert opened({"k": ["ten"]}, relative_to="cwd").get("k") == b"elsewhere!"


@pytest.mark.parametrize("form", ["file://{}", "file:{}", "{}", "local://{}", "FILE://{}"])
def test_forms_of_local_targets(opened, tmp_path, form):
    (tmp_path / "a%20b #c").write_bytes(b"odd")
    zmap = opened({"k": [form.format(tmp_path / "a%20b #c"), 1, 2]})
    assert zmap.get("k") == b"dd"


def test_forked_processes_may_read_local_sets_only(opened):
    assert opened({"k": ["ten"]}).survives_fork
    assert not opened({"k": ["ten"]}, allow_target="http://h/").survives_fork
