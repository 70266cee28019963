"""Locations: a path or a URL with a ``#fragment`` that describes storage and format.

A URL has the form ``protocol://host:port/path?query#key=value&key=value``. Three rules differ from
netcdf-c:

- A plain path is a location. It may contain ``#``, ``%`` and ``:``. If the whole text exists as a
  path, it is that path; otherwise a last ``#...`` that consists of known keys (``#mode=zip``,
  ``#zarr``) is a fragment, and anything else is part of the name.
- ``%XX`` is decoded in ``file:`` paths and in fragments.
- ``noxarray`` only omits ``_ARRAY_DIMENSIONS``, as the document says; netcdf-c 4.10 also switches
  to pure Zarr.

`Location.modes` holds the modes after macros, inferences and negations. As in netcdf-c, pure Zarr
has both "zarr" and "nczarr".

Source: the NCZarr document, section "URL Format", and netcdf-c's internals, "Inferring File Types".
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from ncz.errors import UrlError
from ncz.record import field, record
from ncz.zmap.kinds import KIND_OF_MODE, KIND_OF_PROTOCOL, Kind

MODES = (
    "nczarr", "zarr", "v2", "v3", *KIND_OF_MODE, "xarray", "noxarray", "consolidated",
)  # fmt: skip
"""The valid values of ``mode=``."""

_PROTOCOLS = ("file", *KIND_OF_PROTOCOL)
_MACROS = {
    "zarr": ("nczarr", "zarr"),
    "xarray": ("zarr",),
    "noxarray": ("nczarr", "noxarray"),
    "s3": ("s3", "nczarr"),
    "gs3": ("gs3", "nczarr"),
}
_INFERENCES = {"zarr": "nczarr", "xarray": "zarr", "noxarray": "nczarr"}
_NEGATIONS = {"noxarray": "xarray"}
_FORMATS = ("v2", "v3")

_PREFIX = re.compile(r"((?:\[[^\[\]]*\])+)(?=[A-Za-z][A-Za-z0-9+.-]+:)")
_PROTOCOL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")  # two letters: C:\ is a drive
_FILE = re.compile(r"file:(?!//)", re.IGNORECASE)
_DRIVE = re.compile(r"/[A-Za-z]:[/\\]")
_KEY = re.compile(r"[a-z0-9_.-]+")


@record
class Location:
    """A parsed path or URL.

    Attributes
    ----------
    kind
        The kind of the store; None for a local path without a mode, whose kind is detected.
    path
        A local path as it was given (absolute for ``file:`` URLs), the name of a store in memory,
        or the URL of a remote store, for S3 in path form.
    modes
        The modes of the fragment.
    options
        The other keys of the fragment, in lower case.
    no_server
        Whether the URL is ``s3://BUCKET/KEY``, so that an alias or the environment determines the
        server.
    """

    kind: Kind | None
    path: str
    modes: frozenset[str] = frozenset()
    options: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)  # secrets
    no_server: bool = field(default=False, compare=False)

    @property
    def pure(self) -> bool:
        """Whether the modes request pure Zarr."""
        return "zarr" in self.modes

    @property
    def display(self) -> str:
        """The location as a text that `parse_location` turns into an equal location."""
        fragment = self._fragment()
        if self.kind == "memory":
            return f"memory://{_quote(self.path)}{fragment}"
        if self.no_server:
            from ncz.zmap.s3_url import is_google

            _, _, host, address = self.path.split("/", 3)
            return f"{'gs3' if is_google(host) else 's3'}://{address}{fragment}"
        if self.kind == "remote" or not os.path.isabs(self.path):
            return self.path + fragment
        if not fragment and "#" not in self.path:
            return self.path
        path = self.path.replace(os.sep, "/")
        return f"file://{'' if path.startswith('/') else '/'}{_quote(path)}{fragment}"

    def _fragment(self) -> str:
        parts = [f"{key}={_quote(value)}" for key, value in sorted(self.options.items())]
        if self.modes:
            parts.insert(0, "mode=" + ",".join(m for m in MODES if m in self.modes))
        return "#" + "&".join(parts) if parts else ""

    def dataset_name(self) -> str:
        """Return the name after ``netcdf`` in CDL: the last part of the path, up to its last dot.

        As in ncdump, a leading dot is part of the name; unlike in ncdump, a trailing slash is
        ignored.
        """
        path = self.path
        if self.kind == "remote":
            path = re.sub(r"\A[^:]*://[^/]*", "", path.partition("?")[0])
            name = _unquote(path.rstrip("/").rpartition("/")[2])
        elif self.kind == "memory":
            name = path.rstrip("/").rpartition("/")[2]
        else:
            name = os.path.basename(os.path.abspath(path))
        return name[: name.rfind(".")] if name.rfind(".") > 0 else name


def parse_location(text: str, *, modes: Iterable[str] = ()) -> Location:
    """Parse a path or URL.

    Parameters
    ----------
    text
        The path or URL.
    modes
        Modes to add to those of the fragment.

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
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UrlError("the path is not valid Unicode", location=repr(text)) from None
    if "\0" in text:
        raise UrlError("a path cannot contain a NUL character", location=repr(text))
    added = [f"mode={_quote(mode)}" for mode in modes]
    if os.path.lexists(text):
        return _located(text, None, text, added)
    prefix = _PREFIX.match(text)
    words = added + (prefix[1][1:-1].split("][") if prefix else [])
    body = text[prefix.end() :] if prefix else text
    protocol = _PROTOCOL.match(body)
    if not protocol and not _FILE.match(body):
        return _plain(text, words)
    address, _, fragment = body.partition("#")
    words.append(fragment)
    if not protocol or protocol[1].lower() == "file":
        return _file(text, address, words)
    return _url(text, protocol[1].lower(), address, words)


