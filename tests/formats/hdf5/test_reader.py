"""HDF5 files that netCDF-C did not make: objects that are read or left out."""

from __future__ import annotations

import subprocess
import sys

import h5py
import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ZmapError
from ncz.formats.opening import open_dataset
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import parse_location
from tests.formats.netcdf.values import values_of


@pytest.fixture
def made(tmp_path):
    """Make an HDF5 file: ``with made() as file``."""
    return lambda **options: h5py.File(tmp_path / "x.h5", "w", **options)


@pytest.fixture
def read(tmp_path):
    """Read the file that was made: the values of each variable, and the notices."""

    def read_file():
        notices: list[Notice] = []
        with open_dataset(parse_location(str(tmp_path / "x.h5")), notify=notices.append) as opened:
            root = opened.dataset.root
            values = {fqn: values_of(v).tolist() for fqn, v in variables_by_fqn(root)}
            return root, values, notices

    return read_file


@pytest.mark.parametrize("layout", ["chunked", "contiguous", "compact"])
@pytest.mark.parametrize("dtype", ["<i2", ">i2", "<f8", ">f4", "u1", "<u8"])
def test_layouts_and_byte_orders(made, read, tmp_path, layout, dtype):
    values = np.arange(35, dtype=dtype).reshape(5, 7)
    with made() as file:
        if layout == "compact":
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple(values.shape)
            kind = h5py.h5t.py_create(values.dtype)
            dataset = h5py.h5d.create(file.id, b"v", kind, space, properties)
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, values)
        else:
            file.create_dataset("v", data=values, chunks=(2, 3) if layout == "chunked" else None)
    root, found, _ = read()
    assert found["/v"] == values.tolist()
    assert root.variables[0].storage.storage_class == layout
    assert isinstance(root.variables[0].data, EncodedSource)
    assert np.dtype(root.variables[0].data.stored_dtype) == values.dtype


def test_filters_that_only_hdf5_has(made, read, run, tmp_path):
    with made() as file:
        file.create_dataset("lzf", data=np.arange(1000), compression="lzf", chunks=(100,))
        file.create_dataset("scaled", data=np.arange(1000), scaleoffset=0, chunks=(100,))
    _, values, _ = read()
    assert values["/lzf"] == values["/scaled"] == list(range(1000))
    ran = run("copy", "--verify", tmp_path / "x.h5", tmp_path / "x.zarr")
    assert ran.code == 0, ran.stderr


def test_missing_chunks_are_fill(made, read, run, tmp_path):
    with made() as file:
        dataset = file.create_dataset("v", (6,), "i4", chunks=(2,), fillvalue=7)
        dataset[2:4] = 1
    root, values, _ = read()
    assert values["/v"] == [7, 7, 1, 1, 7, 7]
    assert list(root.variables[0].data.present()) == [(1,)]
    target = tmp_path / "x.zarr"
    assert run("copy", "--verify", tmp_path / "x.h5", f"{target}#mode=nczarr,v3").code == 0
    assert [p.name for p in (target / "v/c").iterdir()] == ["1"]


def test_strings(made, read):
    with made() as file:
        file.create_dataset("v", data=["é", "", "yy"], chunks=(2,), compression="gzip")
        file["fixed"] = np.array([b"ab", b"cde"], "S3")
        file["one"] = "text"
        file.attrs["several"] = ["a", "", "c"]
        file.attrs["fixed"] = np.array([b"aa", b"b"])
        file.attrs["plain"] = np.bytes_(b"plain")
        file.attrs["empty"] = h5py.Empty("S1")
    root, values, _ = read()
    assert values == {"/v": ["é", "", "yy"], "/fixed": ["ab", "cde"], "/one": "text"}
    attributes = {a.name: (a.type.word, a.values) for a in root.attributes}
    assert attributes == {
        "several": ("string", ("a", "", "c")),
        "fixed": ("string", ("aa", "b")),
        "plain": ("char", ("plain",)),
        "empty": ("char", ()),
    }


def test_strings_that_are_not_stored_have_the_fill_value_of_hdf5(made, read):
    with made() as file:
        text = h5py.string_dtype()
        file.create_dataset("filled", (5,), text, chunks=(2,), fillvalue="zz")[1] = "x"
        file.create_dataset("masked", (3,), text, chunks=(2,), fillvalue="a")
        file["masked"].attrs["_FillValue"] = "b"
        file.create_dataset("fixed", (3,), "S3", chunks=(2,), fillvalue=b"ab")
        file.create_dataset("nil", (3,), text, chunks=(2,))
    _, values, _ = read()
    assert values == {
        "/filled": ["zz", "x", "zz", "zz", "zz"],
        "/masked": ["a", "a", "a"],
        "/fixed": ["ab", "ab", "ab"],
        "/nil": [None, None, None],
    }


