"""URLs that cannot name a store."""

from __future__ import annotations

import pytest

from ncz.zmap.url import fault, host_of, without_user


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://bucket/key", None),
        ("memory://", None),
        ("zip://x", "zip: is not a store by itself"),
        ("s4://bucket/key", "unknown protocol 's4'"),
        ("s3://", "the URL has no host or bucket"),
        ("https://u:p@example.org/x", "a URL cannot contain a password"),
        ("https://[::1/x", "the host of the URL is not valid"),
        ("https://b.s2.us-west-1.amazonaws.com/k", "Amazon has no host s2.us-west-1.amazonaws.com"),
    ],
)
def test_faults_of_urls(address, message):
    found = fault(address.partition(":")[0], address, chained=False)
    assert (found and found[0]) == message


def test_a_url_in_a_message_has_no_secret():
    assert host_of("Example.org:80/x?y") == "example.org:80"
    assert without_user("https://user@example.org/x?token=1#y") == "https://***@example.org/x"
    assert "secret" not in without_user("https://user:secret@example.org/x")
