"""The datasets that an incomplete command line names."""

from __future__ import annotations

import socket

from tests.cli.test_completion import completed as completed


def test_a_server_that_does_not_answer_does_not_keep_a_person_waiting(completed, monkeypatch):
    from ncz.cli import named_datasets

    with socket.create_server(("127.0.0.1", 0)) as silent:  # it accepts, and sends nothing
        monkeypatch.setattr(named_datasets, "PATIENCE", 0.2)
        port = silent.getsockname()[1]
        assert completed(f"ncz dump http://127.0.0.1:{port}/x.zarr -v t") == []
