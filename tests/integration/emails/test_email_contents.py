"""Contents of an e-mail: headers, text, and the files of the document."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from integration.emails.mailbox import new_address, party_fields, request_email, settled_email
from integration.issuing.shop import KINDS, Shop
from smtp_server import Mail, SmtpServer
from support import data_of

TITLES = {"nfe": "NF-e", "nfce": "NFC-e", "nfse": "NFS-e", "cte": "CT-e"}


async def delivered(
    shop: Shop, mail_server: SmtpServer, document_type: str, **party: Any
) -> tuple[dict[str, Any], Mail]:
    """Issues a document and sends it to its recipient; returns the document and the mail."""
    address = new_address()
    document = await shop.issue(document_type, **party_fields(document_type, address, **party))
    assert document["status"] == "authorized", document
    email = await request_email(shop, document)
    assert (email["to"], email["status"], email["askedBy"]) == ([address], "pending", "request")
    assert (await settled_email(shop, document))["status"] == "sent"
    (mail,) = mail_server.sent_to(address)
    return document, mail


def punctuated(cnpj: str) -> str:
    return re.sub(r"(..)(...)(...)(....)(..)", r"\1.\2.\3/\4-\5", cnpj)


@pytest.mark.parametrize("document_type", KINDS)
class TestEveryType:
    async def test_mail_has_the_same_files_as_the_downloads(
        self, shop: Shop, mail_server: SmtpServer, document_type: str
    ) -> None:
        document, mail = await delivered(shop, mail_server, document_type)
        path = f"/{document_type}/{document['id']}"
        xml, pdf = await shop.get(path + "/xml"), await shop.get(path + "/pdf")
        (xml_name, (xml_type, xml_file)), (pdf_name, (pdf_type, pdf_file)) = mail.files.items()
        assert (xml_name, xml_type, xml_file) == (
            f"{document['accessKey']}.xml",
            "application/xml",
            xml.content,
        )
        assert f'"{pdf_name}"' in pdf.headers["content-disposition"]
        assert (pdf_type, pdf_file) == ("application/pdf", pdf.content)

    async def test_mail_contains_the_main_facts_of_the_document(
        self, shop: Shop, mail_server: SmtpServer, document_type: str
    ) -> None:
        document, mail = await delivered(shop, mail_server, document_type)
        company = data_of(await shop.caller.http.get(shop.path()))
        grouped = re.sub("(.{4})(?=.)", r"\1 ", document["accessKey"])
        for body in (mail.text, mail.html):
            assert "Olá, Maria da Silva." in body
            assert (
                f"enviou a você um documento fiscal: {TITLES[document_type]} nº {document['number']}." in body
            )
            for fact in ("R$ 59,80", "Loja Modelo Ltda", punctuated(company["taxId"]), grouped):
                assert fact in body
            assert "homologação" not in body
            assert ("Série" in body) == (document["series"] is not None)
        assert mail.message["Subject"] == f"{TITLES[document_type]} {document['number']} de Loja Modelo Ltda"


class TestHeaders:
    async def test_headers_are_those_of_an_automatic_message(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        changes = {"tradeName": "Loja da Ana", "email": "ana@example.com"}
        data_of(await shop.caller.http.put(shop.path(), json=changes))
        document, mail = await delivered(shop, mail_server, "nfe")
        email = await settled_email(shop, document)
        headers = mail.message
        assert headers["From"] == "Loja da Ana <notas@example.com>"
        assert headers["Reply-To"] == "Loja da Ana <ana@example.com>"
        assert headers["To"] == f"Maria da Silva <{email['to'][0]}>"
        assert headers["Message-ID"] == f"<{email['id']}@example.com>"
        assert headers["Auto-Submitted"] == "auto-generated"
        assert abs(headers["Date"].datetime - datetime.now(UTC)) < timedelta(minutes=1)
        assert "responda a ele" in mail.text

    async def test_company_without_an_address_has_no_reply_to(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        _, mail = await delivered(shop, mail_server, "nfe")
        assert "Reply-To" not in mail.message
        assert "responda" not in mail.text + mail.html

    async def test_address_of_the_company_that_no_header_can_hold_is_left_out(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        data_of(await shop.caller.http.put(shop.path(), json={"email": "joão@example.com"}))
        _, mail = await delivered(shop, mail_server, "nfe")
        assert "Reply-To" not in mail.message
        assert "responda" not in mail.text + mail.html

    async def test_mail_of_homologation_says_that_the_document_has_no_fiscal_value(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        environment = {"environment": "homologation"}
        data_of(await shop.caller.http.patch(shop.path("/environment"), json=environment))
        _, mail = await delivered(shop, mail_server, "nfe")
        assert mail.message["Subject"].startswith("[SEM VALOR FISCAL] NF-e ")
        for body in (mail.text, mail.html):
            assert "homologação" in body
            assert "validade jurídica" not in body


class TestNames:
    async def test_name_of_the_recipient_is_escaped(self, shop: Shop, mail_server: SmtpServer) -> None:
        name = '<b>Ana</b> & "Filhos" <outra@example.com>, Bcc'
        _, mail = await delivered(shop, mail_server, "nfse", name=name)
        assert mail.message["To"].addresses[0].display_name == name
        assert len(mail.message["To"].addresses) == 1
        assert f"Olá, {name}." in mail.text
        assert "<b>Ana</b>" not in mail.html
        assert "&lt;b&gt;Ana&lt;/b&gt; &amp; " in mail.html
        assert len(mail.recipients) == 1