def test_the_fill_value_of_chars_may_be_utf8(made, read):
    with made() as file:
        char = h5py.string_dtype("utf-8", 1)
        file.create_dataset("v", (3,), char, fillvalue=np.array(b"x", char), chunks=(2,))[0] = b"a"
    _, values, _ = read()
    assert values == {"/v": [b"a", b"x", b"x"]}


def test_a_user_block(tmp_path, run):
    with h5py.File(tmp_path / "x", "w", userblock_size=1024) as file:
        file.create_dataset("v", data=np.arange(100), chunks=(10,), compression="gzip")
        file["w"] = np.arange(3)
    ran = run("dump", "-v", "w", tmp_path / "x")
    assert " w = 0, 1, 2 ;" in ran.text
    assert run("copy", "--verify", tmp_path / "x", tmp_path / "y.zarr").code == 0


def _quadruple() -> h5py.h5t.TypeID:
    """Return the type of floats of 128 bits that IEEE 754 defines, which numpy lacks."""
    quadruple = h5py.h5t.IEEE_F64LE.copy()
    quadruple.set_size(16)
    quadruple.set_precision(128)
    quadruple.set_fields(127, 112, 15, 0, 112)
    quadruple.set_ebias(16383)
    return quadruple


def test_numbers_of_a_precision_that_numpy_lacks_are_left_out_and_named(made, read):
    record = h5py.h5t.create(h5py.h5t.COMPOUND, 16)
    record.insert(b"a", 0, _quadruple())
    with made() as file:
        file["v"] = np.arange(3)
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"long", _quadruple(), space)
        h5py.h5d.create(file.id, b"record", record, space)
        h5py.h5a.create(file["v"].id, b"long", _quadruple(), space)
    _, values, notices = read()
    assert values == {"/v": [0, 1, 2]}
    assert {(n.code, n.location.rpartition(" ")[2], n.lost) for n in notices} == {
        ("variable-left-out", "/long", True),
        ("variable-left-out", "/record", True),
        ("attribute-left-out", "/v", True),
    }


def test_bit_fields_are_unsigned_integers(made, read):
    from h5py import h5a, h5d, h5s, h5t

    kinds = {"b8": h5t.STD_B8LE, "b16": h5t.STD_B16BE, "b32": h5t.STD_B32LE, "b64": h5t.STD_B64BE}
    record = h5t.create(h5t.COMPOUND, 5)
    record.insert(b"n", 0, h5t.STD_I32LE)
    record.insert(b"flag", 4, h5t.STD_B8LE)
    with made() as file:
        for name, kind in kinds.items():
            dataset = h5d.create(file.id, name.encode(), kind, h5s.create_simple((3,)))
            values = np.array([0, 1, 200], file[name].dtype)
            dataset.write(h5s.ALL, h5s.ALL, values, mtype=kind)
        h5d.create(file.id, b"records", record, h5s.create_simple((1,)))
        h5a.create(file.id, b"flag", h5t.STD_B8LE, h5s.create_simple((2,)))
    root, values, notices = read()
    assert {fqn: found for fqn, found in values.items() if fqn != "/records"} == {
        f"/{name}": [0, 1, 200] for name in kinds
    }
    types = {v.name: v.type for v in root.variables if v.name != "records"}
    assert [types[name].value for name in kinds] == ["ubyte", "ushort", "uint", "uint64"]
    assert values["/records"] == [(0, 0)]
    assert root.attributes[0].values == (0, 0)
    assert notices == []


def test_data_in_other_files_are_not_read(made, read, tmp_path):
    (tmp_path / "secret").write_bytes(bytes(12))
    with made() as file:
        file["v"] = np.arange(2)
        file.create_dataset("out", (3,), "i4", external=[(str(tmp_path / "secret"), 0, 12)])
        layout = h5py.VirtualLayout((3,), "i4")
        layout[:] = h5py.VirtualSource(str(tmp_path / "y.h5"), "w", (3,))
        file.create_virtual_dataset("virtual", layout)
        layout = h5py.VirtualLayout((5, 3), "i4")
        for number in range(5):
            layout[number] = h5py.VirtualSource(f"part{number}.h5", "w", (3,))
        file.create_virtual_dataset("parts", layout)
        layout = h5py.VirtualLayout((2,), "i4")
        layout[:] = h5py.VirtualSource(".", "v", (2,))
        file.create_virtual_dataset("own", layout)
    _, values, notices = read()
    assert values == {"/v": [0, 1]}
    assert {n.location.rpartition("/")[2]: n.message for n in notices} == {
        name: f"its data are in other {where}, which ncz cannot read; the variable is left out"
        for name, where in {
            "out": f"files ({tmp_path / 'secret'})",
            "virtual": f"files ({tmp_path / 'y.h5'})",
            "parts": "files (part0.h5, part1.h5, part2.h5 and 2 more)",
            "own": "datasets",
        }.items()
    }


