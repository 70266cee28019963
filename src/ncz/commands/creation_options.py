"""Options of a new dataset, from keyword arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.commands.functions import words
from ncz.commands.option_error import OptionError
from ncz.formats.create_options import CreateOptions
from ncz.model.netcdf_kinds import KINDS, kind_of

if TYPE_CHECKING:
    from ncz.formats.create_options import StoreKeywords


def create_options(store: StoreKeywords, **more: Any) -> CreateOptions:
    """Return the options of a new dataset; `more` are fields that are not keywords.

    Raises `OptionError` if the kind of netCDF file is not one.
    """
    given: dict[str, Any] = {**store, **more}
    word = given.get("kind")
    if word is not None:
        given["kind"] = kind_of(word)
        if given["kind"] is None:
            known = ", ".join(map(repr, KINDS))
            raise OptionError(f"{word!r} is not a kind of netCDF file; use one of {known}")
    return CreateOptions(**given | {"audience": words(given.get("audience", ()))})
