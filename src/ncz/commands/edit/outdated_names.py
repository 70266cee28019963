"""Attributes that name renamed or removed members, such as ``coordinates`` of the CF conventions.

They stay unchanged, because only their author knows the intention; a notice gives the edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ncz.errors import Notice, either, option
from ncz.formats.edits import Change
from ncz.formats.store_draft import DraftNode
from ncz.model.links import NAMING, WORD, names_in
from ncz.model.tree import base_name, parent
from ncz.text.names import escape_name


def notices_of(
    nodes: Mapping[str, DraftNode], changes: Sequence[Change], location: str
) -> Iterator[Notice]:
    """Yield notices of outdated names, and of changes that may be unintended."""
    yield from outdated_names(nodes, changes, location)
    for change in changes:
        is_new = change.kind == "attribute" and change.before is None and not change.node
        if is_new and change.name in nodes:
            yield Notice(
                "attribute-of-dataset",
                f"{change.name} is a global attribute now; the values of the variable are"
                " unchanged",
                location,
            )


def outdated_names(
    nodes: Mapping[str, DraftNode], changes: Iterable[Change], location: str
) -> Iterator[Notice]:
    """Yield a notice for every attribute with an outdated name."""
    new_names = _new_names(changes)
    for fqn in [fqn for fqn in new_names if fqn[1:] in nodes]:
        del new_names[fqn]
    if not new_names:
        return
    for node in nodes.values():
        for name in NAMING:
            text = node.visible_attributes.get(name)
            if isinstance(text, str):
                found = dict(_old_names(node, name, text, new_names))
                if found:
                    yield _notice(node, name, text, found, location)


def _new_names(changes: Iterable[Change]) -> dict[str, str | None]:
    """Return the new names of variables and dimensions by their old FQNs."""
    names: dict[str, str | None] = {}
    for change in changes:
        if change.kind in ("variable", "dimension") and change.before is not None:
            for fqn, new in names.items():
                if new is not None and f"{parent(fqn)}/{new}" == change.before:
                    names[fqn] = change.after and base_name(change.after)
            names[change.before] = change.after and base_name(change.after)
    return names


def _old_names(
    node: DraftNode, attribute: str, text: str, new_names: Mapping[str, str | None]
) -> Iterator[tuple[str, str | None]]:
    """Yield the words of an attribute that are old names, with the new ones."""
    for name in names_in(attribute, text):
        group = f"/{parent(node.origin)}".rstrip("/")
        while True:
            if f"{group}/{name}" in new_names:
                yield name, new_names[f"{group}/{name}"]
                break
            if not group:
                break
            group = parent(group)


def _notice(
    node: DraftNode, attribute: str, text: str, found: Mapping[str, str | None], location: str
) -> Notice:
    place = f"{escape_name(node.key)}:{attribute}"
    what = ", ".join(
        f"{old}, which is removed" if new is None else f"{old}, which is now {new}"
        for old, new in found.items()
    )
    renamed = WORD.sub(lambda m: _rename(m[0], found), text)
    changed = f"'{place} = \"{renamed}\"'"
    is_renamed = all(new is not None for new in found.values())
    return Notice(
        "name-outdated",
        f"{attribute} names {what}",
        f"{location}: /{node.key}",
        "use " + either(f"--set {changed}", f"set={changed}")
        if is_renamed
        else f"change it with {option('set')}",
    )


def _rename(word: str, found: Mapping[str, str | None]) -> str:
    name = word.rstrip(":")
    return (found.get(name) or name) + word[len(name) :]
