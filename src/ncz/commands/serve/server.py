"""A server that answers the requests to a site until it is stopped."""

from __future__ import annotations

import asyncio
import socket
import threading
import weakref
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.web import Application

from ncz.commands.serve.site import IDLE, Site

MOST_CONNECTIONS = 512
"""Connections that are open at the same time; more are closed immediately."""

_LARGEST_HEADER = 16 << 10


class _Server(HTTPServer):
    """An HTTP server with a limit of connections."""

    streams: weakref.WeakSet[IOStream]

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Serve a connection, or close it if there are too many."""
        if sum(not each.closed() for each in self.streams) >= MOST_CONNECTIONS:
            stream.close()
            return
        self.streams.add(stream)
        super().handle_stream(stream, address)


class RunningServer:
    """A server in a separate thread.

    Parameters
    ----------
    site
        The served datasets.
    host, port
        Where to listen; port 0 is any that is free.

    Raises
    ------
    OSError
        If the address or the port cannot be used.
    """

    def __init__(self, site: Site, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)
        self._socket.setblocking(False)
        self.host, self.port = host, self._socket.getsockname()[1]
        self._site = site
        self._loop = asyncio.new_event_loop()
        self._ended = threading.Event()
        started = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(started,), name="ncz-serve-http", daemon=True
        )
        self._thread.start()
        started.wait()

    def wait(self) -> None:
        """Wait until the server ends, which only an interruption or `close` brings about."""
        self._ended.wait()

    def close(self) -> None:
        """End the server; connections are closed."""
        if not self._ended.is_set():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._site.pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, started: threading.Event) -> None:
        try:
            self._loop.run_until_complete(self._serve(started))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()
            self._ended.set()

    async def _serve(self, started: threading.Event) -> None:
        self._stop = asyncio.Event()
        application = Application(
            [(r"/(.*)", self._site.handler, {"site": self._site})], log_function=lambda _: None
        )
        server = _Server(
            application,
            max_header_size=_LARGEST_HEADER,
            max_body_size=0,
            body_timeout=IDLE,
            idle_connection_timeout=IDLE,
        )
        server.streams = weakref.WeakSet()
        server.add_sockets([self._socket])
        started.set()
        await self._stop.wait()
        server.stop()
        for stream in list(server.streams):
            stream.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
