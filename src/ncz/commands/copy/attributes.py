"""The option ``--drop-attribute``: attributes that a copy does not have."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ncz.commands.option_error import OptionError, UnknownName
from ncz.commands.variable_names import is_named
from ncz.errors import did_you_mean, list_names, option
from ncz.model.tree import Attribute, Dataset, Group, Variable, each_group, missing_fill
from ncz.record import record, replace

_OPTION = option("drop_attributes")


@record
class _Choice:
    """The attributes that one value of the option means.

    `owner` is "" for groups, the name or the path of variables, or None for all of these.
    """

    text: str
    owner: str | None
    glob: str

    @staticmethod
    def parse(text: str) -> _Choice:
        owner, colon, glob = text.rpartition(":")
        if not glob:
            raise OptionError(f"{_OPTION} {text!r} is not NAME, VARIABLE:NAME or :NAME")
        return _Choice(text, owner if colon else None, glob)

    def means(self, owner: str, attribute: Attribute) -> bool:
        """Return whether it means an attribute; `owner` is the FQN of its variable, or ""."""
        is_owner = self.owner is None or self.owner == owner
        is_owner = is_owner or bool(self.owner and owner and is_named(owner, self.owner))
        return is_owner and fnmatchcase(attribute.name, self.glob)


def without_attributes(datasets: Sequence[Dataset], names: Sequence[str]) -> list[Dataset]:
    """Return datasets without some of their attributes.

    A mask that is left out stays the value of chunks that were never written.

    Parameters
    ----------
    datasets
        The sources of a copy.
    names
        "history" and "hist*" anywhere, "v:history" of a variable, ":history" of groups.

    Raises
    ------
    OptionError
        If a name means no attribute of any of the datasets.
    """
    choices = [_Choice.parse(name) for name in names]
    if not choices:
        return [*datasets]
    known: set[str] = set()
    used: set[_Choice] = set()

    def filter_attributes(attributes: tuple[Attribute, ...], owner: str) -> tuple[Attribute, ...]:
        kept = []
        for attribute in attributes:
            known.add(attribute.name)
            meant = [choice for choice in choices if choice.means(owner, attribute)]
            used.update(meant)
            if not meant:
                kept.append(attribute)
        return tuple(kept)

    def variable_of(path: str, variable: Variable) -> Variable:
        attributes = filter_attributes(variable.attributes, f"{path}/{variable.name}")
        storage = variable.storage
        if variable.mask is not None and all(a.name != "_FillValue" for a in attributes):
            storage = replace(storage, fill=missing_fill(variable))
        return replace(variable, attributes=attributes, storage=storage)

    def group_of(path: str, group: Group) -> Group:
        return replace(
            group,
            attributes=filter_attributes(group.attributes, ""),
            variables=tuple(variable_of(path, v) for v in group.variables),
        )

    changed = [each_group(dataset, group_of) for dataset in datasets]
    for choice in choices:
        if choice not in used:
            hint = did_you_mean(choice.glob, known, f"the names are {list_names(sorted(known))}")
            raise UnknownName(f"{_OPTION}: no attribute matches {choice.text!r}", hint=hint)
    return changed
