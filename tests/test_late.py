"""Packages that are imported when they are first used."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

from ncz.late import LatePackage, numpy
from tests.conftest import ROOT


def test_a_package_is_imported_when_an_attribute_is_used():
    program = (
        "import sys; from ncz.late import numpy as np; print('numpy' in sys.modules);"
        " print(isinstance(np.zeros(1), np.ndarray)); print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "True"]


def test_it_has_the_attributes_of_the_package():
    import numpy as true

    assert numpy.ndarray is true.ndarray
    assert numpy.testing is true.testing  # which numpy itself imports late
    with pytest.raises(AttributeError, match="nothing"):
        numpy.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_package_that_is_not_installed_is_an_import_error():
    with pytest.raises(ImportError, match="no_such_package"):
        LatePackage("no_such_package").anything  # noqa: B018


def test_modules_are_imported_later_than_the_packages_that_import_them():
    program = (
        "import sys; from ncz.late import imported_later\n"
        "with imported_later('inspect', 'textwrap'):\n import inspect, textwrap as first\n"
        " first.dedent(' ')\n"
        "print('inspect' in sys.modules, 'textwrap' in sys.modules)\n"
        "print(inspect.cleandoc(' a\\n b').split()); import inspect as true\n"
        "print(inspect.signature is true.signature, type(true).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["False True", "['a', 'b']", "True module"]


def test_numpy_is_imported_in_one_way():
    """A function that imports it is noted here, as it measures the time of another process."""
    found = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        text = path.read_text("utf-8")
        if not re.search(r"^\s+import numpy", text, re.MULTILINE):
            continue
        for function in ast.walk(ast.parse(text)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [
                    (path.name, function.name)
                    for node in ast.walk(function)
                    if isinstance(node, ast.Import) and node.names[0].name == "numpy"
                ]
    assert found == [("reader.py", "_parse_elsewhere")]
