"""Header fields, read strictly by RFC 5322 and 2047: names are read back unchanged."""

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.outbound.message import (
    compose,
    header_field,
    mailbox_list_tokens,
    mailbox_tokens,
    single_line,
    text_tokens,
)
from unit.outbound.test_message import FAMILY, HEADERS, LETTER, NOW, SENDER

ADDRESS = "cliente.de.nome.longo@empresa-exemplo.com.br"
WORDS = [
    "Comércio", "de", "Alimentação", "e", "São", "João", "Ltda", "Ltda.", "Peças,", "Serviços", "Irmãos",
    "Açúcar", "&", "(SP)", '"Pão"', '"', "\\", "D'Ávila", "S/A", "—", "☕", FAMILY, "e\u0301", "<a@b.com>,",
    "=?utf-8?b?ZXZpbA==?=", "=?utf-8?q?evil?=", "=?", "?=", "Bcc:", ";", "@", "x" * 59, "x" * 80, "ç" * 80,
]  # fmt: skip
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
_ENCODED_WORD = re.compile(r"=\?utf-8\?b\?([A-Za-z0-9+/=]+)\?=")


def unfolded(written: str) -> str:
    """The body of a field."""
    assert written.endswith("\r\n")
    lines = written.removesuffix("\r\n").split("\r\n")
    assert all(line.strip() for line in lines)
    assert all(line.startswith(" ") for line in lines[1:])
    return "".join(lines).partition(": ")[2]


def decoded(words: list[str]) -> str:
    """Decodes words; blanks between encoded words are dropped."""
    return "".join(_decoded(words))


def _decoded(words: list[str]) -> Iterator[str]:
    was_encoded = True
    for place, word in enumerate(words):
        encoded = _ENCODED_WORD.fullmatch(word)
        assert not encoded or len(word) <= 75
        if place and not (encoded and was_encoded):
            yield " "
        yield b64decode(encoded[1], validate=True).decode() if encoded else word
        was_encoded = bool(encoded)


def owner(body: str) -> str:
    """Returns the display name of an address."""
    name, _, address = body.rpartition(" ")
    assert address == f"<{ADDRESS}>"
    if not name.startswith('"'):
        assert not re.search(r'[()<>\[\]:;@\\,."]', re.sub(_ENCODED_WORD, "", name))
        return decoded(name.split(" "))
    quoted = re.fullmatch(r'"((?:[^"\\]|\\.)*)"', name)
    assert quoted and "=?" not in name
    return re.sub(r"\\(.)", r"\1", quoted[1])


class TestNames:
    @given(NAMES)
    def test_names_with_an_address_read_back_unchanged(self, name: str) -> None:
        assert owner(unfolded(header_field("Reply-To", mailbox_tokens(ADDRESS, name)))) == name

    @given(NAMES)
    def test_names_in_free_text_read_back_unchanged(self, name: str) -> None:
        assert decoded(unfolded(header_field("Subject", text_tokens(name))).split(" ")) == name

    @given(st.text(st.characters(exclude_categories=())))
    def test_any_name_reads_back_as_a_single_line(self, text: str) -> None:
        name = single_line(text)
        if name:
            assert owner(unfolded(header_field("From", mailbox_tokens(ADDRESS, name)))) == name
            assert decoded(unfolded(header_field("Subject", text_tokens(name))).split(" ")) == name

    @given(NAMES)
    def test_names_make_no_line_too_long(self, name: str) -> None:
        for tokens in (mailbox_tokens(ADDRESS, name), text_tokens(name)):
            lines = header_field("Reply-To", tokens).split("\r\n")
            assert max(map(len, lines)) <= 78

    @pytest.mark.parametrize(
        ("name", "written"),
        [
            ("", f"To: {ADDRESS}\r\n"),
            ("Maria da Silva", f"To: Maria da Silva <{ADDRESS}>\r\n"),
            ("Silva & Cia. Ltda.", f'To: "Silva & Cia. Ltda." <{ADDRESS}>\r\n'),
            ("João", f"To: =?utf-8?b?Sm/Do28=?= <{ADDRESS}>\r\n"),
        ],
    )
    def test_names_are_encoded_only_where_necessary(self, name: str, written: str) -> None:
        assert header_field("To", mailbox_tokens(ADDRESS, name)) == written

    def test_several_names_are_separated_by_commas(self) -> None:
        several = mailbox_list_tokens(
            [
                mailbox_tokens("a@b.com", "Ana"),
                mailbox_tokens("c@d.com", ""),
                mailbox_tokens("e@f.com", "Eva"),
            ]
        )
        assert header_field("To", several) == "To: Ana <a@b.com>, c@d.com, Eva <e@f.com>\r\n"


class TestOneLine:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            (FAMILY, FAMILY),
            ("  Ana \t Maria\r\n", "Ana Maria"),
            ("Loja\r\nBcc: a@b.com", "Loja Bcc: a@b.com"),
            ("a\u202eb\u2028c\x00d\ud800e", "a b c d e"),
        ],
        ids=range(4),
    )
    def test_single_line_has_only_visible_characters(self, text: str, name: str) -> None:
        assert single_line(text) == name


class TestMessage:
    @given(st.text(st.characters(exclude_categories=())) | NAMES)
    def test_message_has_the_same_fields_whatever_the_names(self, name: str) -> None:
        written = compose(replace(LETTER, issuer=name, addressee=name, attachments=()), SENDER, NOW)
        message = message_from_bytes(written, policy=policy.compat32)
        assert sorted(message.keys()) == sorted(HEADERS)
        assert written.isascii()
