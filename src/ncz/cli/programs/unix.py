"""Translate command lines of Unix programs to lines of ncz."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from ncz.cli.line_order import is_place
from ncz.cli.named_datasets import ask_dataset
from ncz.cli.programs.name_filters import Filters, filter_names, without_filters
from ncz.cli.programs.nco_subsets import record_dimension
from ncz.model.tree import Attribute, Dataset, base_name, dimensions_by_fqn, variables_by_fqn
from ncz.model.types import Atomic
from ncz.zmap.key import ROOT_DOCUMENTS

_MOST = 5
"""The indices of each dimension that ``head`` prints, as in xarray."""

_FILTERS = (
    "grep", "egrep", "fgrep", "rg", "wc", "sort", "uniq", "sed", "awk", "tr", "column", "tee",
)  # fmt: skip
"""Programs that read text, which `ncz dump` prints."""


def pipe_line(word: str, typed: Sequence[str]) -> str | None:
    """Return the line that pipes the output of ncz into a program of Unix; None for other words."""
    paths = [each for each in typed if is_place(each)]
    if word not in _FILTERS or not paths:
        return None
    others = [each for each in typed if each not in paths]
    if word == "sed" and len(paths) == 1:
        changed = _edit_line(others, paths[0])
        if changed is not None or any(re.match("-i|--in-place", each) for each in others):
            return changed or f"ncz edit {shlex.quote(paths[0])} VAR:ATT=VALUE"
    if len(paths) > 1:
        if word not in _SEARCHES:
            return None
        lists = {"-l", "--files-with-matches"} & {*others}
        search = shlex.join((word, *(each for each in others if each not in lists)))
        search = f"{search} -q && echo $f" if lists else search
        return f'for f in {shlex.join(paths)}; do ncz dump -h "$f" | {search}; done'
    if word in _SEARCHES and is_plain_folder(paths[0]):
        return _search_below(paths[0], word, others)
    rest = shlex.join((word, *others))
    what = "dump" if word in ("wc", "sort", "uniq") else "dump -h"
    return f"ncz {what} {shlex.quote(paths[0])} | {rest}"


def _search_below(folder: str, program: str, typed: Sequence[str]) -> str:
    """Return the line that names the datasets below a folder whose header has a text."""
    words = [each for each in typed if each[:1] != "-"]
    ignores_case = any(re.fullmatch("-[a-zA-Z]*i[a-zA-Z]*|--ignore-case", each) for each in typed)
    search = shlex.join((program, *(["-i"] if ignores_case else []), "-q", *words))
    found = f"find {shlex.quote(folder)} -name '*.zarr' -prune -o -name '*.nc'"
    return f'{found} | while read f; do ncz dump -h "$f" | {search} && echo "$f"; done'


def _edit_line(typed: Sequence[str], path: str) -> str | None:
    """Return the line of `ncz edit` for a substitution of sed; None for any other script.

    It changes an attribute (``s/units = "K"/units = "degC"/``) or a name.
    """
    scripts = [word for word in typed if not word.startswith("-")]
    found = re.fullmatch(r"s(.)(.+)\1(.*)\1g?", "".join(scripts))
    if len(scripts) != 1 or found is None:
        return None
    old, new = found[2], found[3]
    pair = re.compile(r'(\w+) *= *"?([^"]*?)"? *;?')
    before, after = pair.fullmatch(old), pair.fullmatch(new)
    if before is None or after is None:
        rename = shlex.quote(f"{old}={new}")
        is_name = re.fullmatch(r"\w+", old) and re.fullmatch(r"\w+", new)
        if is_name and old in (ask_dataset(path, _known_names) or ()):
            return f"ncz edit {shlex.quote(path)} --rename {rename}"
        texts = ask_dataset(path, partial(_attributes_with, old, new))
        changes = " ".join(map(shlex.quote, texts or ()))
        return f"ncz edit {shlex.quote(path)} {changes}" if changes else None
    owners = ask_dataset(path, partial(_owners, before[1], before[2])) or ["VAR"]
    values = (shlex.quote(f"{owner}:{after[1]}={after[2]}") for owner in owners)
    return f"ncz edit {shlex.quote(path)} {' '.join(values)}"


def _known_names(dataset: Dataset) -> set[str]:
    """Return the names of the variables and dimensions in the root."""
    names = {fqn.removeprefix("/") for fqn, _ in variables_by_fqn(dataset.root)}
    return names | {fqn.removeprefix("/") for fqn in dimensions_by_fqn(dataset.root)}


def _attributes(dataset: Dataset) -> Iterator[tuple[str, Attribute]]:
    """Yield the attributes of the root, with the owner "", and of the variables."""
    yield from (("", attribute) for attribute in dataset.root.attributes)
    for fqn, variable in variables_by_fqn(dataset.root):
        yield from ((fqn.removeprefix("/"), attribute) for attribute in variable.attributes)


def _attributes_with(old: str, new: str, dataset: Dataset) -> list[str]:
    """Return the words of `ncz edit` for attributes whose text contains another."""
    return [
        f"{owner}:{a.name}={''.join(a.values).replace(old, new)}"
        for owner, a in _attributes(dataset)
        if a.type is Atomic.CHAR and old in "".join(a.values)
    ]


def _owners(name: str, value: str, dataset: Dataset) -> list[str]:
    """Return the variables with an attribute of this text, and "" for the root."""
    return [
        owner
        for owner, a in _attributes(dataset)
        if a.name == name and "".join(map(str, a.values)) == value
    ]


def _end(sign: str) -> Callable[[str, list[str]], list[str] | None]:
    """Return a function that makes the line for the first or the last indices."""

    def line(_: str, typed: list[str]) -> list[str] | None:
        words = [word for word in typed if word not in _NAMES]
        count, rest = _count(words)
        paths = [word for word in rest if is_place(word)]
        names = [name for word in rest if word not in paths for name in word.split(",")]
        if count is None or len(paths) != 1 or any(name.startswith("-") for name in names):
            return None
        sizes = ask_dataset(paths[0], partial(_sizes, names))
        if sizes is None:
            return None
        records = record_dimension(paths[0])
        if len(rest) < len(words) and records in sizes:  # this number of records is requested
            sizes = {records: sizes[records]}
        chosen = f"-{count}:" if sign == "-" else f"0:{count}"
        cut = ",".join(f"{name}={chosen}" for name, size in sizes.items() if size > count)
        variables = ",".join(names)
        return [
            *("dump", "-t"),
            *(["--vars", variables, "-v", variables] if names else []),
            *(["--isel", cut] if cut else []),
            *paths,
        ]

    return line


_NAMES = ("-v", "--vars", "--variable", "--variables", "--var")
"""Options before the names of variables, which need none here."""


def _count(typed: Sequence[str]) -> tuple[int | None, list[str]]:
    """Return the number of ``-n 3``, ``-3`` or ``--lines=3``, and the other words."""
    count: int | None = _MOST
    rest: list[str] = []
    words = list(typed)
    while words:
        word = words.pop(0)
        if word.isdigit() and not os.path.lexists(word):
            word = f"-{word}"  # as in R
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
    rest, filters = without_filters([word for word in typed if word != "--recursive"])
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
    if any(map(is_remote_path, words)):
        return None
    is_local = not any("://" in word for word in words)
    keeps_time = is_local and {"a", "p"} & {*letters}
    options = [
        *(["--overwrite"] if "f" in letters else []),
        *(["--preserve-time"] if keeps_time else []),
    ]
    if len(words) == 2 and is_plain_folder(words[0]):
        own = "" if filters else os.path.basename(words[0].rstrip("/"))
        folder = os.path.join(words[1], own) if os.path.isdir(words[1]) else words[1]
        return _each_in(words[0], folder, options, filters)
    return None if filters else ["copy", *options, *_into_folder(words)]


def _each_in(
    folder: str,
    target: str,
    options: Sequence[str] = (),
    filters: Filters = (),
    *,
    first_wins: bool = False,
) -> list[str] | None:
    """Return the line that copies the files of a folder to another, in their formats.

    None if the filters leave anything else than netCDF files, with one end of their names.
    """
    names = filter_names(sorted(os.listdir(folder)), filters, first_wins=first_wins)
    paths = [os.path.join(folder, name) for name in names]
    ends = {os.path.splitext(path)[1] for path in paths}
    if len(ends) != 1 or not ends <= {".nc", ".nc4", ".cdf"}:
        return None
    return ["copy", *options, "--each", *paths, f"{target.rstrip('/')}/{{}}{ends.pop()}"]


def _into_folder(words: list[str]) -> list[str]:
    """Return the words of a copy with the name in a folder that exists, which is the target."""
    paths = [at for at, word in enumerate(words[:-1]) if word[:1] != "-" and is_place(word)]
    is_new = words[-1:] != [] and words[-1].endswith("/") and not words[-1].endswith(".zarr/")
    if not paths or not (is_plain_folder(words[-1]) or is_new):
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
    """Return whether a path is a folder on this computer that is not a store."""
    names = (os.path.join(path, name) for name in ROOT_DOCUMENTS)
    return os.path.isdir(path) and not any(map(os.path.exists, names))


def _du(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that adds up sizes; each array has a line, except with ``du -s``."""
    words: list[str] = []
    rest = list(typed)
    human: list[str] = []
    form = "--totals"
    while rest:
        word = rest.pop(0)
        if word == "--summarize" or re.fullmatch(r"-[a-zA-Z]*s[a-zA-Z]*", word):
            form = "--sum"
        if word in ("-d", "--max-depth") and rest:
            rest.pop(0)
        elif re.fullmatch(r"-[shkcabmHLlx]+|-d\d+|--[a-z-]+(=\d+)?", word):
            is_human = word == "--human-readable" or re.fullmatch(r"-[a-zA-Z]*h[a-zA-Z]*", word)
            human = ["--human"] if is_human else human
        else:
            words.append(word)
    if any(word.startswith("-") for word in words):
        return None
    return ["ls", form, *human, *(words or ["."])]


