"""The printer against the real ncdump: random netCDF-4 files, printed by both.

The file is read with netCDF4 into the model, so that only the printing differs. ``make test``
makes a part of the files.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.formats.opening import open_dataset
from ncz.model.data import MemoryArray
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable, join
from ncz.model.types import Atomic, Enumeration
from ncz.text.format_values import Precision
from ncz.text.names import RequestedData
from ncz.zmap.location import parse_location
from tests.sampled import share_of

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
np = pytest.importorskip("numpy")
NCDUMP = shutil.which("ncdump")
pytestmark = pytest.mark.skipif(NCDUMP is None, reason="ncdump is not installed (netcdf-bin)")

TYPES = {
    "i1": Atomic.BYTE, "i2": Atomic.SHORT, "i4": Atomic.INT, "i8": Atomic.INT64,
    "u1": Atomic.UBYTE, "u2": Atomic.USHORT, "u4": Atomic.UINT, "u8": Atomic.UINT64,
    "f4": Atomic.FLOAT, "f8": Atomic.DOUBLE, "S1": Atomic.CHAR,
}  # fmt: skip
NUMBERS = [code for code in TYPES if code != "S1"]
NAMES = ["a", "b2", "lat", "x y", "t(1)", "é", "data", "1st", "A+B", "group", "long_name_" * 3]
GROUPS = ["g", "g 1", "2g"]
TEXTS = ["", "q", 'it\'s "q"', "a, b", "x" * 90, "é\u2028", "tab\tback\\", "\x01\x7f", "ab\ncd\n"]
# A vertical tab is left out: ncdump prints \n for it in a string variable.


@pytest.mark.parametrize(
    "seeds", [range(8), pytest.param(range(8, 60), marks=pytest.mark.long)], ids=str
)
def test_random_files_are_printed_as_ncdump_prints_them(tmp_path: Path, seeds: range):
    for seed in seeds:
        path = tmp_path / "f.nc"
        chance = random.Random(seed)
        make_file(path, chance)
        dataset = read_file(path)
        for options, arguments in option_sets(chance):
            if options.full == "f" and has_scalar(dataset.root):
                continue  # ncdump prints memory that it never set
            assert printed(dataset, options) == ncdump(path, arguments), (seed, arguments)


RUNS = st.lists(
    st.tuples(st.integers(1, 15), st.sampled_from([1, 2, 15, 17, 19, 30, 150, 400])),
    min_size=1,
    max_size=4,
)
"""Numbers of the same width: their width and their count."""


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(RUNS, min_size=40, max_size=40), st.integers(20, 130))
@example([[(3, 393), (1, 30)], [(3, 393), (1, 1)], [(4, 400), (2, 30), (1, 1)]], 80)
def test_numbers_of_any_widths_are_broken_as_ncdump_breaks_them(tmp_path: Path, cases, length):
    """A file has a variable for each case."""
    path = tmp_path / "widths.nc"
    with netCDF4.Dataset(path, "w") as file:
        for number, runs in enumerate(cases):
            values = np.repeat([10 ** (width - 1) for width, _ in runs], [n for _, n in runs])
            file.createDimension(f"d{number}", len(values))
            file.createVariable(f"v{number}", "i8", (f"d{number}",))[:] = values
    options = CdlOptions(line_length=length)
    assert printed(read_file(path), options) == ncdump(path, ["-l", str(length)])


NAME = st.text("abc", min_size=1, max_size=40)
ENUMS = st.lists(
    st.tuples(NAME, st.lists(NAME, min_size=1, max_size=12, unique=True)),
    max_size=4,
    unique_by=lambda enum: enum[0],
)
"""The names of enums and of their members."""


@settings(max_examples=share_of(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(ENUMS, ENUMS, st.integers(20, 130))
def test_enums_of_any_lengths_are_wrapped_as_ncdump_wraps_them(
    tmp_path: Path, outer, inner, length
):
    path = tmp_path / "enums.nc"
    with netCDF4.Dataset(path, "w") as file:
        for group, enums in ((file, outer), (file.createGroup("g"), inner)):
            for name, labels in enums:
                group.createEnumType("i4", name, {label: n * 50 for n, label in enumerate(labels)})
    group = Group(name="g", types=enumerations("/g/", inner))
    root = Group(types=enumerations("/", outer), groups=(group,))
    dataset = Dataset(name="enums", root=root)
    options = CdlOptions(line_length=length)
    assert printed(dataset, options) == ncdump(path, ["-l", str(length)])


PAIRS = st.lists(st.integers(-(10**6), 10**9), min_size=1, max_size=12)
"""The values of attributes of a compound type."""
DATA = st.sampled_from(["", "scalar", "row", "text", "rows", "records", "braces", "empty"])
PARTS = st.fixed_dictionaries(
    {"enums": ENUMS, "attributes": st.lists(PAIRS, max_size=3), "data": st.lists(DATA, max_size=3)}
)
SHAPES = {"scalar": "", "row": "l", "text": "l", "rows": "ls", "records": "su", "empty": "e"}
SHAPES["braces"] = "suv"


@settings(max_examples=share_of(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.tuples(PARTS, PARTS, PARTS, PARTS),
    st.integers(20, 130),
    st.sampled_from([(), ("-b", "c"), ("-f", "c"), ("-b", "c", "-f", "c"), ("-h",)]),
)
@example(({"enums": [], "attributes": [[0] * 8, [1] * 2, [2] * 8], "data": []},) * 4, 80, ())
@example(
    (
        {"enums": [], "attributes": [], "data": ["braces"]},
        {"enums": [("ccc", ["aaaa", "bbbb", "cccc"])], "attributes": [], "data": ["row"]},
        {"enums": [("c", ["aaaa", "bbbb", "cccc", "dd"])], "attributes": [], "data": []},
        {"enums": [("c", ["aaaa", "bbbb", "cccc", "dd"])], "attributes": [[1, 2]], "data": []},
    ),
    38,
    ("-f", "c"),
)
def test_one_column_counts_for_enums_attributes_and_data(tmp_path: Path, parts, length, options):
    """A text that ncdump wraps begins where the last one ended, in any group."""
    path = tmp_path / "column.nc"
    pair = np.dtype([("x", "i4"), ("y", "i4")])
    with netCDF4.Dataset(path, "w") as file:
        for name, size in {"l": 30, "s": 3, "u": None, "v": None, "e": 0}.items():
            file.createDimension(name, size)
        file.createVariable("grow", "i1", ("u", "v"))[:] = np.zeros((2, 2))
        compound = file.createCompoundType(pair, "pair")
        inner = file.createGroup("g").createGroup("h")
        for group, part in zip((file, file["g"], inner, file.createGroup("k")), parts, strict=True):
            for name, labels in part["enums"]:
                group.createEnumType("i4", name, {label: n * 50 for n, label in enumerate(labels)})
            for number, values in enumerate(part["attributes"]):
                group.setncattr(f"p{number}", np.array([(v, v) for v in values], compound.dtype))
            for number, kind in enumerate(part["data"]):
                if not kind:
                    continue
                code = "S1" if kind == "text" else "i4"
                variable = group.createVariable(f"{kind}{number}", code, tuple(SHAPES[kind]))
                variable[...] = b"x" if kind == "text" else 7
    wanted = ncdump(path, ["-l", str(length), *options])
    style = dict(zip(options[::2], options[1::2], strict=False))
    ours = CdlOptions(
        line_length=length,
        header_only="-h" in options,
        brief="c" if "-b" in style else None,
        full="c" if "-f" in style else None,
    )
    with open_dataset(parse_location(str(path))) as opened:
        assert printed(opened.dataset, ours) == wanted


def enumerations(prefix: str, enums: list[tuple[str, list[str]]]) -> tuple[Enumeration, ...]:
    return tuple(
        Enumeration(
            name=prefix + name,
            base=Atomic.INT,
            members=tuple((label, number * 50) for number, label in enumerate(labels)),
        )
        for name, labels in enums
    )


def has_scalar(group: Group) -> bool:
    return any(not v.dimensions for v in group.variables) or any(map(has_scalar, group.groups))


def option_sets(chance: random.Random) -> list[tuple[CdlOptions, list[str]]]:
    sets: list[tuple[CdlOptions, list[str]]] = [
        (CdlOptions(), []),
        (CdlOptions(requested=RequestedData(coordinates=True)), ["-c"]),
        (CdlOptions(brief="c"), ["-b", "c"]),
        (CdlOptions(brief="f"), ["-b", "f"]),
        (CdlOptions(full="c"), ["-f", "c"]),
        (CdlOptions(full="f"), ["-f", "f"]),
        (CdlOptions(precision=Precision(4, 9)), ["-p", "4,9"]),
        (CdlOptions(line_length=(n := chance.randint(10, 130))), ["-l", str(n)]),
        (CdlOptions(line_length=n, brief="c"), ["-l", str(n), "-b", "c"]),
    ]
    return sets


def make_file(path: Path, chance: random.Random) -> None:
    with netCDF4.Dataset(path, "w") as root:
        fill_group(root, chance, [], depth=0)


def fill_group(group: Any, chance: random.Random, outer: list[str], depth: int) -> None:
    names = chance.sample(NAMES, chance.randint(0 if outer else 1, 4))
    for name in names:
        unlimited = chance.random() < 0.35
        group.createDimension(name, None if unlimited else chance.choice([1, 2, 3, 5, 30, 100]))
    visible = [*outer, *names]
    for name in chance.sample(NAMES, chance.randint(0, 4)):
        make_variable(group, name, chance, visible)
    make_attributes(group, chance)
    if depth < 2:
        for name in chance.sample(GROUPS, chance.randint(0, 2)):
            fill_group(group.createGroup(name), chance, visible, depth + 1)


def make_variable(group: Any, name: str, chance: random.Random, visible: list[str]) -> None:
    dimensions = [chance.choice(visible) for _ in range(chance.choice([0, 1, 1, 2, 2, 3]))]
    if len(set(dimensions)) < len(dimensions):
        dimensions = dimensions[:1]
    if name in visible and dimensions != [name]:
        return  # HDF5 has trouble with such names
    code = chance.choice([*TYPES, "str", "str", "S1", "f4", "f8"])
    if dimensions == [name] and code == "str":
        code = "i4"
    fill = None
    if code in NUMBERS and chance.random() < 0.3:
        fill = random_numbers(code, (), chance)
    variable = group.createVariable(
        name, str if code == "str" else code, dimensions, fill_value=fill
    )
    variable.set_auto_maskandscale(False)
    if code != "S1":
        make_attributes(variable, chance)
        if code in ("f4", "f8") and chance.random() < 0.2:
            # ncdump cuts text after 99 bytes, such as a large double by %f
            variable.C_format = chance.choice(["%6.2f" if code == "f4" else "%8g", "%12.3e", "%g"])
    shape = tuple(n or chance.choice([0, 1, 2, 7]) for n in variable.shape)
    if 0 in shape or chance.random() < 0.1:
        return
    if code == "str":
        values: Any = np.empty(shape, dtype=object)
        for place in np.ndindex(shape):
            values[place] = chance.choice(TEXTS)
        if shape == ():
            values = values[()]
    elif code == "S1":
        # ncz does not cut rows of a char array at newlines where there are several
        letters = b"abc\0\0 \xc3\"'\\" + (b"\n" if len(shape) < 2 else b"")
        codes = [chance.choice(letters) for _ in range(int(np.prod(shape)))]
        values = np.array(codes, "u1").view("S1").reshape(shape)
    else:
        values = random_numbers(code, shape, chance)
    variable[tuple(slice(0, n) for n in shape) if shape else ...] = values


def random_numbers(code: str, shape: tuple[int, ...], chance: random.Random) -> Any:
    dtype = np.dtype(code)
    generator = np.random.default_rng(chance.randrange(2**32))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        small = generator.integers(limits.min // 2 ** (8 * dtype.itemsize - 8), 100, shape)
        large = generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        return np.where(generator.random(shape) < 0.5, small, large).astype(dtype)[()]
    with np.errstate(all="ignore"):
        bits = generator.integers(0, 256, (*shape, dtype.itemsize), "u1").view(dtype)[..., 0]
        plain = generator.normal(0, 1000, shape).astype(dtype)
        special = generator.choice([0, -0.0, np.nan, np.inf, -np.inf, 1, 9.96921e36], shape)
        choice = generator.random(shape)
        values = np.where(choice < 0.4, plain, np.where(choice < 0.8, plain.round(1), bits))
        return np.where(choice > 0.95, special, values).astype(dtype)[()]


def make_attributes(owner: Any, chance: random.Random) -> None:
    for name in chance.sample([n + "_att" for n in NAMES], chance.randint(0, 2)):
        code = chance.choice([*NUMBERS, "text", "string"])
        if code == "text":
            owner.setncattr(name, chance.choice(TEXTS[1:]).encode())  # str might become string
        elif code == "string":
            owner.setncattr_string(f"string_{name}", chance.sample(TEXTS, chance.randint(1, 3)))
        else:
            owner.setncattr(name, random_numbers(code, (chance.randint(0, 3),), chance))


def read_file(path: Path) -> Dataset:
    with netCDF4.Dataset(path) as file:
        return Dataset(name=path.stem, root=read_group(file, ""))


def read_group(group: Any, fqn: str) -> Group:
    return Group(
        name=fqn.rpartition("/")[2],
        dimensions=tuple(
            Dimension(name=d.name, size=len(d), unlimited=d.isunlimited())
            for d in group.dimensions.values()
        ),
        variables=tuple(read_variable(v) for v in group.variables.values()),
        attributes=read_attributes(group),
        groups=tuple(read_group(g, join(fqn, name)) for name, g in group.groups.items()),
    )


def read_variable(variable: Any) -> Variable:
    variable.set_auto_maskandscale(False)
    nc_type = Atomic.STRING if variable.dtype is str else TYPES[variable.dtype.str[1:]]
    if nc_type is Atomic.CHAR:
        variable.set_auto_chartostring(False)
    values = np.asarray(variable[...], dtype=object if nc_type is Atomic.STRING else None)
    return Variable(
        name=variable.name,
        type=nc_type,
        dimensions=tuple(join(d.group().path.rstrip("/"), d.name) for d in variable.get_dims()),
        attributes=read_attributes(variable),
        data=MemoryArray(values, nc_type, chunks=tuple(min(4, n) or 1 for n in values.shape)),
    )


def read_attributes(owner: Any) -> tuple[Attribute, ...]:
    attributes = []
    for name in owner.ncattrs():
        value = owner.getncattr(name)
        if isinstance(value, str):
            nc_type, values = Atomic.CHAR, (value,)
            if name.startswith("string_"):  # netCDF4 gives one string of either type so
                nc_type = Atomic.STRING
        elif isinstance(value, list):
            nc_type, values = Atomic.STRING, tuple(value)
        else:
            array = np.atleast_1d(value)
            nc_type, values = TYPES[array.dtype.str[1:]], tuple(array.tolist())
        attributes.append(Attribute(name=name, type=nc_type, values=values))
    return tuple(attributes)


def printed(dataset: Dataset, options: CdlOptions) -> str:
    pieces: list[bytes] = []
    print_cdl(dataset, options, pieces.append)
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def ncdump(path: Path, arguments: list[str]) -> str:
    done = subprocess.run([NCDUMP or "", *arguments, str(path)], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")
