"""Resolved scopes to the groups and variables of a dataset."""

from __future__ import annotations

from ncz.cdl.parse.resolve.data import fill_value, make_array
from ncz.cdl.parse.resolve.scopes import OpenVariable, Scope
from ncz.cdl.parse.resolve.special import read_quantize, read_storage
from ncz.errors import Notify
from ncz.model.tree import Dimension, Group, Storage, Variable
from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.source import SourceText

_MAX_STRING = "_nczarr_maxstrlen"
_MAX_STRING_DEFAULT = "_nczarr_default_maxstrlen"


@record
class Builder:
    """Makes the model's groups below `root`; arrays parse their blocks in `jobs` processes."""

    source: SourceText
    notify: Notify
    jobs: int
    root: Scope

    def group(self, scope: Scope) -> Group:
        """Make a group and all below it."""
        return Group(
            name=scope.name,
            types=tuple(scope.types.values()),
            dimensions=tuple(
                Dimension(name=d.name, size=d.size, unlimited=d.unlimited)
                for d in scope.dimensions.values()
            ),
            variables=tuple(self.variable(v) for v in scope.variables.values()),
            attributes=tuple(scope.attributes.values()),
            groups=tuple(self.group(g) for g in scope.groups.values()),
        )

    def variable(self, variable: OpenVariable) -> Variable:
        """Make a variable."""
        storage = self.storage(variable)
        return Variable(
            name=variable.name,
            type=variable.type,
            dimensions=tuple(d.fqn for d in variable.dimensions),
            attributes=tuple(variable.attributes.values()),
            storage=storage,
            data=make_array(self.source, variable, storage, self.jobs),
        )

    def storage(self, variable: OpenVariable) -> Storage:
        """Make the storage properties that a variable's attributes ask for."""
        source, notify = self.source, self.notify
        rank, nc_type = len(variable.dimensions), variable.type
        read = read_storage(source, variable.special, nc_type, rank, notify)
        return Storage(
            storage_class=read.storage_class,
            chunks=read.chunks,
            shards=read.shards,
            endianness=read.endianness,
            filters=read.filters,
            fill=None if read.no_fill else fill_value(variable),
            no_fill=read.no_fill,
            string_length=self._string_length(variable),
            quantize=read_quantize(source, variable.attributes, variable.at, nc_type, notify),
        )

    def _string_length(self, variable: OpenVariable) -> int | None:
        if variable.type is not Atomic.STRING:
            return None
        own = variable.attributes.get(_MAX_STRING)
        attribute = own or self.root.attributes.get(_MAX_STRING_DEFAULT)
        if attribute is None or len(attribute.values) != 1:
            return None
        value = attribute.values[0]
        return value if isinstance(value, int) and value > 0 else None
