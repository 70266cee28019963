"""Fragments of URLs, ``#key=value&key=value``: their keys, their modes, and quoting.

- ``%XX`` is decoded in fragments.
- ``noxarray`` only omits ``_ARRAY_DIMENSIONS``, as the document says; netcdf-c 4.10 also switches
  to pure Zarr.

The modes of a fragment are those after macros, inferences and negations. As in netcdf-c, pure Zarr
has both "zarr" and "nczarr".

Only the keys that are listed here are accepted, so that a misspelled key is an error. A fragment
may contain secrets: only the values of public keys are ever shown.

Source: the NCZarr document, section "URL Format", and netcdf-c's internals, "Inferring File Types".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ncz.errors import UrlError
from ncz.zmap.kinds import KIND_OF_MODE

MODES = (
    "nczarr", "zarr", "v2", "v3", *KIND_OF_MODE, "xarray", "noxarray", "consolidated",
    "follow-links", "noaggregation", "cfa", "cfa0.4", "cfa0.5", "cf", "netcdf-3", "netcdf-4",
    "dap2", "dap4",
)  # fmt: skip
"""The valid values of ``mode=``."""

_SAME_MODES = {"classic": "netcdf-3", "enhanced": "netcdf-4"}
"""Other words of netcdf-c for modes."""

ALLOW_TARGET = "reference.allow_target"
"""The key with places that a reference set may lead to, separated by blanks."""

RELATIVE_TO = "reference.relative_to"
"""The key for the base of relative targets of a reference set: "ref" or "cwd"."""

INLINE = "reference.inline"
"""The key for the largest size in bytes of objects in a new reference set."""

DEFAULT_INLINE = 500
"""The default of this size."""

RECORD_SIZE = "reference.record_size"
"""The key with the rows of each file of a reference set that is written in the Parquet layout."""

VERSION = "reference.version"
"""The key with the version of a reference set that is written in JSON: 0 or 1."""

SEALS = "reference.seals"
"""The key that says whether targets must be unchanged since the set was written."""

ICECHUNK_KEYS = ("icechunk.branch", "icechunk.tag", "icechunk.snapshot")
"""The keys that choose a snapshot, and make the store an Icechunk repository."""

LOG = "log"
"""The key for the output of ``--trace``, as netcdf-c's key for its log."""

PUBLIC_KEYS = (
    "aws.profile", "aws.region", "aws.default_region", "aws.endpoint_url", "aws.anon",
    "aws.requester_pays",
    "aws.config_file", "timeout", "checksums", ALLOW_TARGET, RELATIVE_TO, INLINE, RECORD_SIZE,
    VERSION, SEALS, LOG,
    *ICECHUNK_KEYS,
)  # fmt: skip
"""The keys whose values may be shown."""

SECRET_KEYS = ("aws.access_key_id", "aws.secret_access_key", "aws.session_token")

KEYS = ("mode", *PUBLIC_KEYS, *SECRET_KEYS, "fsspec.NAME")
"""The valid keys, as messages list them."""

IDENTITY_KEYS = frozenset({"aws.profile", "aws.anon", *SECRET_KEYS})
"""The keys that choose credentials."""

_SPELLINGS = {key.replace(".", "", 1): key for key in (*PUBLIC_KEYS, *SECRET_KEYS)}
"""Other spellings: ``awsprofile`` is in the NCZarr document of 2023."""

_MACROS: dict[str, tuple[str, ...]] = {
    "bytes": (),
    "zarr": ("nczarr", "zarr"),
    "xarray": ("zarr",),
    "noxarray": ("nczarr", "noxarray"),
    "s3": ("s3", "nczarr"),
    "gs3": ("gs3", "nczarr"),
    "dap2": ("dap2",),
    "dap4": ("dap4",),
}
_INFERENCES = {"zarr": "nczarr", "xarray": "zarr", "noxarray": "nczarr"}
_NEGATIONS = {"noxarray": "xarray"}
# `re` compiles these at their first use.
_NAME = r"[a-z][a-z0-9_.-]{0,40}"
_START = r"(?s)(?<=.)#(?=[^#=]*=)"
_PLAIN = r"[A-Za-z0-9/:,@+~ _.-]*"


def split_path(text: str) -> tuple[str, str]:
    """Split a plain path from its fragment, which begins at the first ``#`` before a ``key=``.

    Without such a ``#``, a last ``#zarr`` or another macro is a fragment, and any other ``#`` is
    part of the path.
    """
    if "#" not in text:
        return text, ""
    found = re.search(_START, text)
    if found:
        return text[: found.start()], text[found.end() :]
    path, _, last = text.rpartition("#")
    if path and all(word in _MACROS for word in last.lower().split("&")):
        return path, last
    return text, ""


