"""The words of a command, with the paths of inputs in place of their names."""

from __future__ import annotations

import contextlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.growth.commands import COPIED, FORMS
from benchmarks.growth.counted import count
from benchmarks.row import remove


@dataclass(frozen=True, slots=True)
class Words:
    """The paths that replace each name."""

    named: dict[str, list[str]]

    def know(self, command: str) -> bool:
        """Return whether all inputs of a command exist."""
        names = set(re.findall(r"(?<!\{)\{(\w+)\}", command)) - {"made", *COPIED}
        if "cdf5" in command:  # fails if a classic file cannot represent it
            names.add("classic")
        return names <= self.named.keys()


def in_words(command: str, words: Words, folder: Path) -> list[str]:
    """Return a command with paths in place of names; its target does not exist, its copies do."""
    remove(tuple(folder.glob("made*")))
    found: list[str] = []
    for word in command.split():
        name = word.strip("{}") if re.fullmatch(r"\{\w+\}", word) else ""
        if name in COPIED:
            found.append(_copied(folder / COPIED[name]))
        elif name in words.named:
            found += words.named[name]
        else:
            known = {each: paths[0] for each, paths in words.named.items() if paths}
            found.append(word.format(made=folder / "made", **known) if "{" in word else word)
    return found


def _copied(path: Path) -> str:
    """Copy a file or a folder, and return the path of the copy."""
    copy = path.with_name(f"copy-{path.name}")
    remove((copy,))
    if path.is_dir():
        shutil.copytree(path, copy)
    else:
        shutil.copy(path, copy)
    return str(copy)


def run(line: str) -> None:
    """Run a command line of ncz. Raise `RuntimeError` if it fails."""
    count(line.split(), steps=False)


def made_of(text: str, folder: Path, command: str | None = None) -> Words:
    """Write a text, make the other forms of its dataset, and return their names.

    Forms that cannot represent it are left out: a classic file has no groups, for example. With a
    command, only the forms are made that it needs.
    """
    path = folder / "s.cdl"
    path.write_text(f"netcdf s {{ {text} }}\n", encoding="utf-8")
    words = Words({"cdl": [str(path)], "folder": [str(folder)]})
    needed = FORMS if command is None else _needed(command)
    for form, (file, line) in FORMS.items():
        made = Words({**words.named, form: [str(folder / file)]})
        if form in needed and Words({**made.named, "classic": []}).know(line):
            with contextlib.suppress(RuntimeError):
                run(" ".join(in_words(line, made, folder)))
                words = made
    return words


def _needed(command: str) -> set[str]:
    """Return the forms that a command needs, and the forms that they are made from."""
    names = set(re.findall(r"\{(\w+)\}", command)) & FORMS.keys()
    if "changed" in command:
        names.add("zarr")
    for form in reversed(FORMS):
        if form in names:
            names |= set(re.findall(r"\{(\w+)\}", FORMS[form][1])) & FORMS.keys()
    return names
