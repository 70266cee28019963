"""Functions that print, list, check and compare stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from ncz.api.selections import fields_from
from ncz.commands.arguments import source_of
from ncz.commands.functions import Words, speaks_python, warn
from ncz.errors import Callbacks, Notify
from ncz.zmap.location import Path, path_of

if TYPE_CHECKING:
    from ncz.commands.description import DatasetInfo
    from ncz.transfer.difference import Difference


@speaks_python
def diff(
    first: Path | BinaryIO,
    second: Path | BinaryIO,
    *,
    variables: Words | None = None,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    header_only: bool = False,
    data_only: bool = False,
    storage: bool = False,
    tolerance: float = 0.0,
    rtol: float = 0.0,
    ulp: int = 0,
    most: int = 20,
    memory: int | None = None,
    threads: int | None = None,
    allow_loss: bool = False,
    notify: Notify = warn,
) -> list[Difference]:
    """Return everything that differs between two datasets; an empty list if they are equal.

    Parameters
    ----------
    first, second
        Paths or URLs of datasets; paths that end in ".cdl", and binary streams, are CDL text.
    variables
        The variables to compare; by default everything is compared.
    isel
        The part to use, by indices of dimensions; see `Dataset.isel`.
    sel
        The part to use, by values of coordinates; see `Dataset.sel`.
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars
        Names or globs of the variables to use, with all that they refer to, such as coordinates,
        bounds and grid mappings.
    exclude
        Names or globs of the variables to leave out, unless others refer to them.
    header_only
        Whether to compare metadata only.
    data_only
        Whether to compare shapes and values only.
    storage
        Whether to compare chunks, shards, codecs and byte order.
    tolerance
        Numbers are equal if they differ by at most this.
    rtol
        Numbers are equal if they differ by at most this part of the larger magnitude.
    ulp
        Numbers are equal if they are at most so many representable numbers apart.
    most
        Most values that are listed for a variable; a difference of kind "values" sums up all.
    memory
        Memory limit for data in bytes; by default a quarter of what is free, between 256 MiB and 4
        GiB.
    threads
        Number of threads; by default one per core.
    allow_loss
        Whether to report data that cannot be read as a notice, and to go on with the rest.
    notify
        Receives notices.

    Returns
    -------
    list of Difference
        The differences, in the order of the first dataset.

    Raises
    ------
    NczError
        If a dataset cannot be read.

    Examples
    --------
    >>> ncz.diff("weather.zarr", "weather.cdl")
    []
    """
    from ncz.commands.diff import DiffOptions
    from ncz.commands.diff import diff as find_differences

    options = DiffOptions(
        first=source_of(first), second=source_of(second), **fields_from(DiffOptions, locals())
    )
    return list(find_differences(options, Callbacks(notify)))


@speaks_python
def info(
    source: Path | BinaryIO,
    *,
    variables: Words | None = None,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    stats: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    allow_loss: bool = False,
    keep_going: bool = False,
    html: Path | None = None,
    notify: Notify = warn,
) -> DatasetInfo:
    """Describe a dataset: its format, its variables, and how they are stored.

    Parameters
    ----------
    source
        A path or a URL; a path that ends in ".cdl", and a binary stream, are CDL text.
    variables
        The variables to describe; by default all.
    isel
        The part to use, by indices of dimensions; see `Dataset.isel`.
    sel
        The part to use, by values of coordinates; see `Dataset.sel`.
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars
        Names or globs of the variables to use, with all that they refer to, such as coordinates,
        bounds and grid mappings.
    exclude
        Names or globs of the variables to leave out, unless others refer to them.
    stats
        Whether to read all values once, for their statistics.
    memory
        Memory limit for data in bytes; by default a quarter of what is free, between 256 MiB and 4
        GiB.
    threads
        Number of threads; by default one per core.
    allow_loss
        Whether to report data that cannot be read as a notice, and to go on with the rest.
    keep_going
        Whether to skip pieces of an aggregation that cannot be read.
    html
        A file to which a page with pictures is written; it must not exist, unless ncz made it.
    notify
        Receives notices.

    Returns
    -------
    DatasetInfo
        The format, and for each variable its shape, type, chunks, codecs and sizes in bytes.

    Raises
    ------
    NczError
        If the dataset cannot be read.

    Examples
    --------
    >>> found = ncz.info("weather.zarr", variables="lat")
    >>> [variable.path for variable in found.variables]
    ['/lat']
    """
    from ncz.commands.info import InfoOptions
    from ncz.commands.info import info as describe

    options = InfoOptions(source=source_of(source), **fields_from(InfoOptions, locals()))
    if html is None:
        return describe(options, Callbacks(notify))
    from ncz.commands.info import info_page, write_page

    contents, page = info_page(options, Callbacks(notify))
    write_page(page, path_of(html))
    return contents
