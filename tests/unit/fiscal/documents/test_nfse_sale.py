"""The sale created with a direct NFS-e."""

from datetime import date
from decimal import Decimal
from typing import Any

from carimbo.fiscal.catalog.sale import DirectSale
from carimbo.fiscal.documents.nfse.catalog_item import sale_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from unit.fiscal.documents.nfse_support import (
    CPF,
    EVENING_IN_ACRE,
    FIRM,
    FOREIGNER,
    IN_ACRE,
    NBS,
    SHORTCUT,
    SIMPLES,
    TAKER_CNPJ,
    body,
    request_of,
)


def sale(**changes: Any) -> DirectSale:
    return sale_of(NfseRequest.model_validate(body(**changes)), SIMPLES)


class TestItem:
    def test_item_has_the_default_names_of_the_catalog(self) -> None:
        item = sale().item
        assert (item.sku, item.name) == ("direct-api-nfse", "Assinatura mensal")
        assert (item.type, item.category, item.guarantee) == ("service", "other_service", None)

    def test_item_has_the_names_of_the_body(self) -> None:
        item = sale(name="Plano Pro", sku="PRO", category="saas", guarantee=30).item
        assert (item.sku, item.name, item.category, item.guarantee) == ("PRO", "Plano Pro", "saas", 30)

    def test_item_has_its_tax_fields(self) -> None:
        assert sale(cityServiceCode="2800", nbs=NBS, cnaeCode="6209100").item.fiscal == {
            "serviceItemCode": "01.05",
            "cityServiceCode": "2800",
            "nbs": NBS,
            "cnaeCode": "6209100",
        }

    def test_item_of_a_shortcut_has_only_the_tax_fields_of_the_body(self) -> None:
        assert sale_of(NfseRequest.model_validate(SHORTCUT), SIMPLES).item.fiscal == {}
        request = NfseRequest.model_validate(SHORTCUT | {"serviceCode": "2800"})
        assert sale_of(request, SIMPLES).item.fiscal == {"cityServiceCode": "2800"}


class TestCustomer:
    def test_customer_is_identified_by_the_document(self) -> None:
        customer = sale(borrower=FIRM | {"municipalRegistration": "42", "email": "a@example.com"}).customer
        assert (customer.document, customer.name) == (TAKER_CNPJ, FIRM["name"])
        assert (customer.municipal_registration, customer.email) == ("42", "a@example.com")
        assert customer.address
        assert (customer.address["cityCode"], customer.address["zipcode"]) == ("3550308", "01001000")
        assert not customer.is_foreign

    def test_document_of_the_customer_has_no_punctuation(self) -> None:
        assert sale(borrower={"taxId": "529.982.247-25", "name": "Maria"}).customer.document == CPF

    def test_customer_abroad_is_identified_by_the_foreign_id(self) -> None:
        customer = sale(borrower=FOREIGNER).customer
        assert (customer.document, customer.foreign_id) == (None, FOREIGNER["foreignId"])
        assert customer.is_foreign
        assert customer.address
        assert customer.address["countryCode"] == "US"

    def test_customer_may_be_a_name_alone(self) -> None:
        customer = sale(borrower={"name": "Consumidor"}).customer
        assert (customer.name, customer.document, customer.address) == ("Consumidor", None, None)


class TestSale:
    def test_sale_has_the_price_and_day_of_the_body(self) -> None:
        assert (sale().price, sale().sold_on) == (Decimal(150), None)
        assert sale(issueDate="2026-11-03").sold_on == date(2026, 11, 3)

    def test_sale_day_of_a_moment_is_by_the_clock_of_the_company(self) -> None:
        request = request_of(issueDate=EVENING_IN_ACRE)
        assert sale_of(request, IN_ACRE).sold_on == date(2026, 11, 13)
        assert sale_of(request, SIMPLES).sold_on == date(2026, 11, 14)
