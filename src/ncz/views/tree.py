"""Print the groups and variables of a dataset as a tree, with the lengths of dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ncz.model.tree import Dataset, Group, Variable, base_name, dimensions_by_fqn
from ncz.model.types import Atomic
from ncz.text.format_values import encode_text


def print_tree(dataset: Dataset, write: Callable[[bytes], object], *, name: str) -> None:
    """Write the tree below a name, without reading any values."""
    lengths = {fqn: each.size for fqn, each in dimensions_by_fqn(dataset.root).items()}
    for line in (name, *_lines(dataset.root, lengths)):
        printed = "".join(c if c.isprintable() else " " for c in line)
        write(encode_text(f"{printed}\n"))


def _lines(group: Group, lengths: Mapping[str, int]) -> Iterator[str]:
    """Yield the lines of a group's members: its variables, and then its groups."""
    members: list[Variable | Group] = [*group.variables, *group.groups]
    for each in members:
        branch, below = ("└── ", "    ") if each is members[-1] else ("├── ", "│   ")
        if isinstance(each, Variable):
            yield f"{branch}{_variable(each, lengths)}"
            continue
        yield f"{branch}{each.name}/"
        for line in _lines(each, lengths):
            yield f"{below}{line}"


def _variable(variable: Variable, lengths: Mapping[str, int]) -> str:
    """Return the type, the name and the dimensions of a variable."""
    kind = variable.type
    word = kind.word if isinstance(kind, Atomic) else base_name(kind.name)
    shape = ", ".join(f"{base_name(fqn)}={lengths.get(fqn, 0)}" for fqn in variable.dimensions)
    return f"{word} {variable.name}({shape})" if shape else f"{word} {variable.name}"
