"""Locations: a path or a URL with a ``#fragment`` that describes storage and format.

A URL has the form ``protocol://host:port/path?query#key=value&key=value``. These rules differ from
netcdf-c:

- A plain path is a location. It may contain ``#``, ``%`` and ``:``. If the whole text exists as a
  path, it is that path; otherwise a ``#key=value`` or a last ``#zarr`` begins a fragment, and any
  other ``#`` is part of the name.
- ``%XX`` is decoded in ``file:`` paths and in fragments (`ncz.zmap.fragment`).
- URLs can be chained as in fsspec: ``zip://GROUP::URL`` and ``simplecache::URL``.

A URL may contain secrets: only the values of public keys are ever shown. Messages show
`Location.display`, never the text that the user wrote.

Source: the NCZarr document, section "URL Format", netcdf-c's internals, "Inferring File Types", and
fsspec's "URL chaining".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from ncz.errors import UrlError
from ncz.record import field, record, replace
from ncz.zmap.fragment import (
    ALLOW_TARGET,
    IDENTITY_KEYS,
    RELATIVE_TO,
    quote,
    read_fragments,
    split_path,
    unquote,
    write_fragment,
)
from ncz.zmap.kinds import KIND_OF_MODE, KIND_OF_PROTOCOL, KINDS, SET_SUFFIXES, Kind

_RIVALS = (("v2", "v3"), ("netcdf-3", "netcdf-4", "dap2", "dap4", "nczarr"))
_DAP = frozenset({"dap2", "dap4"})
_DAP_PROTOCOLS = {"dods": "dap2", "dap4": "dap4"}
"""Protocols of netcdf-c that mean http and a mode."""
_S3 = frozenset({"s3", "gs3"})
_COMPRESSIONS = ("gzip", "gz", "bz2", "xz", "lzma", "zstd", "zst")
"""fsspec's protocols for the content of a compressed file."""

_CACHES = ("simplecache", "filecache", "blockcache", "cached")

# `re` compiles these at their first use; a path of an existing store needs none of them.
_ESCAPED = r"\\#(?=[^#=]*=)"  # as the NCZarr document of 2024 says
_PREFIX = r"((?:\[[^\[\]]*\])+)(?=[A-Za-z][A-Za-z0-9+.-]+:)"
_PREFIX_OF_PATH = r"\[[^\[\]=]*=[^\[\]]*\]"
_CHAIN_COLON = r":(?=:|$)"  # one that would be a part of `::` in a chain
_PROTOCOL = r"([A-Za-z][A-Za-z0-9+.-]+)://"  # two letters: C:\ is a drive
_CHAIN = r"(?s)([A-Za-z][A-Za-z0-9+.-]+)(?:(://)((?:(?!::|#).)*))?::(?=.)"
_DRIVE = r"/[A-Za-z]:[/\\]"
_IN_FOLDER = r"(?s)([a-z0-9+.-]+://[^/]*/.*[^/])/([^/]+)/*"


class ModeError(UrlError):
    """Modes that an option adds to a location, and that are not valid."""

    exit_code = 2


