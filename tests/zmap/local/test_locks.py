"""Locks on files and folders."""

from __future__ import annotations

import os
import shutil
import threading

from ncz.zmap.local import locks
from ncz.zmap.local.claims import only_writer
from tests.commands.test_two_at_once import made as made


def test_a_forked_process_does_not_keep_the_lock(made, tmp_path):
    store = str(tmp_path / "s.zarr")
    shutil.copytree(made / "s.zarr", store)
    with only_writer(store, store):
        child = os.fork()
        if child == 0:
            threading.Event().wait()
    try:
        with locks.hold_lock(store) as is_free:
            assert is_free
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
