"""Who asks for e-mails: a sale, the company's settings, or a request; and how requests are refused."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from carimbo.api.context import Services
from integration.emails.mailbox import addressed, ask, emails_of, fate_of, listed, new_address, until_settled
from integration.issuing.shop import KINDS, UNANSWERED, Shop, error_of
from integration.sales.store import JOAO, MARIA, open_store
from post_office import PostOffice
from support import ABSENT, data_of, fields_of, wrong_fields


async def rows_of(shop: Shop, document: dict[str, Any]) -> list[str]:
    """Who asked for a document's e-mails, by the rows themselves."""
    query = "select asked_by from emails where document_id = $1"
    return [row["asked_by"] for row in await shop.floor.fetch(query, UUID(document["id"]))]


class TestAuthorization:
    async def test_what_a_sale_says_goes_before_what_is_usual(self, shop: Shop, office: PostOffice) -> None:
        store = await open_store(shop)
        for usual, told, asker in (
            (None, None, None),
            (None, True, "sale"),
            (None, False, None),
            (False, None, None),
            (False, True, "sale"),
            (True, None, "company"),
            (True, True, "sale"),
            (True, False, None),
        ):
            which = (usual, told)
            if usual is not None:
                await store.put_settings(email={"sendOnAuthorization": usual})
            customer = {"name": "Ana Souza", "email": new_address(), "address": MARIA["address"]}
            sale = await store.invoiced("curso", customer=customer, sendEmail=told)
            (document,) = sale["invoices"]
            assert document["status"] == "authorized", which
            assert await rows_of(store, document) == ([asker] if asker else []), which
            if asker:
                email = await fate_of(store, document)
                assert (email["status"], email["to"]) == ("sent", [customer["email"]]), which
            assert len(office.sent_to(customer["email"])) == (1 if asker else 0), which

    async def test_every_document_of_a_sale_is_sent(self, shop: Shop, office: PostOffice) -> None:
        store, customer = await open_store(shop), MARIA | {"email": new_address()}
        sale = await store.invoiced("curso", "caneca", customer=customer, sendEmail=True)
        emails = [await fate_of(store, document) for document in sale["invoices"]]
        assert [email["status"] for email in emails] == ["sent"] * 2
        assert len(office.sent_to(customer["email"])) == 2

    async def test_what_is_created_directly_goes_by_what_is_usual(
        self, shop: Shop, office: PostOffice
    ) -> None:
        await shop.put_settings(email={"sendOnAuthorization": True})
        for kind in KINDS:
            address = new_address()
            email = await fate_of(shop, await shop.issue(kind, **addressed(kind, address)))
            assert (email["askedBy"], email["status"], email["to"]) == ("company", "sent", [address]), kind
            assert len(office.sent_to(address)) == 1, kind
        await shop.put_settings(email={"sendOnAuthorization": False})
        silent = {kind: await shop.issue(kind, **addressed(kind, new_address())) for kind in KINDS}
        rows = {kind: await rows_of(shop, document) for kind, document in silent.items()}
        assert rows == {kind: [] for kind in KINDS}

    async def test_a_document_that_is_refused_is_not_sent(self, shop: Shop) -> None:
        await shop.put_settings(email={"sendOnAuthorization": True})
        document = await shop.issue("nfce", notes="SIMULA:REJEICAO:528", **addressed("nfce", new_address()))
        assert document["status"] == "rejected"
        assert await rows_of(shop, document) == []

    async def test_of_what_is_usual_a_document_for_nobody_is_no_failure(self, shop: Shop) -> None:
        await shop.put_settings(email={"sendOnAuthorization": True})
        document = await shop.issue("nfce")
        own = f"from emails where document_id = '{UUID(document['id'])}'"
        await shop.floor.until(f"not exists (select {own})")
        assert await listed(shop, document) == []

    @pytest.mark.parametrize("customer", [{"name": "Ana Souza"}, None], ids=["no address", "no customer"])
    async def test_that_a_sale_asks_for_is_a_failure_where_there_is_nobody(
        self, shop: Shop, customer: dict[str, str] | None
    ) -> None:
        store = await open_store(shop)
        sale = await store.invoiced("caneca", customer=customer, sendEmail=True, productInvoiceType="nfce")
        (document,) = sale["invoices"]
        email = await fate_of(store, document)
        assert (email["status"], email["to"], email["attempts"]) == ("failed", [], [])
        assert email["error"].startswith("Sem endereço de e-mail")

    async def test_a_receipt_that_names_nobody_goes_to_the_customer_of_its_sale(
        self, shop: Shop, office: PostOffice
    ) -> None:
        store = await open_store(shop)
        nameless = {"name": "Ana Souza", "email": new_address()}
        sale = await store.invoiced("caneca", customer=nameless, sendEmail=True, productInvoiceType="nfce")
        (document,) = sale["invoices"]
        assert (await fate_of(store, document))["to"] == [nameless["email"]]
        (mail,) = office.sent_to(nameless["email"])
        assert "Olá, Ana Souza." in mail.text


