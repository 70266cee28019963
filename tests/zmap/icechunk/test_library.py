"""The package icechunk and its errors."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.zmap.icechunk.library import is_old, library_errors, load_library, newer_library_error


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "icechunk", None)
    with pytest.raises(ZmapError, match=r"a\.icechunk: .*package icechunk") as error:
        load_library("a.icechunk")
    assert error.value.hint == "pip install 'ncz[icechunk]'"


@pytest.mark.parametrize(("version", "old"), [("1.1.4", True), ("2.0.0", False), ("10.1", False)])
def test_versions(version: str, old: bool):
    library = SimpleNamespace(__version__=version)
    assert is_old(library) == old
    error = newer_library_error(library, "write this", "a.icechunk")
    assert str(error).startswith(f"a.icechunk: icechunk {version} cannot write this; ")


def raised(error: Exception, **known: ZmapError) -> ZmapError:
    with pytest.raises(ZmapError) as caught, library_errors("a: /v/0", 5, "read", lambda: known):
        raise error
    return caught.value


def test_a_message_of_many_lines_becomes_one():
    text = "error\n\n  x storage error\n  |-> object store error\n  `-> not found\n"
    assert raised(ValueError(text)).message == (
        "Icechunk cannot read this: storage error: object store error"
    )
    assert raised(RuntimeError("panic\nsecond")).message == "Icechunk cannot read this: panic"


def test_a_library_that_gives_no_answer():
    error = raised(TimeoutError())
    assert error.message == "Icechunk gives no answer within 5 s"
    assert error.location == "a: /v/0"


def test_errors_of_ncz_pass_and_refused_places_are_named():
    missing = StoreMissing("nothing exists", "a")
    assert raised(missing) is missing
    known = ZmapError("this folder must be permitted", "b", "permit it")
    found = raised(ValueError("cannot fetch file:///data/x.nc"), **{"file:///data": known})
    assert (found.message, found.hint) == ("this folder must be permitted", "permit it")
    assert found.location == "a: /v/0"
