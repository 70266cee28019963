"""The attributes of a store that becomes longer."""

from __future__ import annotations

from ncz.commands.joining.agreement import Agreement
from ncz.commands.joining.attributes import owned_attributes
from ncz.formats.edits import Edit
from ncz.formats.store_draft import StoreDraft
from ncz.model.tree import Dataset


def set_attributes(draft: StoreDraft, old: Dataset, agreement: Agreement) -> None:
    """Change the attributes of a store to the common attributes of the datasets."""
    for fqn, before in owned_attributes(old.root):
        node, after = fqn.removeprefix("/"), agreement.attributes(fqn)
        names = {a.name for a in after}
        edits = [
            Edit(action="delete", node=node, name=a.name) for a in before if a.name not in names
        ]
        edits += [
            Edit(action="set", node=node, name=a.name, attribute=a)
            for a in after
            if a not in before
        ]
        for edit in edits:
            draft.edit(edit)
