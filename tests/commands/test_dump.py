"""dump: a store to text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.cdl.printer import CdlOptions
from ncz.commands.dump import DumpOptions, print_dataset
from ncz.commands.gen import GenOptions, create_from_text
from ncz.errors import Callbacks, CodecError, NczError, Notice, StoreMissing, ignore_notice
from ncz.zmap.location import parse_location
from tests.conftest import EXAMPLES
from tests.sampled import paired

pytest.importorskip("numpy")

ARRAY = {
    "zarr_format": 2,
    "shape": [2, 3],
    "chunks": [2, 2],
    "dtype": "<i4",
    "compressor": None,
    "filters": None,
    "fill_value": 7,
    "order": "C",
}


def make_store(path: Path, attributes: dict | None = None, **changes) -> Path:
    (path / "v").mkdir(parents=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / "v" / ".zarray").write_text(json.dumps(ARRAY | changes))
    (path / "v" / ".zattrs").write_text(
        json.dumps({"_ARRAY_DIMENSIONS": ["y", "x"], **(attributes or {})})
    )
    return path


def printed(store: Path, options: DumpOptions | None = None) -> str:
    pieces: list[bytes] = []
    print_dataset(parse_location(str(store)), options or DumpOptions(), pieces.append)
    return b"".join(pieces).decode()


def test_a_pure_zarr_store(tmp_path):
    store = make_store(tmp_path / "a.b.zarr", {"units": "m"})
    (store / "v" / "0.0").write_bytes(b"".join(n.to_bytes(4, "little") for n in (1, 2, 3, 4)))
    assert printed(store) == (
        "netcdf a.b {\ndimensions:\n\ty = 2 ;\n\tx = 3 ;\nvariables:\n\tint v(y, x) ;\n"
        '\t\tv:_FillValue = 7 ;\n\t\tv:units = "m" ;\ndata:\n\n v =\n  1, 2, _,\n  3, 4, _ ;\n}\n'
    )


def test_kind(tmp_path):
    store = make_store(tmp_path / "s")
    assert printed(store, DumpOptions(view="kind")) == "netCDF-4\n"
    with pytest.raises(StoreMissing):
        printed(tmp_path / "none", DumpOptions(view="kind"))


def test_a_chunk_that_cannot_be_read_is_named(tmp_path):
    store = make_store(tmp_path / "s")
    (store / "v" / "0.0").write_bytes(b"abc")
    pieces: list[bytes] = []
    with pytest.raises(CodecError, match=r"/v/0\.0: data of /v: "):
        print_dataset(parse_location(str(store)), DumpOptions(), pieces.append)
    assert not b"".join(pieces).endswith(b"}\n")
    header = DumpOptions(cdl=CdlOptions(header_only=True))
    assert printed(store, header).endswith("}\n")


def test_a_codec_that_is_not_known_hinders_data_only(tmp_path):
    store = make_store(tmp_path / "s", compressor={"id": "nonesuch"})
    (store / "v" / "0.0").write_bytes(b"abc")
    header = printed(store, DumpOptions(cdl=CdlOptions(header_only=True, special=True)))
    assert 'v:_Codecs = "[{\\"id\\": \\"nonesuch\\"}]" ;' in header
    with pytest.raises(NczError, match="nonesuch"):
        printed(store)


def test_notices_come_through(tmp_path):
    notices: list[Notice] = []
    store = make_store(tmp_path / "s", {"C_format": "%n"})
    print_dataset(
        parse_location(str(store)), DumpOptions(), lambda _: None, Callbacks(notices.append)
    )
    assert any("%n" in str(notice) for notice in notices)


QUANTIZED = [e for e in EXAMPLES if e.stem == "quantize"]
"""docs/reference/differences.md, "Round trips that change the output"."""

FIXED = [e for e in EXAMPLES if e not in QUANTIZED]


@pytest.mark.parametrize(
    ("example", "options"),
    paired(FIXED, [CdlOptions(), CdlOptions(special=True)]),
    ids=lambda each: getattr(each, "stem", "-s" if getattr(each, "special", False) else ""),
)
def test_the_text_of_an_example_is_a_fixed_point(example: Path, options: CdlOptions, tmp_path):
    store = tmp_path / "same.zarr"
    create_from_text(GenOptions(source=example, target=parse_location(str(store))))
    text = printed(store, DumpOptions(cdl=options))
    source = tmp_path / "again.cdl"
    source.write_text(text)
    (tmp_path / "again").mkdir()
    again = tmp_path / "again" / "same.zip"
    create_from_text(GenOptions(source=source, target=parse_location(str(again))))
    assert printed(again, DumpOptions(cdl=options)) == text


@pytest.mark.parametrize("view", ["cdl", "json", "ncml"])
def test_attributes_that_netcdf_does_not_have_are_named(tmp_path, view):
    store = tmp_path / "a.zarr"
    store.mkdir()
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    attributes = (
        '{"absent": null, "empty": [], "text": "null", "object": {"a": 1}, "mixed": [1, "a"]}'
    )
    (store / ".zattrs").write_text(attributes)
    notices: list[Notice] = []
    print_dataset(
        parse_location(str(store)),
        DumpOptions(view=view),
        lambda _: None,
        Callbacks(notices.append),
    )
    named = [n.message.partition(": ")[2] for n in notices if n.code == "attribute-as-text"]
    expected = {
        "ncml": [],
        "json": [":absent, :empty"],
        "cdl": [":absent, :empty, :object, :mixed"],
    }
    assert named == expected[view]


PACKED = """netcdf p { dimensions: x = 3 ; variables: short v(x) ; v:scale_factor = 0.1 ;
  v:add_offset = 5. ; v:_FillValue = -1s ; v:valid_max = 9s ; int n(x) ; n:_FillValue = -1 ;
  data: v = 1, 2, _ ; n = 1, 2, -1 ; }"""


@pytest.mark.parametrize("name", ["p.nc", "p.zarr"])
def test_unpacked_values_in_every_view(tmp_path, name):
    (tmp_path / "p.cdl").write_text(PACKED)
    ncz.gen(tmp_path / "p.cdl", tmp_path / name, notify=ignore_notice)

    def text(view: Any = "cdl", **options: Any) -> str:
        return ncz.dump(
            tmp_path / name, view=view, unpack=True, notify=ignore_notice, **options
        )  # fmt: skip

    assert "v = 5.1, 5.2, _ ;" in text()
    assert "double v(x)" in text(header_only=True)
    assert "v:valid_max = 5.9 ;" in text(header_only=True)
    assert "scale_factor" not in text()
    assert "n = 1, 2, _ ;" in text()
    assert json.loads(text("json"))["variables"]["v"]["data"][:2] == [5.1, 5.2]
    assert 'name="v" shape="x" type="double"' in text("ncml")
    (tmp_path / "again.cdl").write_text(text())
    ncz.gen(tmp_path / "again.cdl", tmp_path / "again.nc", notify=ignore_notice)
    with ncz.open(tmp_path / "again.nc") as again, ncz.open(tmp_path / name) as first:
        assert again.to_xarray().v.equals(first.to_xarray().v)