@record
class Location:
    """A parsed path or URL.

    Attributes
    ----------
    kind
        The kind of the store; None for a local path without a mode, whose kind is detected.
    path
        A local path as given (absolute for ``file:`` URLs), the name of a store in memory,
        or the URL of a remote store without its query, for S3 in path form.
    modes
        The modes of the fragment.
    options
        The other keys of the fragment, in lower case.
    no_server
        Whether the URL is ``s3://BUCKET/KEY``, so that an alias or the environment determines the
        server.
    query
        The query of a URL, without its question mark.
    inside
        The group within a zip file, "" for its root; None if the URL does not name a zip file.
    caches
        The caches of fsspec for reading a remote store, such as "simplecache".
    """

    kind: Kind | None
    path: str
    modes: frozenset[str] = frozenset()
    options: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)  # secrets
    no_server: bool = field(default=False, compare=False)
    query: str = field(default="", repr=False)  # may be a signature
    inside: str | None = None
    caches: tuple[str, ...] = ()

    @property
    def pure(self) -> bool:
        """Whether the modes request pure Zarr."""
        return "zarr" in self.modes

    @property
    def is_s3(self) -> bool:
        """Whether the store is on a server with the interface of S3."""
        return not self.modes.isdisjoint(("s3", "gs3"))

    @property
    def checks(self) -> bool:
        """Whether bytes are compared with the checksums that a server states."""
        return self.options.get("checksums") != "off"

    @property
    def display(self) -> str:
        """The location as messages show it, without secrets."""
        return self.address + write_fragment(self._modes(), self.options, redact=True)

    @property
    def exact(self) -> str:
        """The location, with its secrets, as a text that `parse_location` parses to an equal one.

        It must not be shown.
        """
        address = self.address + (f"?{self.query}" if self.query else "")
        fragment = write_fragment(self._modes(), self.options)
        if self.kind in ("remote", "memory") or self.inside is not None or "://" in address:
            return address + fragment
        if not os.path.isabs(self.path) or not (fragment or "#" in self.path):
            fragment = fragment or ("#=" if "#" in self.path else "")
            escape = "\\" if fragment and self.path.endswith("\\") else ""  # as in `_ESCAPED`
            return self.path + escape + fragment
        return _file_url(self.path) + fragment

    @property
    def address(self) -> str:
        """The path or the URL as messages show it, without query and fragment."""
        chain = "".join(f"{name}::" for name in self.caches)
        if self.inside is not None:
            inside = re.sub(_CHAIN_COLON, "%3A", quote(self.inside))
            chain = f"zip://{inside}::{chain}"
        return chain + self._target()

    def _target(self) -> str:
        if self.kind == "memory":
            return f"memory://{quote(self.path)}"
        if self.no_server:
            from ncz.zmap.s3_url import is_google

            _, _, host, address = self.path.split("/", 3)
            key = unquote(address, errors="surrogateescape")
            if "?" not in key and "#" not in key:  # they cannot be written there
                return f"{'gs3' if is_google(host) else 's3'}://{key}"
        if self.kind != "remote" and self.inside is not None:
            return _file_url(self.path)
        return self.path

    @property
    def dap_mode(self) -> str | None:
        """The protocol of the OPeNDAP server that sends the dataset; None for other datasets."""
        return min(_DAP & self.modes, default=None)

    @property
    def target(self) -> str:
        """The address with the mode that marks a dataset on an OPeNDAP server.

        `dap_target` reads it.
        """
        mode = self.dap_mode
        if mode is None:
            return self.address
        protocol, _, rest = self.path.partition("://")
        if protocol == "http":
            return f"{'dods' if mode == 'dap2' else mode}://{rest}"
        return f"{self.path}#mode={mode}"

    def _modes(self) -> frozenset[str]:
        """Return the modes that the address does not imply."""
        return self.modes - {self._target().partition(":")[0]} if self.no_server else self.modes

    def split(self) -> tuple[Location, str] | None:
        """Return the location of the folder that this one is in, and its name in the folder.

        None if that folder cannot be a store.
        """
        if self.inside:
            above, _, name = self.inside.rstrip("/").rpartition("/")
            return replace(self, inside=above), name
        if self.kind == "remote":
            parts = re.fullmatch(_IN_FOLDER, self.path)
            if parts is None or self.query or "::" in self.path:
                return None
            return replace(self, path=parts[1]), unquote(parts[2], errors="surrogateescape")
        if self.kind not in (None, "directory"):
            return None
        path, name = os.path.split(self.path.rstrip("/"))
        if not path or name in ("", ".", ".."):
            path, name = os.path.split(os.path.abspath(self.path))
        return (replace(self, path=path), name) if name else None

    def with_modes(self, modes: Iterable[str]) -> Location:
        """Return the location with more modes, or keys in the place of modes.

        Raises `ModeError` if a mode is not known, or the modes contradict each other.
        """
        words = _as_words(modes)
        if not words:
            return self
        try:
            parsing = _ParseState(self.address, words, None)
            parsing.inside, parsing.caches = self.inside, self.caches
            return parsing.make_location(self.kind, self.path, known=self)
        except UrlError as error:
            raise ModeError(error.message, error.location, error.hint) from error

    def dataset_name(self) -> str:
        """Return the name after ``netcdf`` in CDL: the last part of the path, up to its last dot.

        As in ncdump, a leading dot is part of the name; unlike in ncdump, a trailing slash is
        ignored. A store at the root of a server has the server's name.
        """
        path = self.path
        if self.inside:
            name = self.inside.rstrip("/").rpartition("/")[2]
        elif self.kind == "remote":
            host, _, path = re.sub(r"\A.*?://", "", path).partition("/")
            name = unquote(path.rstrip("/").rpartition("/")[2])
            if not name:
                return host.rpartition("@")[2].partition(":")[0]
        elif self.kind == "memory":
            name = path.rstrip("/").rpartition("/")[2] or "memory"
        else:
            name = os.path.basename(os.path.abspath(path))
        return name[: name.rfind(".")] if name.rfind(".") > 0 else name


