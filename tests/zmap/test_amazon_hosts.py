"""Amazon's hosts: each form that its documents have is parsed, or refused with the reason."""

from __future__ import annotations

import builtins

import pytest

from ncz.errors import UrlError
from ncz.zmap import amazon_hosts as amazon
from ncz.zmap.location import parse_location
from ncz.zmap.remote.credentials import find_settings

WEST = "us-west-2.amazonaws.com"
CHINA = "cn-north-1.amazonaws.com.cn"
GOV = "us-gov-west-1.amazonaws.com"
VPCE = "vpce-1a2b3c4d-5e6f.s3.us-east-1.vpce.amazonaws.com"
AP = "ap-123456789012"

PARSED = [  # URL, endpoint, bucket, region, path style
    (f"s3.{WEST}/b/k", f"s3.{WEST}", "b", "us-west-2", True),
    (f"b.s3.{WEST}/k", f"s3.{WEST}", "b", "us-west-2", True),
    (f"my.b.s3.{WEST}/k", f"s3.{WEST}", "my.b", "us-west-2", True),
    ("s3.amazonaws.com/b/k", "s3.us-east-1.amazonaws.com", "b", "us-east-1", True),
    ("b.s3.amazonaws.com/k", "s3.us-east-1.amazonaws.com", "b", "us-east-1", True),
    (f"s3-{WEST}/b/k", f"s3.{WEST}", "b", "us-west-2", True),
    (f"b.s3-{WEST}/k", f"s3.{WEST}", "b", "us-west-2", True),
    ("s3-external-1.amazonaws.com/b/k", "s3.us-east-1.amazonaws.com", "b", "us-east-1", True),
    (f"s3.dualstack.{WEST}/b/k", f"s3.dualstack.{WEST}", "b", "us-west-2", True),
    (f"b.s3.dualstack.{WEST}/k", f"s3.dualstack.{WEST}", "b", "us-west-2", True),
    (f"s3-fips.{WEST}/b/k", f"s3-fips.{WEST}", "b", "us-west-2", True),
    (f"b.s3-fips.dualstack.{WEST}/k", f"s3-fips.dualstack.{WEST}", "b", "us-west-2", True),
    ("b.s3-accelerate.amazonaws.com/k", "s3-accelerate.amazonaws.com", "b", "us-east-1", False),
    (
        "b.s3-accelerate.dualstack.amazonaws.com/k",
        "s3-accelerate.dualstack.amazonaws.com",
        "b",
        "us-east-1",
        False,
    ),
    (f"{AP}.s3-accesspoint.{WEST}/k", f"s3-accesspoint.{WEST}", AP, "us-west-2", False),
    (
        f"{AP}.s3-accesspoint-fips.dualstack.{WEST}/k",
        f"s3-accesspoint-fips.dualstack.{WEST}",
        AP,
        "us-west-2",
        False,
    ),
    (f"bucket.{VPCE}/b/k", f"bucket.{VPCE}", "b", "us-east-1", True),
    (f"b.bucket.{VPCE}/k", f"bucket.{VPCE}", "b", "us-east-1", True),
    (f"{AP}.accesspoint.{VPCE}/k", f"accesspoint.{VPCE}", AP, "us-east-1", False),
    (f"b.s3.{CHINA}/k", f"s3.{CHINA}", "b", "cn-north-1", True),
    (f"s3.dualstack.{CHINA}/b/k", f"s3.dualstack.{CHINA}", "b", "cn-north-1", True),
    (f"s3.{GOV}/b/k", f"s3.{GOV}", "b", "us-gov-west-1", True),
    (f"s3-{GOV}/b/k", f"s3.{GOV}", "b", "us-gov-west-1", True),
    (f"s3-fips.{GOV}/b/k", f"s3-fips.{GOV}", "b", "us-gov-west-1", True),
    (f"s3-fips-{GOV}/b/k", f"s3-fips.{GOV}", "b", "us-gov-west-1", True),
    ("b.s3.us-iso-east-1.c2s.ic.gov/k", "s3.us-iso-east-1.c2s.ic.gov", "b", "us-iso-east-1", True),
    (
        "s3.eusc-de-east-1.amazonaws.eu/b/k",
        "s3.eusc-de-east-1.amazonaws.eu",
        "b",
        "eusc-de-east-1",
        True,
    ),
]


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("protocol", ["https", "s3"])
@pytest.mark.parametrize(("text", "endpoint", "bucket", "region", "path_style"), PARSED)
def test_a_form_that_is_parsed(protocol, text, endpoint, bucket, region, path_style):
    location = parse_location(f"{protocol}://{text}")
    assert location.path == f"https://{endpoint}/{bucket}/k"
    found = find_settings(location, {"HOME": "/none"})
    assert found.endpoint == f"https://{endpoint}"
    assert (found.bucket, found.prefix) == (bucket, "k")
    assert (found.region, found.path_style) == (region, path_style)
    assert parse_location(location.exact) == location


