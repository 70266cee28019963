"""Codecs of other libraries as the text of `--codec`."""

from __future__ import annotations

import pytest

from ncz.commands.codec_texts import codec_text, texts_of_codecs
from ncz.commands.option_error import OptionError


class OfNumcodecs:
    def get_config(self):
        return {"id": "zstd", "level": 3}


class OfZarr:
    def to_dict(self):
        return {"name": "bytes", "configuration": {"endian": "little"}}


@pytest.mark.parametrize(
    ("codecs", "texts"),
    [
        ("zstd:5", ["zstd:5"]),
        (["shuffle", OfNumcodecs()], ["shuffle", '{"id": "zstd", "level": 3}']),
        (OfZarr(), ['{"name": "bytes", "configuration": {"endian": "little"}}']),
        (None, ["none"]),
        ((), ["none"]),
        (False, ["none"]),
    ],
)
def test_codecs_become_texts(codecs, texts):
    assert texts_of_codecs(codecs) == texts


def test_another_object_is_not_a_codec():
    assert codec_text(5) is None
    with pytest.raises(OptionError, match="5 is not a codec"):
        texts_of_codecs(5)
