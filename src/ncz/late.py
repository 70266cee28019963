"""Packages that are imported when they are first used, so that commands without them start fast.

A module names them at its top: ``from ncz.late import numpy as np``. Type checkers see the package
itself. Packages that few modules need are imported in the functions that use them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class LatePackage(ModuleType):
    """A module that imports a package when an attribute is used, and then has all of them."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the package; it is only called for those not known yet."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        package = import_module(self.__name__)
        vars(self).update(vars(package))
        return getattr(package, name)


@contextmanager
def imported_later(*names: str) -> Iterator[None]:
    """Let packages that are imported in the block import these modules when they first use them."""
    late = [name for name in names if name not in sys.modules]
    sys.modules.update((name, LatePackage(name)) for name in late)
    try:
        yield
    finally:
        for name in late:
            if isinstance(sys.modules.get(name), LatePackage):
                del sys.modules[name]


if TYPE_CHECKING:
    import numpy as numpy
else:
    numpy = LatePackage("numpy")