class TestRequest:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_may_name_other_recipients(self, shop: Shop, office: PostOffice, kind: str) -> None:
        own, others = new_address(), [new_address(), new_address()]
        document = await shop.issue(kind, **addressed(kind, own))
        asked = await ask(shop, document, {"to": [*others, others[0]]})
        assert asked["to"] == others
        assert (await fate_of(shop, document))["status"] == "sent"
        (mail,) = office.sent_to(others[0])
        assert mail.recipients == others
        assert [one.addr_spec for one in mail.message["To"].addresses] == others
        assert "Maria" not in mail.text + mail.html
        assert office.sent_to(own) == []

    async def test_goes_to_the_recipient_of_the_document_else(self, shop: Shop) -> None:
        address = new_address()
        document = await shop.issue("nfse", **addressed("nfse", address))
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

    async def test_needs_an_address_where_the_document_has_none(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        answer = await shop.post(f"/nfce/{document['id']}/email", {})
        assert fields_of(answer) == {
            "to": "Informe os destinatários em to: o e-mail do destinatário do documento não é conhecido."
        }
        assert await listed(shop, document) == []

    async def test_needs_an_address_where_the_body_of_the_document_can_not_be_read(self, shop: Shop) -> None:
        document = await shop.issue("nfe", **addressed("nfe", new_address()))
        query = "update documents set request = '[' where id = $1"
        await shop.floor.fetch(query, UUID(document["id"]))
        path = f"/nfe/{document['id']}/email"
        assert "Informe os destinatários em to" in fields_of(await shop.post(path, {}))["to"]
        address = new_address()
        assert (await shop.post(path, {"to": [address]})).status_code == 202
        assert (await fate_of(shop, document))["to"] == [address]

    async def test_an_attempt_with_refusals_of_another_version_comes_without_them(self, shop: Shop) -> None:
        document = await shop.issue("nfe", **addressed("nfe", new_address()))
        email = await ask(shop, document)
        await until_settled(shop, document)
        query = "update email_attempts set refusals = '[{\"old\": 1}]' where email_id = $1"
        await shop.floor.fetch(query, UUID(email["id"]))
        (read,) = await listed(shop, document)
        assert (read["status"], read["attempts"][0]["refusals"]) == ("sent", [])

    async def test_with_wrong_addresses_is_refused(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        told: list[tuple[Any, str]] = [
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
        wrong = await wrong_fields({str(to): shop.post(path, {"to": to}) for to, _ in told})
        assert wrong == {str(to): [field] for to, field in told}
        assert await listed(shop, document) == []

    async def test_of_a_document_that_is_not_authorized_is_refused(self, shop: Shop) -> None:
        document = await shop.issue("nfe", **addressed("nfe", new_address()))
        data_of(await shop.caller.http.delete(shop.path(f"/nfe/{document['id']}")))
        waiting = await shop.create("nfe", notes=UNANSWERED)
        for one, status in ((document, "canceled"), (waiting, "processing")):
            answer = await shop.post(f"/nfe/{one['id']}/email", {"to": ["a@example.com"]})
            assert error_of(answer, 409, "INVALID_STATE") == {
                "currentStatus": status, "allowed": ["authorized"],
            }  # fmt: skip

    async def test_of_an_installation_that_sends_nothing_is_refused(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await shop.issue("nfce")
        services: Services = shop.floor.app.state.services
        closed = replace(services, outbox=replace(services.outbox, is_open=False))
        monkeypatch.setattr(shop.floor.app.state, "services", closed)
        answer = await shop.post(f"/nfce/{document['id']}/email", {"to": ["a@example.com"]})
        assert error_of(answer, 503, "EMAIL_NOT_CONFIGURED") is None
        message = answer.json()["error"]["message"]
        assert "CARIMBO_SMTP_HOST" in message

    async def test_of_another_type_s_or_no_document_finds_nothing(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        for path in (f"/nfe/{document['id']}", f"/nfce/{ABSENT}"):
            error_of(await shop.post(path + "/email", {"to": ["a@example.com"]}), 404, "NOT_FOUND")
            error_of(await shop.get(path + "/emails"), 404, "NOT_FOUND")


class TestList:
    async def test_shows_the_newest_first_by_pages(self, shop: Shop, office: PostOffice) -> None:
        document = await shop.issue("nfce", **addressed("nfce", JOAO["email"], taxId=JOAO["document"]))
        asked = [(await ask(shop, document, {"to": [new_address()]}))["id"] for _ in range(3)]
        await until_settled(shop, document)
        assert [email["id"] for email in await listed(shop, document)] == asked[::-1]
        page = (await shop.get(emails_of(document), page=2, pageSize=2)).json()
        assert [email["id"] for email in page["data"]] == asked[:1]
        assert page["pageInfo"] == {"page": 2, "pageSize": 2, "total": 3}
        (shown,) = page["data"]
        assert set(shown) == {
            "id", "to", "status", "askedBy", "attempts", "error", "sentAt", "createdAt",
        }  # fmt: skip
        assert (shown["status"], shown["error"]) == ("sent", None)
        assert set(shown["attempts"][0]) == {
            "number", "startedAt", "milliseconds", "to", "outcome", "code", "message", "refusals",
        }  # fmt: skip
