"""Compare the datasets that other programs and ncz read from a store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ncz.errors import Notice, Notify
from ncz.formats.other_readers import CannotRunError, Read, error_text, open_by_reader, place_of
from ncz.late import numpy as np
from ncz.model.grid import Box, slabs
from ncz.model.slabs import grid_of, read_slab
from ncz.model.tree import Variable, dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Enumeration
from ncz.transfer.difference import DifferenceError

if TYPE_CHECKING:
    from ncz.formats.kinds import OpenedDataset
    from ncz.model.data import Values

_STRING = 64
"""Bytes that a string or another object is taken to have."""


def compare_with_readers(
    opened: OpenedDataset, readers: Iterable[str], memory: int, notify: Notify
) -> list[str]:
    """Open a dataset with other programs, and compare the values that they read.

    Values of enums are compared as numbers. Values of other user-defined types are only read.

    Parameters
    ----------
    opened
        The dataset.
    readers
        The names of the programs, as ``--for`` has them.
    memory
        Bytes that the values of a variable may take.
    notify
        Receives a notice of each program that is not run, which says why.

    Returns
    -------
    list of str
        The programs that read the same.

    Raises
    ------
    DifferenceError
        If a program does not open the dataset, or reads something else.
    """
    same = []
    for reader in dict.fromkeys(readers):
        try:
            _compare(opened, reader, memory, notify)
        except CannotRunError as reason:
            text = f"the target was not opened with {reader}: {reason}"
            notify(Notice("reader-not-run", text, opened.location.display))
        else:
            same.append(reader)
    return same


def _compare(opened: OpenedDataset, reader: str, memory: int, notify: Notify) -> None:
    root, location = opened.dataset.root, opened.location.display
    place = place_of(opened.location, opened.dataset.provenance)
    lengths = dimensions_by_fqn(root)
    try:
        with open_by_reader(reader, place) as shown:
            if shown.fault is not None:
                text = f"{reader} does not decode the dataset: {shown.fault}"
                notify(Notice("reader-misread", text, location))
            for fqn, variable in variables_by_fqn(root):
                location = f"{opened.location.display}: {fqn}"
                read = shown.variables.get(fqn)
                if read is None:
                    raise DifferenceError(f"{reader} does not show the variable", location)
                found = _difference(variable, shape_of(variable, lengths), read, memory)
                if found is not None:
                    raise DifferenceError(f"{reader} reads {found}", location)
    except (DifferenceError, CannotRunError):
        raise
    except Exception as error:  # of the other program, which may raise anything
        text = f"{reader} cannot read the target: {error_text(error)}"
        raise DifferenceError(text, location) from error


def _difference(variable: Variable, shape: tuple[int, ...], read: Read, memory: int) -> str | None:
    """Return the first difference of a variable in words; None if none exists."""
    limit = max(1, memory // (fixed_size(variable.type) or _STRING))
    for box in slabs(grid_of(variable, shape), limit):
        theirs = read(box.slices)
        theirs = np.asarray(theirs.data if np.ma.isMA(theirs) else theirs)
        ours = read_slab(variable, shape, box)
        if shape == () and theirs.shape == (1,):
            theirs = theirs.reshape(())  # NCZarr V2 has no scalars
        if ours.shape != theirs.shape:
            return f"the shape {theirs.shape}, and not {ours.shape}"
        found = _first(ours, theirs, variable, box)
        if found is not None:
            return found
    return None


def _first(ours: Values, theirs: Any, variable: Variable, box: Box) -> str | None:
    same = _same(ours, theirs, variable)
    if same is None or same.all():
        return None
    at = np.unravel_index(int(np.argmin(same.reshape(-1))), ours.shape)
    index = ",".join(str(i + start) for i, start in zip(at, box.start, strict=True))
    return f"{theirs[at]!r} at [{index}], and not {ours[at]!r}"


def _same(ours: Values, theirs: Any, variable: Variable) -> Any:
    """Return which elements are the same; None if they cannot be compared."""
    if not isinstance(variable.type, Atomic | Enumeration):
        return None
    if variable.type is Atomic.STRING:
        texts = map(_text, theirs.reshape(-1).tolist())
        pairs = zip(map(_text, ours.reshape(-1).tolist()), texts, strict=True)
        return np.fromiter((a == b for a, b in pairs), bool, ours.size).reshape(ours.shape)
    if variable.type is Atomic.CHAR:
        if theirs.dtype.kind == "U":
            theirs = np.char.encode(theirs, "latin-1")
        if theirs.dtype.kind in "iu":
            theirs = theirs.astype("u1").view("S1")
        return ours == theirs
    if theirs.dtype.kind in "mM":
        theirs = theirs.view("i8")
    if theirs.dtype.kind not in "biuf":
        return None
    return (ours == theirs) | ((ours != ours) & (theirs != theirs))


def _text(value: object) -> str:
    """Return a string in a common form: NIL is empty, and bytes are UTF-8 without last NULs."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", "surrogateescape")
    return "" if value is None else str(value).rstrip("\0")
