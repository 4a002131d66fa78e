"""Origins of e-mails: a sale, the company's settings, or a request; and errors of requests."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.services import Services
from integration.emails.mailbox import (
    emails_of,
    listed,
    new_address,
    party_fields,
    request_email,
    settled_email,
    until_settled,
)
from integration.issuing.shop import KINDS, UNANSWERED, Shop, error_of
from integration.sales.store import JOAO, MARIA, open_store
from smtp_server import SmtpServer
from support import ABSENT, data_of, fields_of, wrong_fields


async def origins_of(shop: Shop, document: dict[str, Any]) -> list[str]:
    """Returns the origins of a document's e-mails, read from the database."""
    query = "select asked_by from emails where document_id = $1"
    return [row["asked_by"] for row in await shop.system.fetch(query, UUID(document["id"]))]


class TestAuthorization:
    async def test_sale_overrides_the_companys_setting(self, shop: Shop, mail_server: SmtpServer) -> None:
        store = await open_store(shop)
        for default, requested, origin in (
            (None, None, None),
            (None, True, "sale"),
            (None, False, None),
            (False, None, None),
            (False, True, "sale"),
            (True, None, "company"),
            (True, True, "sale"),
            (True, False, None),
        ):
            settings = (default, requested)
            if default is not None:
                await store.put_settings(email={"sendOnAuthorization": default})
            customer = {"name": "Ana Souza", "email": new_address(), "address": MARIA["address"]}
            sale = await store.invoiced("curso", customer=customer, sendEmail=requested)
            (document,) = sale["invoices"]
            assert document["status"] == "authorized", settings
            assert await origins_of(store, document) == ([origin] if origin else []), settings
            if origin:
                email = await settled_email(store, document)
                assert (email["status"], email["to"]) == ("sent", [customer["email"]]), settings
            assert len(mail_server.sent_to(customer["email"])) == (1 if origin else 0), settings

    async def test_every_document_of_a_sale_is_sent(self, shop: Shop, mail_server: SmtpServer) -> None:
        store, customer = await open_store(shop), MARIA | {"email": new_address()}
        sale = await store.invoiced("curso", "caneca", customer=customer, sendEmail=True)
        emails = [await settled_email(store, document) for document in sale["invoices"]]
        assert [email["status"] for email in emails] == ["sent"] * 2
        assert len(mail_server.sent_to(customer["email"])) == 2

    async def test_directly_created_document_follows_the_companys_setting(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        await shop.put_settings(email={"sendOnAuthorization": True})
        for document_type in KINDS:
            address = new_address()
            email = await settled_email(
                shop, await shop.issue(document_type, **party_fields(document_type, address))
            )
            assert (email["askedBy"], email["status"], email["to"]) == ("company", "sent", [address]), (
                document_type
            )
            assert len(mail_server.sent_to(address)) == 1, document_type
        await shop.put_settings(email={"sendOnAuthorization": False})
        silent = {
            document_type: await shop.issue(document_type, **party_fields(document_type, new_address()))
            for document_type in KINDS
        }
        rows = {document_type: await origins_of(shop, document) for document_type, document in silent.items()}
        assert rows == {document_type: [] for document_type in KINDS}

    async def test_rejected_document_is_not_sent(self, shop: Shop) -> None:
        await shop.put_settings(email={"sendOnAuthorization": True})
        document = await shop.issue(
            "nfce", notes="SIMULA:REJEICAO:528", **party_fields("nfce", new_address())
        )
        assert document["status"] == "rejected"
        assert await origins_of(shop, document) == []

    async def test_company_setting_ignores_a_document_without_a_recipient(self, shop: Shop) -> None:
        await shop.put_settings(email={"sendOnAuthorization": True})
        document = await shop.issue("nfce")
        own = f"from emails where document_id = '{UUID(document['id'])}'"
        await shop.system.until(f"not exists (select {own})")
        assert await listed(shop, document) == []

    @pytest.mark.parametrize("customer", [{"name": "Ana Souza"}, None], ids=["no address", "no customer"])
    async def test_sale_that_requests_a_mail_without_an_address_records_a_failure(
        self, shop: Shop, customer: dict[str, str] | None
    ) -> None:
        store = await open_store(shop)
        sale = await store.invoiced("caneca", customer=customer, sendEmail=True, productInvoiceType="nfce")
        (document,) = sale["invoices"]
        email = await settled_email(store, document)
        assert (email["status"], email["to"], email["attempts"]) == ("failed", [], [])
        assert email["error"].startswith("Sem endereço de e-mail")

    async def test_receipt_without_a_recipient_is_sent_to_the_customer_of_its_sale(
        self, shop: Shop, mail_server: SmtpServer
    ) -> None:
        store = await open_store(shop)
        nameless = {"name": "Ana Souza", "email": new_address()}
        sale = await store.invoiced("caneca", customer=nameless, sendEmail=True, productInvoiceType="nfce")
        (document,) = sale["invoices"]
        assert (await settled_email(store, document))["to"] == [nameless["email"]]
        (mail,) = mail_server.sent_to(nameless["email"])
        assert "Olá, Ana Souza." in mail.text


class TestRequest:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_request_may_name_other_recipients(
        self, shop: Shop, mail_server: SmtpServer, document_type: str
    ) -> None:
        own, others = new_address(), [new_address(), new_address()]
        document = await shop.issue(document_type, **party_fields(document_type, own))
        email = await request_email(shop, document, {"to": [*others, others[0]]})
        assert email["to"] == others
        assert (await settled_email(shop, document))["status"] == "sent"
        (mail,) = mail_server.sent_to(others[0])
        assert mail.recipients == others
        assert [address.addr_spec for address in mail.message["To"].addresses] == others
        assert "Maria" not in mail.text + mail.html
        assert mail_server.sent_to(own) == []

    async def test_request_without_recipients_uses_that_of_the_document(self, shop: Shop) -> None:
        address = new_address()
        document = await shop.issue("nfse", **party_fields("nfse", address))
        http, path = shop.caller.http, shop.path(f"/nfse/{document['id']}/email")
        answers = [
            await http.post(path),
            await http.post(path, json={}),
            await http.post(path, json={"to": None}),
        ]
        assert [answer.status_code for answer in answers] == [202] * 3
        await until_settled(shop, document)
        emails = await listed(shop, document)
        assert [(email["status"], email["to"]) for email in emails] == [("sent", [address])] * 3

    async def test_request_needs_an_address_where_the_document_has_none(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        answer = await shop.post(f"/nfce/{document['id']}/email", {})
        assert fields_of(answer) == {
            "to": "Informe os destinatários em to: o e-mail do destinatário do documento não é conhecido."
        }
        assert await listed(shop, document) == []

    async def test_request_needs_an_address_where_the_body_can_not_be_read(self, shop: Shop) -> None:
        document = await shop.issue("nfe", **party_fields("nfe", new_address()))
        query = "update documents set request = '[' where id = $1"
        await shop.system.fetch(query, UUID(document["id"]))
        path = f"/nfe/{document['id']}/email"
        assert "Informe os destinatários em to" in fields_of(await shop.post(path, {}))["to"]
        address = new_address()
        assert (await shop.post(path, {"to": [address]})).status_code == 202
        assert (await settled_email(shop, document))["to"] == [address]

    async def test_unreadable_refusals_of_an_attempt_are_left_out(self, shop: Shop) -> None:
        document = await shop.issue("nfe", **party_fields("nfe", new_address()))
        email = await request_email(shop, document)
        await until_settled(shop, document)
        query = "update email_attempts set refusals = '[{\"old\": 1}]' where email_id = $1"
        await shop.system.fetch(query, UUID(email["id"]))
        (read,) = await listed(shop, document)
        assert (read["status"], read["attempts"][0]["refusals"]) == ("sent", [])

    async def test_request_with_invalid_addresses_is_refused(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        cases: list[tuple[Any, str]] = [
            ([], "to"),
            (["a@example.com"] * 11, "to"),
            (["a@example.com", "nobody"], "to[1]"),
            (["a@example.com\r\nBcc: b@example.com"], "to[0]"),
            (["<a@example.com>"], "to[0]"),
            (["a@example.com,b@example.com"], "to[0]"),
            (["a b@example.com"], "to[0]"),
            (["joão@example.com"], "to[0]"),
            (["a..b@example.com"], "to[0]"),
            ([".a@example.com"], "to[0]"),
            (["a.@example.com"], "to[0]"),
            (["a\u202eb@example.com"], "to[0]"),
            (["=?utf-8?q?a?=@example.com"], "to[0]"),
            ("a@example.com", "to"),
        ]
        path = f"/nfce/{document['id']}/email"
        wrong = await wrong_fields({str(to): shop.post(path, {"to": to}) for to, _ in cases})
        assert wrong == {str(to): [field] for to, field in cases}
        assert await listed(shop, document) == []

    async def test_request_for_a_document_that_is_not_authorized_is_refused(self, shop: Shop) -> None:
        document = await shop.issue("nfe", **party_fields("nfe", new_address()))
        data_of(await shop.caller.http.delete(shop.path(f"/nfe/{document['id']}")))
        waiting = await shop.create("nfe", notes=UNANSWERED)
        for record, status in ((document, "canceled"), (waiting, "processing")):
            answer = await shop.post(f"/nfe/{record['id']}/email", {"to": ["a@example.com"]})
            assert error_of(answer, 409, "INVALID_STATE") == {
                "currentStatus": status, "allowed": ["authorized"],
            }  # fmt: skip

    async def test_request_without_a_mail_server_is_refused(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await shop.issue("nfce")
        services: Services = shop.system.app.state.services
        closed = replace(services, outbox=replace(services.outbox, is_open=False))
        monkeypatch.setattr(shop.system.app.state, "services", closed)
        answer = await shop.post(f"/nfce/{document['id']}/email", {"to": ["a@example.com"]})
        assert error_of(answer, 503, "EMAIL_NOT_CONFIGURED") is None
        message = answer.json()["error"]["message"]
        assert "CARIMBO_SMTP_HOST" in message

    async def test_request_for_an_unknown_document_is_not_found(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        for path in (f"/nfe/{document['id']}", f"/nfce/{ABSENT}"):
            error_of(await shop.post(path + "/email", {"to": ["a@example.com"]}), 404, "NOT_FOUND")
            error_of(await shop.get(path + "/emails"), 404, "NOT_FOUND")


class TestList:
    async def test_list_shows_the_newest_first_in_pages(self, shop: Shop, mail_server: SmtpServer) -> None:
        document = await shop.issue("nfce", **party_fields("nfce", JOAO["email"], taxId=JOAO["document"]))
        email_ids = [(await request_email(shop, document, {"to": [new_address()]}))["id"] for _ in range(3)]
        await until_settled(shop, document)
        assert [email["id"] for email in await listed(shop, document)] == email_ids[::-1]
        page = (await shop.get(emails_of(document), page=2, pageSize=2)).json()
        assert [email["id"] for email in page["data"]] == email_ids[:1]
        assert page["pageInfo"] == {"page": 2, "pageSize": 2, "total": 3}
        (shown,) = page["data"]
        assert set(shown) == {
            "id", "to", "status", "askedBy", "attempts", "error", "sentAt", "createdAt",
        }  # fmt: skip
        assert (shown["status"], shown["error"]) == ("sent", None)
        assert set(shown["attempts"][0]) == {
            "number", "startedAt", "milliseconds", "to", "outcome", "code", "message", "refusals",
        }  # fmt: skip
