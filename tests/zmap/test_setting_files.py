"""Files of settings."""

from ncz.zmap.setting_files import read_file


def test_a_file_that_was_written_just_now_is_read_again(tmp_path):
    file = tmp_path / "file"
    for text in ("1", "2", "3"):
        file.write_text(text)
        assert read_file(str(file)) == text
    file.unlink()
    assert read_file(str(file)) is None
