"""Classic netCDF files: records, types, and damaged headers."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.errors import FormatError, NczError
from ncz.formats.netcdf.classic.header import read_header
from ncz.formats.opening import open_dataset
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import parse_location
from ncz.zmap.range_file import check_range
from tests.formats.netcdf.values import values_of
from tests.sampled import share_of

SIZES = (0, 3, 2)
TYPES = {1: ">i1", 2: "S1", 3: ">i2", 4: ">i4", 5: ">f4", 6: ">f8"}
WIDE_TYPES = {**TYPES, 7: ">u1", 8: ">u2", 9: ">u4", 10: ">i8", 11: ">u8"}


class Bytes:
    """A file in memory."""

    url = address = "memory"
    path = None

    def __init__(self, data):
        self.data = data
        self.size = len(data)

    def read(self, start, count):
        check_range(self.url, self.size, start, count)
        return self.data[start : start + count]

    def check_unchanged(self):
        """Do nothing."""

    def close(self):
        """Do nothing."""


def make(version, variables, records, *, streaming=False):
    """Return a file with dimensions t (unlimited), y = 3 and z = 2, and these variables.

    Each variable is a name, a number of a type, numbers of dimensions, and values.
    """
    count = ">q" if version == 5 else ">i"
    begin_format = ">i" if version == 1 else ">q"

    def name(text):
        data = text.encode()
        return struct.pack(count, len(data)) + data + bytes(-len(data) % 4)

    header = b"CDF" + bytes([version])
    header += struct.pack(count, -1 if streaming else records)
    header += struct.pack(">i", 10) + struct.pack(count, 3)
    header += b"".join(
        name(n) + struct.pack(count, size) for n, size in zip("tyz", SIZES, strict=True)
    )
    header += struct.pack(">i", 0) + struct.pack(count, 0)
    header += struct.pack(">i", 11) + struct.pack(count, len(variables))
    width = struct.calcsize(begin_format)
    parts, holes = [], []
    for label, kind, numbers, _ in variables:
        parts.append(
            name(label)
            + struct.pack(count, len(numbers))
            + b"".join(struct.pack(count, n) for n in numbers)
            + struct.pack(">i", 0)
            + struct.pack(count, 0)
            + struct.pack(">i", kind)
            + struct.pack(count, 0)
        )
        holes.append(width)
    size = len(header) + sum(map(len, parts)) + sum(holes)
    fixed = [v for v in variables if not v[2] or v[2][0] != 0]
    along = [v for v in variables if v[2] and v[2][0] == 0]
    body, begins = b"", {}
    for label, _, _, values in fixed:
        begins[label] = size + len(body)
        data = values.tobytes()
        body += data + bytes(-len(data) % 4)
    at = size + len(body)
    for label, _, _, values in along:
        begins[label] = at
        slab = values[:1].nbytes
        at += slab + (0 if len(along) == 1 else -slab % 4)
    for record in range(records):
        for _, _, _, values in along:
            data = values[record : record + 1].tobytes()
            body += data + (b"" if len(along) == 1 else bytes(-len(data) % 4))
    for (label, *_), part in zip(variables, parts, strict=True):
        header += part + struct.pack(begin_format, begins[label])
    return header + body


def numbers_of(kind, shape, seed=0):
    count = int(np.prod(shape))
    if kind == 2:
        return np.frombuffer(bytes(97 + (i + seed) % 26 for i in range(count)), "S1").reshape(shape)
    return (np.arange(count) + seed).astype(WIDE_TYPES[kind]).reshape(shape)


@pytest.mark.parametrize("version", [1, 2, 5])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("number", [0, 1, 4])
@pytest.mark.parametrize("lone", [None, 1, 3, 6])
def test_records_are_found(tmp_path, version, streaming, number, lone):
    kinds = WIDE_TYPES if version == 5 else TYPES
    variables = [(f"f{k}", k, (1, 2), numbers_of(k, (3, 2))) for k in kinds]
    wanted = list(kinds) if lone is None else [lone]
    variables += [(f"r{k}", k, (0, 1), numbers_of(k, (number, 3), k)) for k in wanted]
    (tmp_path / "x").write_bytes(make(version, variables, number, streaming=streaming))
    with open_dataset(parse_location(str(tmp_path / "x"))) as opened:
        found = dict(variables_by_fqn(opened.dataset.root))
        for label, _, _, values in variables:
            assert values_of(found[f"/{label}"]).tolist() == values.tolist()


@pytest.mark.parametrize("records", [1, 7])
def test_records_far_from_each_other(tmp_path, monkeypatch, records):
    monkeypatch.setattr("ncz.formats.netcdf.classic.reader._SMALL_GAP", 4)
    variables = [(f"r{k}", k, (0, 1), numbers_of(k, (records, 3), k)) for k in TYPES]
    (tmp_path / "x").write_bytes(make(2, variables, records))
    with open_dataset(parse_location(str(tmp_path / "x"))) as opened:
        found = dict(variables_by_fqn(opened.dataset.root))
        for label, _, _, values in variables:
            assert values_of(found[f"/{label}"]).tolist() == values.tolist()


GOOD = make(1, [("v", 4, (0, 1), numbers_of(4, (2, 3))), ("w", 6, (1,), numbers_of(6, (3,)))], 2)


def damaged(data, at, value):
    return data[:at] + struct.pack(">I", value) + data[at + 4 :]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (GOOD[:100], "it ends within its header"),
        (damaged(GOOD, 12, 2**31 - 1), "declares 2147483647 dimensions"),
        (damaged(GOOD, 16, 2**32 - 1), "declares 4294967295 bytes of a name"),
        (damaged(GOOD, 8, 99), "the list of its dimensions starts with 99"),
        (damaged(GOOD, 36, 0), "it has 2 unlimited dimensions"),
        (damaged(GOOD, GOOD.index(b"v\0\0\0") + 4, 2**30), "declares 1073741824 dimensions of a"),
        (damaged(GOOD, GOOD.index(b"v\0\0\0") + 8, 9), "has a dimension that does not exist"),
        (damaged(GOOD, GOOD.index(b"v\0\0\0") + 24, 77), "77 is not a type"),
        (damaged(GOOD, GOOD.index(b"v\0\0\0") + 24, 11), "11 is not a type"),
    ],
)
def test_a_damaged_header_is_an_error(data, says):
    with pytest.raises(FormatError, match=says):
        read_header(Bytes(data))


@settings(max_examples=share_of(200))
@given(at=st.integers(4, len(GOOD) - 5), value=st.integers(0, 2**32 - 1))
def test_any_damage_is_an_error_or_harmless(tmp_path_factory, at, value):
    path = tmp_path_factory.getbasetemp() / "damaged.nc"
    path.write_bytes(damaged(GOOD, at, value))
    try:
        with open_dataset(parse_location(str(path))) as opened:
            for variable in opened.dataset.root.variables:
                assert len(variable.dimensions) <= 3
    except NczError:
        pass


def test_a_truncated_file_is_an_error(tmp_path, run):
    (tmp_path / "x.nc").write_bytes(GOOD[:-4])
    ran = run("dump", tmp_path / "x.nc")
    assert ran.code == 1
    assert "data of /v: the file is truncated or damaged" in ran.stderr
    assert run("dump", "-v", "w", tmp_path / "x.nc").code == 0
