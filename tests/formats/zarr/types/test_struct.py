"""The extension ``struct`` of Zarr V3: its fields are objects, and each has a fill value."""

from __future__ import annotations

import json
import math
import warnings

import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.data import read_all
from ncz.zmap.memory import MemoryZmap
from tests.conftest import Run
from tests.formats.zarr.documents.bases import V3

FIELDS = {
    "i": "int16",
    "b": "bool",
    "f": "float32",
    "z": "complex128",
    "s": {"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}},
    "u": {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}},
    "r": {"name": "raw_bytes", "configuration": {"length_bytes": 2}},
    "t": {"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}},
}
FILL = {
    "i": -7, "b": True, "f": "NaN", "z": [1.5, "-Infinity"], "s": "YWI=", "u": "é", "r": "AQI=",
    "t": "NaT",
}  # fmt: skip
VALUES = (-7, 1, math.nan, (1.5, -math.inf), "ab", "é", b"\1\2", -(2**63))


def struct(fields):
    members = [{"name": name, "data_type": inner} for name, inner in fields.items()]
    return {"name": "struct", "configuration": {"fields": members}}


NESTED = {"p": struct(FIELDS), "n": "uint8"}


def document(fields, fill):
    return {**V3, "data_type": struct(fields), "fill_value": fill}


def fill_of(fields, fill):
    """Return the values of a missing chunk, as ncz reads it."""
    objects = {"zarr.json": json.dumps(document(fields, fill)).encode()}
    dataset = open_dataset(MemoryZmap(objects, "memory://t"), name="t", notify=ignore_notice)
    data = dataset.root.variables[0].data
    assert data is not None
    values = read_all(data).tolist()
    assert len(values) == 4
    return values[0]


def test_every_field_has_its_fill_value():
    assert str(fill_of(FIELDS, FILL)) == str(VALUES)
    assert str(fill_of(NESTED, {"p": FILL, "n": 9})) == str((VALUES, 9))


def test_a_field_without_a_fill_value_has_the_default_of_its_type():
    part = {name: FILL[name] for name in ("f", "u")}
    zero = (0, 0, math.nan, (0.0, 0.0), "", "é", bytes(2), -(2**63))
    assert str(fill_of(FIELDS, part)) == str(zero)
    assert str(fill_of(NESTED, {"n": 9})[1]) == "9"


def test_a_copy_keeps_the_data_type_and_the_fill_value(run: Run, tmp_path):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    wanted = document(NESTED, {"p": FILL, "n": 9})
    (source / "v").mkdir(parents=True)
    (source / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    (source / "v/zarr.json").write_text(json.dumps(wanted))
    ran = run("copy", source, target, "--verify")
    assert (ran.code, ran.stderr) == (0, "")
    written = json.loads((target / "v/zarr.json").read_text())
    assert {m: written[m] for m in ("data_type", "fill_value")} == {
        m: wanted[m] for m in ("data_type", "fill_value")
    }


@pytest.mark.parametrize("name", FIELDS)
def test_zarr_python_reads_the_fill_value_of_a_field(name):
    """zarr-python 3.1 does not have the data type itself."""
    dtypes = pytest.importorskip("zarr.core.dtype", reason="zarr-python 3.1 is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        field = dtypes.get_data_type_from_json(FIELDS[name], zarr_format=3)
        theirs = field.from_json_scalar(FILL[name], zarr_format=3)
    ours = fill_of(FIELDS, FILL)[list(FIELDS).index(name)]
    if name == "t":
        ours = theirs.dtype.type(ours, "s")
    elif name == "z":
        ours = complex(*ours)
    elif name == "r":
        theirs = theirs.tobytes()
    elif name == "s":
        theirs = theirs.decode()
    assert str(ours) == str(theirs) or ours == theirs
