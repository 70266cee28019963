"""The command line of ``ncz serve``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ncz.commands.serve.command import ServeOptions
from tests.conftest import Run


class Server:
    """A server that ends immediately."""

    addresses = {"a": "http://localhost:1/a", "b": "http://localhost:1/b"}  # noqa: RUF012

    def wait(self) -> None:
        raise KeyboardInterrupt


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[ServeOptions]:
    """The options of the servers that were started."""
    options: list[ServeOptions] = []

    @contextmanager
    def run_server(given: ServeOptions, _: Any) -> Iterator[Server]:
        options.append(given)
        yield Server()

    monkeypatch.setattr("ncz.cli.serve.run_server", run_server)
    return options


def test_addresses_are_printed_and_an_interrupt_is_the_end(run: Run, served: list[ServeOptions]):
    ran = run("serve", "a.nc", "b.nc")
    assert ran.text.splitlines() == [*Server.addresses.values()]
    assert ran.code == 130
    assert "the server has ended" in ran.stderr
    (options,) = served
    assert [source.path for source in options.sources] == ["a.nc", "b.nc"]  # type: ignore[union-attr]
    assert (options.port, options.host, options.has_token, options.zarr_format) == (
        0,
        None,
        False,
        None,
    )


def test_options_are_passed_on(run: Run, served: list[ServeOptions]):
    words = "--port 8000 --host 0.0.0.0 --token --zarr-format 3 --netcdf --netcdf-filters zstd,lz4"
    run("serve", *words.split(), "--allow-origin", "https://a", "--allow-origin", "https://b",
        "--isel", "time=0", "--threads", "3", "a.nc")  # fmt: skip
    (options,) = served
    assert (options.port, options.host, options.has_token, options.zarr_format) == (
        8000,
        "0.0.0.0",
        True,
        3,
    )
    assert options.netcdf
    assert options.netcdf_filters == ("zstd", "lz4")
    assert options.allow_origin == ("https://a", "https://b")
    assert options.subset is not None
    assert options.threads == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "99999", "a.nc"], "'99999' is not a whole number from 0 to 65535"),
        (["--port", "x", "a.nc"], "'x' is not a whole number from 0 to 65535"),
        (["--zarr-format", "4", "a.nc"], "'4' is not one of '2', '3'"),
        ([], "Missing argument 'STORE...'"),
    ],
)
def test_wrong_options_start_no_server(run: Run, served, words: list[str], message: str):
    ran = run("serve", *words)
    assert ran.code == 2
    assert message in ran.stderr
    assert not served
