"""Symbol tables: the dimensions, variables and types that names refer to.

The rules are ncgen's: a dimension is searched for in the group and its ancestors, a type there
and then in the whole tree, a variable in its own group only; a path names anything. Everything is
declared before it is used.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ncz.cdl.syntax_tree import PRIMITIVES, Word
from ncz.model.type_limits import TypeLimits
from ncz.model.types import NcType, UserType
from ncz.record import field, record
from ncz.text.names import escape_name
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.resolution.scopes import OpenDimension, OpenGroup, OpenVariable


_SECTIONS = ("types", "dimensions", "variables", "data")


@record
class SymbolTable:
    """Finds the declarations so far in the tree below `root`."""

    source: SourceText
    root: OpenGroup
    limits: TypeLimits = field(default_factory=TypeLimits)

    def check_new(self, word: Word, declared: Iterable[str], what: str) -> str:
        """Return the name that `word` declares; raise CdlError if it is taken or has a slash."""
        name = word.name
        if name in declared:
            raise self.source.error(word.at, f"{what} `{word.text}` is declared twice")
        if "/" in name:
            raise self.source.error(word.at, f"the name of a {what} cannot contain a slash")
        return name

    def dimension(self, scope: OpenGroup, word: Word) -> OpenDimension:
        """Return a dimension; raise CdlError if it is not declared."""
        path = self._resolve_path(word, "dimension")
        places = [path[0]] if path else list(scope.upward())
        name = path[1] if path else word.name
        for place in places:
            if name in place.dimensions:
                return place.dimensions[name]
        names = [n for place in places for n in place.dimensions]
        raise self.undeclared_error(word, "dimension", names)

    def type(self, scope: OpenGroup, word: Word) -> NcType:
        """Return an atomic or user-defined type; raise CdlError if it is not declared."""
        if word.text in PRIMITIVES:
            return PRIMITIVES[word.text]
        user_type = self.user_type(scope, word)
        if user_type is None:
            names = [n for place in scope.upward() for n in place.types]
            raise self.undeclared_error(word, "type", [*names, *PRIMITIVES])
        return user_type

    def user_type(self, scope: OpenGroup, word: Word) -> UserType | None:
        """Return a user-defined type, or None."""
        path = self._resolve_path(word, "type")
        if path:
            return path[0].types.get(path[1])
        name = word.name
        for place in scope.upward():
            if name in place.types:
                return place.types[name]
        anywhere = [s.types[name] for s in self.root.downward() if name in s.types]
        return anywhere[0] if len(anywhere) == 1 else None

    def variable_or_none(self, scope: OpenGroup, word: Word) -> OpenVariable | None:
        """Return a variable, or None."""
        path = self._resolve_path(word, "variable")
        place, name = path or (scope, word.name)
        return place.variables.get(name)

    def variable(self, scope: OpenGroup, word: Word) -> OpenVariable:
        """Return a variable; raise CdlError if it is not declared."""
        variable = self.variable_or_none(scope, word)
        if variable is None:
            raise self.undeclared_error(word, "variable", scope.variables)
        return variable

    def undeclared_error(self, word: Word, what: str, names: Iterable[str]) -> Exception:
        """Return the error for a name that is not declared, with the closest name in `names`."""
        if what == "variable" and word.name in _SECTIONS:
            return self.source.error(
                word.at,
                f"unexpected `{word.name}:`",
                f"the order of sections is {': '.join(_SECTIONS)}: and then groups",
            )
        return self.source.error(
            word.at,
            f"{what} `{word.text}` is not declared so far",
            _suggest(word.name, names) or f"declare each {what} before it is used",
        )

    def _resolve_path(self, word: Word, what: str) -> tuple[OpenGroup, str] | None:
        """Return the group that a path leads to and the last name; None if `word` is one name."""
        parts = word.parts
        if len(parts) < 2:
            return None
        if parts[0]:
            raise self.source.error(
                word.at,
                f"`{word.text}` is not a valid path of a {what}",
                "a path begins with a slash",
            )
        here = self.root
        for part in parts[1:-1]:
            if part not in here.groups:
                raise self.source.error(
                    word.at,
                    f"`{word.text}`: group `{escape_name(part)}` is not declared so far",
                    _suggest(part, here.groups),
                )
            here = here.groups[part]
        return here, parts[-1]


def _suggest(name: str, names: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(name[:200], list(itertools.islice(names, 1000)), n=1)
    return f"did you mean `{escape_name(close[0])}`?" if close else None
