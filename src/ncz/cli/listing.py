"""The keys of a store, as the command line prints them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ncz.cli.terminal import Terminal, visible
from ncz.commands.ls import Entry
from ncz.errors import quantity

if TYPE_CHECKING:
    from rich.tree import Tree

    from ncz.commands.totals import Total


_STYLES = {"group": "bold blue", "array": "green", "attributes": "yellow", "chunk": "dim"}


def safe(lines: Iterable[str]) -> Iterable[str]:
    """Return the lines of an object, with control characters escaped on a terminal only."""
    return map(visible, lines) if sys.stdout.isatty() else lines


def long_line(entry: Entry, human: bool) -> str:
    """Return the size, the kind and the key of an entry, and where it leads."""
    line = f"{_size(entry.size, human):>12}  {entry.kind:<10}  {visible(entry.key)}"
    leads = " or ".join(entry.places) or " ".join(map(str, entry.target or ()))
    if not leads:
        return line
    size = "" if entry.source_size is None else f"{_size_text(entry.source_size, human)}, "
    state = f"  ({size}{entry.state})" if entry.state else ""
    return f"{line}  {visible(leads)}{state}"


def _size_text(size: int, human: bool) -> str:
    return _size(size, human) if human else quantity(size, "byte")


def _size(size: int | None, human: bool) -> str:
    if size is None:
        return "-"
    if not human:
        return str(size)
    from ncz.text.sizes import format_size

    return format_size(size)


def total_lines(totals: Iterable[Total], human: bool) -> Iterator[str]:
    """Yield a line for each group and array, below a line of titles."""
    yield f"{'bytes':>12}  {'objects':>9}  {'chunks':>9}  {'kind':<6}  key"
    for t in totals:
        size = _size(t.size, human)
        yield f"{size:>12}  {t.objects:>9}  {t.chunks:>9}  {t.kind:<6}  {visible(t.key)}"


def sum_line(total: Total, name: str, human: bool) -> str:
    """Return the line of a whole store, as ``du -s`` prints it."""
    return f"{_size(total.size, human):>12}  {visible(name)}"


def json_totals(totals: Iterable[Total]) -> Iterator[str]:
    """Return a JSON list with one group or array per line."""
    return _json_list(
        {"key": t.key, "kind": t.kind, "objects": t.objects, "chunks": t.chunks, "size": t.size}
        for t in totals
    )


def content_lines(contents: Iterable[tuple[Entry, list[str]]]) -> Iterator[str]:
    """Yield the lines of every object, below its key."""
    for entry, lines in contents:
        yield f"==> {visible(entry.key)} ({entry.kind}, {quantity(entry.size or 0, 'byte')}) <=="
        yield from safe(lines)


def json_contents(contents: Iterable[tuple[Entry, list[str]]]) -> Iterator[str]:
    """Return a JSON list with one object per line."""
    return _json_list({**_members(entry), "lines": lines} for entry, lines in contents)


def json_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Return a JSON list with one entry per line, which diff can compare."""
    return _json_list(map(_members, entries))


def _members(entry: Entry) -> dict[str, object]:
    return {k: v for k, v in entry._asdict().items() if v or k in ("key", "size", "kind")}


def _json_list(rows: Iterable[object]) -> Iterator[str]:
    line = "["
    for row in rows:
        if line != "[":
            line += ","
        yield line
        line = f" {json.dumps(row)}"
    yield line
    yield "]"


def write_tree(
    store: str,
    entries: Iterable[Entry],
    all_chunks: bool,
    terminal: Terminal,
    write: Callable[[bytes], object],
) -> None:
    """Print entries as a tree. Chunks are counted unless `all_chunks` is true."""
    import io

    from rich.console import Console

    page = io.StringIO()
    colored = terminal.is_colored(sys.stdout)
    console = Console(
        file=page, width=10_000, force_terminal=colored, no_color=not colored, legacy_windows=False
    )
    console.print(_tree(store, entries, all_chunks), soft_wrap=True)
    write(page.getvalue().encode("utf-8", "surrogateescape"))


def _tree(store: str, entries: Iterable[Entry], all_chunks: bool) -> Tree:
    """Return the entries as a rich tree. Chunks are counted unless `all_chunks` is true."""
    from rich.text import Text
    from rich.tree import Tree

    def branch(parent: Tree, label: str, kind: str | None) -> Tree:
        return parent.add(Text(label, _STYLES.get(kind or "", "")))

    top = Tree(Text(visible(store), "bold"))
    folders = {"": top}
    arrays: set[str] = set()
    chunks: list[str] = []

    def folder(path: str) -> Tree:
        missing = []
        while path not in folders:
            missing.append(path)
            path = path.rpartition("/")[0]
        for below in reversed(missing):
            parent, _, name = below.rpartition("/")
            folders[below] = branch(folders[parent], visible(name) + "/", None)
        return folders[missing[0] if missing else path]

    for entry in entries:
        key, kind = entry.key, entry.kind
        path, _, name = key.rpartition("/")
        if kind == "chunk" and not all_chunks:
            chunks.append(path)
            continue
        if kind == "array":
            arrays.add(path)
        branch(folder(path), visible(name), kind)
    for path, count in Counter(_array_above(path, arrays) for path in chunks).items():
        branch(folder(path), quantity(count, "chunk"), "chunk")
    return top


def _array_above(path: str, arrays: set[str]) -> str:
    """Return the path of the array that the folder of chunks `path` belongs to.

    A netCDF file has no documents of arrays: the folder is the variable.
    """
    if not arrays:
        return path
    while path and path not in arrays:
        path = path.rpartition("/")[0]
    return path
