"""Programs of Unix whose options ncz has in another form, as lines of ncz."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from ncz.cli.line_order import is_place
from ncz.cli.named_datasets import asked
from ncz.model.tree import Dataset, base_name, dimensions_by_fqn, variables_by_fqn
from ncz.model.types import Atomic
from ncz.zmap.key import ROOT_DOCUMENTS

_MOST = 5
"""The indices of each dimension that ``head`` prints, as in xarray."""

_FILTERS = (
    "grep", "egrep", "fgrep", "rg", "wc", "sort", "uniq", "sed", "awk", "tr", "column", "tee",
)  # fmt: skip
"""Programs that read text, which `ncz dump` prints."""


def piped(word: str, typed: Sequence[str]) -> str | None:
    """Return the line that pipes the output of ncz into a program of Unix; None for other words."""
    paths = [each for each in typed if is_place(each)]
    if word not in _FILTERS or len(paths) != 1:
        return None
    rest = shlex.join((word, *(each for each in typed if each not in paths)))
    what = "dump" if word in ("wc", "sort", "uniq") else "dump -h"
    return f"ncz {what} {shlex.quote(paths[0])} | {rest}"


def _end(sign: str) -> Callable[[str, list[str]], list[str] | None]:
    """Return a function that makes the line for the first or the last indices."""

    def line(_: str, typed: list[str]) -> list[str] | None:
        count, rest = _count(typed)
        paths = [word for word in rest if is_place(word)]
        names = [word for word in rest if word not in paths]
        if count is None or len(paths) != 1 or any(name.startswith("-") for name in names):
            return None
        sizes = asked(paths[0], partial(_sizes, names))
        if sizes is None:
            return None
        chosen = f"-{count}:" if sign == "-" else f"0:{count}"
        cut = ",".join(f"{name}={chosen}" for name, size in sizes.items() if size > count)
        variables = ",".join(names)
        return [
            "dump",
            *(["--vars", variables, "-v", variables] if names else []),
            *(["--isel", cut] if cut else []),
            *paths,
        ]

    return line


def _count(typed: Sequence[str]) -> tuple[int | None, list[str]]:
    """Return the number of ``-n 3``, ``-3`` or ``--lines=3``, and the other words."""
    count: int | None = _MOST
    rest: list[str] = []
    words = list(typed)
    while words:
        word = words.pop(0)
        found = re.fullmatch(r"(?:-n=?|--(?:lines|rows|n)=?|-)(\d+)?", word)
        if found is None:
            rest.append(word)
            continue
        number = found[1] or (words.pop(0) if words else "")
        count = int(number) if number.isdigit() and int(number) else None
    return count, rest


def _sizes(names: Collection[str], dataset: Dataset) -> dict[str, int]:
    """Return the lengths of the dimensions of these variables, or of all.

    The characters of a text belong together.
    """
    lengths = {fqn: each.size for fqn, each in dimensions_by_fqn(dataset.root).items()}
    sizes: dict[str, int] = {}
    texts: set[str] = set()
    for fqn, variable in variables_by_fqn(dataset.root):
        if not names or {fqn, fqn.removeprefix("/"), base_name(fqn)} & {*names}:
            sizes |= {each: lengths[each] for each in variable.dimensions}
        if variable.type is Atomic.CHAR:
            texts |= {*variable.dimensions[-1:]}
    sizes = {fqn: size for fqn, size in sizes.items() if fqn not in texts}
    by_name: dict[str, int] = {}
    for fqn, size in sizes.items():
        by_name[base_name(fqn)] = max(size, by_name.get(base_name(fqn), 0))
    return by_name


def _cp(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``cp -rv A B``; options of `ncz copy` may be among the words."""
    words: list[str] = []
    letters = ""
    rest = list(typed)
    while rest:
        word = rest.pop(0)
        is_cluster = re.fullmatch(r"-[aRrpPvfnuidLHT]+", word)
        names_variable = word == "-v" and rest and not is_place(rest[0])
        has_number = word == "-d" and rest and rest[0].isdigit()
        if word in ("-t", "--target-directory") and rest:
            letters += "t"
            words.append(rest.pop(0))
            rest.append(words.pop())
        elif is_cluster and not names_variable and not has_number:
            letters += word[1:]
        else:
            words.append(word)
    if "u" in letters and words and os.path.lexists(words[-1]):
        return None
    force = ["--overwrite"] if "f" in letters else []
    return ["copy", *force, *_into_folder(words)]


