"""The tokens of texts of OPeNDAP servers."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError
from ncz.formats.dap.scanner import Tokens, decoded_name, unquote_text


def tokens(text: bytes) -> Tokens:
    return Tokens(text, "DDS", "https://h/a")


def test_signs_texts_and_words_follow_each_other():
    found = tokens(b'Dataset { Int32 a[x = 3]; String "b \\" c"; } name;')
    kinds = []
    while True:
        try:
            kinds.append(found.take())
        except FormatError:
            break
    assert kinds[:4] == [("word", b"Dataset"), ("sign", b"{"), ("word", b"Int32"), ("word", b"a")]
    assert ("text", b'b \\" c') in kinds
    assert kinds[-1] == ("sign", b";")


def test_signs_are_skipped_or_needed():
    found = tokens(b"{ a }")
    assert not found.skip(b"}")
    assert found.skip(b"{")
    assert found.word() == b"a"
    assert found.is_next(b"}")
    found.need(b"}")
    with pytest.raises(FormatError, match="it ends too early"):
        found.take()


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"a", "'{' is missing before 'a'"), (b"", "'{' is missing before ''")],
)
def test_a_missing_sign_is_named(text: bytes, message: str):
    with pytest.raises(FormatError, match=f"the server's DDS is not valid: {message}"):
        tokens(text).need(b"{")


def test_a_name_is_no_sign_and_a_text_must_end():
    with pytest.raises(FormatError, match="a name is missing before ';'"):
        tokens(b";").word()
    with pytest.raises(FormatError, match="it cannot be read from"):
        tokens(b'"open')


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"plain", "plain"),
        (rb"a\"b\\c", 'a"b\\c'),
        (rb"\n\t\101", "\n\tA"),
        (rb"\377", "\udcff"),
        (b"\xc3\xa9", "é"),
    ],
)
def test_escapes_of_texts(text: bytes, found: str):
    assert unquote_text(text) == found


@pytest.mark.parametrize(
    ("name", "found"), [(b"a%20b", "a b"), (b"/g/v", "g/v"), (b"//g//v", "g/v"), (b"/", "/")]
)
def test_names_are_decoded(name: bytes, found: str):
    assert decoded_name(name) == found