def _plain(text: str, words: list[str]) -> Location:
    path, _, fragment = text.rpartition("#")
    if path and _is_fragment(fragment):
        return _located(text, None, path, [*words, fragment])
    return _located(text, None, text, words)


def _is_fragment(text: str) -> bool:
    """Return whether the text after a ``#`` in a plain path is a fragment."""
    keys = [part.partition("=") for part in text.lower().split("&")]
    return all(
        key == "mode" or key.startswith("aws.") if equals else key in _MACROS
        for key, equals, _ in keys
    )


def _file(text: str, address: str, words: list[str]) -> Location:
    path = re.sub(r"\Afile:(//)?", "", address, flags=re.IGNORECASE)
    path = _unquote(path, errors="surrogateescape")
    if path.startswith("localhost/"):
        path = path.removeprefix("localhost")
    if os.name == "nt" and _DRIVE.match(path):
        path = path[1:]
    if not path or "\0" in path:
        raise UrlError(
            "a file: URL needs a path", location=repr(text), hint="write file:///path/x.zarr"
        )
    return _located(text, None, _absolute(path), words)


def _absolute(path: str) -> str:
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


def _url(text: str, protocol: str, address: str, words: list[str]) -> Location:
    if protocol not in _PROTOCOLS and not _fsspec_knows(protocol):
        raise UrlError(
            f"unknown protocol {protocol!r}",
            repr(text),
            f"use {', '.join(_PROTOCOLS)}, or a protocol of fsspec",
        )
    rest = address[len(protocol) + 3 :]
    kind = KIND_OF_PROTOCOL.get(protocol, "remote")
    if kind == "memory":
        if not rest:
            raise UrlError("a memory: URL needs a name", repr(text), "write memory://name")
        return _located(text, kind, _unquote(rest, errors="surrogateescape"), words)
    if protocol in ("s3", "gs3"):
        words = [*words, f"mode={protocol}"]
    host = re.split("[/?]", rest, maxsplit=1)[0].lower()
    if not host and (protocol in _PROTOCOLS or not rest):
        raise UrlError("the URL has no host or bucket", location=repr(text))
    user, at, _ = host.partition("@")
    if at and (protocol in _PROTOCOLS or ":" in user):
        raise UrlError(
            "a URL cannot contain a password", _without_secret(text), "use a credentials file"
        )
    from ncz.zmap.s3_url import is_google, is_s3_host

    name = host.partition(":")[0]
    if is_google(name):
        words = [*words, "mode=gs3"]
    elif is_s3_host(name):
        words = [*words, "mode=s3"]
    return _located(text, kind, f"{protocol}://{rest}", words)


