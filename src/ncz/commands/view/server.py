"""The server of the view command: one page, and the answers to its requests, with tornado.

The page is the same for every dataset. Its script requests names and values, and writes them as
text; the policy of the page forbids markup that is made of text, and everything from elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping

from tornado.web import HTTPError

from ncz.commands.serve.access import Access, access_for
from ncz.commands.serve.command import DatasetServer, address_of, start_server
from ncz.commands.serve.site import GuardedHandler, Site, SourceGuard
from ncz.commands.sources import SourceCheck
from ncz.commands.view.answer import Answer
from ncz.commands.view.coast import coast
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.page_dataset import MEMORY, open_explorers, overview
from ncz.commands.view.page_files import markup, script, style
from ncz.commands.view.request import (
    ExplorerName,
    Request,
    RequestError,
    StaleRequest,
    parse_request,
)
from ncz.commands.view.view_options import ViewOptions, given_range
from ncz.errors import NczError, Notice, Notify, ignore_notice
from ncz.zmap.location import Location

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
"""Requests that are answered at the same time: as many as a browser sends to one server."""

Question = Callable[[Explorer, Request, Callable[[], bool]], Answer]


class ViewSite(Site):
    """The contents of the page: a dataset.

    Parameters
    ----------
    explorers
        The dataset, and the answers to questions; of a difference also both datasets.
    options
        What to show first.
    requests
        The number of requests that are answered at the same time.
    check
        Raises `NczError` if the dataset has changed.
    """

    def __init__(
        self,
        explorers: Mapping[ExplorerName, Explorer],
        options: ViewOptions,
        access: Access,
        *,
        requests: int,
        check: Callable[[], None],
        report: Callable[[NczError], None],
    ) -> None:
        super().__init__(access, _ViewHandler, threads=requests, memory=MEMORY // 2, report=report)
        self.files = {path: (read().encode(), kind) for path, (read, kind) in _FILES.items()}
        self.guard = SourceGuard(check)
        self.explorers = explorers
        self.questions: Mapping[str, Question] = {
            "dataset": lambda explorer, *_: overview(explorer, options),
            "variable": lambda explorer, request, _: explorer.descriptions.description(
                request, options.axes
            ),
            "header": lambda explorer, request, _: explorer.descriptions.header(request),
            "storage": lambda explorer, request, _: explorer.descriptions.storage(request),
            "coast": lambda _, request, __: coast(request),
            "series": Explorer.series,
            "table": Explorer.table,
            "statistics": lambda explorer, *asked: explorer.descriptions.statistics(*asked),
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
            explorer, is_gone = site.explorers[request.of], self._gone.is_set
            await site.run(site.guard)
            if path == "picture":
                body = await site.run(lambda: explorer.packed_picture(request, is_gone))
                self.set_header("Content-Type", "application/octet-stream")
            else:
                question = site.questions[path]
                answer = await site.run(lambda: question(explorer, request, is_gone))
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


@contextlib.contextmanager
def run_page_server(
    options: ViewOptions,
    *,
    host: str | None = None,
    port: int = 0,
    notify: Notify = ignore_notice,
) -> Iterator[DatasetServer]:
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
    with open_explorers(options, notify, check) as explorers:
        explorers[""].descriptions.overview(options.variable)
        is_stored = all(isinstance(s, Location | None) for s in (options.source, options.minus))
        requests = _REQUESTS if is_stored else 1
        site = ViewSite(explorers, options, access, requests=requests, check=check, report=report)
        with start_server(site, host, port) as server:
            yield DatasetServer(address=address_of(server, access), addresses={}, server=server)
