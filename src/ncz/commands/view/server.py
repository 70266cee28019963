"""The server of the view command: one page, and the answers to what it asks, with tornado.

The page is the same for every dataset. Its script asks for names and values, and writes them as
text; the policy of the page forbids markup that is made of text, and everything from elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tornado.web import HTTPError

from ncz.commands.serve.access import Access, access_for
from ncz.commands.serve.command import Serving, address_of, started
from ncz.commands.serve.site import GuardedHandler, Site, SourceGuard
from ncz.commands.sources import SourceCheck, open_any, threads_for
from ncz.commands.view.answer import Answer
from ncz.commands.view.command import ViewOptions, given_range
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.page_files import markup, script, style
from ncz.commands.view.request import Request, RequestError, StaleRequest, parse_request
from ncz.errors import Callbacks, NczError, Notice, Notify, ignore_notice
from ncz.late import numpy as np
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FILES = {
    "": (markup, "text/html; charset=utf-8"),
    "page.js": (script, "text/javascript; charset=utf-8"),
    "page.css": (style, "text/css; charset=utf-8"),
}
"""The files of the page by their path, and their types."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
    " frame-ancestors 'none'; base-uri 'none'; form-action 'none';"
    " require-trusted-types-for 'script'; trusted-types 'none'"
)

_REQUESTS = 6
"""Requests that are answered at the same time: those that a browser sends to one server."""

_MEMORY = 256 << 20
"""Bytes of chunks that are decoded at the same time, and of answers that wait to be sent."""

Question = Callable[[Request, Callable[[], bool]], Answer]


class ViewSite(Site):
    """The contents of the page: a dataset.

    Parameters
    ----------
    explorer
        The dataset, and the answers to questions.
    options
        What to show first.
    requests
        The number of requests that are answered at the same time.
    check
        Raises `NczError` if the dataset has changed.
    """

    def __init__(
        self,
        explorer: Explorer,
        options: ViewOptions,
        access: Access,
        *,
        requests: int,
        check: Callable[[], None],
        report: Callable[[NczError], None],
    ) -> None:
        super().__init__(access, _ViewHandler, threads=requests, memory=_MEMORY // 2, report=report)
        self.files = {path: (read().encode(), kind) for path, (read, kind) in _FILES.items()}
        self.guard = SourceGuard(check)
        self.explorer = explorer
        self._options = options
        self.questions: Mapping[str, Question] = {
            "dataset": lambda request, _: self._overview(),
            "variable": lambda request, _: explorer.descriptions.description(request, options.axes),
            "header": lambda request, _: explorer.descriptions.header(request),
            "storage": lambda request, _: explorer.descriptions.storage(request),
            "series": explorer.series,
            "table": explorer.table,
            "statistics": explorer.descriptions.statistics,
        }

    def _overview(self) -> Answer:
        options = self._options
        low, high = given_range(options)
        return {
            **self.explorer.descriptions.overview(options.variable),
            "colormap": options.colormap or "dusk",
            "range": options.range,
            "low": low,
            "high": high,
            "stride": options.stride or 1,
        }


class _ViewHandler(GuardedHandler):
    """Answers a request for a file of the page, or a question of its script."""

    site: ViewSite

    def prepare(self) -> None:
        """Refuse requests of others, and remember whether the client waits."""
        super().prepare()
        self._gone = threading.Event()
        self.set_header("Content-Security-Policy", _POLICY)
        self.set_header("Cross-Origin-Opener-Policy", "same-origin")
        self.set_header("Cache-Control", "no-store")

    def on_connection_close(self) -> None:
        """Let the reading for a client end that has gone, or no longer wants the answer."""
        self._gone.set()

    async def answer(self, path: str) -> None:
        """Send a file, or the answer to a question."""
        site = self.site
        if path in site.files:
            content, kind = site.files[path]
            self.set_header("Content-Type", kind)
            self.write(content)
            return
        if path != "picture" and path not in site.questions:
            raise HTTPError(404, "nothing is here")
        try:
            request = parse_request(self.get_query_argument("q", "{}"))
            await self.wait_for_room()
            await site.run(site.guard)
            if path == "picture":
                body = await site.run(
                    lambda: _packed(*site.explorer.picture(request, self._gone.is_set))
                )
                self.set_header("Content-Type", "application/octet-stream")
            else:
                question = site.questions[path]
                answer = await site.run(lambda: question(request, self._gone.is_set))
                body = json.dumps(answer).encode()
                self.set_header("Content-Type", "application/json")
        except RequestError as error:
            raise HTTPError(400, str(error)) from None
        except StaleRequest:
            return
        except NczError as error:
            site.guard.note(error)
            self.fail(error)
        await self.send(body)


def _packed(answer: Answer, values: NDArray[np.float64] | None) -> bytes:
    """Return an answer and values: the length of the JSON text, the text, and the numbers.

    The numbers begin at a multiple of 8 bytes. They are of single precision if that is exact.
    """
    data = b""
    if values is not None:
        with np.errstate(all="ignore"):
            single = values.astype("<f4")
        is_exact = np.array_equal(single.astype("f8"), values, equal_nan=True)
        data = np.ascontiguousarray(single if is_exact else values.astype("<f8")).tobytes()
        answer = {**answer, "shape": list(values.shape), "size": 4 if is_exact else 8}
    text = json.dumps(answer).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + data


@contextlib.contextmanager
def viewing(
    options: ViewOptions,
    *,
    host: str | None = None,
    port: int = 0,
    notify: Notify = ignore_notice,
) -> Iterator[Serving]:
    """Show a dataset on a page until the context ends. Its address has a random token.

    Raises
    ------
    NczError
        If the dataset cannot be opened, or the address cannot be used.
    OptionError
        If the dataset has no variable that `options` name, or their range is not valid.
    """
    given_range(options)
    access = access_for(host, has_token=True)

    def report(error: NczError) -> None:
        notify(Notice("data-unreadable", error.message, error.location, error.hint))

    check = SourceCheck()
    with open_any(
        options.source,
        Callbacks(notify),
        subset=options.subset,
        keep_going=options.keep_going,
        check=check,
    ) as dataset:
        check.refuse_newer()
        source: Any = options.source
        is_stored = isinstance(source, Location)
        is_remote = is_stored and source.kind == "remote"
        # Only data of stores can be read in several threads.
        threads = threads_for(source) if is_stored else 1
        requests = _REQUESTS if is_stored else 1
        with ThreadPool(_MEMORY, threads) as pool:
            explorer = Explorer(dataset, pool, limit=options.memory, is_remote=is_remote)
            explorer.descriptions.overview(options.variable)
            site = ViewSite(
                explorer, options, access, requests=requests, check=check, report=report
            )
            with started(site, host, port) as server:
                yield Serving(address=address_of(server, access), addresses={}, server=server)
