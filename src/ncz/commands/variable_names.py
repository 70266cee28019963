"""Find the variables for options that name variables or groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ncz.commands.option_error import UnknownName
from ncz.errors import SHOW_NAMES, did_you_mean
from ncz.model.tree import Group, base_name, variables_by_fqn


def is_named(fqn: str, name: str) -> bool:
    """Return whether `name` means `fqn`; a name without a slash means variables in any group."""
    return fqn in (name, f"/{name}") or base_name(fqn) == name


def is_in_group(fqn: str, name: str) -> bool:
    """Return whether `fqn` is in a group that `name` means."""
    group = fqn.rpartition("/")[0] or "/"
    return group in (name, f"/{name}") or base_name(group) == name != ""


def hint_for(name: str, fqns: Iterable[str]) -> str:
    """Return a hint for the name of something that does not exist among `fqns`."""
    known = [*fqns]
    if not name.startswith("/"):
        known = [fqn.lstrip("/") for fqn in known] + [base_name(fqn) for fqn in known]
    return did_you_mean(name, known, f"list the names with {SHOW_NAMES}")


def chosen_variables(
    root: Group, names: Sequence[str], means: Callable[[str, str], bool]
) -> frozenset[str]:
    """Return the FQNs of the variables that `names` mean; each name must mean at least one."""
    variables: set[str] = set()
    for name in names:
        found = {fqn for fqn, _ in variables_by_fqn(root) if means(fqn, name)}
        if not found:
            fqns = [fqn for fqn, _ in variables_by_fqn(root)]
            if means is is_named:
                what, known = "variable", fqns
            else:
                what, known = "group with variables", [f.rpartition("/")[0] or "/" for f in fqns]
            raise UnknownName(f"no {what} is named {name!r}", hint=hint_for(name, known))
        variables |= found
    return frozenset(variables)


def variables_of_names(root: Group, names: Sequence[str]) -> frozenset[str]:
    """Return the FQNs of the variables that `names` mean. Raises `UnknownName`."""
    return chosen_variables(root, names, is_named)
