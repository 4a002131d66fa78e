"""What is told of an event, field by field."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery.payload import payload_of
from carimbo.service.links import Links
from carimbo.storage.events import ToldEvent

NOW = datetime(2026, 11, 10, 12, 0, 0, 250_000, tzinfo=UTC)
LINKS = Links(b"k" * 32, "https://fiscal.example.com", timedelta(days=7), lambda: NOW)
OWNER, EVENT, COMPANY, DOCUMENT, SALE = (UUID(int=number) for number in range(1, 6))
PLAIN: dict[str, Any] = {
    "subscription_id": OWNER, "id": EVENT, "created_at": NOW, "details": None, "company_id": COMPANY,
    "tax_id": "11222333000181", "document_id": None, "sale_id": None, "external_id": None, "amount": None,
    "issued_at": None, "number": None, "assigned_number": None, "authorized_at": None,
}  # fmt: skip
AUTHORIZED: dict[str, Any] = {
    "document_id": DOCUMENT, "amount": Decimal("59.80"), "issued_at": NOW, "number": 42, "authorized_at": NOW,
}  # fmt: skip


def told(topic: str, **fields: Any) -> dict[str, Any]:
    """What is told, having gone through JSON as it goes to receivers."""
    payload = payload_of(ToldEvent(topic=topic, **(PLAIN | fields)), LINKS)
    assert json.loads(json.dumps(payload)) == payload
    return payload


class TestADocument:
    def test_is_told_whole(self) -> None:
        payload = told("nfe.authorized", **AUTHORIZED, sale_id=SALE, external_id="pedido-1")
        assert payload == {
            "id": str(EVENT),
            "event": "nfe.authorized",
            "createdAt": "2026-11-10T12:00:00.250000Z",
            "data": {
                "id": str(DOCUMENT),
                "saleId": str(SALE),
                "externalId": "pedido-1",
                "companyId": str(COMPANY),
                "taxId": "11222333000181",
                "status": "authorized",
                "type": "nfe",
                "amount": 59.8,
                "invoiceNumber": "42",
                "issuedAt": "2026-11-10T12:00:00.250000Z",
                "pdfUrl": LINKS.pdf(OWNER, DOCUMENT),
                "xmlUrl": LINKS.xml(OWNER, DOCUMENT),
            },
        }

    def test_that_was_rejected_tells_why(self) -> None:
        rejection = {"code": "778", "message": "NCM", "field": None, "hint": None, "retryable": False}
        rejected = {"document_id": DOCUMENT, "amount": Decimal("59.80"), "details": {"rejection": rejection}}
        assert told("nfe.rejected", **rejected)["data"]["rejection"] == rejection

    @pytest.mark.parametrize("details", [{"rejection": {"code": 5}}, {"saleId": "venda"}])
    def test_with_unreadable_details_is_told_without_them(self, details: dict[str, Any]) -> None:
        assert told("nfe.rejected", **AUTHORIZED, details=details) == told("nfe.rejected", **AUTHORIZED)

    def test_that_is_gone_keeps_its_sale_and_external_id(self) -> None:
        details = {"saleId": str(SALE), "externalId": "pedido-1"}
        data = told("nfe.rejected", **AUTHORIZED, details=details)["data"]
        assert (data["saleId"], data["externalId"]) == (str(SALE), "pedido-1")

    def test_without_sale_and_external_id_has_no_such_fields(self) -> None:
        assert {"saleId", "externalId"} & told("nfe.authorized", **AUTHORIZED)["data"].keys() == set()

    @pytest.mark.parametrize(
        ("topic", "name", "status", "kind"),
        [
            ("nfce.canceled", "nfce.cancelled", "canceled", "nfce"),
            ("cteOs.canceled", "cte.cancelled", "canceled", "cteOs"),
            ("nfse.rejected", "nfse.rejected", "rejected", "nfse"),
        ],
    )
    def test_is_named_by_event_and_by_status(self, topic: str, name: str, status: str, kind: str) -> None:
        payload = told(topic, **AUTHORIZED)
        assert (payload["event"], payload["data"]["status"], payload["data"]["type"]) == (name, status, kind)

    def test_that_was_refused_has_no_files(self) -> None:
        refused = told("nfe.rejected", **AUTHORIZED | {"authorized_at": None})["data"]
        assert {"pdfUrl", "xmlUrl"} & refused.keys() == set()
        assert refused["invoiceNumber"] == "42"

    def test_that_was_canceled_keeps_its_files(self) -> None:
        assert {"pdfUrl", "xmlUrl"} < told("nfe.canceled", **AUTHORIZED)["data"].keys()

    def test_that_was_refused_before_it_had_a_number_says_so(self) -> None:
        refused = told("nfe.rejected", document_id=DOCUMENT, amount=Decimal(0))["data"]
        assert (refused["invoiceNumber"], refused["issuedAt"], refused["amount"]) == (None, None, 0)

    @pytest.mark.parametrize(("assigned", "number"), [(1001, "1001"), (None, None)])
    def test_that_the_authority_numbers_has_that_number(
        self, assigned: int | None, number: str | None
    ) -> None:
        payload = told("nfse.authorized", **AUTHORIZED, assigned_number=assigned)
        assert payload["data"]["invoiceNumber"] == number


class TestOtherEvents:
    def test_the_end_of_a_certificate(self) -> None:
        details = {"expiresAt": "2026-11-15T12:00:00+00:00", "daysLeft": 5}
        assert told("certificate.expiring", details=details) == {
            "id": str(EVENT),
            "event": "certificate.expiring",
            "createdAt": "2026-11-10T12:00:00.250000Z",
            "data": {
                "companyId": str(COMPANY),
                "taxId": "11222333000181",
                "expiresAt": "2026-11-15T12:00:00Z",
                "daysLeft": 5,
            },
        }

    def test_the_end_of_a_certificate_with_unreadable_details_names_the_company(self) -> None:
        payload = told("certificate.expiring", details={"daysLeft": "soon"})
        assert payload["data"] == {"companyId": str(COMPANY), "taxId": "11222333000181"}

    def test_a_test_has_its_details_and_nothing_else(self) -> None:
        details = {"webhookId": str(SALE), "message": "Teste"}
        payload = told("webhook.test", company_id=None, tax_id=None, details=details)
        assert (payload["event"], payload["data"]) == ("webhook.test", details)

    def test_what_concerns_a_company_names_it(self) -> None:
        payload = told("company.something", details={"told": [1, None]})
        assert payload["data"] == {"companyId": str(COMPANY), "taxId": "11222333000181", "told": [1, None]}