def _into_folder(words: list[str]) -> list[str]:
    """Return the words of a copy with the name in a folder that exists, which is the target."""
    paths = [at for at, word in enumerate(words[:-1]) if word[:1] != "-" and is_place(word)]
    is_new = words[-1:] != [] and words[-1].endswith("/") and not words[-1].endswith(".zarr/")
    if not paths or "://" in words[-1] or not (is_plain_folder(words[-1]) or is_new):
        return words
    names = [os.path.basename(words[at].rstrip("/")) for at in paths]
    ends = {os.path.splitext(name)[1] for name in names}
    folder = words[-1].rstrip("/")
    if len(names) == 1 and not is_plain_folder(words[paths[0]]):
        return [*words[:-1], os.path.join(folder, names[0])]
    if len(ends) == 1 and all(ends):
        return ["--each", *words[:-1], os.path.join(folder, f"{{}}{ends.pop()}")]
    return words


def is_plain_folder(path: str) -> bool:
    """Return whether a path is a folder on this computer that is no store."""
    names = (os.path.join(path, name) for name in ROOT_DOCUMENTS)
    return os.path.isdir(path) and not any(map(os.path.exists, names))


def _du(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that adds up sizes; each array has a line, as with ``du -a``."""
    words: list[str] = []
    rest = list(typed)
    human: list[str] = []
    while rest:
        word = rest.pop(0)
        if word in ("-d", "--max-depth") and rest:
            rest.pop(0)
        elif re.fullmatch(r"-[shkcabmHLlx]+|-d\d+|--[a-z-]+(=\d+)?", word):
            is_human = word == "--human-readable" or re.fullmatch(r"-[a-zA-Z]*h[a-zA-Z]*", word)
            human = ["--human"] if is_human else human
        else:
            words.append(word)
    if any(word.startswith("-") for word in words):
        return None
    return ["ls", "--totals", *human, *(words or ["."])]


def _tree(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that prints a tree: of two levels or more, as `ncz ls` has no other."""
    words = list(typed)
    depth = ""
    for name in ("-L", "--level", "--depth"):
        if name in words[:-1]:
            at = words.index(name)
            depth = words[at + 1]
            del words[at : at + 2]
    words = [word for word in words if not re.fullmatch(r"-[ahsCDFN]+", word)]
    return ["ls", *([] if depth == "1" else ["--tree"]), *(words or ["."])]


def _zip(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``zip -r OUT.zip STORE``, whose target comes first."""
    words = [word for word in typed if not re.fullmatch(r"-[rq0-9]+", word)]
    is_named = len(words) == 2 and words[0].endswith(".zip") and not os.path.lexists(words[0])
    return ["copy", words[1], words[0]] if is_named else None


def _rsync(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``rsync -av A B``; what would remove something is left out."""
    words = [
        word
        for word in typed
        if not re.fullmatch(r"-[avzPrRlptghiKuHAXW]+|--(progress|partial|archive|compress)", word)
    ]
    words = ["--dry-run" if word == "-n" else word for word in words]
    is_plain = all(not word.startswith("-") or word == "--dry-run" for word in words)
    paths = [word for word in words if not word.startswith("-")]
    if not is_plain or len(paths) != 2 or any(map(_is_remote_path, paths)):
        return None
    check = [] if "--dry-run" in words else ["--verify"]
    return ["copy", *words, *check]


def _is_remote_path(path: str) -> bool:
    """Return whether a path is one of another computer, such as ``host:path``."""
    return re.fullmatch(r"[\w.@-]{2,}:(?!//).*", path) is not None and not os.path.lexists(path)


PROGRAMS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "head": _end(""), "tail": _end("-"), "cp": _cp, "du": _du, "tree": _tree, "zip": _zip,
    "rsync": _rsync,
}  # fmt: skip
"""The programs -> the function that returns the line for what was typed after them."""
