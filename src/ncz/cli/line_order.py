"""Command lines with another word order, or with words that have no meaning for ncz."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Sequence
from itertools import takewhile

from ncz.cli.dataset_endings import is_named

_PROGRAMS = ("ncz", "cdo", "nco", "rclone", "aws", "gsutil", "s3cmd", "s5cmd", "mc", "zarr", "git",
             "gcloud", "azcopy", "gdal", "xarray", "terra", "stars", "s3")  # fmt: skip
"""Programs whose names people type before a command that ncz has too."""

_GROUPS = ("s3", "fs", "storage", "mdim", "raster")
"""Words between the name of such a program and its command."""

_FILLERS = ("to", "into", "as", "in", "from", "->", "=>", "and", "with", "vs")
"""Words between paths that have no meaning for ncz."""

_HELP = ("/?", "/h", "/help", "?", "-?", "--?", "-help", "--hlep", "--hepl",
         "--list", "--commands")  # fmt: skip

_TABLES = (".csv",)
"""The ends of names of tables, which ``dump`` prints."""


_HYPHENS = "\u2010\u2011\u2012\u2013\u2014\u2212"
"""Characters that word processors and web pages have in place of hyphens."""

_QUOTES = "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
"""Quotation marks that a shell does not interpret."""


def typed_plainly(word: str) -> str:
    """Return a word with hyphens at its start, and without quotation marks around it.

    Texts that were copied from pages have other characters for them. A path with such a name is a
    path.
    """
    if word.isascii() or os.path.lexists(word):
        return word
    if word[0] in _HYPHENS:
        name = word.lstrip(_HYPHENS + "-")
        word = f"{'-' if len(name.partition('=')[0]) == 1 else '--'}{name}"
    is_quoted = len(word) > 1 and word[0] in _QUOTES and word[-1] in _QUOTES
    return word[1:-1] if is_quoted else word


def is_place(word: str) -> bool:
    """Return whether a word is a URL, or a path that exists."""
    return "://" in word or os.path.lexists(word.partition("#")[0])


def arrange(args: Sequence[str], commands: Collection[str]) -> list[str]:
    """Return a command line with its command first, and without the name of another program.

    Parameters
    ----------
    args
        The words after ``ncz``.
    commands
        The commands that may come after the dataset.
    """
    words = list(args)
    if len(words) > 1 and words[0] in _PROGRAMS and not is_place(words[0]):
        words = _of_program(words.pop(0), words)
    if words[:1] and words[0] in _HELP:
        return ["--help"]
    if words and len(words[0]) > 2 and "--version".startswith(words[0]):
        return ["--version"]
    if not words or words[0] in commands or not is_place(words[0]):
        return words
    if len(words) == 2 and is_named(words[1]) and not is_place(words[1]):
        return ["copy", *words]
    for at, word in enumerate(words):
        if word in commands and not is_place(word):
            return [word, *words[:at], *words[at + 1 :]]
    return words


_FIRST_VALUES = ("--profile", "--endpoint-url", "--region", "--config")
"""Options with a value that stand between the name of a program and its command."""

_MEANT = {("rclone", "check"): "diff", ("rclone", "cryptcheck"): "diff"}
"""Commands of programs that have the name of another command of ncz."""

_CONNECTION = re.compile(r":(s3|gcs|azureblob)(?:,[^:]*)?:(?!/)(.+)")
"""A place on a server as rclone names it without a remote."""


def _of_program(program: str, words: list[str]) -> list[str]:
    """Return the words after the name of a program: its command and arguments."""
    first: list[str] = []
    rest = list(words)
    if program not in ("cdo", "nco", "ncz"):
        while len(rest) > 1 and (rest[0].startswith("-") or rest[0] in _GROUPS):
            word = rest.pop(0)
            if word in _GROUPS or (program == "gsutil" and word == "-m"):
                continue
            first.append(word)
            if word in _FIRST_VALUES:
                first.append(rest.pop(0))
    if program == "rclone":
        schemes = {"s3": "s3", "gcs": "gs", "azureblob": "az"}
        rest = [_CONNECTION.sub(lambda m: f"{schemes[m[1]]}://{m[2]}", word) for word in rest]
    return [*(_MEANT.get((program, word), word) for word in rest[:1]), *rest[1:], *first]


def remote_of_rclone(words: Sequence[str]) -> str | None:
    """Return the first word of a line of rclone that names a place by one of its remotes."""
    if words[:1] != ["rclone"]:
        return None
    remotes = (w for w in words[2:] if re.fullmatch(r"[A-Za-z0-9_][\w.-]+:(?!//).*", w))
    return next((word for word in remotes if not os.path.lexists(word)), None)


def without_fillers(args: Sequence[str]) -> list[str]:
    """Return a command line without words such as "to" between its paths."""
    words = [args[0]]
    for word, following in zip(args[1:], [*args[2:], "-"], strict=False):
        is_filler = word.lower() in _FILLERS and not os.path.lexists(word)
        before = words[-1] if len(words) > 1 else ""
        if is_filler and not following.startswith("-") and not before.startswith("-"):
            continue
        words.append(word)
    return words


def with_variables(args: Sequence[str]) -> list[str]:
    """Return a line of ``dump`` with an option for variables that are named after the dataset."""
    flags = list(takewhile(lambda word: word in _FLAGS_OF_DUMP, args[1:]))
    at = len(flags) + 1
    if args[0] != "dump" or len(args) < at + 2 or not is_place(args[at]):
        return list(args)
    names = list(takewhile(_is_name, args[at + 1 :]))
    options = ["-v", ",".join(names)] if names else []
    return ["dump", *flags, *options, args[at], *args[at + 1 + len(names) :]]


_FLAGS_OF_DUMP = ("-h", "-c", "-s", "-t", "-i", "--csv", "--json", "--unpack", "--summary")
"""Options of ``dump`` without a value that often come first."""


def with_dataset_first(args: Sequence[str]) -> list[str]:
    """Return a line of a command of one dataset that names a variable before it."""
    is_before = (
        args[0] in ("dump", "info", "view")
        and len(args) > 2
        and _is_name(args[1])
        and args[2][:1] != "-"
        and is_place(args[2])
    )
    return [args[0], args[2], args[1], *args[3:]] if is_before else list(args)


def _is_name(word: str) -> bool:
    return word[:1] != "-" and "." not in word and not is_place(word)


def with_output(args: Sequence[str]) -> list[str]:
    """Return a command line with the option for an output that is only named.

    A table that is the target of ``copy`` is one of ``dump``.
    """
    words = list(args)
    if len(words) < 3:
        return words
    if words[0] == "copy" and words[2:] == ["-"] and is_document(words[1]):
        return document_line(words[1])
    at = _place_of_output(words)
    if words[0] == "copy" and sum(map(is_place, (*words[1:at], *words[at + 1 :]))) < 2:
        words = _dump_line(words, words[at].lower())
        at = _place_of_output(words)
    suffixes, option = _OUTPUTS.get(words[0], ((), ""))
    is_output = words[at].lower().endswith(suffixes) and not is_place(words[at])
    return [*words[:at], option, *words[at:]] if is_output and not _is_value(words, at) else words


_DOCUMENTS = (".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json", ".nczarray")
"""The keys of the documents of stores."""


def is_document(path: str) -> bool:
    """Return whether a path or URL is the one of a document in a store."""
    return path.endswith(_DOCUMENTS)


def document_line(path: str) -> list[str]:
    """Return the line that prints a document of a store, from its path or URL."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    store, end, inside = folder.partition(".zarr/")
    store, inside = (f"{store}.zarr", inside) if end else (folder, "")
    return ["ls", store or ".", "--cat", f"/{inside}/{name}".replace("//", "/")]


