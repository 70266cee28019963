"""The mistakes that can be made in a module."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
}  # fmt: skip


class Mistake(NamedTuple):
    """One mistake in a module: the replacement of a node of its syntax tree."""

    function: str
    """The qualified name of the function."""
    number: int
    """The position of the node among the nodes of the module."""
    change: str
    """The texts of the node and of its replacement."""


def mistakes(tree: ast.Module) -> Iterator[Mistake]:
    """Yield all mistakes that can be made in the functions of a module."""
    function = _functions(tree)
    for number, node in enumerate(ast.walk(tree)):
        after = _mistaken(node) if id(node) in function else None
        if after is not None:
            change = f"{_line(node)} -> {_line(after)}"
            yield Mistake(function[id(node)], number, change)


def mutated(text: str, number: int) -> str:
    """Return the text of a module with a mistake in the node of this number."""
    tree = ast.parse(text)
    node = list(ast.walk(tree))[number]
    after = _mistaken(node)
    assert after is not None
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, after)
            elif isinstance(value, list):
                setattr(parent, name, [after if each is node else each for each in value])
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def noting(text: str, names: Mapping[int, str]) -> str:
    """Return the text of a module that notes a name before the statement of each of its nodes."""
    tree = ast.parse(text)
    bodies = {
        id(statement): body
        for parent in ast.walk(tree)
        for _, body in ast.iter_fields(parent)
        if isinstance(body, list)
        for statement in body
        if isinstance(statement, ast.stmt)
    }
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    nodes = list(ast.walk(tree))
    for number, name in names.items():
        statement = nodes[number]
        while id(statement) not in bodies:
            statement = parents[id(statement)]
        [note] = ast.parse(f"__import__('sitecustomize').note({name!r})").body
        body = bodies[id(statement)]
        body.insert(body.index(statement), note)
    return ast.unparse(tree) + "\n"


def _functions(tree: ast.Module) -> dict[int, str]:
    """Return the qualified name of the function that contains each node, by the node's id."""
    found: dict[int, str] = {}

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    inner = f"{name}.{child.name}".lstrip(".")
                    for part in child.body:
                        found.update((id(each), inner) for each in ast.walk(part))
                    visit(child, inner)
                case ast.ClassDef():
                    visit(child, f"{name}.{child.name}".lstrip("."))
                case _:
                    visit(child, name)

    visit(tree, "")
    return found


def _mistaken(node: ast.AST) -> ast.AST | None:
    """Return the replacement of a node, or None if there is no mistake for it."""
    match node:
        case ast.Compare(left, [op, *others], right) if type(op) in _COMPARISONS:
            return ast.Compare(left, [_COMPARISONS[type(op)](), *others], right)
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return ast.BinOp(left, _OPERATORS[type(op)](), right)
        case ast.BoolOp(op, values):
            return ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), operand):
            return copy.copy(operand)
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
