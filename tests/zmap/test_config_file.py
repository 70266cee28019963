"""The configuration file of ncz."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.config_file import config_path, read_config, usual_readers


def test_the_path_follows_from_the_environment():
    assert config_path({"NCZ_CONFIG": "/c.toml"}) == "/c.toml"
    assert config_path({"XDG_CONFIG_HOME": "/x"}).replace("\\", "/") == "/x/ncz/config.toml"


def test_readers_come_from_the_environment_or_the_file(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text('for = "xarray"')
    env = {"NCZ_CONFIG": str(path)}
    assert usual_readers(env) == "xarray"
    assert usual_readers({**env, "NCZ_FOR": "gdal"}) == "gdal"
    path.write_text("for = 1")
    with pytest.raises(ZmapError, match="for must be a string"):
        usual_readers(env)


@pytest.mark.parametrize("text", ["a =", "a = " + "[" * 5000])
def test_a_file_that_is_not_toml(tmp_path, text):
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(ZmapError, match="not valid TOML"):
        read_config(str(path))
    assert read_config(str(tmp_path / "none.toml")) == {}
