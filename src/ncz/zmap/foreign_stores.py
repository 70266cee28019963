"""Convert objects of fsspec and zarr-python to locations, and read options of fsspec."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ncz.errors import UrlError

_KEYS = {
    "anon": "aws.anon",
    "key": "aws.access_key_id",
    "secret": "aws.secret_access_key",
    "token": "aws.session_token",
    "access_key_id": "aws.access_key_id",
    "secret_access_key": "aws.secret_access_key",
    "session_token": "aws.session_token",
    "profile": "aws.profile",
    "endpoint_url": "aws.endpoint_url",
    "region": "aws.region",
    "region_name": "aws.region",
    "requester_pays": "aws.requester_pays",
}
"""Options of s3fs, and the keys of a URL of ncz that mean the same."""

_NESTED = ("client_kwargs", "s3", "config_kwargs")
"""Options of s3fs that contain others."""

_WITHOUT_MEANING = frozenset({
    "asynchronous", "loop", "use_listings_cache", "skip_instance_cache", "default_block_size",
    "default_cache_type", "default_fill_cache", "use_ssl", "batch_size", "remote_protocol",
    "remote_options", "auto_mkdir", "version_aware", "max_concurrency", "cache_regions",
})  # fmt: skip
"""Options of file systems that ncz does not need."""


def with_storage_options(url: str, options: Mapping[str, Any]) -> str:
    """Return a URL with the options that fsspec and xarray take next to it.

    Raises `UrlError` for an option that ncz does not have.
    """
    if url.startswith("reference://") and isinstance(options.get("fo"), str):
        return str(options["fo"])
    is_s3 = url.startswith(("s3://", "s3a://"))
    added = {name: value for name, value in _flat(options).items() if value is not None}
    keys: dict[str, str] = {}
    for name, value in added.items():
        if is_s3 and name not in _KEYS:
            raise UrlError(
                f"the storage option {name!r} is not known",
                hint=f"use some of {', '.join(_KEYS)}",
            )
        keys[_KEYS[name] if is_s3 else f"fsspec.{name}"] = _text(value)
    if keys.get("aws.anon") == "false":
        del keys["aws.anon"]
    if "://" not in url or not keys:
        return url
    fragment = "&".join(f"{key}={quote(value, safe='/:')}" for key, value in keys.items())
    return f"{url}{'&' if '#' in url else '#'}{fragment}"


def _flat(options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name in _NESTED and isinstance(value, Mapping):
            found |= _flat(value)
        elif name not in _WITHOUT_MEANING:
            found[name] = value
    return found


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def url_of_store(store: object) -> str | None:
    """Return the path or URL that an object represents; None if it is no such object.

    It is a mapper, an opened file or a path of fsspec, or a store, a group or an array of
    zarr-python.
    """
    whole = getattr(store, "store_path", None)
    if whole is not None:
        store = whole
    inner = getattr(store, "store", None)
    if inner is not None and hasattr(store, "path"):
        base = url_of_store(inner)
        return None if base is None else below(base, str(store.path))
    files = getattr(store, "fs", None)
    path = getattr(store, "root", None)
    path = getattr(store, "path", None) if path is None else path
    if files is not None and isinstance(path, str) and hasattr(files, "unstrip_protocol"):
        if getattr(files, "protocol", None) == "reference":
            set_of = getattr(files, "storage_options", {}).get("fo")
            return below(set_of, path) if isinstance(set_of, str) else None
        url = str(files.unstrip_protocol(path))
        if url.startswith(("file://", "local://")):
            return url.partition("://")[2]
        if url.startswith("memory://"):
            return f"fsspec+memory://{path.strip('/')}"  # ncz writes a different one
        return with_storage_options(url, getattr(files, "storage_options", {}))
    name = getattr(store, "name", None)
    if isinstance(store, io.BufferedReader) and isinstance(name, str):
        return name
    if not type(store).__module__.startswith("zarr."):
        return None
    if isinstance(path, (str, os.PathLike)):
        return os.fspath(path)
    from ncz.zmap.zarr_objects import register_store

    return f"memory://{register_store(store)}" if hasattr(store, "list_prefix") else None


def below(url: str, path: str) -> str:
    """Return a path or URL below another one."""
    if not path.strip("/"):
        return url
    address, hash_sign, fragment = url.partition("#")
    return f"{address.rstrip('/')}/{path.strip('/')}{hash_sign}{fragment}"
