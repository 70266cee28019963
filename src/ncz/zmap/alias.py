"""An alias: a name for an S3 server."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.record import field, record


@record
class Alias:
    """A named server, from ``[alias.NAME]`` of ncz's configuration, .s3nc.json, or .ncrc.

    `trusted` is false for an alias of the working folder, which receives no keys except the ones
    that the user gives with the URL. The times are in seconds; `requests` is the number of requests
    under way, and `ahead` the number of bytes that are fetched before they are read. `file` is the
    file of the values.
    """

    endpoint: str
    region: str | None = None
    profile: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)
    anonymous: bool | None = None
    path_style: bool = True
    connect_timeout: float | None = None
    read_timeout: float | None = None
    requests: int | None = None
    ahead: int | None = None
    trusted: bool = True
    file: str = field(default="", compare=False)
    unused: Mapping[str, str] = field(default_factory=dict, compare=False)
