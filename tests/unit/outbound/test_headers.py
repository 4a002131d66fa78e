"""Header fields, read by the letter of RFC 5322 and 2047: names come back as they were told."""

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.outbound.headers import field, in_one_line, mailbox, mailboxes, text
from carimbo.outbound.message import compose
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
    """What words mean: blanks between encoded words are none."""
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
    """Who an address belongs to, by its name."""
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
    def test_come_back_with_an_address(self, name: str) -> None:
        assert owner(unfolded(field("Reply-To", mailbox(ADDRESS, name)))) == name

    @given(NAMES)
    def test_come_back_in_free_text(self, name: str) -> None:
        assert decoded(unfolded(field("Subject", text(name))).split(" ")) == name

    @given(st.text(st.characters(exclude_categories=())))
    def test_come_back_whatever_they_are_but_in_one_line(self, told: str) -> None:
        name = in_one_line(told)
        if name:
            assert owner(unfolded(field("From", mailbox(ADDRESS, name)))) == name
            assert decoded(unfolded(field("Subject", text(name))).split(" ")) == name

    @given(NAMES)
    def test_make_no_line_that_is_too_long(self, name: str) -> None:
        for tokens in (mailbox(ADDRESS, name), text(name)):
            lines = field("Reply-To", tokens).split("\r\n")
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
    def test_are_encoded_only_where_they_have_to_be(self, name: str, written: str) -> None:
        assert field("To", mailbox(ADDRESS, name)) == written

    def test_of_several_stand_apart_by_commas(self) -> None:
        several = mailboxes([mailbox("a@b.com", "Ana"), mailbox("c@d.com", ""), mailbox("e@f.com", "Eva")])
        assert field("To", several) == "To: Ana <a@b.com>, c@d.com, Eva <e@f.com>\r\n"


class TestOneLine:
    @pytest.mark.parametrize(
        ("told", "name"),
        [
            (FAMILY, FAMILY),
            ("  Ana \t Maria\r\n", "Ana Maria"),
            ("Loja\r\nBcc: a@b.com", "Loja Bcc: a@b.com"),
            ("a\u202eb\u2028c\x00d\ud800e", "a b c d e"),
        ],
        ids=range(4),
    )
    def test_has_what_is_seen_and_nothing_else(self, told: str, name: str) -> None:
        assert in_one_line(told) == name


class TestMessage:
    @given(st.text(st.characters(exclude_categories=())) | NAMES)
    def test_has_the_same_fields_whatever_people_are_called(self, name: str) -> None:
        written = compose(replace(LETTER, issuer=name, addressee=name, attachments=()), SENDER, NOW)
        message = message_from_bytes(written, policy=policy.compat32)
        assert sorted(message.keys()) == sorted(HEADERS)
        assert written.isascii()
