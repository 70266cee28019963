"""serve: datasets of any format, as pure Zarr stores over HTTP."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal

from ncz.commands.arguments import several, source_of
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.option_error import OptionError
from ncz.commands.selected_part import selected_part
from ncz.commands.serve.access import LOOPBACK, Access, access_for
from ncz.commands.sources import Source, SourceCheck, name_of, open_any, threads_for
from ncz.errors import Callbacks, NczError, Notice, Notify, ignore_notice
from ncz.errors import option as named
from ncz.record import record
from ncz.zmap.location import Path

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import SelectionKeywords
    from ncz.commands.serve.served_store import ServedStore
    from ncz.commands.serve.server import RunningServer
    from ncz.commands.serve.site import Site
    from ncz.model.selection import Selection
    from ncz.model.tree import Dataset
    from ncz.transfer.netcdf_face import NetcdfFace
    from ncz.transfer.planned_zmap import PlannedZmap

_LEAST_THREADS = 4


@record(kw_only=True)
class ServeOptions:
    """The datasets to serve, and the address.

    `sources` are locations, or streams of CDL text.
    """

    sources: tuple[Source, ...]
    subset: Selection | None = None
    zarr_format: int | None = None
    netcdf: bool = False
    netcdf_filters: tuple[str, ...] = ()
    port: int = 0
    host: str | None = None
    has_token: bool = False
    allow_origin: tuple[str, ...] = ()
    allow_loss: bool = False
    keep_going: bool = False
    memory: int | None = None
    threads: int | None = None


class Server:
    """A server that runs in threads of this process until it is closed, or its context ends.

    Attributes
    ----------
    address
        The address of the page that lists the datasets.
    addresses
        The address of each dataset, by name. Addresses of netCDF files have names with ".nc".
    """

    def __init__(self, serving: DatasetServer, stack: contextlib.ExitStack) -> None:
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
    zarr_format: Literal[2, 3] | None = None,
    netcdf: bool = False,
    netcdf_filters: Words = (),
    port: int = 0,
    host: str | None = None,
    token: bool = False,
    allow_origin: Words = (),
    allow_loss: bool = False,
    keep_going: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    notify: Listener = warn,
    **selection: Unpack[SelectionKeywords],
) -> Server:
    """Serve datasets as pure Zarr stores over HTTP.

    Parameters
    ----------
    sources
        A path or a URL of a dataset, or several.
    zarr_format
        Zarr version to serve: 2 or 3. The default is the dataset's version, or 2.
    netcdf
        Also serve each dataset as a netCDF-4 file, whose name ends in ".nc".
    netcdf_filters
        Pass on chunks of netCDF files with these HDF5 filters, too: zstd, blosc, bzip2, szip.

        Clients need their plugins. By default, such chunks are decoded.
    port
        Port to listen on. The default is any free port.
    host
        Listen on this address, so that other machines can read, with a token.

        The default is the loopback address.
    token
        Require a token on this machine, too.
    allow_origin
        Let scripts from this site read, such as https://example.org.
    allow_loss
        Serve a dataset even if pure Zarr cannot represent everything.
    keep_going
        Read fill values for pieces of an aggregation that cannot be read.
    memory
        Memory for data in bytes (default: a quarter of free memory, 256MiB to 4GiB).
    threads
        Number of threads (default: one per core).
    notify
        Receives notices, also while the server runs; then it is called in another thread.
    **selection
        The part of each dataset to serve; see `open`.

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
    options = ServeOptions(
        sources=tuple(source_of(source) for source in several(sources)),
        subset=selected_part(selection),
        zarr_format=zarr_format,
        netcdf=netcdf,
        netcdf_filters=words(netcdf_filters),
        port=port,
        host=host,
        has_token=token,
        allow_origin=words(allow_origin),
        allow_loss=allow_loss,
        keep_going=keep_going,
        memory=memory,
        threads=threads,
    )
    stack = contextlib.ExitStack()
    running = stack.enter_context(run_server(options, callbacks_of(notify).notify))
    return Server(running, stack)


@record(kw_only=True)
class DatasetServer:
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
        """Wait until the server is closed."""
        self.server.wait()


