"""Options of a new dataset from keyword arguments."""

from __future__ import annotations

import pytest

from ncz.commands.creation_options import create_options
from ncz.commands.option_error import OptionError
from ncz.formats.create_options import CreateOptions


def test_nothing_is_the_default():
    assert create_options({}) == CreateOptions()


@pytest.mark.parametrize(
    ("word", "kind"), [("nc3", "classic"), ("NC4", "netCDF-4"), ("cdf5", "cdf5"), (None, None)]
)
def test_a_kind_is_found_by_its_words(word: str | None, kind: str | None):
    assert create_options({"kind": word}).kind == kind  # type: ignore[typeddict-item]


def test_one_reader_is_a_list_of_readers():
    assert create_options({"audience": "xarray"}).audience == ("xarray",)
    assert create_options({"audience": ["xarray", "gdal"]}).audience == ("xarray", "gdal")


def test_fields_that_are_no_keywords_are_added():
    options = create_options({"allow_loss": True}, overwrite=True)
    assert (options.allow_loss, options.overwrite) == (True, True)


def test_an_unknown_kind_is_refused_with_the_valid_ones():
    with pytest.raises(OptionError, match="'nc9' is not a kind of netCDF file; use one"):
        create_options({"kind": "nc9"})  # type: ignore[typeddict-item]
