"""Datasets whose numbers get other types."""

from __future__ import annotations

import pytest

from ncz.commands.number_types.dataset import unpacked_dataset, with_number_types
from ncz.commands.number_types.options import NumberTypes, PackingChoice
from ncz.commands.option_error import OptionError
from ncz.errors import NO_CALLBACKS
from ncz.model.quantization import Quantization
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.parallel.threads import ThreadPool
from tests.test_round_trip import parsed

DATASET = parsed(
    b"""netcdf d { dimensions: x = 2 ; variables: double x(x) ; double t(x) ; float u(x) ;
    short p(x) ; p:scale_factor = 0.5f ; int n(x) ; string s(x) ;
    data: x = 1, 2 ; t = 3, 4 ; u = 5, 6 ; p = 7, 8 ; n = 9, 10 ; s = "a", "b" ; }"""
)


def changed(wanted: NumberTypes) -> dict[str, Variable]:
    with ThreadPool(1 << 20, 1) as pool:
        found: Dataset = with_number_types(DATASET, wanted, "d.nc", pool, NO_CALLBACKS)
    return dict(variables_by_fqn(found.root))


def types(wanted: NumberTypes) -> dict[str, str]:
    return {fqn: variable.type.word for fqn, variable in changed(wanted).items()}  # type: ignore[union-attr]


def test_a_type_without_a_name_is_for_data_that_are_no_coordinates():
    found = types(NumberTypes(types=(("", "float"),)))
    assert found == {
        "/x": "double", "/t": "float", "/u": "float", "/p": "short", "/n": "int", "/s": "string"
    }  # fmt: skip


def test_a_name_decides_before_all_others():
    found = types(NumberTypes(types=(("u", "double"), ("", "float"), ("n", "int64"))))
    assert (found["/t"], found["/u"], found["/n"]) == ("float", "double", "int64")


def test_packed_variables_are_unpacked_first_and_then_get_a_type():
    assert types(NumberTypes(unpack=True))["/p"] == "float"
    assert types(NumberTypes(unpack=True, types=(("p", "double"),)))["/p"] == "double"
    assert dict(variables_by_fqn(unpacked_dataset(DATASET, "d.nc").root))["/p"].attributes == ()


def test_variables_with_a_type_are_not_packed():
    wanted = NumberTypes(types=(("t", "float"),), pack=(("", PackingChoice(Atomic.SHORT, 1.0)),))
    found = types(wanted)
    assert (found["/t"], found["/u"]) == ("float", "short")


def test_missing_data_get_their_value_last():
    wanted = NumberTypes(pack=(("t", PackingChoice(Atomic.SHORT, 1.0)),), masks=(("t", -5),))
    (fill,) = (a for a in changed(wanted)["/t"].attributes if a.name == "_FillValue")
    assert (fill.type, fill.values) == (Atomic.SHORT, (-5,))


def test_rounding_is_for_floating_point_data():
    rounding = Quantization(algorithm="BitGroom", digits=3)
    found = changed(NumberTypes(quantize=(("", rounding),)))
    name = "_QuantizeBitGroomNumberOfSignificantDigits"
    assert [fqn for fqn, variable in found.items() if variable.attribute(name)] == ["/t", "/u"]


@pytest.mark.parametrize(("name", "message"), [("s", "its type is string"), ("none", "none")])
def test_a_variable_without_numbers_is_refused(name: str, message: str):
    with pytest.raises(OptionError, match=message):
        changed(NumberTypes(types=((name, "float"),)))
