"""The error of datasets that cannot be joined."""

from __future__ import annotations

import pickle

from ncz.commands.joining.error import JoinError
from ncz.errors import NczError


def test_programs_catch_it_as_an_error_of_ncz_and_as_a_value_error():
    error = JoinError("the units differ", "a.nc", "convert them")
    assert isinstance(error, NczError)
    assert isinstance(error, ValueError)
    assert error.exit_code == 1
    assert str(error) == "a.nc: the units differ; convert them"


def test_a_worker_returns_it_with_its_hint():
    error = pickle.loads(pickle.dumps(JoinError("the units differ", "a.nc", "convert them")))
    assert type(error) is JoinError
    assert (error.message, error.location, error.hint) == (
        "the units differ",
        "a.nc",
        "convert them",
    )