@pytest.mark.parametrize(
    ("host", "says"),
    [
        ("b.s3-website-us-east-1.amazonaws.com", "a website endpoint serves pages, not the S3 API"),
        ("b.s3-website.eu-central-1.amazonaws.com", "a website endpoint serves pages"),
        ("123456789012.s3-control.us-east-1.amazonaws.com", "manages buckets and has no objects"),
        (f"control.{VPCE}", "manages buckets and has no objects"),
        ("ap-1.s3-object-lambda.us-east-1.amazonaws.com", "S3 Object Lambda is not supported"),
        ("ap-1.op-01.s3-outposts.us-east-1.amazonaws.com", "S3 on Outposts is not supported"),
        ("b--use1-az4--x-s3.s3express-use1-az4.us-east-1.amazonaws.com", "directory buckets"),
        ("s3express-control.us-east-1.amazonaws.com", "directory buckets"),
        ("mfzwi23gnjvgw.mrap.accesspoint.s3-global.amazonaws.com", "multi-Region access points"),
        ("s3.uswest-1.amazonaws.com", "amazonaws.com has no region 'uswest-1'; check the host"),
        ("s3.cn-north-1.amazonaws.com", "amazonaws.com has no region 'cn-north-1'"),
        ("b.s3.us-east-1.amazonaws.com.cn", "amazonaws.com.cn has no region 'us-east-1'"),
        ("b.s3.amazonaws.com.cn", "amazonaws.com.cn has no region 'us-east-1'; check"),
        ("s3.some.thing.us-east-1.amazonaws.com", "not a known endpoint of Amazon S3"),
    ],
)
def test_a_form_that_is_refused(host, says):
    with pytest.raises(UrlError, match=says):
        parse_location(f"https://{host}/b/k")


@pytest.mark.parametrize(
    "url",
    [
        "http://ec2-1-2-3-4.compute-1.amazonaws.com/x.zarr",
        "https://abc.execute-api.us-east-1.amazonaws.com/x.zarr",
        "https://s3.example.org/x.zarr",
        "https://notamazonaws.com/s3.us-east-1",
    ],
)
def test_other_hosts_are_web_servers(url):
    assert parse_location(url).modes == frozenset()


def test_the_region_decides_the_domain():
    assert amazon.amazon_name("eu-west-1") == "s3.eu-west-1.amazonaws.com"
    assert amazon.amazon_name("cn-north-1") == f"s3.{CHINA}"
    assert amazon.amazon_name("us-gov-west-1") == f"s3.{GOV}"
    assert amazon.amazon_name("nowhere") == "s3.nowhere.amazonaws.com"
    assert parse_location("s3://b/k#aws.region=cn-north-1").path == f"https://s3.{CHINA}/b/k"


def test_every_endpoint_that_botocore_knows_is_parsed():
    loaders = pytest.importorskip("botocore.loaders", reason="botocore is not installed")
    hosts: set[str] = set()
    for partition in loaders.Loader().load_data("endpoints")["partitions"]:
        for endpoint in partition["services"].get("s3", {}).get("endpoints", {}).values():
            entries = [endpoint, *endpoint.get("variants", ())]
            hosts.update(entry["hostname"] for entry in entries if "hostname" in entry)
    assert len(hosts) > 50
    for host in sorted(hosts):
        assert parse_location(f"https://{host}/b/k").modes == {"s3"}, host


def test_the_table_is_read_for_amazons_hosts_only(monkeypatch):
    def refuse(*arguments):
        raise AssertionError("the table was read")

    monkeypatch.setattr(amazon, "_partitions", refuse)
    for text in ("x.zarr", "file:///x", "https://example.org/s3.x", "s3://bucket/k", "memory://x"):
        parse_location(text)


def test_botocore_is_not_imported(monkeypatch):
    amazon._partitions.cache_clear()
    importing = builtins.__import__

    def without_botocore(name, *arguments, **named):
        assert not name.startswith("botocore")
        return importing(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without_botocore)
    assert parse_location(f"https://b.s3.{CHINA}/k").modes == {"s3"}


def test_the_common_hosts_are_known_without_botocore(monkeypatch):
    amazon._partitions.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    try:
        for host in (f"s3.{WEST}", f"s3.{CHINA}", f"s3.{GOV}"):
            assert parse_location(f"https://{host}/b/k").path == f"https://{host}/b/k"
    finally:
        amazon._partitions.cache_clear()
