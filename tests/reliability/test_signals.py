"""Signals at each operation of commands; `make reliability` takes all commands."""

from __future__ import annotations

import pytest

from tests.reliability.cases import disk_cases
from tests.reliability.disk import KILL
from tests.reliability.run import run_disk
from tests.reliability.server import run_server, s3_server, server_cases
from tests.reliability.signals import SIGNALS

KINDS = ("interrupt", "terminate")


@pytest.mark.parametrize("fault", KINDS)
@pytest.mark.parametrize("name", ["edit", pytest.param("append", marks=pytest.mark.long)])
def test_a_signal_at_each_operation(tmp_path, name, fault):
    tried, wrong = run_disk(disk_cases(tmp_path)[name], tmp_path, fault)
    assert tried > 20
    assert wrong == {}


@pytest.mark.long
@pytest.mark.parametrize("name", ["edit", "check --fix", "append", "from netCDF-4"])
def test_kill_at_each_operation(tmp_path, name):
    tried, wrong = run_disk(disk_cases(tmp_path)[name], tmp_path, KILL)
    assert tried > 20
    assert wrong == {}


@pytest.mark.long
@pytest.mark.parametrize("fault", SIGNALS)
@pytest.mark.parametrize("name", ["append on S3", "netCDF to S3"])
def test_a_signal_at_requests(tmp_path, name, fault):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    with s3_server(tmp_path) as served:
        case = server_cases(served, tmp_path)[name]
        tried, wrong = run_server(case, served, tmp_path, fault, lasts=False, step=9)
    assert tried >= 1
    assert wrong == {}
