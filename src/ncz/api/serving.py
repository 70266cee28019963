"""Serve datasets to other programs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Literal

from ncz.api.selections import fields_from
from ncz.commands.arguments import several, source_of
from ncz.commands.functions import Words, speaks_python, warn
from ncz.errors import Notify
from ncz.zmap.location import Path

if TYPE_CHECKING:
    from ncz.commands.serve.command import Serving


class Server:
    """A server that runs in threads of this process until it is closed, or its context ends.

    Attributes
    ----------
    address
        The address of the page that lists the datasets.
    addresses
        The address of each dataset, by name.
    """

    def __init__(self, serving: Serving, stack: ExitStack) -> None:
        self.address = serving.address
        self.addresses: Mapping[str, str] = dict(serving.addresses)
        self._serving = serving
        self._stack = stack

    def wait(self) -> None:
        """Wait until the server is closed, or the program is interrupted."""
        self._serving.wait()

    def close(self) -> None:
        """End the server, and close the datasets."""
        self._stack.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ncz.Server {self.address}>"


@speaks_python
def serve(
    sources: Path | Collection[Path],
    *,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    zarr_format: Literal[2, 3] | None = None,
    port: int = 0,
    host: str | None = None,
    token: bool = False,
    allow_origin: Words = (),
    allow_loss: bool = False,
    keep_going: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    notify: Notify = warn,
) -> Server:
    """Serve datasets as pure Zarr stores over HTTP.

    Parameters
    ----------
    sources
        A path or a URL of a dataset, or several.
    isel
        The part to use, by indices of dimensions; see `Dataset.isel`.
    sel
        The part to use, by values of coordinates; see `Dataset.sel`.
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars
        Names or globs of the variables to use, with all that they refer to, such as coordinates,
        bounds and grid mappings.
    exclude
        Names or globs of the variables to leave out, unless others refer to them.
    zarr_format
        The version of Zarr; by default that of the dataset, or 2.
    port
        The port to listen at; 0 is any that is free.
    host
        An address to listen at, so that other machines can read. The addresses of datasets then
        have a token. By default the loopback address.
    token
        Whether addresses have a random token at the loopback address too.
    allow_origin
        Sites whose scripts may read, such as "https://example.org".
    allow_loss
        Whether to serve a dataset that pure Zarr cannot hold completely.
    keep_going
        Whether to skip pieces of an aggregation that cannot be read.
    memory
        Memory limit for data in bytes; by default a quarter of what is free, between 256 MiB and 4
        GiB.
    threads
        Number of threads; by default one per core.
    notify
        Receives notices, also while the server runs; then it is called in another thread.

    Returns
    -------
    Server
        The server, which is also a context manager.

    Raises
    ------
    NczError
        If a dataset cannot be opened, or the address cannot be used.

    Examples
    --------
    >>> with ncz.serve("weather.zarr") as server:
    ...     ncz.diff("weather.zarr", server.addresses["weather"], data_only=True)
    []
    """
    from ncz.commands.serve.command import ServeOptions, serving

    places = several(sources)
    options = ServeOptions(
        sources=tuple(source_of(source) for source in places),
        **fields_from(ServeOptions, locals()),
    )
    stack = ExitStack()
    return Server(stack.enter_context(serving(options, notify)), stack)
