"""The payload of an event, field by field."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery.payload import payload_json
from carimbo.service.documents.files import Links
from carimbo.storage.events import PublishedEvent

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


def payload_of(topic: str, **fields: Any) -> dict[str, Any]:
    """Returns the payload as receivers read it from JSON."""
    payload = payload_json(PublishedEvent(topic=topic, **(PLAIN | fields)), LINKS)
    assert json.loads(json.dumps(payload)) == payload
    return payload


class TestADocument:
    def test_document_payload_has_every_field(self) -> None:
        payload = payload_of("nfe.authorized", **AUTHORIZED, sale_id=SALE, external_id="pedido-1")
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

    def test_rejected_document_has_the_reason(self) -> None:
        rejection = {"code": "778", "message": "NCM", "field": None, "hint": None, "retryable": False}
        rejected = {"document_id": DOCUMENT, "amount": Decimal("59.80"), "details": {"rejection": rejection}}
        assert payload_of("nfe.rejected", **rejected)["data"]["rejection"] == rejection

    @pytest.mark.parametrize("details", [{"rejection": {"code": 5}}, {"saleId": "venda"}])
    def test_unreadable_details_are_left_out(self, details: dict[str, Any]) -> None:
        assert payload_of("nfe.rejected", **AUTHORIZED, details=details) == payload_of(
            "nfe.rejected", **AUTHORIZED
        )

    def test_deleted_document_keeps_its_sale_and_external_id(self) -> None:
        details = {"saleId": str(SALE), "externalId": "pedido-1"}
        data = payload_of("nfe.rejected", **AUTHORIZED, details=details)["data"]
        assert (data["saleId"], data["externalId"]) == (str(SALE), "pedido-1")

    def test_document_without_sale_and_external_id_has_no_such_fields(self) -> None:
        assert {"saleId", "externalId"} & payload_of("nfe.authorized", **AUTHORIZED)["data"].keys() == set()

    @pytest.mark.parametrize(
        ("topic", "name", "status", "document_type"),
        [
            ("nfce.canceled", "nfce.cancelled", "canceled", "nfce"),
            ("cteOs.canceled", "cte.cancelled", "canceled", "cteOs"),
            ("nfse.rejected", "nfse.rejected", "rejected", "nfse"),
        ],
    )
    def test_payload_has_the_event_name_and_the_status(
        self, topic: str, name: str, status: str, document_type: str
    ) -> None:
        payload = payload_of(topic, **AUTHORIZED)
        assert (payload["event"], payload["data"]["status"], payload["data"]["type"]) == (
            name,
            status,
            document_type,
        )

    def test_refused_document_has_no_files(self) -> None:
        refused = payload_of("nfe.rejected", **AUTHORIZED | {"authorized_at": None})["data"]
        assert {"pdfUrl", "xmlUrl"} & refused.keys() == set()
        assert refused["invoiceNumber"] == "42"

    def test_canceled_document_keeps_its_files(self) -> None:
        assert {"pdfUrl", "xmlUrl"} < payload_of("nfe.canceled", **AUTHORIZED)["data"].keys()

    def test_document_refused_before_numbering_has_no_number(self) -> None:
        refused = payload_of("nfe.rejected", document_id=DOCUMENT, amount=Decimal(0))["data"]
        assert (refused["invoiceNumber"], refused["issuedAt"], refused["amount"]) == (None, None, 0)

    @pytest.mark.parametrize(("assigned", "number"), [(1001, "1001"), (None, None)])
    def test_document_has_the_number_that_the_authority_assigned(
        self, assigned: int | None, number: str | None
    ) -> None:
        payload = payload_of("nfse.authorized", **AUTHORIZED, assigned_number=assigned)
        assert payload["data"]["invoiceNumber"] == number


class TestOtherEvents:
    def test_certificate_expiry_has_its_payload(self) -> None:
        details = {"expiresAt": "2026-11-15T12:00:00+00:00", "daysLeft": 5}
        assert payload_of("certificate.expiring", details=details) == {
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

    def test_certificate_expiry_with_unreadable_details_names_the_company(self) -> None:
        payload = payload_of("certificate.expiring", details={"daysLeft": "soon"})
        assert payload["data"] == {"companyId": str(COMPANY), "taxId": "11222333000181"}

    def test_webhook_test_has_only_its_details(self) -> None:
        details = {"webhookId": str(SALE), "message": "Teste"}
        payload = payload_of("webhook.test", company_id=None, tax_id=None, details=details)
        assert (payload["event"], payload["data"]) == ("webhook.test", details)

    def test_event_of_a_company_names_the_company(self) -> None:
        payload = payload_of("company.something", details={"told": [1, None]})
        assert payload["data"] == {"companyId": str(COMPANY), "taxId": "11222333000181", "told": [1, None]}