Path = str | os.PathLike[str] | Location
"""A path or a URL, or the location that it means."""


def location_of(path: Path) -> Location:
    """Return the location that a path or a URL means."""
    return path if isinstance(path, Location) else parse_location(path_of(path))


def path_of(path: Path) -> str:
    """Return a path or a URL as text; bytes are a path too, as for `open`.

    An object of fsspec or zarr-python that means a place has a path or a URL too.
    """
    try:
        return path.display if isinstance(path, Location) else os.fsdecode(path)
    except TypeError:
        from ncz.zmap.foreign_stores import url_of_store

        url = url_of_store(path)
        if url is None:
            raise TypeError(f"a path or a URL is expected, not {type(path).__name__}") from None
        return url


def parse_location(
    text: str, *, modes: Iterable[str] = (), options: Mapping[str, str] | None = None
) -> Location:
    """Parse a path or URL.

    A command parses each of its paths and URLs once, and passes the location on.

    Parameters
    ----------
    text
        The path or URL.
    modes
        Modes to add to the modes of the fragment.
    options
        Keys for an S3 URL whose fragment does not have them, such as ``aws.region``. If the
        fragment chooses credentials, no other choice is added. ``timeout`` is for all remote URLs.

    Returns
    -------
    Location
        The location; whether something exists there is not checked.

    Raises
    ------
    UrlError
        If the text is not a valid path or URL, or its modes contradict each other.
    """
    if not text:
        raise UrlError("the name of the store is empty", hint="give a path or a URL")
    display = _redact(text)
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UrlError("the path is not valid Unicode", location=display) from None
    if "\0" in text:
        raise UrlError("a path cannot contain a NUL character", location=display)
    return _ParseState(display, _as_words(modes), options).parse(text)


def _as_words(modes: Iterable[str]) -> list[str]:
    """Return modes as parts of a fragment."""
    return [f"mode={quote(mode)}" for mode in modes]


def display_of(text: str) -> str:
    """Return a path or URL as messages show it, without secrets, even if it is not valid."""
    try:
        return parse_location(text).display
    except UrlError:
        return _redact(text)


def dap_target(url: str) -> tuple[str, str | None]:
    """Return the address of a file that a dataset leads to, and the mode of an OPeNDAP server.

    The mode is None for a file that is read in another way.
    """
    address, _, fragment = url.partition("#")
    mode = fragment.removeprefix("mode=")
    if mode in _DAP:
        return address, mode
    protocol, colon, rest = url.partition("://")
    mode = _DAP_PROTOCOLS.get(protocol.lower(), "") if colon else ""
    return (f"http://{rest}", mode) if mode else (url, None)