@contextlib.contextmanager
def run_server(options: ServeOptions, notify: Notify = ignore_notice) -> Iterator[DatasetServer]:
    """Serve datasets until the context ends.

    Raises
    ------
    NczError
        If a dataset cannot be opened, or the address cannot be used.
    LossError
        If pure Zarr cannot represent a dataset, and the options do not allow that.
    """
    access = access_for(options.host, options.allow_origin, has_token=options.has_token)
    require_tornado("serve")
    if options.netcdf_filters and not options.netcdf:
        raise OptionError(
            f"{named('netcdf_filters')} needs {named('netcdf', True)}",
            None,
            "only netCDF files have HDF5 filters",
        )
    from ncz.commands.serve.passed_filters import numbers_of

    filters = numbers_of(options.netcdf_filters)
    from ncz.commands.serve.store_site import StoreSite
    from ncz.parallel.memory import default_memory

    memory = options.memory or default_memory()

    def report(error: NczError) -> None:
        notify(Notice("data-unreadable", error.message, error.location, error.hint))

    threads = options.threads or max(_LEAST_THREADS, threads_for(*options.sources))
    with contextlib.ExitStack() as stack:
        stores: dict[str, ServedStore] = {}
        for source in options.sources:
            name, store = stack.enter_context(_open(source, options, filters, notify))
            stores[_free_name(name, stores)] = store
        site = StoreSite(stores, access, threads=threads, memory=memory // 2, report=report)
        server = stack.enter_context(start_server(site, options.host, options.port))
        address = address_of(server, access)
        from urllib.parse import quote

        yield DatasetServer(
            address=address,
            addresses={
                served: address + quote(served)
                for name, store in stores.items()
                for served in ((name,) if store.face is None else (name, f"{name}.nc"))
            },
            server=server,
        )


@contextlib.contextmanager
def start_server(site: Site, host: str | None, port: int) -> Iterator[RunningServer]:
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


@contextlib.contextmanager
def _open(
    source: Source, options: ServeOptions, filters: Collection[int], notify: Notify
) -> Iterator[tuple[str, ServedStore]]:
    """Open a dataset; yield its name, and it as a store.

    `filters` are the numbers of the HDF5 filters of chunks that are passed on.
    """
    from ncz.commands.serve.served_store import ServedStore
    from ncz.commands.serve.source_state import state_of
    from ncz.views.summary import print_summary

    check = SourceCheck()
    with open_any(
        source, Callbacks(notify), subset=options.subset, keep_going=options.keep_going, check=check
    ) as dataset:
        summary = bytearray()
        print_summary(dataset, summary.extend, header_only=True)
        text = summary.decode("utf-8", "replace")
        with (
            contextlib.closing(_store_of(dataset, options, notify)) as zmap,
            _face(dataset, options, filters, notify) as face,
        ):
            check.refuse_newer()
            name = _name_of(dataset.name or name_of(source))
            state = None if face is None else state_of(source, dataset)
            yield (
                name,
                ServedStore(zmap=zmap, summary=text, check=check, face=face, state=state),
            )


def _store_of(dataset: Dataset, options: ServeOptions, notify: Notify) -> PlannedZmap:
    from ncz.commands.planned_store import planned_store
    from ncz.parallel.memory import default_memory

    share = 4 if options.netcdf else 2  # chunks of the file have as much
    return planned_store(
        dataset, notify, zarr_format=options.zarr_format, allow_loss=options.allow_loss,
        memory=(options.memory or default_memory()) // share,
    )  # fmt: skip


def _face(
    dataset: Dataset, options: ServeOptions, filters: Collection[int], notify: Notify
) -> AbstractContextManager[NetcdfFace | None]:
    """Return the netCDF file of a dataset, if the options include it."""
    if not options.netcdf:
        return contextlib.nullcontext()
    from ncz.parallel.memory import default_memory
    from ncz.transfer.netcdf_face import netcdf_face

    return netcdf_face(
        dataset,
        notify,
        allow_loss=options.allow_loss,
        memory=(options.memory or default_memory()) // 4,
        filters=filters,
    )


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
