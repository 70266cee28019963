"""A verbatim copy: every object of a store, unchanged and independent of its metadata.

It also copies objects that ncz cannot read, such as chunks of unknown codecs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing

from ncz.commands.copy.options import CopyOptions, thread_count
from ncz.commands.copy.resumption import claim_of
from ncz.commands.copy.summary import Summary
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, Progress, StoreMissing, UrlError, ZmapError, note_on_interrupt
from ncz.errors import option as shown
from ncz.formats.create_options import AS_DEFAULT
from ncz.formats.opening import maintenance
from ncz.model.chunks import LARGEST_CHUNK
from ncz.record import replace
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.journal import refuse_interrupted
from ncz.zmap.key import is_document
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap, is_reference_set, open_zmap

_ALLOWED = frozenset(
    {"source", "target", "create", "resume", "verify", "verbatim", "memory", "threads"}
)
"""The options that a verbatim copy heeds."""

_COST = 8 << 20
"""Bytes that are assumed of an object that is copied."""


def copy_verbatim(options: CopyOptions, callbacks: Callbacks) -> Summary:
    """Copy all objects of a store; after an error, the target is unchanged.

    Parameters
    ----------
    options
        What to copy where. Options that select or convert something are refused.
    callbacks
        Receives every object that is written, or compared.

    Returns
    -------
    Summary
        The number of objects, as `chunks`, and their bytes.

    Raises
    ------
    OptionError
        If another option has been given that a verbatim copy cannot heed.
    NczError
        If the source cannot be read, the target cannot be written, or they differ.
    """
    _refuse_others(options)
    source, target = _store(options.source), _store(options.target)
    summary = Summary()
    digest = hashlib.sha256(f"verbatim {source.exact}".encode("utf-8", "surrogateescape"))
    claim = claim_of(
        digest.hexdigest(),
        options,
        f"ncz copy --verbatim {source.display}",
        lambda: summary.chunks + summary.kept,
    )
    with closing(open_zmap(source)) as old:
        refuse_interrupted(old)
        if next(iter(old.walk()), None) is None:
            raise StoreMissing("nothing is stored here", source.display)
        place = target
        if maintenance().is_pure(old, source):  # which decides about the names in zip files
            place = replace(target, modes=target.modes | {"nczarr", "zarr"})
        with (
            note_on_interrupt(f"{target.display} was not changed"),
            create_zmap(place, overwrite=options.create.overwrite, claim=claim) as new,
        ):
            _copy_all(old, new, options, callbacks.progress, summary, resumes=claim.resume)
            old.check_unchanged()
        if options.verify:
            with closing(open_zmap(place)) as written:
                _compare(old, written, callbacks.progress)
    return summary


def _refuse_others(options: CopyOptions) -> None:
    """Raise `OptionError` if another option does not have its default."""
    plain = CopyOptions(source=options.source, target=options.target)
    is_plain = options.create == replace(AS_DEFAULT, overwrite=options.create.overwrite)
    for name in CopyOptions.__annotations__:
        is_other = name not in _ALLOWED and getattr(options, name) != getattr(plain, name)
        if is_other or not is_plain:
            raise OptionError(
                f"{shown('verbatim', True)} copies objects unchanged, without other options",
                hint="omit the options that select or convert something",
            )


def _store(place: object) -> Location:
    """Return the location of a store, which a CDL text, a file and a reference set are not."""
    if not isinstance(place, Location):
        raise UrlError(f"{shown('verbatim', True)} copies stores, and not texts", str(place))
    if is_reference_set(place):
        raise UrlError(
            f"{shown('verbatim', True)} copies stores, and not reference sets", place.display
        )
    return place


def _copy_all(
    old: Zmap,
    new: WritableZmap,
    options: CopyOptions,
    progress: Progress,
    summary: Summary,
    *,
    resumes: bool,
) -> None:
    """Copy the objects, and the documents last: a part of a store must not pass for all of it."""
    from ncz.parallel.threads import ThreadPool

    documents: list[str] = []

    def others() -> Iterator[str]:
        for key in old.walk():
            if is_document(key):
                documents.append(key)
            else:
                yield key

    def copy(key: str) -> tuple[str, int, bool]:
        size = old.size(key)
        if resumes and new.has_earlier and size is not None and new.keep(key, size):
            return key, size, True
        written = new.put_from(key, old, key, LARGEST_CHUNK)
        if written is None:
            raise ZmapError("it was removed while it was copied", old.where(key))
        return key, written, False

    def report(key: str, size: int, is_kept: bool) -> None:
        summary.kept += is_kept
        summary.chunks += not is_kept
        summary.size += 0 if is_kept else size
        progress.advance(f"/{key}", 1, size)

    assert isinstance(options.target, Location)
    progress.expect(None, "objects")
    with ThreadPool(options.data_memory, thread_count(options.target, options)) as pool:
        for done in pool.each(copy, others(), _COST):
            report(*done)
    for key in sorted(documents, key=lambda key: (-key.count("/"), key)):
        report(*copy(key))


def _compare(old: Zmap, new: Zmap, progress: Progress) -> None:
    """Raise `ZmapError` unless both stores have the same objects with the same bytes."""
    count = 0
    for key in old.walk():
        data = old.get(key, LARGEST_CHUNK)
        if data is None or new.get(key, LARGEST_CHUNK) != data:
            raise ZmapError("the copy has other bytes than the source", new.where(key))
        progress.advance(f"/{key}", 1, len(data))
        count += 1
    if sum(1 for _ in new.walk()) != count:
        raise ZmapError("the copy has more objects than the source", new.url)
