"""A master and its aggregated variables, as stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.errors import FormatError
from ncz.late import numpy as np
from ncz.model.data import Values, read_all
from ncz.model.tree import (
    Dataset,
    Dimension,
    Variable,
    dimensions_by_fqn,
    join,
    parent,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


LARGEST_TABLE = 1 << 26
"""Elements of the largest variable of a master that is read to find pieces."""


@record(kw_only=True)
class Master:
    """The variables and the dimensions of a master by FQN, and its location for messages."""

    url: str
    variables: Mapping[str, Variable]
    dimensions: Mapping[str, Dimension]

    @staticmethod
    def of(dataset: Dataset, url: str) -> Master:
        """Return the master that a dataset is, before it is described."""
        return Master(
            url=url,
            variables=dict(variables_by_fqn(dataset.root)),
            dimensions=dimensions_by_fqn(dataset.root),
        )


@record(kw_only=True)
class AggregatedVariable:
    """One aggregated variable: as stored, and the dimensions that it has as a whole."""

    fqn: str
    stored: Variable
    dimensions: tuple[str, ...]
    """The FQNs of its dimensions."""
    shape: tuple[int, ...]
    master: Master

    @property
    def group(self) -> str:
        """The FQN of the group that it is in."""
        return parent(self.fqn)

    @property
    def location(self) -> str:
        """The variable for messages."""
        return f"{self.master.url}: {self.fqn}"

    def error(self, message: str) -> FormatError:
        """Return the error for a description that is not valid."""
        return FormatError(message, self.location, "show the stored file with #mode=noaggregation")

    def find(self, name: str, what: str) -> tuple[str, Variable]:
        """Return the FQN and the variable of a name in the description.

        Raises `FormatError` if it does not exist; `what` is its role.
        """
        found = resolve(name, self.group, self.master.variables)
        if found is None:
            raise self.error(f"the variable {name!r}, which contains {what}, does not exist")
        return found, self.master.variables[found]

    def table(self, name: str, what: str) -> tuple[Values, Variable]:
        """Return the values of a variable of the description, and the variable."""
        _, variable = self.find(name, what)
        return self.values(variable, what), variable

    def values(self, variable: Variable, what: str) -> Values:
        """Return all values of a variable of the description; texts as objects.

        An array of char is an array of texts without its last dimension.
        """
        from ncz.model.data import fill_array

        shape = tuple(self.master.dimensions[fqn].size for fqn in variable.dimensions)
        if np.prod(shape, dtype=float) > LARGEST_TABLE:
            raise self.error(f"the variable {variable.name!r}, which contains {what}, is too large")
        if variable.data is None:
            fill = variable.mask
            default = variable.type.default_fill if isinstance(variable.type, Atomic) else None
            values = fill_array(shape, variable.type, default if fill is None else fill)
        else:
            values = read_all(variable.data)
        return _texts(values) if variable.type is Atomic.CHAR else values


def _texts(values: Values) -> Values:
    """Return an array of single bytes as one of texts, without its last dimension."""
    shape = values.shape[:-1]
    length = values.shape[-1] if values.shape else 1
    texts = np.empty(shape, object)
    rows = np.ascontiguousarray(values).reshape(-1, max(length, 1))
    texts.ravel()[:] = [
        row.tobytes().split(b"\0")[0].rstrip().decode("utf-8", "surrogateescape") for row in rows
    ] if length else [""] * texts.size  # fmt: skip
    return texts


def resolve(name: str, group: str, known: Mapping[str, object]) -> str | None:
    """Return the FQN that a name means in a group: there, or in the nearest group above it."""
    if name.startswith("/"):
        return name if name in known else None
    while True:
        fqn = join(group, name)
        if fqn in known:
            return fqn
        if group in ("", "/"):
            return None
        group = parent(group)
