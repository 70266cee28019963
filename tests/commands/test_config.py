"""Settings in force, and their sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.commands.config import settings


def found(tmp_path: Path, url: str | None = None, **variables: str) -> dict[str, tuple[str, str]]:
    environment = {"HOME": str(tmp_path), **variables}
    return {each.name: (each.value, each.source) for each in settings(url, environment)}


def test_variables_of_the_environment_are_shown(tmp_path: Path):
    names = found(tmp_path, NCTRACING="1", OTHER="x")
    assert "OTHER" not in str(names)
    assert any("NCTRACING" in name or "NCTRACING" in pair[1] for name, pair in names.items())


def test_no_secret_is_shown(tmp_path: Path):
    variables = {"AWS_SECRET_ACCESS_KEY": "verysecret", "AWS_ACCESS_KEY_ID": "myname"}
    text = str(found(tmp_path, "s3://bucket/a.zarr", **variables))
    assert "verysecret" not in text
    assert "AWS_SECRET_ACCESS_KEY" in text


def test_settings_of_a_url_name_their_place(tmp_path: Path):
    names = found(tmp_path, "s3://bucket/a.zarr#aws.region=eu-1&aws.anon=true")
    assert any(value == "eu-1" for value, _ in names.values())


def test_a_url_that_is_not_valid_is_an_error(tmp_path: Path):
    with pytest.raises(ValueError, match="mode"):
        found(tmp_path, "s3://bucket/a.zarr#mode=nonsense")
