"""Datasets on a server in a thread."""

from __future__ import annotations

import numpy as np
import pytest

from tests.servers.dap import DapDataset, Served, serving_dap

TIME = Served(
    "time",
    np.arange(4, dtype="f8"),
    [("time", 4)],
    {"units": ("String", ["days since 2000-01-01"])},
)
LAT = Served("lat", np.array([10, 20, 30], "f4"), [("lat", 3)])
LON = Served("lon", np.arange(5, dtype="f4"), [("lon", 5)])
TEMP = np.arange(60, dtype="i2").reshape(4, 3, 5) - 30
TEXTS = np.array(["abc", "", "Ørland"], object)

OF_DAP2 = (
    TIME,
    LAT,
    LON,
    Served(
        "temp",
        TEMP,
        [("time", 4), ("lat", 3), ("lon", 5)],
        {
            "_FillValue": ("Int32", [-30]),
            "scale_factor": ("Float64", [0.5]),
            "long_name": ("String", ['a "b" \\ c']),
            "valid_range": ("Int16", [-5, 7]),
            "texts": ("String", ["a", "b"]),
            "not_finite": ("Float32", ["NaN", "-inf", 0.1]),
        },
        maps=True,
    ),
    Served("b", np.array([0, 1, 2, 127, 128, 255], "u1"), [("n", 6)]),
    Served(
        "signed",
        np.array([0, 1, 2, 127, 128, 255], "u1"),
        [("n", 6)],
        {"_Unsigned": ("String", ["false"]), "_FillValue": ("Byte", [255])},
    ),
    Served("u", np.array([1, 70000, 4294967295], "u4"), [(None, 3)]),
    Served("us", np.array([1, 65535], "u2"), [(None, 2)]),
    Served("names", TEXTS, [("lat", 3)]),
    Served("s", np.array(7, "i4")),
    Served("sb", np.array(200, "u1")),
    Served("st", np.array("hello", object)),
    Served(
        "part",
        attributes={"of": ("String", ["structure"])},
        parts=[
            Served("x", np.array(1.5), attributes={"units": ("String", ["m"])}),
            Served("y", np.arange(3, dtype="i4"), [(None, 3)]),
        ],
    ),
    Served(
        "many",
        dims=[("k", 2)],
        parts=[
            Served("x", np.array([1.5, 2.5])),
            Served("y", np.arange(6, dtype="i4").reshape(2, 3), [("yy", 3)]),
        ],
    ),
    Served("with blank", np.arange(3, dtype="f4"), [("lat", 3)]),
    Served("g/inner", np.arange(3, dtype="f4"), [("lat", 3)]),
)

_ENUM = (
    '<Enumeration name="colour" basetype="UInt8"><EnumConst name="red" value="0"/>'
    '<EnumConst name="blue" value="1"/></Enumeration>'
)

OF_DAP4 = (
    TIME,
    Served("i", np.array([-1, 2], "i1"), [("n", 2)]),
    Served("c", np.array([b"a", b"b"], "S1"), [("n", 2)]),
    Served(
        "g/big",
        np.array([1, 2**60], "i8"),
        [("n", 2)],
        {"_FillValue": ("Int64", [-1]), "r": ("Float32", [0.1]), "u": ("UInt64", [2**64 - 1])},
    ),
    Served("g/h/names", TEXTS, [("g/m", 3)]),
    Served("anon", np.arange(600, dtype="u2").reshape(2, 300), [(None, 2), (None, 300)]),
    Served("sc", np.array(3.5)),
    Served("e", np.array([0, 1], "u1"), [("n", 2)], type="Enum /colour"),
    Served(
        "pair",
        dims=[("n", 2)],
        parts=[
            Served("x", np.array([1.5, 2.5])),
            Served("y", np.arange(6, dtype="i4").reshape(2, 3), [(None, 3)]),
        ],
    ),
)

GLOBAL: dict[str, tuple[str, list[object]]] = {
    "title": ("String", ["served"]),
    "n": ("Int32", [1, 2]),
    "b": ("Byte", [200]),
}
EXTRA = (
    '    DODS_EXTRA {\n        String Unlimited_Dimension "time";\n    }\n    String alone "x";\n'
)


@pytest.fixture(scope="module")
def dap():
    """A server with one dataset of each protocol; tests add others."""
    datasets = {
        "two": DapDataset(OF_DAP2, GLOBAL, das=EXTRA),
        "four": DapDataset(OF_DAP4, GLOBAL, dmr=_ENUM),
    }
    with serving_dap(datasets) as service:
        yield service


@pytest.fixture(autouse=True)
def forgetful(dap):
    """Forget requests and other answers of earlier tests."""
    dap.requests.clear()
    dap.answers.clear()
