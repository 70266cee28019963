"""Changes that a copy makes."""

from __future__ import annotations

import pytest

from ncz.commands.copy.codec_specs import cloud_codec, parse_codecs, parse_filterspec
from ncz.commands.copy.reshape_options import Reshape


@pytest.mark.parametrize(
    ("changes", "chooses", "changes_codecs"),
    [
        (Reshape(), False, False),
        (Reshape(only=()), True, False),
        (Reshape(data_of=("t",)), True, False),
        (Reshape(only_groups=("g",)), True, False),
        (Reshape(data_of_groups=()), True, False),
        (Reshape(drop_attributes=("a",), chunk_size=9, transpose=("x",)), False, False),
        (Reshape(deflate=0), False, True),
        (Reshape(shuffle=True), False, True),
        (Reshape(filters=(parse_filterspec("none"),)), False, True),
        (Reshape(codecs=(parse_codecs("zstd"),)), False, True),
        (Reshape(plain_codec=cloud_codec()), False, False),
    ],
)
def test_options_with_changes(changes, chooses, changes_codecs):
    assert (changes.chooses, changes.changes_codecs) == (chooses, changes_codecs)
