"""E-mail messages: no name becomes a header, a recipient or markup."""

import stat
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from uuid import UUID

import pytest

from carimbo.outbound.mail_folder import MailFolder
from carimbo.outbound.message import MailSender, compose
from carimbo.service.delivery.email_message import Attachment, MailNotSent, MailSent, OutgoingEmail

NOW = datetime(2026, 11, 15, 12, 30, tzinfo=UTC)
SENDER = MailSender("notas@example.com")
LETTER = OutgoingEmail(
    id=UUID("01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b"),
    to=("maria@example.com",),
    recipients=("maria@example.com",),
    addressee="Maria da Silva",
    issuer="Loja Modelo",
    tax_id="12ABC34501DE35",
    reply_to="fiscal@example.com",
    title="NF-e",
    number=123,
    series=1,
    amount=Decimal("1234.5"),
    issued_on=date(2026, 11, 15),
    access_key="35261112345678000190550010000001231123456780",
    is_valid=True,
    attachments=(Attachment("a.xml", "application/xml", b"<a/>\r\n\x00\xff"),),
)
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
HEADERS = [
    "Subject", "From", "To", "Reply-To", "Date", "Message-ID", "Auto-Submitted", "MIME-Version",
    "Content-Type",
]  # fmt: skip
HOSTILE = [
    "Loja\r\nBcc: outra@example.com",
    "Loja\nX-Other: 1\n\nbody",
    "Loja <outra@example.com>, Outra",
    'Loja" <outra@example.com>, "',
    "Loja\x00\x1b[31m\u2028Bcc: outra@example.com",
    "=?utf-8?q?Bcc=3A?=",
    "Açaí do João & Filhos — ☕",
    "x" * 300,
    "palavra " * 40,
]


