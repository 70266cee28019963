"""The templates of reference sets: a part of Jinja, evaluated with limits.

The specification uses Jinja, a programming language. A set may come from anyone, so only the syntax
that sets need is evaluated here:

- names, whole numbers, quoted texts, ``true`` and ``false``, lists and parentheses;
- ``+ - * // % **``, ``~`` and ``+`` to join texts, ``'%03d' % i``, ``'%d.%s' % (i, name)``;
- comparisons, ``in``, ``and``, ``or``, ``not``, ``A if CONDITION else B``;
- an item or a slice of a text or a list: ``name[0]``, ``name[:4]``, ``['a', 'b'][i]``;
- calls of templates with named arguments, and the filters of `_FILTERS`, such as ``|format(i)``;
- statements ``{% if %}``, ``{% elif %}``, ``{% else %}``, ``{% endif %}``, and comments ``{# #}``.

Other features of Jinja are errors that name them: attributes, division, other statements and
filters, and the removal of blanks by ``{{-``. The size of every result is limited.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ncz.errors import NczError
from ncz.record import record

LONGEST = 4096
"""The length in characters of the longest text that a template may give."""

_LARGEST_NUMBER = 1 << 63
_DEEPEST = 20
_LONGEST_EXPRESSION = 1000
_HINT = "docs/reference/references.md lists the supported templates"

_BEGIN = re.compile(r"\{\{|\{%|\{#")
_ENDS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,19}(?!\w))|(?P<name>[A-Za-z_]\w{0,99})"
    r"|(?P<text>'[^'\\]*'|\"[^\"\\]*\")"
    r"|(?P<sign>//|\*\*|==|!=|<=|>=|[-+*%~(),=\[\]|:<>]))"
)
_FORMAT = re.compile(r"%(?:%|([-+ 0#]{0,3})([1-9]\d?)?(\.\d{1,2})?([diouxXs]))")
_WORDS = frozenset({"if", "else", "and", "or", "not", "in", "is"})
_LITERALS = {"true": True, "True": True, "false": False, "False": False}

Value = Any
"""A whole number, a text, or a tuple of values."""

Scope = Mapping[str, "Value | Template"]
"""The names that an expression may use."""

_Evaluate = Callable[[Scope], Value]

_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "in": lambda one, other: one in other,
    "not in": lambda one, other: one not in other,
}  # fmt: skip
_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "%": operator.mod,
}  # fmt: skip


class TemplateError(NczError, ValueError):
    """A template or an expression that cannot be evaluated."""


@record
class Template:
    """A text with expressions; `parts` are texts, and functions that give texts."""

    text: str
    parts: tuple[str | _Evaluate, ...]

    @property
    def has_expressions(self) -> bool:
        """Whether the text depends on anything."""
        return any(not isinstance(part, str) for part in self.parts)

    def render(self, scope: Scope) -> str:
        """Return the text with the values of its expressions. Raises `TemplateError`."""
        return _render(self.parts, scope, self.text)


def _render(parts: Sequence[str | _Evaluate], scope: Scope, text: str) -> str:
    found = []
    size = 0
    for part in parts:
        value = part if isinstance(part, str) else part(scope)
        if isinstance(value, tuple):
            raise TemplateError("a list cannot be a part of a text", text[:40], _HINT)
        found.append(str(value))
        size += len(found[-1])
        if size > LONGEST:
            raise TemplateError(f"a template gives more than {LONGEST} characters", text[:40])
    return "".join(found)


def is_template(text: str) -> bool:
    """Return whether Jinja would find anything in a text to evaluate."""
    return "{" in text and _BEGIN.search(text) is not None


def parse_template(text: str) -> Template:
    """Parse a text with expressions in double braces. Raises `TemplateError`."""
    return Template(text, _Blocks(text).parse())


class _Blocks:
    """A parser of a template, which splits it at braces."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._blocks = list(self._split())
        self._at = 0
        self._depth = 0

    def parse(self) -> tuple[str | _Evaluate, ...]:
        parts = self._parts()
        if self._at < len(self._blocks):
            raise self._error(f"{{% {self._statement()[0]} %}} has no {{% if %}}")
        return parts

    def _error(self, message: str) -> TemplateError:
        return TemplateError(message, self._text[:40], _HINT)

    def _split(self) -> Iterator[tuple[str, str]]:
        """Yield the start of each block, which is "" for plain text, and its contents."""
        at = 0
        while found := _BEGIN.search(self._text, at):
            start, begin = found.start(), found[0]
            if start > at:
                yield "", self._text[at:start]
            end = self._text.find(_ENDS[begin], start + 2)
            if end < 0:
                raise self._error(f"a {begin} has no {_ENDS[begin]}")
            inner = self._text[start + 2 : end]
            if begin != "{{" and inner[:1] in ("-", "+"):
                raise self._error(f"{begin}{inner[0]} is not supported")
            if begin != "{{" and inner[-1:] in ("-", "+"):
                raise self._error(f"{inner[-1]}{_ENDS[begin]} is not supported")
            yield begin, inner
            at = end + 2
        if at < len(self._text):
            yield "", self._text[at:]

    def _statement(self) -> tuple[str, str]:
        """Return the word of the next statement, and the text after it."""
        word, _, rest = self._blocks[self._at][1].strip().partition(" ")
        return word, rest

    def _parts(self) -> tuple[str | _Evaluate, ...]:
        """Parse up to a statement that ends a condition, or to the end."""
        parts: list[str | _Evaluate] = []
        while self._at < len(self._blocks):
            begin, inner = self._blocks[self._at]
            if begin == "{%":
                word, rest = self._statement()
                if word in ("elif", "else", "endif"):
                    break
                if word != "if":
                    raise self._error(f"the statement {word[:20]!r} of Jinja is not supported")
                self._at += 1
                parts.append(self._condition(rest))
                continue
            self._at += 1
            if begin == "":
                parts.append(inner)
            elif begin == "{{":
                parts.append(_Expression(inner).parse())
        return tuple(parts)

    def _condition(self, rest: str) -> _Evaluate:
        """Parse a condition after its ``if``, with its ``endif``."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("conditions are nested too deeply")
        condition = _Expression(rest).parse()
        inner = self._parts()
        if self._at >= len(self._blocks):
            raise self._error("an {% if %} has no {% endif %}")
        word, rest = self._statement()
        self._at += 1
        otherwise: _Evaluate = lambda _: ""  # noqa: E731
        if word == "elif":
            otherwise = self._condition(rest)
        elif word == "else":
            others = self._parts()
            if self._at >= len(self._blocks) or self._statement()[0] != "endif":
                raise self._error("an {% if %} has no {% endif %}")
            self._at += 1
            otherwise = lambda scope: _render(others, scope, self._text)  # noqa: E731
        self._depth -= 1
        return lambda scope: (
            _render(inner, scope, self._text) if condition(scope) else otherwise(scope)
        )


class _Expression:
    """A parser of one expression, by recursive descent. It gives functions of the scope."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > _LONGEST_EXPRESSION:
            raise self.error(f"an expression has more than {_LONGEST_EXPRESSION} characters")
        if text[:1] in ("-", "+"):  # in Jinja, it removes or keeps blanks, and is not a sign
            raise self.error(f"the expression cannot begin with {text[:1]}; write a blank first")
        self.tokens = list(self._split())
        self.at = 0
        self.depth = 0

    def error(self, message: str) -> TemplateError:
        return TemplateError(message, "{{" + self.text[:40] + "}}", _HINT)

    def _split(self) -> Iterator[tuple[str, str]]:
        text = self.text.rstrip()
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                raise self.error(f"the expression cannot contain {text[at:].lstrip()[:1]!r}")
            assert found.lastgroup is not None
            yield found.lastgroup, found[found.lastgroup]
            at = found.end()

    def parse(self) -> _Evaluate:
        result = self._condition()
        if self.at < len(self.tokens):
            raise self.error(f"{self.tokens[self.at][1]!r} is not expected here")
        return result

    def _next(self, *tokens: str, kind: str = "sign") -> str:
        """Return the next token and go past it, if it is one of these; otherwise ""."""
        if self.at < len(self.tokens) and self.tokens[self.at][0] == kind:
            text = self.tokens[self.at][1]
            if text in tokens:
                self.at += 1
                return text
        return ""

    def _need(self, sign: str, what: str) -> None:
        if not self._next(sign):
            raise self.error(f"a {what} has no {sign}")

    def _condition(self) -> _Evaluate:
        result = self._either()
        while self._next("if", kind="name"):
            condition = self._either()
            if not self._next("else", kind="name"):
                raise self.error("an if needs an else")
            result = self._choice(condition, result, self._condition())
        return result

    def _choice(self, condition: _Evaluate, one: _Evaluate, other: _Evaluate) -> _Evaluate:
        return lambda scope: one(scope) if condition(scope) else other(scope)

    def _either(self) -> _Evaluate:
        result = self._both()
        while self._next("or", kind="name"):
            result = self._or(result, self._both())
        return result

    def _or(self, one: _Evaluate, other: _Evaluate) -> _Evaluate:
        return lambda scope: one(scope) or other(scope)

    def _both(self) -> _Evaluate:
        result = self._negation()
        while self._next("and", kind="name"):
            result = self._and(result, self._negation())
        return result

    def _and(self, one: _Evaluate, other: _Evaluate) -> _Evaluate:
        return lambda scope: one(scope) and other(scope)

    def _negation(self) -> _Evaluate:
        with _Deeper(self):
            if self._next("not", kind="name"):
                inner = self._negation()
                return lambda scope: not inner(scope)
            return self._comparison()

    def _comparison(self) -> _Evaluate:
        first = self._sum()
        rest: list[tuple[str, _Evaluate]] = []
        while True:
            sign = self._next("==", "!=", "<", "<=", ">", ">=") or self._next("in", kind="name")
            if not sign and self.tokens[self.at : self.at + 2] == [("name", "not"), ("name", "in")]:
                self.at += 2
                sign = "not in"
            if not sign:
                break
            rest.append((sign, self._sum()))
        if not rest:
            return first

        def evaluate(scope: Scope) -> Value:
            left = first(scope)
            for sign, operand in rest:
                right = operand(scope)
                try:
                    if not _COMPARISONS[sign](left, right):
                        return False
                except TypeError:
                    raise self.error(f"{sign} cannot be used with these values") from None
                left = right
            return True

        return evaluate

    def _sum(self) -> _Evaluate:
        result = self._concatenation()
        while sign := self._next("+", "-"):
            result = self._binary(sign, result, self._concatenation())
        return result

    def _concatenation(self) -> _Evaluate:
        result = self._product()
        while sign := self._next("~"):
            result = self._binary(sign, result, self._product())
        return result

    def _product(self) -> _Evaluate:
        result = self._power()
        while sign := self._next("*", "//", "%"):
            result = self._binary(sign, result, self._power())
        return result

    def _power(self) -> _Evaluate:
        result = self._unary()
        while sign := self._next("**"):  # from the left, as in Jinja
            result = self._binary(sign, result, self._unary())
        return result

    def _unary(self, *, is_filtered: bool = True) -> _Evaluate:
        with _Deeper(self):
            if sign := self._next("-", "+"):
                zero: _Evaluate = lambda _: 0  # noqa: E731
                result = self._binary(sign, zero, self._unary(is_filtered=False))
            else:
                result = self._primary()
            while self._next("["):
                result = self._item(result)
            while is_filtered and self._next("|"):
                result = self._filter(result)
            return result

    def _primary(self) -> _Evaluate:
        if self._next("("):
            return self._parenthesis()
        if self._next("["):
            return self._list([], "]", "[")
        if self.at >= len(self.tokens):
            raise self.error("the expression is not complete")
        kind, text = self.tokens[self.at]
        if kind == "sign" or text in _WORDS:
            raise self.error(f"{text!r} is not expected here")
        self.at += 1
        if kind == "name" and text not in _LITERALS:
            return self._call(text) if self._next("(") else self._name(text)
        value: Value = _LITERALS.get(text, text)
        if kind != "name":
            value = int(text) if kind == "number" else text[1:-1]
        return lambda _: value

    def _parenthesis(self) -> _Evaluate:
        inner = self._condition()
        if self._next(","):
            return self._list([inner], ")", "(")
        self._need(")", "(")
        return inner

    def _list(self, items: list[_Evaluate], end: str, begin: str) -> _Evaluate:
        """Parse the rest of a list or of a tuple, which are the same here."""
        while not self._next(end):
            if self.at >= len(self.tokens):
                raise self.error(f"a {begin} has no {end}")
            items.append(self._condition())
            if not self._next(","):
                self._need(end, begin)
                break
        return lambda scope: tuple(item(scope) for item in items)

    def _item(self, source: _Evaluate) -> _Evaluate:
        """Parse an index or a slice after its bracket."""
        bounds: list[_Evaluate | None] = []
        while True:
            is_empty = self.tokens[self.at : self.at + 1] in ([("sign", ":")], [("sign", "]")])
            bounds.append(None if is_empty else self._condition())
            if not self._next(":"):
                break
        self._need("]", "[")
        if len(bounds) > 3 or bounds == [None]:
            raise self.error("an index is not valid")

        def evaluate(scope: Scope) -> Value:
            values = [None if bound is None else bound(scope) for bound in bounds]
            index: Any = values[0] if len(values) == 1 else slice(*values)
            found = source(scope)
            try:
                if not isinstance(found, str | tuple):
                    raise TypeError
                return found[index]
            except IndexError:
                raise self.error(f"the index {index} is out of range") from None
            except (TypeError, ValueError):
                raise self.error("only texts and lists have items") from None

        return evaluate

    def _filter(self, source: _Evaluate) -> _Evaluate:
        if self.at >= len(self.tokens) or self.tokens[self.at][0] != "name":
            raise self.error("a | needs the name of a filter")
        name = self.tokens[self.at][1]
        self.at += 1
        known = _FILTERS.get(name)
        if known is None:
            raise self.error(f"the filter {name!r} of Jinja is not supported")
        arguments = self._list([], ")", "(") if self._next("(") else lambda _: ()

        def evaluate(scope: Scope) -> Value:
            try:
                return self._check_value(known(source(scope), *arguments(scope)))
            except (TypeError, ValueError):
                raise self.error(f"the filter {name} cannot be used with these values") from None

        return evaluate

    def _name(self, name: str) -> _Evaluate:
        def evaluate(scope: Scope) -> Value:
            value = scope.get(name)
            if value is None:
                raise self.error(f"{name} is not defined (a template cannot use another template)")
            if isinstance(value, Template):
                if value.has_expressions:
                    raise self.error(f"the template {name} needs arguments, as in {name}(x='a')")
                return value.render({})
            return value

        return evaluate

    def _call(self, name: str) -> _Evaluate:
        arguments: dict[str, _Evaluate] = {}
        while not self._next(")"):
            if arguments and not self._next(","):
                raise self.error("arguments are separated by commas")
            if self.at >= len(self.tokens) or self.tokens[self.at][0] != "name":
                raise self.error("the arguments of a template need names, as in f(x='a')")
            argument = self.tokens[self.at][1]
            self.at += 1
            if not self._next("="):
                raise self.error("the arguments of a template need names, as in f(x='a')")
            arguments[argument] = self._condition()

        def evaluate(scope: Scope) -> Value:
            template = scope.get(name)
            if not isinstance(template, Template):
                raise self.error(f"the template {name} is not defined")
            # Only the arguments: a template cannot call a template, so that none is endless.
            return template.render({key: value(scope) for key, value in arguments.items()})

        return evaluate

    def _binary(self, sign: str, left: _Evaluate, right: _Evaluate) -> _Evaluate:
        def evaluate(scope: Scope) -> Value:
            return self._check_value(self._apply(sign, left(scope), right(scope)))

        return evaluate

    def _apply(self, sign: str, one: Value, other: Value) -> Value:
        if sign == "~" and not isinstance(one, tuple) and not isinstance(other, tuple):
            return f"{one}{other}"
        if isinstance(one, int) and isinstance(other, int):
            if sign in ("//", "%") and other == 0:
                raise self.error("division by zero")
            if sign == "**":
                return self._exponentiate(one, other)
            return _OPERATIONS[sign](one, other)
        if sign == "+" and isinstance(one, str) and isinstance(other, str):
            return one + other
        if sign == "%" and isinstance(one, str):
            try:
                return _format(one, *(other if isinstance(other, tuple) else (other,)))
            except (TypeError, ValueError):
                pass
        raise self.error(f"{sign} cannot be used with these values")

    def _exponentiate(self, base: int, exponent: int) -> int:
        if exponent < 0:
            raise self.error("** cannot be used with these values")
        if exponent > 64 and abs(base) > 1:
            raise self.error("a number is too large")
        return int(base**exponent)

    def _check_value(self, value: Value) -> Value:
        if isinstance(value, int) and abs(value) >= _LARGEST_NUMBER:
            raise self.error("a number is too large")
        if isinstance(value, str) and len(value) > LONGEST:
            raise self.error("a text is too long")
        return value


