"""Change a case: choose a file that its subject is about, and a mutator for it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ncz.record import replace
from tests.fuzz import binary, documents, text
from tests.fuzz.case import Case
from tests.fuzz.changes import MEANWHILE, change_meanwhile

DOCUMENTS = (".zarray", ".zgroup", ".zattrs", ".zmetadata", ".nczarr", "zarr.json", ".json")

Change = Callable[[bytes, Random], bytes]


def mutate(case: Case, random: Random) -> Case:
    """Return a changed case; the same state of `random` gives the same case."""
    if case.subject == "urls":
        return replace(case, source=text.change_location(case.source, random))
    if case.subject == "changes":
        text_of = change_meanwhile(case.files[MEANWHILE], random)
        return replace(case, files=case.files | {MEANWHILE: text_of})
    meant = sorted(key for key in case.files if _is_meant(case.subject, key))
    key = random.choice(meant or sorted(case.files))
    if case.subject in ("documents", "chunks", "shards") and random.random() < 0.04:
        return replace(case, files=_without(case, key, random))
    is_json = key.endswith(".json") and (
        case.subject == "typed" or (case.subject == "config" and random.random() < 0.7)
    )
    change = documents.change if is_json else _change(case.subject)
    changed = change(case.files[key], random)
    return replace(case, files=case.files | {key: changed})


def _is_meant(subject: str, key: str) -> bool:
    is_document = key.endswith(DOCUMENTS)
    if subject in ("chunks", "shards"):
        return not is_document
    return is_document or subject not in ("documents", "references")


def _change(subject: str) -> Change:
    if subject in ("documents", "json", "references"):
        return documents.change
    return text.change_cdl if subject == "cdl" else binary.change


def _without(case: Case, key: str, random: Random) -> dict[str, bytes]:
    """Return the files without one, or with one under the name of another."""
    files = dict(case.files)
    data = files.pop(key)
    if random.random() < 0.5:
        files[random.choice(sorted(case.files))] = data
    return files