def read_fragments(
    words: Iterable[str],
    location: str,
    known_modes: Iterable[str] = (),
    known_options: Mapping[str, str] | None = None,
) -> tuple[frozenset[str], dict[str, str]]:
    """Return the modes and the other keys of fragments, with macros expanded.

    `location` is the redacted location for messages. Known settings are added. Raises `UrlError`
    for a key or a mode that is not known, and for a key with two values.
    """
    modes = set(known_modes)
    options = dict(known_options or {})
    parts = "&".join(words).split("&")
    while parts:
        part = parts.pop(0)
        key, equals, value = part.partition("=")
        key = unquote(key, errors="surrogateescape").strip().lower()
        value = unquote(value, errors="surrogateescape").strip()
        key = _SPELLINGS.get(key, key)
        if not key and not value:
            continue
        if not value and key in _MACROS:
            modes.update(_MACROS[key])
        elif key == "mode":
            for mode in value.split(","):
                if "=" in mode:  # mode=nczarr,awsprofile=me in the NCZarr document of 2023
                    parts.insert(0, quote(mode).replace("%3D", "=", 1))
                elif word := mode.strip().lower():
                    modes.add(_SAME_MODES.get(word, word))
        elif not equals and all(mode in MODES for mode in key.split(",")):
            raise UrlError(f"#{key} is not a valid fragment", location, f"write #mode={key}")
        elif key in PUBLIC_KEYS or key in SECRET_KEYS or _is_fsspec(key):
            if key == LOG:
                value = value or "stderr"
            if options.get(key, value) != value:
                raise UrlError(f"{key} is given twice", location, "give it once")
            if key == "timeout" and not _is_timeout(value):
                raise UrlError("timeout is not a number of seconds", location, "write #timeout=60")
            if key == LOG and value != "stderr":
                raise UrlError("the log can only go to standard error", location, "write #log")
            if key in ("checksums", SEALS) and value not in ("on", "off"):
                raise UrlError(f"{key} is neither on nor off", location, f"write #{key}=off")
            options[key] = value
            if key in ICECHUNK_KEYS:
                modes.add("icechunk")
        else:
            raise _unknown_key(key, options, location)
    # netCDF-C's mode for files on servers; ncz reads ranges of them in any case.
    modes.discard("bytes")
    unknown = sorted(modes.difference(MODES))
    if unknown:
        name = f" {unknown[0]!r}" if re.fullmatch(_NAME, unknown[0]) else ""
        raise UrlError(f"unknown mode{name}", location, f"valid modes are {', '.join(MODES)}")
    return _infer_modes(modes), options


def _is_timeout(value: str) -> bool:
    return bool(re.fullmatch(r"\d{0,6}(\.\d{0,6})?", value) and value.strip("0."))


def _is_fsspec(key: str) -> bool:
    return key.startswith("fsspec.") and bool(re.fullmatch(_NAME, key))


def _unknown_key(key: str, options: Mapping[str, str], location: str) -> UrlError:
    # A name after a secret may be the rest of the secret, if that has an & which is not encoded.
    can_show = re.fullmatch(_NAME, key) and all(known in PUBLIC_KEYS for known in options)
    if not can_show:
        return UrlError(
            "the fragment has an unknown key", location, f"valid keys are {', '.join(KEYS)}"
        )
    from difflib import get_close_matches

    bare = {known.rpartition(".")[2]: known for known in KEYS}
    near = bare.get(key) or next(iter(get_close_matches(key, KEYS, n=1)), None)
    hint = f"did you mean {near}? " if near else ""
    return UrlError(
        f"unknown fragment key {key!r}", location, f"{hint}valid keys are {', '.join(KEYS)}"
    )


def _infer_modes(modes: set[str]) -> frozenset[str]:
    while implied := {_INFERENCES[m] for m in modes if m in _INFERENCES} - modes:
        modes |= implied
    return frozenset(modes - {_NEGATIONS[m] for m in modes if m in _NEGATIONS})


def write_fragment(
    modes: frozenset[str], options: Mapping[str, str], *, redact: bool = False
) -> str:
    """Return the fragment with its ``#``, or "" for no keys; `redact` hides values."""
    parts = [
        f"{key}={'***' if redact and key not in PUBLIC_KEYS else quote(value)}"
        for key, value in sorted(options.items())
    ]
    if modes:
        parts.insert(0, "mode=" + ",".join(m for m in MODES if m in modes))
    return "#" + "&".join(parts) if parts else ""


def quote(text: str) -> str:
    """Encode characters that have a meaning in a URL."""
    if re.fullmatch(_PLAIN, text):
        return text
    from urllib.parse import quote as encode

    return encode(text, safe="/:,@+~ ", errors="surrogateescape")


def unquote(text: str, errors: str = "replace") -> str:
    """Decode ``%XX``."""
    if "%" not in text:
        return text
    from urllib.parse import unquote as decode

    return decode(text, errors=errors)
