"""Filters that store numbers in a smaller type.

What does not fit there would be stored as another number, without an error of the library.

Source: numcodecs' ``delta``, ``fixedscaleoffset``, ``quantize`` and ``astype``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec.catalogue.lookup import Configuration, codec_id
from ncz.errors import CodecError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def narrows(configuration: Configuration) -> bool:
    """Return whether a codec stores numbers in another type than theirs."""
    before, after = _dtypes(configuration)
    return before != after and before is not None and before.kind in "iuf"


def check_fits(configuration: Configuration, elements: NDArray[Any]) -> None:
    """Raise `CodecError` if a codec that `narrows` cannot store all elements of a chunk."""
    import numpy as np

    before, after = _dtypes(configuration)
    values = elements.view(before).reshape(-1)
    with np.errstate(all="ignore"):
        fits = _fitting(configuration, values, after)
    if not fits.all():
        raise CodecError(
            f"{codec_id(configuration)} cannot store {values[np.argmin(fits)]} as {after.str}",
            hint="use a wider astype, or another scale and offset",
        )


def _fitting(configuration: Configuration, values: NDArray[Any], after: Any) -> NDArray[Any]:
    """Return which values can be stored."""
    import numpy as np

    name = codec_id(configuration)
    if name == "delta" and values.dtype.kind in "iu" and after.kind in "iu":
        stored = np.diff(values, prepend=values.dtype.type(0)).astype(after)
        fits: NDArray[Any] = np.cumsum(stored, dtype=values.dtype) == values
        return fits
    if name == "delta":
        values = np.diff(values, prepend=values.dtype.type(0))
    elif name == "fixedscaleoffset":
        values = np.around((values - configuration["offset"]) * configuration["scale"])
    if after.kind in "iu":
        limits = np.iinfo(after)
        fits = (values >= limits.min) & (values <= limits.max)
    else:
        fits = np.isfinite(values.astype(after)) | ~np.isfinite(values)
    return fits


def _dtypes(configuration: Configuration) -> tuple[Any, Any]:
    """Return the numpy dtypes before and after a codec; None for a codec that has none."""
    before = configuration.get("dtype", configuration.get("decode_dtype"))
    after = configuration.get("astype", configuration.get("encode_dtype"))
    if before is None or after is None:
        return None, None
    import numpy as np

    return np.dtype(before), np.dtype(after)
