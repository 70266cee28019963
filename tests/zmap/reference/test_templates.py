"""The expressions of templates: the supported ones, and the errors of others."""

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
        ("{{2 ** 3}}", "8"),
        ("{{2 ** 3 ** 2}}", "64"),
        ("{{ -2 ** 2}}", "4"),
        ("{{u[0]}}{{u[-4:]}}{{u[:4][1]}}", "hpatho"),
        ("{{['a', 'b', 'c'][i % 3]}}", "b"),
        ("{{'%s' % i}}-{{'%03d.%s' % (i, u)}}", "7-007.host/path"),
        ("{{'%5.2d|%x|%%' % (i, 255)}}", "   07|ff|%"),
        ("{{'%02d' | format(i)}}", "07"),
        ("{{'%d-%d'|format(i, i + 1) ~ 'x'}}", "7-8x"),
        ("{{u|upper|replace('/', '_')}}", "HOST_PATH"),
        ("{{'12'|int + 1}}{{i|string|length}}", "131"),
        ("{{'odd' if i % 2 else 'even'}}", "odd"),
        ("{{1 if i < 3 else 2 if i < 8 else 3}}", "2"),
        ("{{'a' if 'os' in u and not i == 8 or false else 'b'}}", "a"),
        ("{{1 < i <= 7 != 8}}", "True"),
        ("{{i in [1, 7]}} {{i not in (1, 7)}}", "True False"),
        ("v/{% if i > 5 %}big{% elif i %}small{% else %}none{% endif %}/0", "v/big/0"),
        ("{% if i < 5 %}{{i}}{% else %}{% if u %}<{{i}}>{% endif %}{% endif %}", "<7>"),
        ("v/{# a note {{ #}0", "v/0"),
        ("{{f(c='x' if i else 'y')}}", "<x>"),
    ],
)
def test_values(text, value):
    assert parse_template(text).render(SCOPE) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{''.__class__}}", "cannot contain '.'"),
        ("{{u.format}}", "cannot contain '.'"),
        ("{{u[99]}}", "out of range"),
        ("{{i[0]}}", "only texts and lists have items"),
        ("{{u['a']}}", "only texts and lists have items"),
        ("{{u[1:2:0]}}", "only texts and lists have items"),
        ("{{u[]}}", "not complete|not valid|not expected"),
        ("{{u[0}}", r"a \[ has no \]"),
        ("{{[1, 2]}}", "a list cannot be a part of a text"),
        ("{{[1] ~ 2}}", "cannot be used"),
        ("{{1 if i}}", "an if needs an else"),
        ("{{i < 'a'}}", "cannot be used"),
        ("{{if}}", "not expected here"),
        ("{{i is defined}}", "not expected here"),
        ("{{4 / 2}}", "cannot contain '/'"),
        ("{{2 ** -1}}", "cannot be used"),
        ("{{9 ** 9 ** 9}}", "too large"),
        ("{{2 ** 64}}", "too large"),
        ("{{'%d'|format}}", "cannot be used"),
        ("{{'%d'|format('a')}}", "cannot be used"),
        ("{{'%d'|format(1, 2)}}", "cannot be used"),
        ("{{'a'|int}}", "cannot be used"),
        ("{{i|abs}}", "the filter 'abs' of Jinja is not supported"),
        ("{{i|}}", "needs the name of a filter"),
        ("{% for x in y %}a{% endfor %}", "the statement 'for' of Jinja is not supported"),
        ("{% set x = 1 %}a", "the statement 'set' of Jinja is not supported"),
        ("{% if i %}a", "has no {% endif %}"),
        ("{% if i %}a{% else %}b", "has no {% endif %}"),
        ("a{% endif %}", "has no {% if %}"),
        ("{% if i -%}a{% endif %}", "-%} is not supported"),
        ("{% if %}a{% endif %}", "not complete"),
        ("{% if i %}" * 30, "nested too deeply"),
        ("a{# b", "a {# has no #}"),
        ("{{[].__class__.__base__.__subclasses__()}}", "cannot contain"),
        ("{{self}}", "self is not defined"),
        ("{{config}}", "config is not defined"),
        ("{{range(10)}}", "the arguments of a template need names"),
        ("{{cycler(a=1)}}", "the template cycler is not defined"),
        ("{{i(c=1)}}", "the template i is not defined"),
        ("{{i|safe}}", "the filter 'safe' of Jinja is not supported"),
        ("{{i.bit_length()}}", "cannot contain '.'"),
        ("{{'{}' % i}}", "cannot be used"),
        ("{{'%999999999d' % i}}", "cannot be used"),
        ("{{'a' * 1000000000}}", "cannot be used"),
        ("{{9999999999 * 9999999999}}", "too large"),
        ("{{99999999999999999999}}", "cannot contain"),
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
        ("{{ " + "-" * 60 + "1}}", "nested too deeply"),
        ("v/{%- set x = 1 %}{{i}}", "{%- is not supported"),
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
            "f(c=", ",", "|", "{{i}}", "{{ i + j * 2 }}", "{{ 'a' ~ i }}", "true", "**", "[", "]",
            " else ", " and ", " or ", " not ", " in ", "<", "==", "|format(i)", "|length", ":",
            "{% if i %}", "{% else %}", "{% endif %}", "{# x #}", "['a', 'b'][", "(i, j)", " if ",
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
def test_results_match_jinja(text):
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


_OPERANDS = st.sampled_from(["i", "j", "u", "2", "'ab'", "'x%02d'", "true", "['a', 'b']", "(1, 7)"])


def _combined(inner):
    signs = ["+", "-", "*", "//", "%", "~", "**", "==", "<", ">=", "in", "not in", "and", "or"]
    return st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(signs), inner),
        st.builds("{} if {} else {}".format, inner, inner, inner),
        st.builds("({})".format, inner),
        st.builds("{}[{}]".format, inner, inner),
        st.builds("{}[{}:{}]".format, inner, inner, inner),
        st.builds("{}|format({})".format, inner, inner),
        st.builds("{}|{}".format, inner, st.sampled_from(["length", "upper", "string", "int"])),
        st.builds(" -{}".format, inner),
        st.builds("not {}".format, inner),
    )


@given(st.recursive(_OPERANDS, _combined, max_leaves=5))
@settings(max_examples=share_of(1500), deadline=None)
def test_any_expression_matches_jinja_or_an_error(expression):
    jinja2 = pytest.importorskip("jinja2", reason="jinja2 is not installed")
    text = "{{ " + expression + " }}"
    try:
        ours = parse_template(text).render({**SCOPE, "j": 3})
    except TemplateError:
        return
    names = {"i": 7, "j": 3, "u": "host/path"}
    try:
        template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text)
    except SyntaxError:  # of Python, which warns of unused code
        return
    assert ours == template.render(names)


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
