"""Notices about what a kind of netCDF file does not keep of a dataset."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.errors import Notice, NoticeCode, list_names
from ncz.model.netcdf_kind import NetcdfKind


def loss_notice(code: NoticeCode, what: str, kind: NetcdfKind, names: Sequence[str]) -> Notice:
    """Return the notice about these attributes, dimensions or variables."""
    return Notice(
        code,
        f"{what} in a file of kind {kind!r}: {list_names(names)}",
        hint="write netCDF-4 (--kind netCDF-4) to keep it",
    )
