"""Arrays of every data type, codec and grid that zarr-python registers, read and copied by ncz."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.interop.zarr_forms import CODECS, DATA_TYPES, Form, forms, write
from tests.sampled import sampled

zarr = pytest.importorskip("zarr", minversion="3.4", reason="zarr-python 3.4 is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # zarr-python warns of types and codecs

FORMS = list(forms())
TARGETS: dict[str, dict[str, Any]] = {
    "default.zarr": {},
    "cloud.zarr": {"cloud": True},
    "v2.zarr": {"modes": ["zarr", "v2"]},
    "v3.zarr": {"modes": ["zarr", "v3"]},
    "nczarr2.zarr": {"modes": ["nczarr", "v2"]},
    "nczarr3.zarr": {"modes": ["nczarr", "v3"]},
    "zip.zip": {},
    "file.nc": {},
    "references.json": {},
}


_REGISTERED = """
import json, zarr
from zarr import registry
from zarr.core.dtype import data_type_registry
print(json.dumps([[*data_type_registry.contents], [*registry.__dict__["_codec_registries"]]]))
"""


def test_every_registered_data_type_and_codec_has_an_example():
    # In a separate process: other tests register codecs that nobody else has.
    command = [sys.executable, "-c", _REGISTERED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    data_types, codecs = json.loads(done.stdout)
    assert set(data_types) == set(DATA_TYPES)
    assert set(codecs) == set(CODECS)


def written(form: Form, path: Path) -> Any:
    if form.codec == "cast_value":
        pytest.importorskip("cast_value_rs", reason="cast-value-rs is not installed")
    for package in ("zfpy", "pcodec"):
        if form.codec == f"numcodecs.{package}":
            pytest.importorskip(package, reason=f"{package} is not installed")
    return write(form, path)


def as_ncz(values: Any) -> list[Any]:
    """Return the values of ncz for values of zarr-python, as objects of Python."""
    if values.dtype.kind in "mM":
        return list(values.astype("i8").reshape(-1).tolist())
    if values.dtype.kind == "b":
        return list(values.astype("u1").reshape(-1).tolist())
    if values.dtype.kind == "c":
        return [(n.real, n.imag) for n in values.reshape(-1).tolist()]
    return [plain(value) for value in values.reshape(-1).tolist()]


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape").rstrip("\0") or None
    return value if value != "" else None


def from_ncz(values: Any) -> list[Any]:
    return [plain(value) for value in np.asarray(values).reshape(-1).tolist()]


@pytest.mark.parametrize("form", sampled(FORMS, 9), ids=str)
def test_forms_are_read_as_by_zarr_python(form, tmp_path):
    theirs = written(form, tmp_path / "a.zarr")
    assert from_ncz(ncz.open(tmp_path / "a.zarr")["v"][...]) == as_ncz(theirs)


COPIED = [
    (form, target)
    for number, form in enumerate(FORMS)
    for place, target in enumerate(TARGETS)
    if (number + place) % 4 == 0  # forms of one codec have all targets together
]


@pytest.mark.parametrize(("form", "target"), sampled(COPIED, 23), ids=str)
def test_forms_are_copied_to_every_target(form, target, tmp_path):
    source = tmp_path / "a.zarr"
    theirs = written(form, source)
    ncz.copy(source, tmp_path / target, notify=ignore_notice, **TARGETS[target])
    assert from_ncz(ncz.open(tmp_path / target)["v"][...]) == as_ncz(theirs)
