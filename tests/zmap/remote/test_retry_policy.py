"""The number and the time of retries."""

from __future__ import annotations

import pytest

from ncz.zmap.remote.retry_policy import TIMEOUT, RetryPolicy

pytest.importorskip("s3fs", reason="s3fs is not installed")


def test_two_attempts_fit_into_the_timeout():
    for policy in (RetryPolicy(), RetryPolicy.within(1), RetryPolicy.within(1000)):
        wait = policy.first_wait if policy.timeout > 10 else 0
        assert 2 * (policy.connect + policy.read) + wait <= policy.timeout
    assert RetryPolicy().timeout == TIMEOUT == 60
