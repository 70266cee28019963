"""Virtual chunks: the files that a repository may refer to."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.errors import ZmapError
from tests.zmap.icechunk.repositories import write_virtual

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed (make setup)")

VALUES = np.arange(12, dtype="<f4")


@pytest.fixture
def virtual(tmp_path):
    """A function that writes a repository whose chunks are in local files, by their names."""

    def write(folder, *names):
        prefix = f"file://{tmp_path / folder}/"
        for name in names:
            path = tmp_path / folder / name
            if not path.is_symlink():
                path.parent.mkdir(exist_ok=True, parents=True)
                path.write_bytes(VALUES.tobytes())
        path = tmp_path / "home" / "repo"
        write_virtual(
            icechunk.local_filesystem_storage(str(path)), prefix,
            icechunk.local_filesystem_store(str(tmp_path / folder)),
            [prefix + name for name in names],
        )  # fmt: skip
        return path

    return write


def values(path, **options):
    with ncz.open(path, **options) as dataset:
        return dataset["a"][...].tolist()


def test_files_below_the_folder_of_the_repository(virtual):
    assert values(virtual("home/data", "a.bin", "b.bin")) == [*range(6, 12)] * 2


def test_files_elsewhere_need_permission(virtual, tmp_path):
    path = virtual("other", "a.bin")
    with pytest.raises(ZmapError) as caught:
        values(path)
    assert str(caught.value).endswith(
        "the repository leads to a file outside the folder of the repository,"
        f" {tmp_path}/other/a.bin; if you trust the repository,"
        f" add #reference.allow_target={tmp_path}/other"
    )
    assert values(f"{path}#reference.allow_target={tmp_path}/other") == [*range(6, 12)]


def test_the_header_needs_no_permission(virtual):
    with ncz.open(virtual("other", "a.bin")) as dataset:
        assert dataset["a"].shape == (6,)


def test_a_hidden_file_and_a_link_are_refused(virtual, tmp_path):
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(VALUES.tobytes())
    (tmp_path / "home" / "data" / "link").symlink_to(tmp_path / "secret")
    with pytest.raises(ZmapError, match=f"leads to a file outside .*{tmp_path}/secret"):
        values(virtual("home/data", "link"))


def test_one_refused_file_refuses_its_container(virtual):
    with pytest.raises(ZmapError, match=r"leads to a hidden file, .*/\.ssh/id_rsa"):
        values(virtual("home/data", "a.bin", ".ssh/id_rsa"))


def test_a_file_that_is_gone_or_too_short_is_an_error(virtual, tmp_path):
    path = virtual("home/data", "a.bin")
    file = tmp_path / "home" / "data" / "a.bin"
    file.write_bytes(file.read_bytes()[:30])
    with pytest.raises(ZmapError, match="not enough data"):
        values(path)
    file.unlink()
    with pytest.raises(ZmapError, match=r"a\.bin not found"):
        values(path)


@pytest.mark.skipif(not hasattr(icechunk, "FeatureFlag"), reason="icechunk is older than 2.0")
@pytest.mark.parametrize("name", ["a.bin", "deep/../a.bin"])
def test_chunks_relative_to_a_named_container(virtual, tmp_path, name):
    path = virtual("other", "a.bin")
    config = icechunk.RepositoryConfig.default()
    store = icechunk.local_filesystem_store(f"{tmp_path}/other")
    config.set_virtual_chunk_container(
        icechunk.VirtualChunkContainer(f"file://{tmp_path}/other/", store, name="files")
    )
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(path)), config)
    repository.save_config()
    session = repository.writable_session("main")
    session.store.set_virtual_ref(
        "a/c/0", f"vcc://files/{name}", offset=0, length=24, validate_container=False
    )
    session.commit("relative")
    with pytest.raises(ZmapError, match=f"leads to a file outside .*{tmp_path}/other/a.bin"):
        values(path)
    assert values(f"{path}#reference.allow_target={tmp_path}/other") == [*range(6)]


def test_objects_on_s3(s3, tmp_path):
    from ncz.zmap.location import parse_location
    from ncz.zmap.opening import create_zmap

    with create_zmap(parse_location(f"{s3}/data#mode=s3")) as folder:
        folder.put("a.bin", VALUES.tobytes())
    endpoint, bucket, prefix = s3.rsplit("/", 2)
    container = f"s3://{bucket}/{prefix}/data/"
    path = tmp_path / "repo"
    # The endpoint that the repository names is not the user's, and is not used.
    write_virtual(
        icechunk.local_filesystem_storage(str(path)), container,
        icechunk.s3_store(region="us-east-1", endpoint_url="http://127.0.0.1:9", allow_http=True),
        [container + "a.bin"],
    )  # fmt: skip
    with pytest.raises(ZmapError, match=f"leads to another server, s3://{bucket}/"):
        values(path)
    allowed = f"reference.allow_target=s3://{bucket}/&aws.endpoint_url={endpoint}"
    assert values(f"{path}#{allowed}") == [*range(6, 12)]
