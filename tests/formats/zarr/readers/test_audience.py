"""Forms of a dataset for some readers."""

from __future__ import annotations

import pytest

from ncz.formats.create_options import AS_DEFAULT, CreateOptions
from ncz.formats.zarr.readers.audience import (
    AudienceError,
    choose_form,
    form_for,
    preferred_form,
    readers_named,
    with_codecs_of,
)
from ncz.formats.zarr.readers.chunk_forms import refused_chunks
from ncz.formats.zarr.readers.contents import contents_of
from ncz.formats.zarr.readers.forms import FORMS
from ncz.formats.zarr.readers.programs import READERS
from ncz.model.filters import Filter
from ncz.model.tree import Dataset, each_variable
from ncz.record import replace
from ncz.zmap.location import parse_location
from tests.test_round_trip import parsed

NUMBERS = parsed(b"netcdf n { dimensions: x = 2 ; variables: int v(x) ; data: v = 1, 2 ; }")


def codecs(dataset: Dataset, *chain: str) -> Dataset:
    filters = tuple(Filter.from_json({"id": name}) for name in chain)
    return each_variable(
        dataset, lambda _, v: replace(v, storage=replace(v.storage, filters=filters))
    )


def test_an_unknown_reader_is_named_with_similar_ones():
    assert [reader.name for reader in readers_named(["xarray", "gdal", "xarray"])] == [
        "xarray", "gdal"
    ]  # fmt: skip
    with pytest.raises(AudienceError, match="unknown reader 'xaray'") as error:
        readers_named(["xaray"])
    assert "xarray" in (error.value.hint or "")
    assert error.value.exit_code == 2


def test_the_first_form_that_all_read_is_chosen():
    contents = contents_of(NUMBERS, zipped=False)
    assert choose_form(contents, []) is FORMS[0]
    form = choose_form(contents, readers_named(["xarray", "zarr-python"]))
    assert form in FORMS


@pytest.mark.parametrize("name", READERS)
def test_every_reader_is_served_with_numbers(name: str):
    location = parse_location("a.zarr")
    readers = readers_named([name])
    preferred = preferred_form(location, readers, AS_DEFAULT)
    found = form_for(NUMBERS, location, readers, preferred=preferred)
    assert found.zarr_format in (2, 3)
    if name == "netcdf-c":
        assert found.flavour == "nczarr"


def test_pure_zarr_is_preferred_except_for_netcdf_c():
    location = parse_location("a.zarr")
    assert preferred_form(location, readers_named(["xarray"]), AS_DEFAULT).flavour == "zarr"
    both = readers_named(["xarray", "netcdf-c"])
    assert preferred_form(location, both, AS_DEFAULT).flavour == "nczarr"
    plain = preferred_form(location, readers_named(["gdal"]), CreateOptions(annotations=False))
    assert plain.text is None


def test_compressors_that_a_reader_lacks_are_replaced():
    readers = readers_named(["zarrita"])
    for chain in (("blosc",), ("lzma",), ("zlib",)):
        (variable,) = with_codecs_of(codecs(NUMBERS, *chain), readers, 2).root.variables
        ids = [codec.id for codec in variable.storage.filters or ()]
        assert len(ids) == 1
        assert ids[0] in ("blosc", "zlib")
    assert with_codecs_of(NUMBERS, readers_named(["zarr-python"]), 2) is NUMBERS


def test_only_zstd_loses_its_checksum():
    readers = [
        reader
        for reader in READERS.values()
        if "zstd with a checksum" in refused_chunks([reader], 2)
    ]
    assert readers
    chain = tuple(
        Filter.from_json({"id": name, "checksum": True, "level": 1}) for name in ("zstd", "zlib")
    )
    dataset = each_variable(
        NUMBERS, lambda _, v: replace(v, storage=replace(v.storage, filters=chain))
    )
    (variable,) = with_codecs_of(dataset, readers[:1], 2).root.variables
    found = [codec.to_json() for codec in variable.storage.filters or ()]
    assert [(codec["id"], "checksum" in codec) for codec in found] == [
        ("zstd", False), ("zlib", True)
    ]  # fmt: skip
