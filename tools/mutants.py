"""Check that the tests notice mistakes in the code: ``make mutants``.

``python -m tools.mutants [--count 70] [--seed 1]``. A mutant is ncz with one small mistake: another
comparison or operator, a condition that is negated, a constant that is one more, an error that is
not raised, or a call that is left out. A sample of all mutants of the core packages is drawn with a
fixed seed. The tests of its package run until one fails: then the mutant is killed, and otherwise
it survives. At least 90 % must be killed, apart from those that are listed in
``tools/mutants.txt``, with the reason why no test can notice them.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import tempfile
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from ncz.record import record

ROOT = Path(__file__).parents[1]

SOURCE = ROOT / "src" / "ncz"

LISTED = Path(__file__).with_suffix(".txt")

TESTS = {
    "codec": ["codec"],
    "model": ["model", "transfer"],
    "text": ["text", "cdl/print"],
    "cdl/parse": ["cdl/parse", "golden"],
    "cdl/print": ["cdl/print", "golden"],
    "formats/zarr": ["formats/zarr"],
    "zmap/local": ["zmap/local"],
    "transfer": ["transfer", "commands/copy", "cli/test_diff.py"],
}
"""The packages that are mutated, each with the tests that should notice, the nearest first."""

SECONDS = 120
"""Processor time of one run of the tests, which take at most a quarter of it without a mistake."""

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
}  # fmt: skip


@record
class Mutant:
    """A module of ncz with one mistake, and the line in which it is."""

    path: Path
    line: str
    mistake: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """The name of the module."""
        parts = self.path.relative_to(SOURCE.parent).with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")

    def __str__(self) -> str:
        return f"{self.path.relative_to(SOURCE)}: {self.line}: {self.mistake}"


def sample(package: str, count: int, random: Random) -> Iterator[Mutant]:
    """Yield so many mutants of a package, of different files as far as there are enough."""
    files = sorted((SOURCE / package).rglob("*.py"))
    candidates = {path: _places(ast.parse(path.read_text(encoding="utf-8"))) for path in files}
    left = [path for path in files if candidates[path]]
    for _ in range(count):
        path = random.choice(left)
        left = [each for each in left if each != path] or [each for each in files if each != path]
        left = [each for each in left if candidates[each]]
        place = random.choice(candidates[path])
        candidates[path].remove(place)
        yield mutate(path, place)


def mutate(path: Path, place: int) -> Mutant:
    """Return the module of a file with a mistake in the node of this number."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    node: Any = list(ast.walk(tree))[place]
    line = text.splitlines()[node.lineno - 1].strip()
    after = _mistaken(node)
    assert after is not None
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, after)
            elif isinstance(value, list):
                setattr(parent, name, [after if each is node else each for each in value])
    mistake = f"{_line(node)} -> {_line(after)}"
    return Mutant(path, line, mistake, ast.fix_missing_locations(tree))


def _places(tree: ast.Module) -> list[int]:
    """Return the numbers of the nodes in functions in which a mistake can be made."""
    within: set[int] = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            within.update(id(node) for part in function.body for node in ast.walk(part))
    nodes = enumerate(ast.walk(tree))
    return [n for n, node in nodes if id(node) in within and _mistaken(node) is not None]


def _mistaken(node: ast.AST) -> ast.AST | None:
    """Return what stands in the place of a node; None if there is no mistake for it."""
    match node:
        case ast.Compare(left, [op, *others], right) if type(op) in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[type(op)](), *others], right)
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.BoolOp(op, values):
            return ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.If(test, body, orelse):
            return ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.Constant(bool(value)):
            return ast.Constant(not value)
        case ast.Constant(int(value)):
            return ast.Constant(value + 1)
        case ast.Raise() | ast.Expr(ast.Call()):
            return ast.copy_location(ast.Pass(), node)
    return None


def _line(node: ast.AST) -> str:
    text = f"if {ast.unparse(node.test)}:" if isinstance(node, ast.If) else ast.unparse(node)
    return " ".join(text.split())[:120]


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a syntax tree."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return how to import the module, and None for all others."""
        if name != self._mutant.module:
            return None
        file = self._mutant.path
        folders = [str(file.parent)] if file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            name, file, loader=self, submodule_search_locations=folders
        )

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module."""
        code = compile(self._mutant.tree, str(self._mutant.path), "exec")
        exec(code, module.__dict__)


def nearest(mutant: Mutant, folder: str) -> list[str]:
    """Return the files of tests in a folder that are named after the module or its folder."""
    names = {mutant.path.stem, mutant.path.parent.name}
    files = sorted((ROOT / "tests" / folder).rglob("test_*.py"))
    return [str(file) for file in files if file.stem.removeprefix("test_") in names]


def is_killed(mutant: Mutant, folders: Sequence[str]) -> bool:
    """Return whether a test fails with a mutant. Those that are likely to fail run first."""
    near = nearest(mutant, folders[0])
    if near and not passes(mutant, near):
        return True
    return not all(passes(mutant, [f"{ROOT}/tests/{folder}"]) for folder in folders)


def passes(mutant: Mutant | None, tests: Sequence[str]) -> bool:
    """Return whether all tests pass, in a process of its own, with a mutant."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = _test(mutant, tests)
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def _test(mutant: Mutant | None, tests: Sequence[str]) -> int:
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(10 * SECONDS)  # a mutant may wait for ever too
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for name in [name for name in sys.modules if name.partition(".")[0] == "ncz"]:
        del sys.modules[name]  # ncz.record, which this module imports
    if mutant is not None:
        sys.meta_path.insert(0, _Finder(mutant))
    with tempfile.TemporaryDirectory() as folder:
        words = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={folder}/t"]
        return int(pytest.main([*words, *tests]))


def _preload() -> None:
    """Import what every run needs, but nothing of ncz, of which one module will be another."""
    import click
    import lark
    import numcodecs
    import numpy
    import pytest

    del click, lark, numcodecs, numpy, pytest


def main() -> int:
    """Try a sample of mutants, and print which survive."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=72, help="size of the sample (default: 72)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument("packages", nargs="*", help=", ".join(TESTS))
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ |= {"CI": "1", "OPENBLAS_NUM_THREADS": "1"}  # hypothesis then draws the same always
    sys.dont_write_bytecode = True
    _preload()
    listed = LISTED.read_text(encoding="utf-8") if LISTED.exists() else ""
    packages = options.packages or list(TESTS)
    tried = killed = excused = 0
    for number, package in enumerate(packages):
        count = options.count // len(packages) + (number < options.count % len(packages))
        if not passes(None, [f"{ROOT}/tests/{TESTS[package][0]}"]):
            _say(f"tests/{TESTS[package][0]} fails without a mistake")
            return 1
        for mutant in sample(package, count, Random(f"{options.seed} {package}")):
            tried += 1
            if is_killed(mutant, TESTS[package]):
                killed += 1
                continue
            excused += str(mutant) in listed
            _say(f"{'listed' if str(mutant) in listed else 'SURVIVES'}: {mutant}")
    _say(f"{tried} tried, {killed} killed, {excused} survive as listed; seed {options.seed}")
    return int(killed < 0.9 * (tried - excused))


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
