"""Settings in the working folder that are ignored."""

from __future__ import annotations

import pytest

from ncz.zmap.ignored_settings import ignored_settings
from ncz.zmap.location import parse_location
from tests.zmap.remote.test_credentials_folder import EVIL, KEYS, settings
from tests.zmap.remote.test_credentials_folder import here as here
from tests.zmap.remote.test_credentials_folder import home as home


@pytest.mark.parametrize("file", [".ncrc", ".daprc", ".dodsrc"])
@pytest.mark.parametrize("environment", [{}, KEYS], ids=["home's keys", "environment's keys"])
@pytest.mark.parametrize(
    "line",
    [
        "AWS.CONFIG_FILE=evil.cfg",
        f"AWS.ENDPOINT_URL={EVIL}",
        "AWS.PROFILE=prod",
        "AWS.PROFILE=evil",
        "AWS.ACCESS_KEY_ID=EVILKEY\nAWS.SECRET_ACCESS_KEY=EVILSECRET",
        "[https://s3.us-east-1.amazonaws.com]AWS.PROFILE=prod",
    ],
)
def test_a_file_redirects_no_credentials_and_replaces_none(here, file, line, environment):
    without = settings(**environment)
    (here / file).write_text(line + "\n")
    found = settings(**environment)
    assert found == without
    assert found.endpoint == "https://s3.us-east-1.amazonaws.com"
    assert found.access_key == ("ENVKEY" if environment else "HOMEKEY")
    keys = [part.rpartition("]")[2].partition("=")[0] for part in line.split("\n")]
    notices = [str(each) for each in ignored_settings(parse_location("s3://b/k"))]
    assert notices == [
        f"{here / file}: {', '.join(keys)} of this file are ignored, because it is in the working"
        f" folder; move them to ~/{file}, or set NCZ_TRUST_FOLDER=1"
    ]
    assert not list(ignored_settings(parse_location("x.zarr")))


def test_the_home_folder_is_trusted_as_the_working_folder(home, monkeypatch):
    monkeypatch.chdir(home)
    (home / ".ncrc").write_text("AWS.PROFILE=prod\n")
    assert settings().access_key == "PRODKEY"
    assert not list(ignored_settings(parse_location("s3://b/k")))
