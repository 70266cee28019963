"""serve: datasets, whatever they are, as pure Zarr stores over HTTP."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.commands.fields import KEEP_GOING, MEMORY, SUBSET, THREADS, choice, integer, option
from ncz.commands.serve.access import LOOPBACK, Access, access_for
from ncz.commands.sources import Source, SourceCheck, name_of, open_any, threads_for
from ncz.errors import Callbacks, LossError, NczError, Notice, Notify, ignore_notice
from ncz.errors import option as named
from ncz.record import record
from ncz.zmap.location import parse_location

if TYPE_CHECKING:
    from ncz.commands.serve.served_store import ServedStore
    from ncz.commands.serve.server import RunningServer
    from ncz.commands.serve.site import Site
    from ncz.model.selection import Selection
    from ncz.model.tree import Dataset
    from ncz.transfer.planned import PlannedZmap

_LEAST_THREADS = 4


@record(kw_only=True)
class ServeOptions:
    """What to serve, and where.

    `sources` are locations, or CDL text: streams, or paths of files.
    """

    sources: tuple[Source, ...]
    subset: Selection | None = SUBSET
    zarr_format: int | None = option(
        "--zarr-format",
        default=None,
        metavar="N",
        values=choice("2", "3"),
        section="Store",
        parse=lambda text, _: int(text),
        common=True,
        help="Zarr version to serve: 2 or 3. The default is that of STORE, or 2.",
        python="The version of Zarr; by default that of the dataset, or 2.",
        type="Literal[2, 3] | None",
    )
    port: int = option(
        "--port",
        default=0,
        metavar="N",
        values=integer(0, 65535),
        section="Server",
        common=True,
        help="Port to listen at. The default is any that is free.",
        python="The port to listen at; 0 is any that is free.",
    )
    host: str | None = option(
        "--host",
        default=None,
        metavar="ADDRESS",
        section="Server",
        common=True,
        help="Listen at this address, so that other machines can read, with a token.",
        python="An address to listen at, so that other machines can read. The addresses of datasets"
        " then have a token. By default the loopback address.",
    )
    has_token: bool = option(
        "--token",
        default=False,
        section="Server",
        common=True,
        help="Have a token in the addresses on this machine, too.",
        python="Whether addresses have a random token at the loopback address too.",
        argument="token",
    )
    allow_origin: tuple[str, ...] = option(
        "--allow-origin",
        default=(),
        metavar="ORIGIN",
        repeats=True,
        section="Server",
        common=True,
        help="Let scripts of a site read, such as https://example.org. Can be repeated.",
        python='Sites whose scripts may read, such as "https://example.org".',
    )
    allow_loss: bool = option(
        "--allow-loss",
        default=False,
        section="Output",
        help="Serve a dataset even if pure Zarr cannot hold everything.",
        python="Whether to serve a dataset that pure Zarr cannot hold completely.",
    )
    keep_going: bool = KEEP_GOING
    memory: int | None = MEMORY
    threads: int | None = THREADS


@record(kw_only=True)
class Serving:
    """A server that runs until its context ends.

    Attributes
    ----------
    address
        The address of the page that lists the datasets, with its token.
    addresses
        The address of each dataset, by name.
    """

    address: str
    addresses: Mapping[str, str]
    server: RunningServer

    def wait(self) -> None:
        """Wait for ever, or until the server is closed."""
        self.server.wait()


@contextlib.contextmanager
def serving(options: ServeOptions, notify: Notify = ignore_notice) -> Iterator[Serving]:
    """Serve datasets until the context ends.

    Raises
    ------
    NczError
        If a dataset cannot be opened, or the address cannot be used.
    LossError
        If pure Zarr cannot hold a dataset, and the options do not allow that.
    """
    access = access_for(options.host, options.allow_origin, has_token=options.has_token)
    require_tornado("serve")
    from ncz.commands.serve.store_site import StoreSite
    from ncz.parallel.memory import default_memory

    memory = options.memory or default_memory()

    def report(error: NczError) -> None:
        notify(Notice("data-unreadable", error.message, error.location, error.hint))

    threads = options.threads or max(_LEAST_THREADS, threads_for(*options.sources))
    with contextlib.ExitStack() as stack:
        stores: dict[str, ServedStore] = {}
        for source in options.sources:
            name, store = stack.enter_context(_opened(source, options, notify))
            stores[_free_name(name, stores)] = store
        site = StoreSite(stores, access, threads=threads, memory=memory // 2, report=report)
        server = stack.enter_context(started(site, options.host, options.port))
        address = address_of(server, access)
        from urllib.parse import quote

        yield Serving(
            address=address,
            addresses={name: address + quote(name) for name in stores},
            server=server,
        )


@contextlib.contextmanager
def started(site: Site, host: str | None, port: int) -> Iterator[RunningServer]:
    """Run a server until the context ends.

    Raises
    ------
    NczError
        If the address cannot be used.
    """
    from ncz.commands.serve.server import RunningServer

    host = host or LOOPBACK
    try:
        server = RunningServer(site, host, port)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise NczError(
            f"cannot listen there: {reason}",
            f"{host}:{port}",
            f"choose another {named('port')}" if port else None,
        ) from error
    with contextlib.closing(server):
        yield server


def planned_store(
    dataset: Dataset, options: ServeOptions, notify: Notify = ignore_notice
) -> PlannedZmap:
    """Return a dataset as the pure Zarr store that a copy would write."""
    from ncz.commands.copy.codec_specs import cloud_codec
    from ncz.commands.copy.reshape import reshaped
    from ncz.commands.copy.reshape_options import Reshape
    from ncz.parallel.memory import default_memory
    from ncz.transfer.planned import PlannedZmap, plan_served

    version = f",v{options.zarr_format}" if options.zarr_format else ""
    location = parse_location(f"memory://served#mode=zarr{version}")
    # As a copy does, large variables of files without chunks are compressed.
    plain_codec = cloud_codec() if dataset.provenance.is_file else None
    dataset = reshaped(dataset, Reshape(plain_codec=plain_codec))
    plan = plan_served(dataset, location, notify)
    if plan.losses and not options.allow_loss:
        losses = "; ".join(str(notice) for notice in plan.losses)
        raise LossError(
            f"pure Zarr cannot hold everything: {losses}",
            dataset.name,
            f"use {named('allow_loss', True)} to serve the rest",
        )
    for notice in plan.losses:
        notify(notice)
    return PlannedZmap(plan, memory=(options.memory or default_memory()) // 2)


@contextlib.contextmanager
def _opened(
    source: Source, options: ServeOptions, notify: Notify
) -> Iterator[tuple[str, ServedStore]]:
    """Open a dataset; yield its name, and it as a store."""
    from ncz.commands.serve.served_store import ServedStore
    from ncz.views.summary import print_summary

    check = SourceCheck()
    with open_any(
        source, Callbacks(notify), subset=options.subset, keep_going=options.keep_going, check=check
    ) as dataset:
        summary = bytearray()
        print_summary(dataset, summary.extend, header_only=True)
        text = summary.decode("utf-8", "replace")
        with contextlib.closing(planned_store(dataset, options, notify)) as zmap:
            check.refuse_newer()
            name = _name_of(dataset.name or name_of(source))
            yield name, ServedStore(zmap=zmap, summary=text, check=check)


def _name_of(name: str) -> str:
    """Return the name of a dataset as the first part of a path."""
    return re.sub(r"[/\\\x00-\x1f\x7f]+|\A\.+\Z", "_", name) or "dataset"


def _free_name(name: str, names: Mapping[str, object]) -> str:
    """Return the name, with a number if another dataset has it."""
    free, number = name, 2
    while free in names:
        free, number = f"{name}-{number}", number + 1
    return free


def address_of(server: RunningServer, access: Access) -> str:
    """Return the address of the first page of a server."""
    host = server.host
    if host in ("0.0.0.0", "::", ""):
        import socket

        host = socket.gethostname()
    if ":" in host:
        host = f"[{host}]"
    token = f"{access.token}/" if access.token else ""
    return f"http://{host}:{server.port}/{token}"


def require_tornado(extra: str) -> None:
    """Raise `NczError` if tornado is not installed, with the extra of ncz that brings it."""
    try:
        import tornado  # noqa: F401
    except ImportError:
        raise NczError(
            "a server needs the package tornado", hint=f"pip install 'ncz[{extra}]'"
        ) from None
