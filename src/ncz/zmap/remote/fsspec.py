"""The files of every file system that fsspec supports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from ncz.errors import ZmapError
from ncz.zmap.key import clamp
from ncz.zmap.location import Location
from ncz.zmap.remote.credentials import find_settings
from ncz.zmap.remote.fsspec_redirects import only_redirects_to
from ncz.zmap.remote.library_errors import own_error
from ncz.zmap.remote.object_store import ListingPage, ObjectStore
from ncz.zmap.remote.request_errors import is_denied, missing_package_error, unreachable
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3fs import filesystem_options
from ncz.zmap.remote.versions import Version, Versions, all_seconds

_T = TypeVar("_T")

_TAGS = ("ETag", "etag", "e_tag", "md5Hash", "generation")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "modified")
"""The names that file systems of fsspec give to an identifier of the content, and to the time."""

_ABSENT_FILES = (FileNotFoundError, IsADirectoryError, NotADirectoryError)
_WEB = ("http", "https")


def connect(
    location: Location, retry_policy: RetryPolicy, check_redirect: Callable[[str], None]
) -> tuple[ObjectStore, str]:
    """Connect to a file system, or a chain of them such as ``simplecache::s3://bucket/key``.

    See `ncz.zmap.kinds.TRANSPORTS`.
    """
    url = location.path.removeprefix("fsspec+") + (f"?{location.query}" if location.query else "")
    options: dict[str, object] = {
        key.removeprefix("fsspec."): {"true": True, "false": False}.get(value.lower(), value)
        for key, value in location.options.items()
        if key.startswith("fsspec.")
    }
    is_chain = bool(location.caches) or "::" in url
    if location.is_s3:
        settings = find_settings(location)
        url = f"s3://{settings.bucket}/{settings.prefix}"
        options = {"s3": filesystem_options(settings, retry_policy)}
    for protocol in _WEB:
        if is_chain and f"{protocol}://" in url:
            options[protocol] = only_redirects_to(check_redirect)
        elif url.startswith(f"{protocol}://"):
            options |= only_redirects_to(check_redirect)
    chain = "::".join((*location.caches, url))
    files = FilesystemObjects(chain, options, retry_policy, location.address)
    return files, files.root


class FilesystemObjects(ObjectStore):
    """The files of a file system of fsspec; `root` is the path of the store on it.

    Parameters
    ----------
    url
        The URL, or a chain of URLs, as fsspec takes it.
    options
        The options of the file system, which may be secrets.
    retry_policy
        Timeouts, for messages.
    display
        The URL as messages show it.
    """

    def __init__(
        self, url: str, options: Mapping[str, Any], retry_policy: RetryPolicy, display: str
    ) -> None:
        self._url = display
        self.versions = Versions()
        self.retry_policy = retry_policy
        self._threads = ThreadPoolExecutor(retry_policy.parallel, "ncz-fsspec")
        self._secrets = _secrets(url, options)
        protocol = url.partition("://")[0]
        try:
            import fsspec
        except ImportError as error:
            raise missing_package_error("fsspec", display) from error
        try:
            self._fs, root = self._within(
                lambda: fsspec.core.url_to_fs(
                    url, skip_instance_cache=True, use_listings_cache=False, **options
                )
            )
        except ImportError as error:
            raise missing_package_error(_package(protocol, error), display) from error
        except Exception as error:
            raise self.storage_error(error, display, "connect") from error
        self.root = str(root).rstrip("/")

    def _within(self, call: Callable[..., _T], *arguments: object, **named: object) -> _T:
        """Make a whole request within the timeout, because fsspec does not report its progress.

        Raises `TimeoutError`, and leaves the thread to itself.
        """
        request = self._threads.submit(call, *arguments, **named)
        try:
            return request.result(self.retry_policy.timeout)
        except FileNotFoundError as error:
            if isinstance(error.__cause__, ZmapError):  # a redirect that is not permitted
                raise error.__cause__ from None
            raise
        except Exception as error:
            known = own_error(error)
            if known is error:
                raise
            raise known from error

    def address(self, path: str) -> str:
        """Return the URL of a file as fsspec takes it; see `ObjectStore.address`."""
        return str(self._fs.unstrip_protocol(path))

    def get(self, path: str, limit: int) -> bytes | None:
        """Read a whole object; see `ObjectStore.get`. fsspec has no limit."""
        try:
            value: bytes = self._within(self._fs.cat_file, path)
        except _ABSENT_FILES:
            return None
        except KeyError as error:
            if error.args == (path,):  # tar files in fsspec 2024.6
                return None
            raise
        return value

    def get_range(self, path: str, start: int, count: int) -> bytes | None:
        """Read a part of an object, after its size: file systems differ for ranges past the end."""
        version = self.version(path)
        if version is None:
            return None
        self.versions.require(path, version)
        first, count = clamp(version.size or 0, start, count)
        if count == 0:
            return b""
        try:
            value: bytes = self._within(self._fs.cat_file, path, start=first, end=first + count)
        except _ABSENT_FILES:
            return None
        return value

    def version(self, path: str) -> Version | None:
        """Return the version of an object; None if it does not exist."""
        try:
            found = self._within(self._fs.info, path)
        except _ABSENT_FILES:
            return None
        if found.get("type") == "directory":
            return None
        tags = (str(found[name]) for name in _TAGS if found.get(name))
        times = (str(found[name]) for name in _TIMES if found.get(name))
        return Version(next(tags, None), next(times, None), int(found["size"]))

    def page(self, folder: str, *, deep: bool, token: str | None, most: int) -> ListingPage:
        """List all objects in one call, because fsspec has no pages."""
        path = folder.rstrip("/")
        self._fs.invalidate_cache()
        try:
            if deep:
                found = self._within(self._fs.find, path, detail=True)
                entries = list(found.values())
            else:
                entries = self._within(self._fs.ls, path, detail=True)
        except _ABSENT_FILES:
            return ListingPage([])
        inside = path + "/"
        objects, folders, times = [], [], []
        for entry in entries:
            name = str(entry["name"]).rstrip("/")
            if not name.startswith("/") and inside.startswith("/"):
                name = "/" + name
            if not name.startswith(inside):
                continue  # the listing of a file contains the file
            if name.endswith(("/.", "/..")):
                continue  # some servers list a folder itself and its parent
            if entry.get("type") == "directory":
                folders.append(name + "/")
            else:
                objects.append(name)
                times.append(next((entry[name] for name in _TIMES if name in entry), None))
        return ListingPage(objects, folders, modified=all_seconds(times))

    def put(self, path: str, value: bytes) -> None:
        """Create or replace a file."""
        self.versions.forget(path)
        try:
            self._within(self._fs.pipe_file, path, value)
        except FileNotFoundError:  # a file system with real folders
            self._within(self._fs.makedirs, path.rpartition("/")[0], exist_ok=True)
            self._within(self._fs.pipe_file, path, value)

    def put_new(self, path: str, value: bytes) -> bool:
        """Create a file; see `ObjectStore.put_new`. Few file systems can."""
        try:
            self._within(self._fs.pipe_file, path, value, mode="create")
        except FileExistsError:
            return False
        except (TypeError, ValueError, NotImplementedError, FileNotFoundError):
            self.put(path, value)
        self.versions.forget(path)
        return True

    def delete(self, paths: Sequence[str]) -> None:
        """Delete files; missing ones are ignored."""
        for path in paths:
            try:
                self._within(self._fs.rm_file, path)
            except FileNotFoundError:
                continue

    def storage_error(self, error: Exception, location: str, action: str) -> ZmapError:
        """Return the error for an error of the file system; see `ObjectStore.storage_error`."""
        protocol = self._url.partition("://")[0]
        if isinstance(error, NotImplementedError):
            return ZmapError(f"cannot {action}: {protocol}: does not support it", location)
        if is_denied(error):
            return ZmapError(
                f"cannot {action}: permission was denied", location,
                f"check the credentials that fsspec finds for {protocol}:",
            )  # fmt: skip
        found = unreachable(error, location, action, f"the {protocol}: server", self.retry_policy)
        if any(secret in found.message for secret in self._secrets):  # the text is fsspec's
            return ZmapError(f"cannot {action}: {type(error).__name__}", location, found.hint)
        return found

    def close(self) -> None:
        """Stop the threads; fsspec closes its connections itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _secrets(url: str, options: Mapping[str, Any]) -> set[str]:
    """Return the secrets of messages: the values of options, and the query of a URL."""
    values = [url.partition("?")[2]]
    pending: list[Any] = list(options.values())
    while pending:
        value = pending.pop()
        if isinstance(value, Mapping):
            pending += value.values()
        elif isinstance(value, str):
            values.append(value)
    return {value for value in values if value}


def _package(protocol: str, error: ImportError) -> str:
    """Return the name of the PyPI package with the file system of a protocol."""
    from fsspec.registry import known_implementations

    named = str(known_implementations.get(protocol, {}).get("class", "")).partition(".")[0]
    if named and named != "fsspec":
        return named
    missing = error.__cause__ or error.__context__ or error
    return str(getattr(missing, "name", None) or getattr(error, "name", None) or protocol)
