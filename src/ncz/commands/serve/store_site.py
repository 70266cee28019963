"""A site of stores: requests for their objects and pages."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

from tornado.web import HTTPError

from ncz.commands.serve.access import Access
from ncz.commands.serve.pages import front_page, store_page
from ncz.commands.serve.reply import Reply, is_legal, range_of, read_object
from ncz.commands.serve.served_store import ServedStore
from ncz.commands.serve.site import PIECE, GuardedHandler, Site, SourceGuard
from ncz.errors import NczError
from ncz.zmap.key import is_document

if TYPE_CHECKING:
    from ncz.transfer.netcdf_face import NetcdfFace

_T = TypeVar("_T")


class StoreSite(Site):
    """A site of stores by name, which are the first part of their keys' paths."""

    def __init__(
        self,
        stores: Mapping[str, ServedStore],
        access: Access,
        *,
        threads: int,
        memory: int,
        report: Callable[[NczError], None],
    ) -> None:
        super().__init__(access, _StoreHandler, threads=threads, memory=memory, report=report)
        self.stores = dict(stores)
        self.guards = {name: SourceGuard(store.check) for name, store in stores.items()}
        self._salt = secrets.token_bytes(16)

    def etag(self, name: str, key: str) -> str:
        """Return the entity tag of an object, which never changes while the server runs."""
        text = f"{name}/{key}".encode("utf-8", "surrogateescape")
        return f'"{blake2b(text, digest_size=12, key=self._salt).hexdigest()}"'

    def face_etag(self, store: ServedStore) -> str:
        """Return the entity tag of a netCDF file.

        It is the same after the server starts again if the source is known to be unchanged.
        """
        assert store.face is not None
        state = store.state.encode() if store.state is not None else self._salt
        text = store.face.version.encode() + state
        return f'"{blake2b(text, digest_size=12).hexdigest()}"'


class _StoreHandler(GuardedHandler):
    """Answers a request for an object or a page."""

    site: StoreSite

    async def answer(self, path: str) -> None:
        """Send an object, a part of it, or a page."""
        site = self.site
        if not path:
            self._page(front_page(site.stores, self._base()))
            return
        name, slash, key = path.partition("/")
        served = site.stores.get(name.removesuffix(".nc"))
        if served is not None and served.face is not None and name.endswith(".nc") and not slash:
            await self._from_face(name.removesuffix(".nc"), served, served.face)
            return
        if name not in site.stores:  # x.zarr is served as x
            name = name.rpartition(".")[0]
        store = site.stores.get(name)
        if store is None:
            raise HTTPError(404, "nothing is here")
        try:
            await self._from_store(name, store, key, is_page=not slash)
        except NczError as error:
            site.guards[name].note(error)
            self.fail(error)

    async def _from_store(self, name: str, store: ServedStore, key: str, is_page: bool) -> None:
        zmap, site = store.zmap, self.site
        self.set_header("Etag", site.etag(name, key))
        await site.run(site.guards[name])
        if is_page or key.endswith("/") or not key:
            key = key.rstrip("/")
            names = zmap.nodes(key) if is_legal(key) else []
            if not names:
                raise HTTPError(404, "nothing is here")
            self._page(store_page(name, store, key, names))
            return
        if not is_legal(key):
            raise HTTPError(404, "nothing is here")
        await self.wait_for_room()
        wanted = range_of(self.request.headers, site.etag(name, key))
        is_head = self.request.method == "HEAD"
        reply = await site.run(lambda: read_object(zmap, key, wanted, is_head or self._is_known()))
        if reply is None:
            self.clear_header("Etag")
            raise HTTPError(404, "no such object")
        self.set_header("Accept-Ranges", "bytes")
        is_json = is_document(key)
        self.set_header(
            "Content-Type", "application/json" if is_json else "application/octet-stream"
        )
        if self._is_known():
            self.set_status(304)
            return
        if reply.part is not None:
            self.set_header("Content-Range", reply.content_range)
            self.set_status(206 if reply.part else 416)
        self.set_header("Content-Length", str(reply.length))
        if not is_head:
            await self.send(reply.data)

    async def _from_face(self, name: str, store: ServedStore, face: NetcdfFace) -> None:
        """Send a netCDF file or a part of it, a piece at a time."""
        site, headers = self.site, self.request.headers
        etag = site.face_etag(store)
        if headers.get("If-Match", etag) not in (etag, "*"):
            raise HTTPError(412, "the file has changed")
        await self._guard_read(name, site.guards[name])
        self.set_header("Etag", etag)
        self.set_header("Accept-Ranges", "bytes")
        self.set_header("Content-Type", "application/x-netcdf")
        if self._is_known():
            self.set_status(304)
            return
        wanted = range_of(headers, etag)
        reply = Reply(size=face.size, part=None if wanted is None else wanted(face.size))
        part = range(face.size) if reply.part is None else reply.part
        if reply.part is not None:
            self.set_header("Content-Range", reply.content_range)
            self.set_status(206 if part else 416)
        self.set_header("Content-Length", str(len(part)))
        if self.request.method == "HEAD":
            return
        for start in range(part.start, part.stop, PIECE):
            await self.wait_for_room()
            count = min(PIECE, part.stop - start)

            def read(start: int = start, count: int = count) -> bytes:
                site.guards[name]()
                return face.read(start, count)

            await self.send(await self._guard_read(name, read, is_begun=start > part.start))

    async def _guard_read(self, name: str, read: Callable[[], _T], *, is_begun: bool = False) -> _T:
        """Return the result of a read; refuse the request if the source has changed.

        The connection ends if a part of the answer was sent, so that the client knows that it is
        not whole.
        """
        site = self.site
        try:
            return await site.run(read)
        except NczError as error:
            site.guards[name].note(error)
            if is_begun:
                site.report(error)
                self.close_connection()
            if site.guards[name].has_changed:
                site.report(error)
                raise HTTPError(412, "the source has changed since it was opened") from None
            self.fail(error)

    def _is_known(self) -> bool:
        return bool(self.check_etag_header())

    def _base(self) -> str:
        """Return the address of the server, as the client wrote it."""
        token = self.site.access.token
        return f"http://{self.request.host}/" + (f"{token}/" if token else "")

    def _page(self, text: str) -> None:
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none';"
            " base-uri 'none'; form-action 'none'",
        )
        self.clear_header("Etag")
        self.write(text)