def _fsspec_knows(protocol: str) -> bool:
    try:
        from fsspec import available_protocols
    except ImportError:
        return False
    return protocol.removeprefix("fsspec+") in available_protocols()


def _without_secret(text: str) -> str:
    return repr(re.sub(r"//[^/@]*@", "//***@", text))


def _located(text: str, kind: Kind | None, path: str, words: Iterable[str]) -> Location:
    location = repr(text)
    modes, options = _read_fragments(words, location)
    of_kind = {KIND_OF_MODE[mode]: mode for mode in KIND_OF_MODE if mode in modes}
    for rivals in (list(of_kind.values()), [mode for mode in _FORMATS if mode in modes]):
        if len(rivals) > 1:
            raise UrlError(
                f"mode={','.join(rivals)} contradicts itself", location, "choose one of them"
            )
    given = next(iter(of_kind), None)
    if given == "remote" and kind != "remote":
        raise UrlError("mode=s3 needs an s3: or https: URL", location, "write s3://bucket/key")
    if kind == "memory" and given is not None:
        raise UrlError(
            "a memory: URL cannot have mode=file or mode=zip", location, "leave out the mode"
        )
    if "s3" in modes or "gs3" in modes:
        from ncz.zmap.s3_url import names_no_server, path_form

        no_server = names_no_server(path)
        path = path_form(path, options.get("aws.region"), location)
        return Location(kind, path, modes, options, no_server)
    return Location(kind or given, path, modes, options)


def _read_fragments(words: Iterable[str], location: str) -> tuple[frozenset[str], dict[str, str]]:
    """Return the modes and the other keys of fragments, with macros expanded and values merged."""
    modes: set[str] = set()
    options: dict[str, list[str]] = {}
    for part in "&".join(words).split("&"):
        key, equals, value = part.partition("=")
        key = _unquote(key, errors="surrogateescape").strip().lower()
        value = _unquote(value, errors="surrogateescape").strip()
        if not key and not value:
            continue
        if not value and key in _MACROS:
            modes.update(_MACROS[key])
        elif key == "mode":
            modes.update(mode.strip().lower() for mode in value.split(",") if mode.strip())
        elif not equals and all(mode in MODES for mode in key.split(",")):
            raise UrlError(f"#{key} is not a valid fragment", location, f"write #mode={key}")
        elif not _KEY.fullmatch(key) or key in ("mod", "modes", "mdoe", "moed"):
            raise UrlError(f"unknown fragment key {key!r}", location, "write #mode=...")
        else:
            merged = options.get(key, []) + value.split(",")
            options[key] = list(dict.fromkeys(merged))
    unknown = sorted(modes.difference(MODES))
    if unknown:
        raise UrlError(
            f"unknown mode {unknown[0]!r}", location, f"valid modes are {', '.join(MODES)}"
        )
    return _inferred(modes), {key: ",".join(values) for key, values in options.items()}


def _inferred(modes: set[str]) -> frozenset[str]:
    while implied := {_INFERENCES[m] for m in modes if m in _INFERENCES} - modes:
        modes |= implied
    return frozenset(modes - {_NEGATIONS[m] for m in modes if m in _NEGATIONS})


_PLAIN = re.compile(r"[A-Za-z0-9/:,@+~ _.-]*")


def _quote(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    from urllib.parse import quote

    return quote(text, safe="/:,@+~ ", errors="surrogateescape")


def _unquote(text: str, errors: str = "replace") -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text, errors=errors)
