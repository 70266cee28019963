"""Files such as .ncrc."""

from __future__ import annotations

from ncz.zmap.rc_files import read_rc_files
from tests.zmap.remote.test_credentials import aws as aws
from tests.zmap.remote.test_credentials import home as home
from tests.zmap.remote.test_credentials import settings


class TestRcFiles:
    def test_later_files_win_and_a_host_wins_over_all(self, home, monkeypatch):
        (home / ".ncrc").write_text(
            "# a comment\nAWS.PROFILE=one\naws.region = r1\n[https://h:9000]AWS.REGION=mine\n"
        )
        (home / ".dodsrc").write_text("AWS.PROFILE=two\n")
        (home.parent / "here/.ncrc").write_text("AWS.REGION=r3\nnonsense\n")
        env = {"HOME": str(home)}
        found = read_rc_files("https://x/b", env)
        assert found.values == {"aws.profile": "two", "aws.region": "r1"}
        assert found.folder_values == {"aws.region": "r3"}
        assert read_rc_files("https://h:9000/b", env).values["aws.region"] == "mine"
        trusting = env | {"NCZ_TRUST_FOLDER": "1"}
        assert read_rc_files("https://h/b", trusting).values["aws.region"] == "r3"
        assert read_rc_files("https://h:9000/b", trusting).values["aws.region"] == "mine"

    def test_a_line_for_a_path_covers_paths_below_it(self, home):
        (home / ".ncrc").write_text("[https://h/b/k]AWS.REGION=below\n")
        env = {"HOME": str(home)}
        assert read_rc_files("https://h/b/k/x", env).values == {"aws.region": "below"}
        assert read_rc_files("https://h/b/kk", env).values == {}

    def test_the_environment_names_other_files(self, home, tmp_path):
        (home / ".ncrc").write_text("AWS.REGION=home\n")
        (tmp_path / "only").write_text("AWS.REGION=only\n")
        (tmp_path / "away").mkdir()
        (tmp_path / "away/.ncrc").write_text("AWS.REGION=away\n")
        env = {"HOME": str(home)}
        only, away = str(tmp_path / "only"), str(tmp_path / "away")
        assert read_rc_files("x", env | {"NCRCENV_RC": only}).values == {"aws.region": "only"}
        assert read_rc_files("x", env | {"NCRCENV_HOME": away}).values == {"aws.region": "away"}
        assert read_rc_files("x", env | {"NCRCENV_IGNORE": "1"}).values == {}

    def test_their_settings_are_used(self, aws):
        (aws / ".ncrc").write_text("AWS.PROFILE=lab\nAWS.REGION=rc\n")
        found = settings("s3://b/k")
        assert (found.access_key, found.region) == ("LABKEY", "rc")
        assert settings("s3://b/k#aws.profile=default").access_key == "DEFAULTKEY"
