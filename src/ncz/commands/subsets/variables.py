"""Choose variables by globs or by name: ``--vars``, ``--exclude``, ``-V``."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.variable_names import hint_for, is_named
from ncz.errors import Notice, Notify, list_names, option
from ncz.model.references import named_dimensions, references, with_references
from ncz.model.tree import Dataset, Group, base_name, join, variables_by_fqn, walk
from ncz.record import replace


def with_variables(
    dataset: Dataset, globs: Sequence[str], excluded: Sequence[str], notify: Notify
) -> Dataset:
    """Return a dataset with some variables, and all variables that they need.

    Parameters
    ----------
    dataset
        The dataset.
    globs, excluded
        Globs of variables: "t2m" and "ta*" in any group, "/g/t*" in one. By default all are
        chosen, and none excluded.
    notify
        Receives a notice of variables that are excluded by name, but kept because others need them.

    Raises
    ------
    OptionError
        If a glob matches nothing, or no variable remains.
    """
    root = dataset.root
    wanted = _matching_names(root, globs, option("vars")) if globs else _all(root)
    unwanted = _matching_names(root, excluded, option("exclude"))
    needed = references(root)
    variables = with_references(wanted - unwanted, needed)
    if not variables:
        raise OptionError(f"{option('exclude')} leaves no variable")
    named = {f for f in variables & unwanted if any(is_named(f, n) for n in excluded)}
    if named:
        users = sorted(f for f in variables if named & needed[f])
        notify(
            Notice(
                "variable-kept",
                f"{list_names(sorted(named))} stays, because others need it: {list_names(users)}",
                hint="use -V to copy the named variables only",
            )
        )
    return replace(dataset, root=only_variables(root, variables))


def _all(root: Group) -> frozenset[str]:
    return frozenset(fqn for fqn, _ in variables_by_fqn(root))


_DROP = "an attribute has this name; diff, digest and copy leave it out with {}"


def _attributes(root: Group) -> set[str]:
    """Return the names of all attributes."""
    found = {a.name for _, group in walk(root) for a in group.attributes}
    return found | {a.name for _, v in variables_by_fqn(root) for a in v.attributes}


def has_match(root: Group, glob: str) -> bool:
    """Return whether a glob matches a variable of a dataset."""
    return any(is_named(f, glob) or _matches(f, glob) for f in _all(root))


def _matching_names(root: Group, globs: Sequence[str], where: str) -> frozenset[str]:
    """Return the FQNs that globs match; each must match one."""
    fqns = _all(root)
    found: set[str] = set()
    for glob in globs:
        matches = {f for f in fqns if is_named(f, glob) or _matches(f, glob)}
        if not matches:
            is_attribute = glob in _attributes(root)
            hint = (
                _DROP.format(option("drop_attributes", glob))
                if is_attribute
                else hint_for(glob, sorted(fqns))
            )
            raise UnknownName(f"{where}: no variable matches {glob!r}", hint=hint)
        found |= matches
    return frozenset(found)


def _matches(fqn: str, glob: str) -> bool:
    if "/" not in glob:
        return fnmatchcase(base_name(fqn), glob)
    ours, theirs = fqn.split("/"), f"/{glob.lstrip('/')}".split("/")
    return len(ours) == len(theirs) and all(map(fnmatchcase, ours, theirs))


def only_variables(root: Group, paths: frozenset[str]) -> Group:
    """Return the group with the chosen variables, and the groups and dimensions they need."""

    def trim(group: Group, fqn: str) -> Group:
        groups = [trim(g, join(fqn, g.name)) for g in group.groups]
        return replace(
            group,
            variables=tuple(v for v in group.variables if join(fqn, v.name) in paths),
            groups=tuple(g for g in groups if any(inner.variables for _, inner in walk(g))),
            dimensions=tuple(d for d in group.dimensions if join(fqn, d.name) in used),
        )

    named = named_dimensions(root)
    used = {
        d
        for fqn, v in variables_by_fqn(root)
        if fqn in paths
        for d in (*v.dimensions, *named.get(fqn, ()))
    }
    return trim(root, "")


def notice_of_omissions(root: Group, copied: Group) -> Notice | None:
    """Return one notice of the variables that a copy omits; None if it omits none.

    Parameters
    ----------
    root
        The root group with all variables.
    copied
        The dataset with the copied variables.
    """
    needed = references(root)
    copied_paths = _all(copied)
    missing = {other for fqn in copied_paths for other in needed[fqn]} - copied_paths
    if not missing:
        return None
    return Notice(
        "references-left-out",
        f"the copy leaves out {list_names(sorted(missing))}, which other variables refer to",
        hint=f"use {option('vars')} to copy referenced variables too",
    )
