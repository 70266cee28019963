"""S3 behind TLS with a private certificate, as at many institutes."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.servers.processes import BUCKET, moto_server

pytest.importorskip("s3fs", reason="s3fs is not installed")

WEATHER = ROOT / "cdl_examples/weather.cdl"


@pytest.fixture(scope="module")
def server(certificate):
    with moto_server(*map(str, certificate)) as started:
        yield started


@pytest.fixture
def url(server, monkeypatch):
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return f"{server.endpoint}/{BUCKET}"


def test_a_certificate_of_one_s_own(run, url, certificate, tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate[0]))
    assert run("gen", WEATHER, "-o", f"{url}/a.zarr#mode=s3").code == 0
    assert run("gen", WEATHER, "-o", tmp_path / "a.zarr").code == 0
    assert run("dump", f"{url}/a.zarr#mode=s3").stdout == run("dump", tmp_path / "a.zarr").stdout
    assert run("copy", f"{url}/a.zarr#mode=s3", tmp_path / "b.zip", "--verify").code == 0


def test_a_certificate_that_nobody_knows_is_refused(run, url, monkeypatch):
    monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
    ran = run("dump", f"{url}/a.zarr#mode=s3")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "certificate" in ran.stderr.lower() or "ssl" in ran.stderr.lower(), ran.stderr


NO_S3 = "feature that was not turned on"


def reads_on_s3(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_no_netcdf_c_to_be_had_here_speaks_s3(run, url, certificate, monkeypatch):
    """PyPI's and Debian's are built without it. A library with it would read these data."""
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate[0]))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert run("gen", WEATHER, "-o", f"{url}/n.zarr#mode=s3").code == 0
    place = f"{url}/n.zarr#mode=nczarr,s3"
    found = 0
    if shutil.which("ncdump"):
        found += 1
        assert NO_S3 in reads_on_s3(["ncdump", "-h", place])
    program = f"import netCDF4; netCDF4.Dataset({place!r})"
    if subprocess.run([sys.executable, "-c", "import netCDF4"], check=False).returncode == 0:
        found += 1
        assert NO_S3 in reads_on_s3([sys.executable, "-c", program])
    if not found:
        pytest.skip("no netCDF-C is installed")