def _place_of_output(words: Sequence[str]) -> int:
    """Return the index of the output, which is the name of a new table or the last word."""
    last = len(words) - 1
    tables = (at for at in range(last, 1, -1) if words[at].lower().endswith(_TABLES))
    return next((at for at in tables if not (is_place(words[at]) or _is_value(words, at))), last)


def _is_value(words: Sequence[str], at: int) -> bool:
    """Return whether a word follows an option, which may take it as its value."""
    return words[at - 1].startswith("-") and words[at - 1] != "--csv"


def _dump_line(words: list[str], last: str) -> list[str]:
    """Return the line of ``dump`` for a copy to a text: a table, or one by an option for a format.

    Such an option is ``-f CSV`` or ``--format json``.
    """
    rest = " ".join(map(shlex.quote, words[1:]))
    option = re.compile(rf"(?<!\S)--?(?:f|of|t|to|format)[ =]({'|'.join(_TEXTS)})(?!\S)", re.I)
    found = option.search(rest)
    if found is None and not last.endswith(_TABLES):
        return words
    name = "csv" if found is None else found[1].lower()
    return ["dump", *_TEXTS[name], *shlex.split(option.sub("", rest))]


_TEXTS = {"csv": ["--csv"], "json": ["--json"], "cdl": [], "xml": ["-x"], "ncml": ["-x"]}
"""Formats that ``dump`` prints, and its options for them."""


_OUTPUTS = {
    "dump": ((".csv", ".cdl", ".txt", ".json", ".xml", ".ncml"), "-o"),
    "view": ((".png", ".svg", ".pdf"), "-o"),
    "info": ((".html",), "--html"),
}
"""Commands with an option for an output, and the ends of its name."""

_FORMATS = {
    **dict.fromkeys(("zarr", "zarr3", "zarr2"), ".zarr"),
    **dict.fromkeys(("netcdf", "netcdf4", "nc", "nc4"), ".nc"),
    **dict.fromkeys(("kerchunk", "references", "json"), ".json"),
    **dict.fromkeys(("cdl", "text"), ".cdl"),
    "zip": ".zip", "csv": ".csv", "parquet": ".parquet",
}  # fmt: skip


def name_for_format(args: Sequence[str]) -> str | None:
    """Return the line with a target, for a copy whose target is the name of a format."""
    suffix = _FORMATS.get(args[-1].lower().removeprefix("."))
    if len(args) != 3 or args[0] != "copy" or suffix is None or is_place(args[-1]):
        return None
    stem = os.path.basename(args[1].rstrip("/")).partition(".")[0]
    return shlex.join(("ncz", "copy", args[1], f"{stem}{suffix}"))


def with_whole_names(args: Sequence[str]) -> list[str]:
    """Join the parts of file names that have spaces."""
    words: list[str] = []
    rest = list(args)
    while rest:
        count = 1
        if not rest[0].startswith("-") and not is_place(rest[0]):
            several = range(min(len(rest), _MOST_PARTS), 1, -1)
            count = next((n for n in several if os.path.isfile(" ".join(rest[:n]))), 1)
        words.append(" ".join(rest[:count]))
        del rest[:count]
    return words


_MOST_PARTS = 6
