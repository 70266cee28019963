"""A server that fails at some requests of a command; `table` tries each, and most are long."""

from __future__ import annotations

import pytest

from tests.reliability.server import LIBRARIES, run_server, s3_server, server_cases

pytest.importorskip("s3fs", reason="s3fs is not installed")

SAMPLE = (
    ("copy to S3", "reset", False, 5),
    ("copy to S3", "short", True, 4),
    ("gen to S3", "500", True, 6),
    ("copy from S3", "expired", True, 5),
    ("consolidate on S3", "403", True, 4),
    ("copy to S3", "etag", False, 9),
    ("copy from S3", "wrong", True, 6),
    ("copy from S3", "loop", True, 9),
)

LONG = (
    ("gen to S3", "500", True, 12),
    ("consolidate on S3", "403", True, 7),
    ("append on S3", "500", True, 12),
    ("netCDF to S3", "403", True, 2),
    ("references from S3", "500", True, 3),
    ("edit on S3", "503", False, 9),
    ("clean on S3", "500", True, 1),
    ("check --fix on S3", "reset", False, 12),
    ("netCDF from S3", "slow", True, 2),
    ("references to S3", "expired", True, 3),
    ("copy from S3", "trickle", True, 9),
)


FEWER = (
    ("copy to S3", "reset", False, 11),
    ("copy from S3", "wrong", True, 12),
)

CASES = [*FEWER, *(pytest.param(*case, marks=pytest.mark.long) for case in (*SAMPLE, *LONG))]


@pytest.mark.parametrize(("name", "fault", "lasts", "step"), CASES, ids=str)
def test_nothing_is_lost_and_nothing_is_left(tmp_path, name, fault, lasts, step):
    library = LIBRARIES[step % 2]
    with s3_server(tmp_path, library) as served:
        case = server_cases(served, tmp_path)[name]
        tried, wrong = run_server(case, served, tmp_path, fault, lasts=lasts, step=step)
    assert tried >= 2
    assert wrong == {}
