"""The error of an option whose value is not valid, or names nothing."""

from __future__ import annotations

from ncz.errors import UrlError


class OptionError(UrlError):
    """An option that is not valid."""

    exit_code = 2


class UnknownName(OptionError):
    """An option that names something the dataset does not have, which only reading it tells.

    The exit code is that of all errors in reading, for every command and option.
    """

    exit_code = 1
