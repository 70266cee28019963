"""Codecs of zarr-python, numcodecs and others, as the text of `--codec`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ncz.commands.option_error import OptionError


def texts_of_codecs(value: Any) -> list[str]:
    """Return codecs of zarr-python or numcodecs, one or several, as ncz spells them."""
    several = value if isinstance(value, (list, tuple)) else [value]
    texts = [each if isinstance(each, str) else codec_text(each) for each in several]
    if value in (None, (), [], False):
        return ["none"]
    if None in texts:
        raise OptionError(f"{value!r} is not a codec", hint='write codecs=["zstd:5"], for example')
    return [text for text in texts if text is not None]


def codec_text(codec: object) -> str | None:
    """Return the text of a codec of numcodecs or zarr-python, or of a mapping; None of others."""
    for name in ("get_config", "to_dict"):
        if hasattr(codec, name):
            codec = getattr(codec, name)()
    if isinstance(codec, Mapping):
        return json.dumps(codec, default=lambda each: getattr(each, "value", str(each)))
    return None
