"""The entries of new zip files."""

from __future__ import annotations

import stat

from ncz.zmap.local.zip_layout import new_entry


def test_programs_for_unix_unpack_files_and_folders_that_can_be_read():
    file, folder = new_entry("a/b"), new_entry("a/")
    assert stat.filemode(file.external_attr >> 16) == "-rw-r--r--"
    assert stat.filemode(folder.external_attr >> 16) == "drwxr-xr-x"
    assert [entry.external_attr & 0xFFFF for entry in (file, folder)] == [0, 0x10]
    assert (file.create_system, file.date_time) == (3, (1980, 1, 1, 0, 0, 0))