class _Deeper:
    """A level of an expression; the number of levels is limited."""

    def __init__(self, expression: _Expression) -> None:
        self._expression = expression

    def __enter__(self) -> None:
        self._expression.depth += 1
        if self._expression.depth > 2 * _DEEPEST:
            raise self._expression.error("the expression is nested too deeply")

    def __exit__(self, *_: object) -> None:
        self._expression.depth -= 1


def _format(text: str, *values: Value) -> str:
    """Return a text with ``%d`` and similar fields replaced. Raises ValueError or TypeError."""
    rest = list(values)

    def replace_field(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%"
        value = rest.pop(0) if rest else None
        is_number = isinstance(value, int)
        if isinstance(value, tuple) or value is None or (found[4] != "s" and not is_number):
            raise TypeError
        shown: str = found[0] % value
        return shown

    plain = _FORMAT.sub("", text)
    result = _FORMAT.sub(replace_field, text)
    if "%" in plain or rest:
        raise ValueError(text)
    return result


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _integer(value: Value) -> int:
    if isinstance(value, str) and not re.fullmatch(r"\s*[-+]?\d{1,19}\s*", value):
        raise ValueError(value)
    return int(value)


def _string(value: Value) -> str:
    if isinstance(value, tuple):
        raise TypeError
    return str(value)


_FILTERS: Mapping[str, Callable[..., Value]] = {
    "format": _format,
    "int": _integer,
    "string": _string,
    "lower": lambda value: _text(value).lower(),
    "upper": lambda value: _text(value).upper(),
    "replace": lambda value, old, new: _text(value).replace(_text(old), _text(new)),
    "length": lambda value: len(value),
}
"""The filters by name, as functions of the value and of arguments."""