def _tree(_: str, typed: list[str]) -> list[str] | None:
    """Return the line that prints the tree of a dataset; of the keys in a folder, or with ``-a``.

    `ncz ls` has trees of two levels or more.
    """
    words = list(typed)
    has_all = any(re.fullmatch("-[a-zA-Z]*a[a-zA-Z]*", word) for word in words)
    depth = ""
    for name in ("-L", "--level", "--depth"):
        if name in words[:-1]:
            at = words.index(name)
            depth = words[at + 1]
            del words[at : at + 2]
    words = [word for word in words if not re.fullmatch(r"-[ahsCDFN]+", word)]
    if not (has_all or depth == "1" or any(map(is_plain_folder, words or ["."]))):
        return ["dump", "--tree", *(words or ["."])]
    return ["ls", *([] if depth == "1" else ["--tree"]), *(words or ["."])]


def _zip(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``zip -r OUT.zip STORE``, whose target comes first."""
    words = [word for word in typed if not re.fullmatch(r"-[rq0-9]+", word)]
    is_named = len(words) == 2 and words[0].endswith(".zip") and not os.path.lexists(words[0])
    return ["copy", words[1], words[0]] if is_named else None


def _rsync(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``rsync -av A B``; options that would remove something are left out."""
    typed, filters = without_filters(typed)
    words = [
        word
        for word in typed
        if not re.fullmatch(r"-[avzPrRlptghiKuHAXW]+|--(progress|partial|archive|compress)", word)
    ]
    words = ["--dry-run" if word == "-n" else word for word in words]
    is_plain = all(not word.startswith("-") or word == "--dry-run" for word in words)
    paths = [word for word in words if not word.startswith("-")]
    if not is_plain or len(paths) != 2 or any(map(is_remote_path, paths)):
        return None
    source, target = paths
    options = ["--dry-run" if "--dry-run" in words else "--verify"]
    is_whole = source.endswith("/")
    folder = target if is_whole else f"{target.rstrip('/')}/{os.path.basename(source)}"
    if is_plain_folder(source):
        return _each_in(source, folder, options, filters, first_wins=True)
    if filters:
        return None
    end = os.path.splitext(source)[1]
    if not is_whole and end and (target.endswith("/") or is_plain_folder(target)):
        return ["copy", *options, "--each", source, f"{target.rstrip('/')}/{{}}{end}"]
    return ["copy", *options, source, target]


def _sync(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``sync FOLDER TARGET``."""
    words, filters = without_filters([word for word in typed if word != "--recursive"])
    if len(words) != 2 or not is_plain_folder(words[0]):
        return None
    return _each_in(words[0], words[1], ["--verify"], filters)


def is_remote_path(path: str) -> bool:
    """Return whether a path is one of another computer, such as ``host:path``."""
    return re.fullmatch(r"[\w.@-]{2,}:(?!//).*", path) is not None and not os.path.lexists(path)


_SEARCHES = ("grep", "egrep", "fgrep", "rg")


def _split(_: str, typed: list[str]) -> list[str] | None:
    """Return the line for ``split -l 4 STORE PREFIX``, which has as many records in each piece."""
    count, rest = _count([re.sub("^(-l|--lines)", "-n", word) for word in typed])
    if count is None or len(rest) != 2 or rest == list(typed) or not is_place(rest[0]):
        return None
    end = os.path.splitext(rest[0].rstrip("/"))[1]
    target = rest[1] if is_plain_folder(rest[1]) or "{}" in rest[1] else f"{rest[1]}{{}}{end}"
    return ["copy", "--split", f"{record_dimension(rest[0])}={count}", rest[0], target]


PROGRAMS: Mapping[str, Callable[[str, list[str]], list[str] | None]] = {
    "head": _end(""), "tail": _end("-"), "split": _split, "cp": _cp, "scp": _cp, "du": _du,
    "tree": _tree, "zip": _zip, "rsync": _rsync, "sync": _sync, "mirror": _sync,
}  # fmt: skip
"""The programs -> the function that returns the line for the words after them."""