class _ParseState:
    """The parts of a text that are known while it is parsed.

    `shown` is the text for messages, `words` are fragments, `defaults` are the caller's options.
    """

    def __init__(
        self, display: str, words: Iterable[str], defaults: Mapping[str, str] | None
    ) -> None:
        self.display = display
        self.words = list(words)
        self.defaults = defaults or {}
        self.inside: str | None = None
        self.caches: tuple[str, ...] = ()

    def parse(self, text: str) -> Location:
        if os.path.lexists(text):
            return self.make_location(None, text)
        text = re.sub(_ESCAPED, "#", text, count=1)
        prefix = re.match(_PREFIX, text)
        if prefix:
            self.words += prefix[1][1:-1].split("][")
            text = text[prefix.end() :]
        elif re.match(_PREFIX_OF_PATH, text):
            raise self.error("[key=value] needs a URL behind it", "write [mode=zip]file:///path")
        chain = re.match(_CHAIN, text)
        if chain and (chain[2] or chain[1].lower() in (*_CACHES, "reference")):
            protocol = chain[1].lower()
            if protocol not in ("s3", "gs3", "http", "https", "file", "memory"):
                return self._chain(protocol, chain[3] or "", text, text[chain.end() :])
        protocol_of = re.match(_PROTOCOL, text)
        if not protocol_of and not _is_file(text):
            path, fragment = split_path(text)
            return self.make_location(None, path, [fragment])
        address, _, fragment = text.partition("#")
        if not protocol_of or protocol_of[1].lower() == "file":
            return self._file(address, fragment)
        return self._url(protocol_of[1].lower(), address, fragment)

    def error(self, message: str, hint: str | None = None) -> UrlError:
        return UrlError(message, self.display, hint)

    def _chain(self, protocol: str, inner: str, text: str, rest: str) -> Location:
        """Parse a chain of URLs: ``zip://inner::rest``, ``simplecache::rest``, or fsspec's."""
        if protocol == "reference" and not inner:
            self.words.append("mode=reference")
            return self.parse(rest)
        if protocol == "zip" and self.inside is None and not self.caches:
            self.inside = unquote(inner, errors="surrogateescape").strip("/")
            if ".." in self.inside.split("/"):
                raise self.error("a group's name cannot be ..")
            return self.parse(rest)
        if protocol in _COMPRESSIONS:  # which the content says
            return self.parse(rest)
        if protocol in _CACHES and not inner:
            self.caches += (protocol,)
            return self.parse(rest)
        address, _, fragment = text.partition("#")
        return self._url(protocol, address, fragment, chained=True)

    def _file(self, address: str, fragment: str) -> Location:
        path = re.sub(r"\Afile:(//)?", "", address, flags=re.IGNORECASE)
        path = unquote(path, errors="surrogateescape")
        if path.startswith("localhost/"):
            path = path.removeprefix("localhost")
        if os.name == "nt" and re.match(_DRIVE, path):
            path = path[1:]
        if not path or "\0" in path:
            raise self.error("a file: URL needs a path", "write file:///path/x.zarr")
        return self.make_location(None, _absolute(path), [fragment])

    def _url(
        self, protocol: str, address: str, fragment: str, *, chained: bool = False
    ) -> Location:
        from ncz.zmap.url import fault, host_of

        if protocol in _DAP_PROTOCOLS and not chained:
            self.words.append(f"mode={_DAP_PROTOCOLS[protocol]}")
            protocol, address = "http", f"http{address[len(protocol) :]}"
        wrong = fault(protocol, address, chained=chained)
        if wrong:
            raise self.error(*wrong)
        rest = address[len(protocol) + 3 :]
        kind = KIND_OF_PROTOCOL.get(protocol, "remote")
        if kind == "memory":
            return self.make_location(kind, unquote(rest, errors="surrogateescape"), [fragment])
        from ncz.zmap.amazon_hosts import is_amazon
        from ncz.zmap.s3_url import is_google

        words = [fragment]
        if protocol in ("s3", "gs3"):
            words.append(f"mode={protocol}")
        name = host_of(rest).partition(":")[0]
        if is_google(name):
            words.append("mode=gs3")
        elif is_amazon(name):
            words.append("mode=s3")
        return self.make_location(kind, f"{protocol}://{rest}", words)

    def make_location(
        self,
        kind: Kind | None,
        path: str,
        words: Iterable[str] = (),
        known: Location | None = None,
    ) -> Location:
        """Return the location of a path, whose fragments are `words` and those before it.

        They are added to the options of `known`, a location with the same path.
        """
        before = () if known is None else (known.modes, known.options)
        modes, options = read_fragments([*self.words, *words], self.display, *before)
        of_kind = {KIND_OF_MODE[mode]: mode for mode in KIND_OF_MODE if mode in modes}
        if kind == "remote" and any(KINDS[other].on_servers for other in of_kind):
            of_kind.pop("remote", None)  # such a store may be on any server
        if "icechunk" in of_kind:
            of_kind.pop("reference", None)  # a repository, whose chunks are virtual
            kind = None if kind == "reference" else kind
        groups = ([mode for mode in group if mode in modes] for group in _RIVALS)
        for rivals in (list(of_kind.values()), *groups):
            if len(rivals) > 1:
                raise self.error(
                    f"mode={','.join(rivals)} contradicts itself", "choose one of them"
                )
        kind_of_place = next(iter(of_kind), None)
        if kind_of_place == "remote" and kind != "remote":
            raise self.error("mode=s3 needs an s3: or https: URL", "write s3://bucket/key")
        if _DAP & modes and not (kind == "remote" and path.startswith(("http:", "https:"))):
            mode = min(_DAP & modes)
            raise self.error(f"mode={mode} needs an http: or https: URL", "write dods://host/path")
        if kind == "memory" and (kind_of_place is not None or self.inside is not None):
            raise self.error(
                "a memory: URL cannot have mode=file or mode=zip", "leave out the mode"
            )
        if self.inside is not None and kind_of_place == "directory":
            raise self.error("mode=file contradicts zip://", "leave out the mode")
        caches = self.caches if kind == "remote" else ()
        if known is not None and _S3 & known.modes:  # its path is in path form
            return replace(known, modes=modes, options=options)
        query = "" if known is None else known.query
        if kind == "remote" and known is None:
            path, _, query = path.partition("?")
            if "timeout" in self.defaults:
                options = {"timeout": self.defaults["timeout"], **options}
        if _S3 & modes:
            from ncz.zmap.s3_url import names_no_server, path_form

            no_server = names_no_server(path)
            options = self._with_defaults(options, no_server)
            if "aws.endpoint_url" in options and not no_server:
                raise self.error(
                    "the URL and aws.endpoint_url name two servers", "write s3://bucket/key"
                )
            path = path_form(path, options.get("aws.region"), self.display)
            return Location(kind, path, modes, options, no_server, query, self.inside, caches)
        if self.inside is not None and kind is None:
            kind, path = "zip", _absolute(path)
        kind = kind or kind_of_place
        options = self._of_references(path, modes) | options
        return Location(kind, path, modes, options, False, query, self.inside, caches)

    def _of_references(self, path: str, modes: frozenset[str]) -> dict[str, str]:
        """Return the caller's options that matter for a local store that may lead to S3."""
        is_set = bool({"reference", "icechunk"} & modes) or path.lower().endswith(SET_SUFFIXES)
        of_sets = (ALLOW_TARGET, RELATIVE_TO)
        return {key: value for key, value in self.defaults.items() if is_set or key in of_sets}

    def _with_defaults(self, options: Mapping[str, str], no_server: bool) -> dict[str, str]:
        """Add the caller's options, unless the fragment sets the same option."""
        added = dict(self.defaults)
        if IDENTITY_KEYS & options.keys():
            added = {key: value for key, value in added.items() if key not in IDENTITY_KEYS}
        if not no_server:
            added.pop("aws.endpoint_url", None)
        return added | dict(options)


def _is_file(text: str) -> bool:
    """Return whether a text is a ``file:`` URL without slashes."""
    return text[:5].lower() == "file:" and text[5:7] != "//"


def _redact(text: str) -> str:
    """Return a text that is not parsed yet, on one line, without possible secrets."""
    display = _without_secrets(text)
    return display if display.isprintable() else repr(display)


def _without_secrets(text: str) -> str:
    if text.startswith("["):
        text = re.sub(r"\A(?:\[[^\[\]]*=[^\[\]]*\])+", "", text)
    if "://" not in text and not _is_file(text):
        return split_path(text)[0]
    from ncz.zmap.url import without_user

    return without_user(text)


def working_folder() -> str | None:
    """Return the working directory, or None if it was removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _absolute(path: str) -> str:
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


def _file_url(path: str) -> str:
    path = _absolute(path).replace(os.sep, "/")
    return f"file://{'' if path.startswith('/') else '/'}{quote(path)}"
