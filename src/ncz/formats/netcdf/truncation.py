"""Classic files that end before their last value: an interrupted download, or a model that stopped.

Whole records can still be read: each has a value of every variable of the unlimited dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ncz.errors import Notice, Notify, list_names, option, quantity
from ncz.record import record


@record
class VariableExtent:
    """The place of the values of a variable in a file.

    `begin` is the offset of the first byte and `size` their number, or their number in one record.
    """

    name: str
    begin: int
    size: int
    is_record: bool


def whole_records(extents: Iterable[VariableExtent], step: int, size: int, count: int) -> int:
    """Return the number of complete records in a file of `size` bytes, of `count` records.

    `step` is the number of bytes from one record to the next.
    """
    ends = [each.begin + each.size for each in extents if each.is_record and each.size]
    if not ends or not step:
        return count
    return max(0, min(count, (size - max(ends)) // step + 1))


def incomplete_variables(extents: Iterable[VariableExtent], size: int) -> list[str]:
    """Return the variables without records that a file of `size` bytes does not have whole."""
    return [e.name for e in extents if not e.is_record and e.begin + e.size > size]


def report_truncation(
    url: str, count: int, whole: int, names: Sequence[str], notify: Notify, *, keep_going: bool
) -> None:
    """Report that a file is shorter than its header says.

    Parameters
    ----------
    url
        The path or URL of the file.
    count, whole
        The number of records in the header, and of complete records.
    names
        The variables without records that are not whole.
    notify
        Receives the notice.
    keep_going
        Whether truncated variables are left out.
    """
    parts = []
    if whole < count:
        parts.append(f"{whole} of {quantity(count, 'record')} are whole")
    if names:
        parts.append(f"{list_names(names)} {'is' if len(names) == 1 else 'are'} not whole")
    if not parts:
        return
    text = f"the file is truncated: {' and '.join(parts)}"
    if keep_going:
        notify(Notice("file-truncated", f"{text}; the rest is left out", url, lost=True))
        return
    hint = f"use {option('keep_going', True)} to read the complete parts"
    notify(Notice("file-truncated", text, url, hint))
