"""Copy a file without changes, in few steps, as a store may have millions of files."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable

from ncz.system_errors import changed_object_error, storage_error
from ncz.zmap.content import Accept
from ncz.zmap.key import display
from ncz.zmap.local.content import FileContent
from ncz.zmap.local.tree import READ, Tree, version_of


def copy_file(
    source: Tree,
    key: str,
    target: Tree,
    to: str,
    accept: Accept,
    location: Callable[[str], str],
) -> int | None:
    """Copy a file into a folder that exists, unless more than that has to be done.

    Parameters
    ----------
    source, key
        The file.
    target, to
        The tree and the key of the copy.
    accept
        Called with the content of a file; returns whether to copy it.
    location
        Returns the name in messages of the file with a key of `source`.

    Returns
    -------
    int or None
        The size of the file in bytes. None means that nothing was done: the file cannot be
        opened, is not a regular file or was not accepted, or the target has a file with this name.

    Raises
    ------
    ZmapError
        If the file cannot be read to its end, or changes meanwhile.
    OSError
        If the copy cannot be written.
    """
    try:
        number = source.open(key, READ)
    except OSError:
        return None
    try:
        try:
            before = os.fstat(number)
            content = FileContent(number, before.st_size)
            if not (stat.S_ISREG(before.st_mode) and accept(content)):
                return None
        except OSError as error:
            raise storage_error(error, location(key), "read") from error
        try:
            descriptor = target.create(to)
        except FileExistsError:
            return None
        try:
            try:
                content.copy_to(descriptor, display(key))
                if version_of(os.fstat(number)) != version_of(before):
                    raise changed_object_error(location(key))
            finally:
                os.close(descriptor)
        except BaseException:
            with contextlib.suppress(OSError):  # must not hide the first error
                target.unlink(to)
            raise
        return before.st_size
    finally:
        os.close(number)
