"""Datasets from the text of files and streams."""

from __future__ import annotations

import io
import os

import pytest

from ncz.errors import NczError
from ncz.formats.source_text import mapped_file, read_text, text_of


@pytest.mark.parametrize(
    "text",
    [
        b"netcdf x { dimensions: n = 2; }",
        b' {"format": "ncz-dataset", "version": 1, "name": "x", "dimensions": {"n": {"size": 2}}}',
    ],
    ids=["CDL", "JSON"],
)
def test_cdl_and_json_are_distinguished_by_their_beginning(text):
    dataset = read_text(text, "stdin")
    assert [(each.name, each.size) for each in dataset.root.dimensions] == [("n", 2)]


def test_a_file_is_mapped_and_named_by_its_path(tmp_path):
    path = tmp_path / "x.cdl"
    path.write_bytes(b"netcdf x {}")
    with text_of(path) as (text, label):
        assert (bytes(text), label) == (b"netcdf x {}", str(path))
    path.write_bytes(b"")
    with text_of(str(path)) as (text, _):
        assert bytes(text) == b""


def test_the_rest_of_a_stream_is_read(tmp_path):
    stream = io.BytesIO(b"old netcdf x {}")
    stream.seek(4)
    with text_of(stream) as (text, label):
        assert (bytes(text), label) == (b"netcdf x {}", "stdin")
    reader, writer = os.pipe()
    os.write(writer, b"netcdf y {}")
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe, text_of(pipe) as (text, _):
        assert bytes(text) == b"netcdf y {}"


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(NczError, match="No such file") as caught, mapped_file("absent", "a label"):
        pass
    assert (caught.value.location, caught.value.hint) == ("a label", "check the path")
    with pytest.raises(NczError) as caught, text_of(tmp_path):
        pass
    assert caught.value.hint in ("give a CDL file", "check the path")  # Windows opens no folder
