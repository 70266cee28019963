"""Values in the memory layout of HDF5."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.errors import LossError
from ncz.formats.hdf5.datatypes import Datatypes
from ncz.formats.hdf5.memory import in_elements, layout_of
from ncz.model.types import Atomic, Compound, Field, Opaque, UserType, Vlen

h5py = pytest.importorskip("h5py")

LIST = Vlen(name="/list", base=Atomic.INT)
DEEP = Compound(
    name="/deep",
    fields=(
        Field(name="i", type=Atomic.INT),
        Field(name="s", type=Atomic.STRING),
        Field(name="l", type=LIST, shape=(2,)),
    ),
)


@pytest.mark.parametrize(
    ("nc_type", "values"),
    [
        (Opaque(name="/o", size=2), [b"\1\2", b"\3\4"]),
        (LIST, [(1, 2), (), (3,)]),
        (Vlen(name="/texts", base=Atomic.STRING), [("a", None, "bc"), ()]),
        (DEEP, [(5, "x", ((1,), ())), (6, None, ((), (2, 3)))]),
    ],
)
def test_values_are_read_again_from_a_file(nc_type: UserType, values: list[object]):
    with h5py.File("memory.nc", "w", driver="core", backing_store=False) as file:
        types = Datatypes()
        for each in (LIST, nc_type):
            if each.name not in types.committed:
                types.commit(file.id, each)
        datatype = types.of(nc_type)
        space = h5py.h5s.create_simple((len(values),))
        attribute = h5py.h5a.create(file.id, b"a", datatype, space)
        with in_elements(values, layout_of(datatype, nc_type), "a") as elements:
            attribute.write(elements, datatype)
        if nc_type is LIST:
            assert [tuple(each.tolist()) for each in file.attrs["a"]] == values
        elif isinstance(nc_type, Opaque):
            assert [bytes(each) for each in file.attrs["a"]] == values
        elif nc_type is DEEP:
            assert len(attribute.get_type().get_member_name(1)) == 1


def test_a_string_with_a_nul_is_refused_by_name():
    layout = layout_of(Datatypes().of(Atomic.STRING), Atomic.STRING)
    with (
        pytest.raises(LossError, match="attribute a has a string with a NUL byte"),
        in_elements(["a\0b"], layout, "attribute a"),
    ):
        pass


def test_no_string_is_no_pointer():
    layout = layout_of(Datatypes().of(Atomic.STRING), Atomic.STRING)
    with in_elements([None, "", "x"], layout, "a") as pointers:
        assert (pointers == np.uintp(0)).tolist() == [True, False, False]
