"""``PYTHON first_picture.py STORE``: start `ncz view`, and request the first picture like its page.

It prints the seconds since the server ran.
"""

from __future__ import annotations

import http.client
import json
import struct
import sys
import time
from typing import Any
from urllib.parse import quote, urlsplit

from ncz.commands.view.server import run_page_server
from ncz.commands.view.view_options import ViewOptions
from ncz.zmap.location import location_of


def main() -> None:
    """Print the time, once all values of the final picture are there."""
    with run_page_server(ViewOptions(source=location_of(sys.argv[1]))) as server:
        begun = time.perf_counter()
        address = urlsplit(server.address)
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=60)

        def ask(path: str, **asked: Any) -> bytes:
            query = f"?q={quote(json.dumps(asked))}" if asked else ""
            connection.request("GET", f"{address.path}{path}{query}")
            answer = connection.getresponse()
            body = answer.read()
            if answer.status != 200:
                raise RuntimeError(f"{path}: {body.decode(errors='replace')}")
            return body

        for path in ("", "page.css", "page.js"):
            ask(path)
        first = json.loads(ask("dataset"))["first"]
        variable = json.loads(ask("variable", variable=first))
        wanted = {"variable": first, "x": variable["x"], "y": variable["y"], "pixels": [900, 500]}
        for coarse in (True, False):
            body = ask("picture", **wanted, coarse=coarse)
            (length,) = struct.unpack("<I", body[:4])
            found = json.loads(body[4 : 4 + length])
            if found.get("isFinal"):
                break
        if not found.get("shape"):
            raise RuntimeError(f"there is no picture: {found}")
        seconds = time.perf_counter() - begun
        print(f"{seconds:.2f} s, {found['shape'][0]} by {found['shape'][1]} values")  # noqa: T201


if __name__ == "__main__":
    main()
