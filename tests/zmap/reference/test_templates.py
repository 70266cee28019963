"""The expressions of templates: what they can do, and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ncz.zmap.reference.templates import Scope, TemplateError, parse_template
from tests.sampled import share_of

SCOPE: Scope = {"i": 7, "u": parse_template("host/path"), "f": parse_template("<{{c}}>")}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a{{i}}b{{ i }}c", "a7b7c"),
        ("{{u}}/{{f(c='x')}}", "host/path/<x>"),
        ("{{1 + 2 * 3}}", "7"),
        ("{{(1 + 2) * 3}}", "9"),
        ("{{10 - 4 - 3}}", "3"),
        ("{{ -7 // 2}}", "-4"),
        ("{{i % 4}}", "3"),
        ("{{ -i}}", "-7"),
        ("{{'%03d' % i}}", "007"),
        ("{{'t%02d.nc' % (i + 5)}}", "t12.nc"),
        ("{{'a' ~ i ~ \"b\"}}", "a7b"),
        ("{{'a' + 'b'}}", "ab"),
        ("{{f(c=i * 2)}}", "<14>"),
        ("{{f(c=f(c='x'))}}", "<<x>>"),
        ("{{'a' + 1 ~ 2}}", "a12"),
        ("{ % if % } { # # } { } }}", "{ % if % } { # # } { } }}"),
    ],
)
def test_values(text, value):
    assert parse_template(text).render(SCOPE) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{''.__class__}}", "cannot contain '.'"),
        ("{{u.format}}", "cannot contain '.'"),
        ("{{u[0]}}", r"cannot contain '\['"),
        ("{{[].__class__.__base__.__subclasses__()}}", "cannot contain"),
        ("{{self}}", "self is not defined"),
        ("{{config}}", "config is not defined"),
        ("{{range(10)}}", "the arguments of a template need names"),
        ("{{cycler(a=1)}}", "the template cycler is not defined"),
        ("{{i(c=1)}}", "the template i is not defined"),
        ("{{i|safe}}", "cannot contain '|'"),
        ("{{i.bit_length()}}", "cannot contain '.'"),
        ("{{'{}' % i}}", "cannot be used"),
        ("{{'%s' % i}}", "cannot be used"),
        ("{{'%999999999d' % i}}", "cannot be used"),
        ("{{'a' * 1000000000}}", "cannot be used"),
        ("{{9999999999 * 9999999999}}", "too large"),
        ("{{99999999999999999999}}", "cannot contain"),
        ("{{2 ** 3}}", "not expected here"),
        ("{{1 // 0}}", "division by zero"),
        ("{{1 % 0}}", "division by zero"),
        ("{{f}}", "needs arguments"),
        ("{{u", "has no }}"),
        ("{{}}", "not complete"),
        ("{{1 +}}", "not complete"),
        ("{{(1}}", r"a \( has no \)"),
        ("{{1 2}}", "not expected here"),
        ("{{f(1)}}", "need names"),
        ("{{f(c 1)}}", "need names"),
        ("{{f(c=1 d=2)}}", "separated by commas"),
        ("{{" + "(" * 30 + "1" + ")" * 30 + "}}", "nested too deeply"),
        ("{{ " + "-" * 30 + "1}}", "nested too deeply"),
        ("v/{% if i %}1{% else %}0{% endif %}", "a statement of Jinja is not supported"),
        ("v/{%- set x = 1 %}{{i}}", "a statement of Jinja is not supported"),
        ("v/{# a note #}0", "a comment of Jinja is not supported"),
        ("v/{{- i }}", "cannot begin with -"),
        ("v/{{+ i }}", r"cannot begin with \+"),
        ("v/{{ i -}}", "not complete"),
        ("{{" + "1+" * 600 + "1}}", "more than 1000 characters"),
        ("{{ i }}" * 5000, "more than 4096 characters"),
    ],
    ids=lambda text: text[:40],
)
def test_refused(text, message):
    with pytest.raises(TemplateError, match=message):
        parse_template(text).render(SCOPE)


_TEXTS = st.lists(
    st.sampled_from(
        [
            "{{", "}}", "{%", "%}", "{#", "#}", "{", "}", " ", "-", "+", "*", "//", "%", "~", "(",
            ")", "'%03d' % i", "i", "j", "0", "12", "'a'", '"b"', "v/", ".", "if ", "endif", "u",
            "f(c=", ",", "|", "{{i}}", "{{ i + j * 2 }}", "{{ 'a' ~ i }}", "true",
        ]
    ),
    max_size=9,
).map("".join)  # fmt: skip


@given(_TEXTS)
@settings(max_examples=share_of(400), deadline=None)
@example("{{ 1 + 2 ~ 3 }}")
@example("{{ -7 % 4 }}")
@example("v/{{-i}}")
@example("v/{%- if i -%} 1 {% endif %}")
def test_what_is_evaluated_is_what_jinja_gives(text):
    """An expression that ncz reads in another way would name other chunks."""
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 is not installed")
    try:
        ours = parse_template(text).render({**SCOPE, "j": 3})
    except TemplateError:
        return
    names = {"i": 7, "j": 3, "u": "host/path", "f": lambda c: f"<{c}>"}
    assert ours == jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text).render(
        names
    )


def test_templates_cannot_be_endless():
    scope: Scope = {"a": parse_template("{{b(x='1')}}"), "b": parse_template("{{a(x='1')}}")}
    with pytest.raises(TemplateError, match="the template b is not defined"):
        parse_template("{{a(x='1')}}").render(scope)
    with pytest.raises(TemplateError, match="the template a is not defined"):
        parse_template("{{a()}}").render({"a": parse_template("{{a()}}")})
    names: Scope = {"a": parse_template("{{b}}"), "b": parse_template("{{a}}")}
    with pytest.raises(TemplateError, match="cannot use another template"):
        parse_template("{{a()}}").render(names)


def test_a_template_that_doubles_its_argument_is_limited():
    scope: Scope = {"d": parse_template("{{x}}{{x}}")}
    text = "'ab'"
    for _ in range(12):
        text = f"d(x={text})"
    with pytest.raises(TemplateError, match=r"more than 4096 characters|too long"):
        parse_template("{{" + text + "}}").render(scope)
