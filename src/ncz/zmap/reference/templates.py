"""The expressions ``{{...}}`` of a reference set.

The specification uses Jinja, a programming language. A set may come from anyone, so only what
sets need is evaluated here: names, whole numbers, quoted texts, ``+ - * // %``, parentheses,
``~`` and ``+`` to join texts, ``'%03d' % i``, and calls of templates with named arguments. What
Jinja has beyond that is an error: attributes, indices, filters, statements ``{%...%}``, comments
``{#...#}`` and the removal of blanks by ``{{-``. The size of every result is limited.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ncz.errors import NczError
from ncz.record import record

LONGEST = 4096
"""The length in characters of the longest text that a template may give."""

_LARGEST_NUMBER = 1 << 63
_DEEPEST = 20
_LONGEST_EXPRESSION = 1000
_STATEMENTS = ("{%", "{#")
_FORMAT = re.compile(r"([^%]*)%(0?[1-9]?\d?)d([^%]*)")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,19}(?!\w))|(?P<name>[A-Za-z_]\w{0,99})"
    r"|(?P<text>'[^'\\]*'|\"[^\"\\]*\")|(?P<sign>//|[-+*%~(),=]))"
)

Value = int | str
Scope = Mapping[str, "Value | Template"]
"""The names that an expression may use."""

_Evaluate = Callable[[Scope], Value]


class TemplateError(NczError, ValueError):
    """A template or an expression that cannot be evaluated."""


@record
class Template:
    """A text with expressions; `parts` alternates between texts and expressions."""

    text: str
    parts: tuple[str | _Evaluate, ...]

    @property
    def has_expressions(self) -> bool:
        """Whether the text depends on anything."""
        return any(not isinstance(part, str) for part in self.parts)

    def render(self, scope: Scope) -> str:
        """Return the text with the values of its expressions. Raises `TemplateError`."""
        text = "".join(part if isinstance(part, str) else str(part(scope)) for part in self.parts)
        if len(text) > LONGEST:
            raise TemplateError(f"a template gives more than {LONGEST} characters", self.text[:40])
        return text


def is_template(text: str) -> bool:
    """Return whether Jinja would find anything in a text to evaluate."""
    return "{" in text and any(start in text for start in ("{{", *_STATEMENTS))


def parse_template(text: str) -> Template:
    """Parse a text with expressions in double braces. Raises `TemplateError`."""
    statement = next((start for start in _STATEMENTS if start in text), None)
    if statement is not None:
        what = "a statement" if statement == "{%" else "a comment"
        raise TemplateError(
            f"{what} of Jinja is not supported",
            text[text.index(statement) :][:40],
            "see docs/reference/references.md",
        )
    parts: list[str | _Evaluate] = []
    at = 0
    while (start := text.find("{{", at)) >= 0:
        end = text.find("}}", start)
        if end < 0:
            raise TemplateError("a {{ has no }}", text[:40])
        if start > at:
            parts.append(text[at:start])
        parts.append(_Expression(text[start + 2 : end]).parse())
        at = end + 2
    if at < len(text):
        parts.append(text[at:])
    return Template(text, tuple(parts))


class _Expression:
    """A parser of one expression, by recursive descent. It gives functions of the scope."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > _LONGEST_EXPRESSION:
            raise self.error(f"an expression has more than {_LONGEST_EXPRESSION} characters")
        if text[:1] in (
            "-",
            "+",
        ):  # in Jinja, it removes or keeps blanks, and is not a sign
            raise self.error(f"the expression cannot begin with {text[:1]}; write a blank first")
        self.tokens = list(self._split())
        self.at = 0
        self.depth = 0

    def error(self, message: str) -> TemplateError:
        return TemplateError(
            message, "{{" + self.text[:40] + "}}", "see docs/reference/references.md"
        )

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
        result = self._sum()
        if self.at < len(self.tokens):
            raise self.error(f"{self.tokens[self.at][1]!r} is not expected here")
        return result

    def _next(self, *signs: str) -> str:
        """Return the next token and go past it, if it is one of these signs; otherwise ""."""
        if self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "sign" and text in signs:
                self.at += 1
                return text
        return ""

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
        result = self._primary()
        while sign := self._next("*", "//", "%"):
            result = self._binary(sign, result, self._primary())
        return result

    def _primary(self) -> _Evaluate:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.error("the expression is nested too deeply")
        try:
            if self._next("-"):
                zero: _Evaluate = lambda _: 0  # noqa: E731
                return self._binary("-", zero, self._primary())
            if self._next("("):
                inner = self._sum()
                if not self._next(")"):
                    raise self.error("a ( has no )")
                return inner
            if self.at >= len(self.tokens):
                raise self.error("the expression is not complete")
            kind, text = self.tokens[self.at]
            self.at += 1
            if kind == "name":
                return self._call(text) if self._next("(") else self._name(text)
            if kind == "sign":
                raise self.error(f"{text!r} is not expected here")
            value: Value = int(text) if kind == "number" else text[1:-1]
            return lambda _: value
        finally:
            self.depth -= 1

    def _name(self, name: str) -> _Evaluate:
        def evaluate(scope: Scope) -> Value:
            value = scope.get(name)
            if value is None:
                raise self.error(f"{name} is not defined (a template cannot use another template)")
            if isinstance(value, Template):
                if value.has_expressions:
                    raise self.error(f"the template {name} needs arguments, as in {name}(x='a')")
                return value.text
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
            arguments[argument] = self._sum()

        def evaluate(scope: Scope) -> Value:
            template = scope.get(name)
            if not isinstance(template, Template):
                raise self.error(f"the template {name} is not defined")
            # Only the arguments: a template cannot call a template, so that none is endless.
            return template.render({key: value(scope) for key, value in arguments.items()})

        return evaluate

    def _binary(self, sign: str, left: _Evaluate, right: _Evaluate) -> _Evaluate:
        def evaluate(scope: Scope) -> Value:
            return self._checked(self._apply(sign, left(scope), right(scope)))

        return evaluate

    def _apply(self, sign: str, one: Value, other: Value) -> Value:
        if sign == "~":
            return f"{one}{other}"
        if isinstance(one, int) and isinstance(other, int):
            if sign in ("//", "%") and other == 0:
                raise self.error("division by zero")
            operations: Mapping[str, Callable[[int, int], int]] = {
                "+": int.__add__, "-": int.__sub__, "*": int.__mul__, "//": int.__floordiv__,
                "%": int.__mod__,
            }  # fmt: skip
            return operations[sign](one, other)
        if sign == "+" and isinstance(one, str) and isinstance(other, str):
            return one + other
        if sign == "%" and isinstance(one, str) and isinstance(other, int):
            form = _FORMAT.fullmatch(one)
            if form:
                return f"{form[1]}{other:{form[2]}d}{form[3]}"
        raise self.error(f"{sign} cannot be used with these values")

    def _checked(self, value: Value) -> Value:
        if isinstance(value, int) and abs(value) >= _LARGEST_NUMBER:
            raise self.error("a number is too large")
        if isinstance(value, str) and len(value) > LONGEST:
            raise self.error("a text is too long")
        return value
