"""The error of an option whose value is not valid, or names nothing."""

from __future__ import annotations

from ncz.errors import UrlError


class OptionError(UrlError):
    """An option that is not valid."""

    exit_code = 2


class UnknownName(OptionError):
    """An option that names something the dataset does not have, as only reading shows.

    All errors of reading have this exit code, for every command and option.
    """

    exit_code = 1
