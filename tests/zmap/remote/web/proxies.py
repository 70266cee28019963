"""A proxy that leads to other servers, for http and for TLS."""

from __future__ import annotations

import selectors
import socket

from tests.servers.threads import Handler


class ProxyHandler(Handler):
    """Answers requests for any server itself, and makes tunnels to servers on this machine."""

    def do_CONNECT(self) -> None:
        """Pass bytes on in both directions until one side has no more."""
        if self._fails():
            return
        with socket.create_connection(("127.0.0.1", int(self.path.rpartition(":")[2])), 20) as far:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(far, selectors.EVENT_READ, self.connection)
                selector.register(self.connection, selectors.EVENT_READ, far)
                while ready := selector.select(20):
                    for key, _ in ready:
                        received = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                        if not received:
                            self.close_connection = True
                            return
                        key.data.sendall(received)