def parsed(letter: OutgoingEmail) -> EmailMessage:
    """Parses the message as a receiver does."""
    message = message_from_bytes(compose(letter, SENDER, NOW), policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def body(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


class TestHeaders:
    def test_message_has_exactly_these_headers(self) -> None:
        message = parsed(LETTER)
        assert sorted(message.keys()) == sorted(HEADERS)
        assert message["Subject"] == "NF-e 123 de Loja Modelo"
        assert message["From"] == "Loja Modelo <notas@example.com>"
        assert message["To"] == "Maria da Silva <maria@example.com>"
        assert message["Reply-To"] == "Loja Modelo <fiscal@example.com>"
        assert message["Message-ID"] == f"<{LETTER.id}@example.com>"
        assert message["Date"].datetime == NOW

    @pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
    def test_headers_stay_the_same_whatever_the_names(self, name: str) -> None:
        message = parsed(replace(LETTER, issuer=name, addressee=name))
        assert sorted(message.keys()) == sorted(HEADERS)
        for header, address in (("From", SENDER.address), ("To", "maria@example.com")):
            (recipient,) = message[header].addresses
            assert recipient.addr_spec == address
        assert not any(ord(letter) < 32 for letter in message["Subject"])

    @pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
    def test_headers_have_no_line_that_is_too_long_for_servers(self, name: str) -> None:
        lines = compose(replace(LETTER, issuer=name, addressee=name), SENDER, NOW).split(b"\r\n")
        assert max(map(len, lines)) <= 78

    def test_headers_name_every_recipient(self) -> None:
        """Including those that already have it: the message is the same."""
        others = ("a@example.com", "b.c@example.com")
        message = parsed(replace(LETTER, to=others, recipients=others[1:], addressee=None))
        assert [recipient.addr_spec for recipient in message["To"].addresses] == [*others]

    def test_homologation_message_has_a_warning(self) -> None:
        assert parsed(replace(LETTER, is_valid=False))["Subject"] == (
            "[SEM VALOR FISCAL] NF-e 123 de Loja Modelo"
        )


class TestBodies:
    @pytest.mark.parametrize("kind", ["plain", "html"])
    def test_bodies_describe_the_document(self, kind: str) -> None:
        text = body(parsed(LETTER), kind)
        for fact in ("12.ABC.345/01DE-35", "R$ 1.234,50", "15/11/2026", "3526 1112 3456 7800 0190"):
            assert fact in text

    def test_message_has_a_plain_text_and_an_html_body(self) -> None:
        message = parsed(LETTER)
        assert body(message, "plain").startswith(
            "Olá, Maria da Silva.\n\nLoja Modelo enviou a você um documento fiscal: NF-e nº 123.\n"
        )
        assert "\n\n\n" not in body(message, "plain")
        assert body(message, "html").startswith("<!doctype html>")

    def test_names_are_escaped_in_html(self) -> None:
        text = body(parsed(replace(LETTER, issuer="<script>x</script>", addressee="{{ 7 * 7 }} <i>")), "html")
        assert "<script>" not in text and "<i>" not in text
        assert "{{ 7 * 7 }} &lt;i&gt;" in text

    @pytest.mark.parametrize("kind", ["plain", "html"])
    def test_body_mentions_legal_validity_only_if_the_document_has_it(self, kind: str) -> None:
        of_value, of_tests = (body(parsed(replace(LETTER, is_valid=valid)), kind) for valid in (True, False))
        assert "validade jurídica" in of_value
        assert "validade jurídica" not in of_tests
        assert "Estão anexados o XML e o PDF do documento." in of_tests

    @pytest.mark.parametrize("kind", ["plain", "html"])
    def test_bodies_keep_emoji_joined_of_several(self, kind: str) -> None:
        assert f"Olá, {FAMILY}." in body(parsed(replace(LETTER, addressee=FAMILY)), kind)

    def test_body_leaves_out_missing_fields(self) -> None:
        text = body(parsed(replace(LETTER, series=None, addressee=None, reply_to=None)), "plain")
        assert "Série" not in text and "responda" not in text
        assert text.startswith("Olá.\n")


class TestAttachments:
    def test_attachments_arrive_unchanged(self) -> None:
        (file,) = parsed(LETTER).iter_attachments()
        assert (file.get_filename(), file.get_content_type()) == ("a.xml", "application/xml")
        assert file.get_payload(decode=True) == LETTER.attachments[0].content


class TestFolder:
    async def test_folder_keeps_each_message_in_its_own_file(self, tmp_path: Path) -> None:
        folder = MailFolder(tmp_path, SENDER, lambda: NOW)
        other = replace(LETTER, id=UUID(int=1))
        for letter in (LETTER, LETTER, other):
            outcome = await folder.send(letter)
            assert isinstance(outcome, MailSent)
            assert outcome.message_id == f"<{letter.id}@example.com>"
        names = {f"NF-e-123-{letter.id}.eml" for letter in (LETTER, other)}
        assert {file.name for file in list(tmp_path.iterdir())} == names  # noqa: ASYNC240
        written = (tmp_path / f"NF-e-123-{LETTER.id}.eml").read_bytes()
        assert message_from_bytes(written, policy=policy.default)["Subject"] == "NF-e 123 de Loja Modelo"

    async def test_message_file_is_readable_by_its_owner_only(self, tmp_path: Path) -> None:
        name = f"NF-e-123-{LETTER.id}"
        (tmp_path / f"{name}.draft").touch(mode=0o644)
        await MailFolder(tmp_path, SENDER, lambda: NOW).send(LETTER)
        assert stat.S_IMODE((tmp_path / f"{name}.eml").stat().st_mode) == 0o600

    async def test_missing_folder_is_a_temporary_failure(self, tmp_path: Path) -> None:
        folder = MailFolder(tmp_path / "gone", SENDER, lambda: NOW)
        assert await folder.send(LETTER) == MailNotSent(message="A pasta dos e-mails não pôde ser escrita.")


def test_message_has_the_amount_to_pay_where_taxes_are_added() -> None:
    due = parsed(replace(LETTER, total_due=Decimal("1371.65")))
    plain = due.get_body(("plain",))
    assert plain
    assert "Total a pagar, com IBS e CBS: R$ 1.371,65" in plain.get_content()
    assert "Total a pagar" not in (parsed(LETTER).get_body(("plain",)) or plain).get_content()