def test_a_scale_of_another_length_is_not_a_dimension(made, read):
    with made() as file:
        file["x"] = np.arange(3)
        file["x"].make_scale()
        for name, length in {"long": 5, "short": 2, "right": 3}.items():
            file[name] = np.arange(length)
            file[name].dims[0].attach_scale(file["x"])
    root, values, notices = read()
    assert values == {
        "/x": [0, 1, 2],
        "/long": [0, 1, 2, 3, 4],
        "/short": [0, 1],
        "/right": [0, 1, 2],
    }
    lengths = {v.name: v.dimensions for v in root.variables}
    assert lengths["right"] == ("/x",) != lengths["long"]
    assert {(n.code, n.location.rpartition("/")[2], n.message) for n in notices} == {
        (
            "dimension-names-lost",
            name,
            f"its dimension scale /x has the length 3 instead of {length}, and a dimension is"
            " invented",
        )
        for name, length in {"long": 5, "short": 2}.items()
    }


def test_damage_is_an_error_that_names_the_file(tmp_path, run):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("v", data=np.arange(1000), chunks=(100,), compression="gzip")
    whole = (tmp_path / "x.h5").read_bytes()
    for cut in (8, 50, 600, len(whole) - 10):
        (tmp_path / "x.h5").write_bytes(whole[:cut])
        ran = run("dump", tmp_path / "x.h5")
        assert ran.code == 1
        assert "x.h5" in ran.stderr
        assert ran.stderr.count("\n") == 1


def test_a_damaged_chunk_is_named(tmp_path, run):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        dataset = file.create_dataset("v", data=np.arange(1000), chunks=(100,), fletcher32=True)
        offset = dataset.id.get_chunk_info(3).byte_offset
    data = bytearray((tmp_path / "x.h5").read_bytes())
    data[offset] ^= 1
    (tmp_path / "x.h5").write_bytes(data)
    ran = run("dump", tmp_path / "x.h5")
    assert ran.code == 1
    assert "x.h5: /v chunk 3: data of /v: the chunk cannot be decoded by fletcher32" in ran.stderr
    refused = run("copy", tmp_path / "x.h5", tmp_path / "x.zarr")
    assert refused.code == 1
    assert "x.h5: /v chunk 3: the chunk cannot be decoded by fletcher32" in refused.stderr
    assert not (tmp_path / "x.zarr").exists()
    kept = run("copy", "--keep-going", tmp_path / "x.h5", tmp_path / "x.zarr")
    assert "/v chunk 3" in kept.stderr
    assert (tmp_path / "x.zarr/v").exists()


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_a_file_that_is_being_written_is_locked_and_not_damaged(tmp_path, libver):
    path = str(tmp_path / "a.h5")
    with h5py.File(path, "w", libver=libver) as file:
        file["v"] = np.arange(5)
        file.flush()
        with pytest.raises(ZmapError, match="the file is locked, because") as raised:
            ncz.dump(path)
    assert "damaged" not in str(raised.value)
    assert " v = 0, 1, 2, 3, 4 ;" in ncz.dump(path)


@pytest.mark.parametrize("shape", [(), (7,), (3, 5)])
def test_strings_of_many_lengths(tmp_path, shape):
    path = str(tmp_path / "a.h5")
    count = int(np.prod(shape))
    texts = np.array([chr(97 + n) * (13 * n) for n in range(1, count + 1)], "O").reshape(shape)
    with h5py.File(path, "w") as file:
        file.create_dataset("v", data=texts, dtype=h5py.string_dtype())
        for name, each in (("w", None), ("x", tuple(2 for _ in shape) or None)):
            file.create_dataset(
                name, shape, h5py.string_dtype(), chunks=each, compression=each and "gzip"
            )
            file[name][...] = texts
    with open_dataset(parse_location(path)) as opened:
        for name in ("v", "w", "x"):
            found = values_of(dict(variables_by_fqn(opened.dataset.root))[f"/{name}"])
            assert np.array_equal(found, texts)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured by /proc")
def test_a_small_damaged_file_takes_little_memory(tmp_path):
    """The length that a reference declares is compared with the file before memory is taken."""
    path = tmp_path / "a.nc"
    text = (
        "netcdf a { types: int(*) t; dimensions: n = 1; variables: t v(n);"
        " data: v = {1, 2, 3, 4, 5, 6, 7}; }"
    )
    (tmp_path / "a.cdl").write_text(text)
    ncz.gen(tmp_path / "a.cdl", path)
    data = path.read_bytes()
    heap = data.index(b"GCOL").to_bytes(8, "little")
    at = data.index((7).to_bytes(4, "little") + heap)
    path.write_bytes(data[:at] + (1 << 28).to_bytes(4, "little") + data[at + 4 :])
    code = (
        "import ncz, sys\n"
        "try: ncz.dump(sys.argv[1])\n"
        "except ncz.NczError as error: print(error)\n"
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    *_, most = done.stdout.splitlines()
    assert int(most) < 100 << 10
