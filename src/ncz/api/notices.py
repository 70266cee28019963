"""Notices as Python warnings."""

from __future__ import annotations

import warnings

from ncz.api.options import in_python
from ncz.errors import Notice


class NczWarning(UserWarning):
    """A `Notice` as a Python warning."""


def warn(notice: Notice) -> None:
    """Turn a notice into a Python warning; the default of `notify`."""
    warnings.warn(NczWarning(in_python(str(notice))), stacklevel=2)
