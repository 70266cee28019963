"""Open a store of any kind, and create one either completely or not at all.

The kind of a local store is detected from its content; a mode in the location must agree with it.
A directory without a store can be opened too, so that its keys can be listed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Literal, overload

from ncz.errors import (
    StoreMissing,
    UrlError,
    ZmapError,
    command,
    did_you_mean,
    either,
    list_names,
    option,
    quantity,
)
from ncz.record import record, replace
from ncz.zmap import WritableZmap, Zmap, announce_store
from ncz.zmap.kinds import KINDS, Kind, is_zip, kind_of_name, recognise_kind
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ncz.zmap.beside import Beside
    from ncz.zmap.claim import Claim, Leftover
    from ncz.zmap.history import History
    from ncz.zmap.moved_sources import Move, Moved


@record
class Opener:
    """The functions that open and create the stores of one kind.

    `create` takes the location, whether to replace an existing store, and the claim of a resumable
    creation; see `create_zmap`. `clean` takes the location, whether to change
    nothing, whether to clean up after other computers, and a function that receives the name of
    each local file that was found; see `clean`. `has_object` is given if it costs less than opening
    a store. `holds_uneven` says whether a store can contain arrays with chunks of several lengths,
    if not all of the kind can. `history` returns the old versions of a store, if it keeps some.
    `move_sources` changes the places of the files that a store refers to, or only reports the
    changes; it returns their old and new names. `beside` returns the files that belong to the store
    at a location and are stored next to it, even if the store does not exist.
    """

    open: Callable[[Location], Zmap]
    open_to_write: Callable[[Location], WritableZmap]
    create: Callable[[Location, bool, Claim | None], AbstractContextManager[WritableZmap]]
    clean: Callable[[Location, bool, bool, Callable[[str], object]], list[Leftover]] | None = None
    holds_uneven: Callable[[Location], bool] | None = None
    history: Callable[[Location], History] | None = None
    has_object: Callable[[Location, str], bool] | None = None
    move_sources: Callable[[Location, Move, bool], list[Moved]] | None = None
    beside: Callable[[Location], Beside | None] | None = None


def load_opener(kind: Kind) -> Opener:
    """Import and return the functions of a kind."""
    module, _, name = KINDS[kind].opener.partition(":")
    opener: Opener = getattr(import_module(module), name)
    return opener


def kind_of_location(location: Location) -> Kind | None:
    """Return the kind that a location says, such as by a mode of its URL; None if it does not."""
    if location.kind == "remote":
        modes = location.modes
        special = (kind for kind, entry in reversed(KINDS.items()) if entry.on_servers)
        return next((kind for kind in special if not modes.isdisjoint(KINDS[kind].modes)), "remote")
    return location.kind


def is_reference_set(location: Location) -> bool:
    """Return whether a store that is created at a location is a reference set."""
    return location.kind == "reference" or "reference" in location.modes


def history_of(location: Location) -> History | None:
    """Return the history of a store; None for kinds of stores that keep none.

    A store on a server must be named by a mode of its URL.
    """
    kind = kind_of_location(location)
    if kind is None and os.path.lexists(location.path):
        kind = recognise_kind(location.path, None) if os.path.isdir(location.path) else None
    read = None if kind is None else load_opener(kind).history
    return None if read is None else read(location)


def move_sources(location: Location, move: Move, dry_run: bool) -> list[Moved] | None:
    """Change the places of the files that a store refers to; return their old and new names.

    None for kinds of stores that refer to no files.
    """
    kind = kind_of_location(location)
    if kind is None and os.path.lexists(location.path):
        kind = _detect(location.path)
    change = None if kind is None else load_opener(kind).move_sources
    return None if change is None else change(location, move, dry_run)


def holds_uneven_chunks(location: Location) -> bool:
    """Return whether a new store at a location can have arrays with chunks of several lengths."""
    kind = kind_of_location(location)
    asked = None if kind is None else load_opener(kind).holds_uneven
    return asked is None or asked(location)


def holds_no_chunks(location: Location) -> bool:
    """Return whether a new store at a location has no place for chunks, except a few small ones.

    It refers to all others.
    """
    return is_reference_set(location) and kind_of_location(location) == "reference"


def zarr_format_of(location: Location) -> int | None:
    """Return the only version of Zarr that a store at a location can contain; None for any."""
    kind = kind_of_location(location)
    return None if kind is None else KINDS[kind].zarr_format


def needs_strict_json(location: Location) -> bool:
    """Return whether documents of a store at a location cannot have NaN and infinities."""
    kind = kind_of_location(location)
    return kind is not None and KINDS[kind].strict


@overload
def open_zmap(location: Location, *, write: Literal[False] = False) -> Zmap: ...
@overload
def open_zmap(location: Location, *, write: Literal[True]) -> WritableZmap: ...
def open_zmap(location: Location, *, write: bool = False) -> Zmap:
    """Open an existing store.

    Parameters
    ----------
    location
        Where the store is; see `ncz.zmap.location.parse_location`.
    write
        Whether to open the store to change it in place.

    Returns
    -------
    Zmap or WritableZmap
        The store, which the caller closes. It is writable if `write` is set.

    Raises
    ------
    StoreMissing
        If no store exists at the location.
    UrlError
        If the location's mode contradicts the existing store.
    ZmapError
        If the storage refuses access, or the store cannot be changed in place.
    """
    if location.dap_mode is not None:
        raise ZmapError(
            "this is a dataset on an OPeNDAP server, not a Zarr store",
            location.display,
            f"copy it to Zarr with {command('copy')}",
        )
    location = _zip_above(location)
    kind = kind_of_location(location)
    if kind is None or (location.kind != "remote" and KINDS[kind].recognise is not None):
        found = _detect(location.path)
        if kind is not None and found != kind:
            raise UrlError(
                f"the URL has mode={KINDS[kind].modes[0]}, but this is a {KINDS[found].title}",
                location=location.address,
                hint="leave out the mode: the format is detected automatically",
            )
        kind = found
    opener = load_opener(kind)
    zmap = opener.open_to_write(location) if write else opener.open(location)
    return announce_store(zmap, location.address)


@contextlib.contextmanager
def create_zmap(
    location: Location, *, overwrite: bool = False, claim: Claim | None = None
) -> Iterator[WritableZmap]:
    """Create a store; it appears at its location when the ``with`` block ends without an error.

    A local store is a zip file if its location has ``mode=zip`` or its name ends in ``.zip``, and a
    directory otherwise.

    Parameters
    ----------
    location
        Where to create the store.
    overwrite
        Whether to replace an existing store.
    claim
        The identity of the new store, for a creation that can be resumed. If the claim resumes, the
        store may already contain objects of an earlier run, and its objects stay after an error.

    Yields
    ------
    WritableZmap
        The store to write to, closed when the block ends.

    Raises
    ------
    StoreExists
        If the location exists and `overwrite` is not set, or if it does not look like a store.
    UrlError
        If the location's mode contradicts its name.
    ZmapError
        If the storage refuses access, or another process holds the claim.
    """
    kind = kind_of_location(location)
    if kind is None or (location.kind != "remote" and KINDS[kind].recognise is not None):
        named = kind_of_name(location.path)
        if kind is not None and named is not None and named != kind:
            raise UrlError(
                f"mode={KINDS[kind].modes[0]} creates a {KINDS[kind].title}, but the name ends in"
                f" {KINDS[named].suffixes[0]}",
                location=location.display,
                hint=f"use mode={KINDS[named].modes[0]}, or another name",
            )
        kind = named or kind or "directory"
    with load_opener(kind).create(location, overwrite, claim) as zmap:
        yield announce_store(zmap, location.address)


def clean(
    location: Location,
    *,
    dry_run: bool = False,
    force: bool = False,
    report: Callable[[str], object] = lambda _: None,
) -> list[Leftover]:
    """Remove leftovers of a killed or failed creation, and nothing else.

    Parameters
    ----------
    location
        The target of the creation.
    dry_run
        Whether to change nothing.
    force
        Whether to clean up on a server after a creation that another computer began. Whether it
        still runs cannot be known.
    report
        Called with the name of each local file that was found.

    Returns
    -------
    list of Leftover
        The stores and objects that were removed or restored, or would be.

    Raises
    ------
    ZmapError
        If a creation still runs or may still run, or the storage refuses.
    """
    kind = location.kind or kind_of_name(location.path) or "directory"
    remove = load_opener(kind).clean
    found = remove(location, dry_run, force, report) if remove is not None else []
    return found + _clean_beside(location, dry_run, force)


def beside(location: Location) -> Beside | None:
    """Return the objects that belong to the store at a location and are stored next to it, or None.

    The store need not exist; its kind then follows from its name.
    """
    kind = kind_of_location(location)
    name = location.path.rstrip("/").lower()
    if kind is None and os.path.lexists(location.path):
        first = None if os.path.isdir(location.path) else _first_bytes(location.path)
        kind = recognise_kind(location.path, first)
    elif kind is None or kind == "remote":
        kind = next((each for each in KINDS if name.endswith(KINDS[each].usual or "/")), None)
    if kind is None or not KINDS[kind].beside:
        return None
    found = load_opener(kind).beside
    return None if found is None else found(location)


def _clean_beside(location: Location, dry_run: bool, force: bool) -> list[Leftover]:
    from ncz.zmap.claim import Leftover

    found = beside(location)
    if found is None or not found.unused:
        return []
    if location.kind == "remote" and not force:
        raise ZmapError(
            f"{quantity(found.unused, 'object')} {'is' if found.unused == 1 else 'are'} not used,"
            " and a command that still runs may need them",
            found.place,
            f"use {option('force', True)} if it has ended",
        )
    if not dry_run:
        found.remove(True)
    return [Leftover(found.place, "remove", found.unused, found.unused_size)]


def has_object(location: Location, key: str) -> bool:
    """Return whether an object is at a location, which need not be a store.

    Raises `NczError` if it cannot be read.
    """
    kind = kind_of_location(location)
    asked = None if kind is None else load_opener(kind).has_object
    if asked is not None:
        return asked(location, key)
    with contextlib.closing(open_zmap(location)) as zmap:
        return zmap.get(key) is not None


def _zip_above(location: Location) -> Location:
    """Return the location of a group in a zip file for ``x.zip/group``, and others unchanged."""
    if location.kind not in (None, "zip") or location.inside is not None:
        return location
    path = location.path
    if os.path.lexists(path):
        return location
    above, inside = path.replace(os.sep, "/").rstrip("/"), ""
    while above and not os.path.lexists(above):
        folder, _, name = above.rpartition("/")
        inside, above = f"{name}/{inside}".rstrip("/"), folder.rstrip("/")
    parts = inside.split("/")
    if not os.path.isfile(above) or ".." in parts or not is_zip(_first_bytes(above)):
        return location
    inside = "/".join(part for part in parts if part not in ("", "."))
    return replace(location, kind="zip", path=os.path.abspath(above), inside=inside)


def _detect(path: str) -> Kind:
    """Return the kind of the store at a local path; raise if it is not a store."""
    first = None
    if not os.path.isdir(path):
        if not os.path.exists(path):
            is_link = os.path.islink(path)
            pattern_hint = _pattern_hint(path)
            is_unmatched = pattern_hint is None and not {*"*?"}.isdisjoint(path)
            what = (
                "no file matches this pattern"
                if is_unmatched
                else "no file or store exists at this path"
            )
            raise StoreMissing(
                "the symbolic link is broken" if is_link else what,
                location=path,
                hint=_unfinished_hint(path)
                or pattern_hint
                or _misspelled_url(path)
                or similar_path(path)
                or "check the path",
            )
        if not os.path.isfile(path):
            raise ZmapError("this is neither a directory nor a file", location=path)
        first = _first_bytes(path)
    kind = recognise_kind(path, first)
    if kind is not None:
        return kind
    from ncz.zmap.foreign import refuse_foreign

    refuse_foreign(first or b"", path)
    if not first:
        raise ZmapError("this file is empty", path, "give the path of a dataset")
    if path.lower().endswith((".csv", ".tsv")):
        raise ZmapError(
            "this is a table (CSV), and not a dataset", path,
            "in Python, pandas.read_csv(...).to_xarray() makes one, which ncz.copy writes",
        )  # fmt: skip
    if path.lower().endswith(".cdl"):
        raise ZmapError(
            "this is CDL text, and not a store", path,
            "make a dataset of it first: " + either(
                f"ncz gen {path} -o {path[:-4]}.nc", f"ncz.gen({path!r}, '{path[:-4]}.nc')"
            ),
        )  # fmt: skip
    named = next((what for end, what in _NAMES.items() if path.lower().endswith(end)), None)
    raise ZmapError(
        "this is not a dataset that ncz knows"
        if named is None
        else f"the suffix is for {named}, but the file is not one",
        location=path,
        hint="give a netCDF or HDF5 file, a Zarr store (a directory or a zip file) or a reference"
        " set",
    )


_NAMES = {
    **dict.fromkeys((".nc", ".nc3", ".nc4", ".cdf"), "a netCDF file"),
    **dict.fromkeys((".h5", ".hdf5", ".he5"), "an HDF5 file"),
    ".zarr": "a Zarr store",
    ".zip": "a zip file",
    ".json": "a reference set",
}
"""Endings of names, and the formats that they promise."""


def _unfinished_hint(path: str) -> str | None:
    """Return a hint if a copy to a path was interrupted."""
    from ncz.zmap.local.build_names import claimed_name

    target = os.path.abspath(path)
    if not os.path.lexists(os.path.join(os.path.dirname(target), claimed_name(target))):
        return None
    return "a copy to it was interrupted; run it again to continue, or ncz clean to remove its rest"


_MISSPELLED_URL = re.compile("(s3|gs|az|https?)(?::/|//)(?!/)(.+)", re.DOTALL)


def _misspelled_url(path: str) -> str | None:
    """Return a hint if a path is a URL that lacks a slash or the colon."""
    found = _MISSPELLED_URL.fullmatch(path)
    return None if found is None else f"did you mean {found[1]}://{found[2]}?"


_MOST_NAMES = 2000
"""Names of a folder that are compared with one that does not exist."""


def similar_path(path: str) -> str | None:
    """Return a hint if a path that does not exist is like one that does: names or separators."""
    above, colon, variable = path.rpartition(":")
    inside = variable.strip("/")
    if colon and inside.replace("/", "_").isidentifier() and os.path.exists(above):
        return f"did you mean {f'{above}/{inside}'!r}?"
    turned = path.replace("\\", "/")
    if turned != path and os.path.lexists(turned):
        return f"did you mean {turned!r}?"
    folder, name = os.path.split(turned.rstrip("/"))
    if _is_pattern(name):
        return None
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MOST_NAMES), strict=False)]
    except OSError:
        above, _, missing = folder.rpartition("/")
        is_missing = bool(missing) and os.path.isdir(above or ".")
        return f"the folder {folder!r} does not exist" if is_missing else None
    stem, _, suffix = name.partition(".")
    by_stem: dict[str, list[str]] = {}
    for each in sorted(names, key=lambda each: (each.partition(".")[2] != suffix, each)):
        by_stem.setdefault(each.partition(".")[0], []).append(os.path.join(folder, each))
    if stem in by_stem and name:
        return f"did you mean {' or '.join(map(repr, by_stem[stem][:3]))}?"
    hint = did_you_mean(stem, by_stem, "")
    return re.sub("'(.*?)'", lambda found: repr(by_stem[found[1]][0]), hint) or None


def _is_pattern(path: str) -> bool:
    return any(c in path for c in "*?[")


def _pattern_hint(path: str) -> str | None:
    """Return a hint if a path that does not exist is a pattern that files match."""
    from glob import glob

    found = sorted(glob(path)) if _is_pattern(path) else []
    if len(found) < 2:
        return f"did you mean {found[0]!r}?" if found else None
    line = f"ncz copy --concat time {shlex.quote(path)} all.json"
    python = f"ncz.copy({path!r}, 'all.json', concat='time') or ncz.open_mfdataset"
    join = either(line, f"{python}({path!r})")
    names = list_names(found, whole=True)
    return f"it matches {quantity(len(found), 'path')}: {names}; name one, or join them: {join}"


def _first_bytes(path: str) -> bytes:
    from ncz.system_errors import storage_errors
    from ncz.zmap.foreign import LONGEST_SIGNATURE

    with storage_errors(path, "read"), open(path, "rb") as file:
        return file.read(LONGEST_SIGNATURE)
