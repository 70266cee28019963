"""How a new dataset is stored, from keyword arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.commands.functions import words
from ncz.formats.kinds import CreateOptions

if TYPE_CHECKING:
    from ncz.commands.keyword_groups import StoreKeywords


def create_options(store: StoreKeywords, **more: Any) -> CreateOptions:
    """Return how a new dataset is stored; `more` are fields that are not keywords."""
    given: dict[str, Any] = {**store, **more}
    return CreateOptions(**given | {"audience": words(given.get("audience", ()))})
