"""Build the groups and variables of a dataset from resolved scopes."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from ncz.cdl.resolution.variable_data import fill_value, make_array, times_of
from ncz.cdl.special import read_quantize, read_storage
from ncz.errors import Notify
from ncz.model.tree import Dimension, Group, Storage, Variable
from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.resolution.scopes import OpenGroup, OpenVariable


_MAX_STRING = "_nczarr_maxstrlen"
_MAX_STRING_DEFAULT = "_nczarr_default_maxstrlen"


@record
class Builder:
    """Makes the model's groups below `root`; arrays parse their blocks in `jobs` processes."""

    source: SourceText
    notify: Notify
    jobs: int
    root: OpenGroup

    def group(self, scope: OpenGroup) -> Group:
        """Make a group and all below it."""
        return Group(
            name=scope.name,
            types=tuple(scope.types.values()),
            dimensions=tuple(
                Dimension(name=d.name, size=d.size, unlimited=d.unlimited)
                for d in scope.dimensions.values()
            ),
            variables=tuple(self.variable(v, scope) for v in scope.variables.values()),
            attributes=tuple(scope.attributes.values()),
            groups=tuple(self.group(g) for g in scope.groups.values()),
        )

    def variable(self, variable: OpenVariable, scope: OpenGroup) -> Variable:
        """Make a variable of a group."""
        storage = self.storage(variable)
        dates = cache(partial(times_of, scope, variable.name))
        return Variable(
            name=variable.name,
            type=variable.type,
            dimensions=tuple(d.fqn for d in variable.dimensions),
            attributes=tuple(variable.attributes.values()),
            storage=storage,
            data=make_array(self.source, variable, storage, self.jobs, dates),
        )

    def storage(self, variable: OpenVariable) -> Storage:
        """Make the storage properties from a variable's special attributes."""
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
