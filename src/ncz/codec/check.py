"""Find out before anything is written whether chunks can be encoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ncz.codec import chain
from ncz.codec.catalogue.lookup import (
    Configuration,
    codec_id,
    codec_of,
    is_object_codec,
    parameter_fault,
)
from ncz.errors import CodecError


def writing_fault(configuration: Configuration) -> str | None:
    """Return why nothing can be written with this configuration, for a person to read.

    None is returned for valid parameters of a codec in the catalogue, and for any other codec that
    numcodecs accepts: a plug-in may have registered it.
    """
    if codec_of(configuration) is not None:
        return parameter_fault(configuration)
    import numcodecs

    name = codec_id(configuration)
    try:
        numcodecs.get_codec({**configuration, "id": name})
    except Exception as error:  # a library may raise anything
        if "codec not available" in str(error):
            return f"unknown codec {name[:40]!r}"
        return f"the codec {name[:40]} cannot be used: {error}"
    return None


def encoding_fault(
    configurations: Sequence[Configuration], dtype: Any, item_size: int
) -> str | None:
    """Return why elements of `dtype` cannot be encoded with the chain; None if they can.

    One element is encoded. This finds a codec that is not installed, and parameters that are valid
    each but not together, or not for this dtype. No object exists that every object codec
    accepts, so such a codec is only loaded, and the codecs after it encode a byte.
    """
    for configuration in configurations:
        fault = writing_fault(configuration)
        if fault is not None:
            return fault
    if not configurations:
        return None
    import numpy as np

    objects = [c for c in configurations if is_object_codec(c)]
    others = [c for c in configurations if c not in objects]
    sample = np.zeros(1, dtype if item_size else "u1")
    try:
        for configuration in objects:
            chain.load(configuration)
        chain.encode(others, sample, item_size=item_size or 1, location="")
    except CodecError as error:
        reason = error.message.removeprefix("the chunk cannot be encoded by ")
        return f"{reason} ({error.hint})" if error.hint else reason
    return None
