"""The NF-e or NFC-e that a sale needs: its products, to its customer, paid as the sale was."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from pydantic import ValidationError

from carimbo.fiscal.catalog.sale import SaleDocumentBody, SalePart
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.goods.catalog_item import GoodsFiscal
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.customer import CustomerFacts
from unit.fiscal import sold_parts
from unit.fiscal.documents.nfse_support import NEW_YORK
from unit.fiscal.goods.support import CSC, NORMAL, company, issuance, misformed
from unit.fiscal.sold_parts import (
    ABROAD,
    FAR,
    FIRM,
    HERE,
    LETTERED,
    MUG,
    PERSON,
    STRANGER,
    TOURIST,
    due,
    lines,
    part_of,
    paths_outside_the_sale,
    sold,
)

SIMPLES, MEI = company(), company(taxRegime="mei")
SETTINGS = {NFE.name: NFE.settings(), NFCE.name: NFCE.settings.model_validate(CSC)}
TRIAL = Signer.throwaway()
SHIPPED = Decimal("12.50")
EXIT = {"export": {"state": "SP", "exitPlace": "Guarulhos"}}
FISCAL_NAMES = {field.alias or name for name, field in GoodsFiscal.model_fields.items()}


def body_of(document_type: DocumentType, part: SalePart) -> SaleDocumentBody:
    return sold_parts.body_of(document_type, part, SETTINGS[document_type.name])


def review_of(document_type: DocumentType, json: Mapping[str, Any], by: Company = SIMPLES) -> Review:
    request = document_type.issuing.request.model_validate(json)
    return document_type.issuing.review(request, issuance(TRIAL, SETTINGS[document_type.name], by=by))


def refused(document_type: DocumentType, part: SalePart, by: Company = SIMPLES) -> list[tuple[str, str]]:
    """Returns the code and the path in the sale of every problem of its document."""
    body = body_of(document_type, part)
    return [
        (problem.code, body.path_in_sale(problem.path))
        for problem in review_of(document_type, body.json, by).problems
    ]


@pytest.fixture(params=[NFE, NFCE], ids=lambda document_type: document_type.name)
def document_type(request: pytest.FixtureRequest) -> DocumentType:
    param: DocumentType = request.param
    return param


class TestItems:
    def test_items_are_the_lines_of_the_sale(self, document_type: DocumentType) -> None:
        fiscal = {"ncm": "69120000", "unit": "CX", "icms": {"csosn": "102"}, "gtin": None}
        line = sold("35.9", quantity="2.5", discount=Decimal(3), shipping=SHIPPED, fiscal=fiscal)
        assert body_of(document_type, part_of(line)).json["items"] == [
            {
                "description": "Caneca",
                "sku": "CANECA",
                "quantity": Decimal("2.5"),
                "unitValue": Decimal("35.9"),
                "discount": 3,
                "freight": SHIPPED,
                "ncm": "69120000",
                "unit": "CX",
                "icms": {"csosn": "102"},
            }
        ]

    def test_items_have_neither_discount_nor_freight_where_the_sale_has_none(
        self, document_type: DocumentType
    ) -> None:
        [item] = body_of(document_type, part_of(sold())).json["items"]
        assert set(item) == {"description", "sku", "quantity", "unitValue", "ncm"}

    def test_items_without_company_defaults_state_their_origin(self, document_type: DocumentType) -> None:
        alone = sold(follows_company_defaults=False)
        foreign = replace(alone, fiscal=MUG | {"origin": "2"})
        items = body_of(document_type, part_of(alone, foreign, sold())).json["items"]
        assert [item.get("origin") for item in items] == ["0", "2", None]

    def test_items_have_no_amounts_that_an_old_catalog_stored(self, document_type: DocumentType) -> None:
        old = {"icms": {"cst": "00", "rate": 18, "base": 100, "amount": 18}, "ibsCbs": {"base": 100}}
        [item] = body_of(document_type, part_of(sold(100, quantity=3, fiscal=MUG | old))).json["items"]
        assert (item["icms"], item["ibsCbs"]) == ({"cst": "00", "rate": 18}, {})

    def test_items_taxed_by_quantity_pay_for_each_unit_sold(self) -> None:
        by_unit = {
            "pis": {"cst": "03", "unitRate": 0.5},
            "cofins": {"cst": "03", "unitRate": 2},
            "ipi": {"cst": "50", "unitRate": 1.5},
        }
        part = part_of(sold(100, quantity=3, fiscal=MUG | by_unit))
        review = review_of(NFE, body_of(NFE, part).json, NORMAL)
        assert (review.problems, review.preview and review.preview.amount) == ((), Decimal("304.50"))
        assert review.preview
        totals = review.preview.totals
        assert (totals["pisAmount"], totals["cofinsAmount"]) == (Decimal("1.50"), Decimal("6.00"))


class TestIpi:
    def test_ipi_that_is_not_due_is_left_out_of_receipts_only(self) -> None:
        part = part_of(sold(fiscal=MUG | {"ipi": {"cst": "53"}}))
        assert ["ipi" in body_of(document_type, part).json["items"][0] for document_type in (NFE, NFCE)] == [
            True,
            False,
        ]

    def test_ipi_that_is_due_stays_in_a_receipt_and_is_refused(self) -> None:
        json = body_of(NFCE, part_of(sold(fiscal=MUG | {"ipi": {"cst": "50", "rate": 10}}))).json
        assert [problem.code for problem in review_of(NFCE, json).problems] == ["742"]


class TestRecipient:
    def test_recipient_of_an_nfe_is_the_customer(self) -> None:
        buyer = replace(FIRM, email="a@b.example", phone="1133334444", address=HERE | {"countryCode": "BR"})
        assert body_of(NFE, part_of(sold(), to=buyer)).json["recipient"] == {
            "taxId": "66677788000183",
            "name": "Mercado Modelo S.A.",
            "stateRegistration": "110042490114",
            "email": "a@b.example",
            "phone": "1133334444",
            "address": HERE,
        }

    def test_recipient_of_a_receipt_is_no_contributor(self) -> None:
        assert body_of(NFCE, part_of(sold(), to=FIRM)).json["recipient"] == {
            "taxId": "66677788000183",
            "name": "Mercado Modelo S.A.",
            "address": HERE,
        }

    def test_receipt_needs_no_recipient(self) -> None:
        assert "recipient" not in body_of(NFCE, part_of(sold(), to=STRANGER)).json

    def test_email_that_is_too_long_for_the_document_is_left_out(self, document_type: DocumentType) -> None:
        for length, is_included in ((60, True), (61, False)):
            mail = "@b.example".rjust(length, "a")
            recipient = body_of(document_type, part_of(sold(), to=replace(PERSON, email=mail))).json[
                "recipient"
            ]
            assert ("email" in recipient) is is_included

    def test_recipient_abroad_has_the_country_of_the_central_bank(self) -> None:
        assert body_of(NFE, part_of(sold(), to=ABROAD)).json["recipient"] == {
            "foreignId": "EIN123456789",
            "name": "Model Stores Inc.",
            "address": {
                "street": "5th Avenue",
                "number": "350",
                "district": "Manhattan",
                "city": "New York",
                "countryCode": "2496",
                "country": "Estados Unidos",
            },
        }

    def test_unknown_country_is_reported_at_a_field_of_the_sale(self) -> None:
        body = body_of(NFE, part_of(sold(), to=replace(ABROAD, address=NEW_YORK | {"countryCode": "XX"})))
        with pytest.raises(ValueError, match=r"recipient\.address\.abroad\.countryCode"):
            review_of(NFE, body.json)
        assert body.path_in_sale("recipient.address.country") == "customer.address.countryCode"

    def test_recipient_of_a_receipt_has_no_address_abroad(self) -> None:
        recipient = body_of(NFCE, part_of(sold(), to=ABROAD)).json["recipient"]
        assert recipient == {"foreignId": "EIN123456789", "name": "Model Stores Inc."}

    @pytest.mark.parametrize(
        ("customer", "path"),
        [
            (replace(PERSON, address=None), "customer.address"),
            (ABROAD, "customer.address"),
        ],
        ids=["nowhere", "abroad"],
    )
    def test_recipient_problems_of_an_nfe_are_reported_at_fields_of_the_sale(
        self, customer: CustomerFacts, path: str
    ) -> None:
        assert {refused_path for _, refused_path in refused(NFE, part_of(sold(), to=customer))} == {path}

    def test_nfe_without_a_document_of_the_customer_lacks_a_field_of_the_sale(self) -> None:
        body = body_of(NFE, part_of(sold(), to=STRANGER))
        with pytest.raises(ValidationError) as raised:
            review_of(NFE, body.json)
        assert {body.path_in_sale(path) for path in misformed(raised.value)} == {"customer.document"}

    def test_partial_address_of_the_customer_is_reported_in_the_names_of_the_sale(self) -> None:
        partly = replace(PERSON, address={"street": "Praça da Sé", "city": "São Paulo"})
        assert refused(NFE, part_of(sold(fiscal=MUG | {"cfop": "5102"}), to=partly)) == [
            ("726", "customer.address.number"),
            ("726", "customer.address.district"),
            ("726", "customer.address.state"),
        ]


class TestPayment:
    @pytest.mark.parametrize("method", ["credit_card", "pix", "boleto", "later", "01"])
    def test_payment_method_is_that_of_the_sale(self, document_type: DocumentType, method: str) -> None:
        part = part_of(sold(), paid=method)
        assert body_of(document_type, part).json["paymentMethod"] == method
        assert refused(document_type, part) == []

    def test_other_payment_method_is_described(self, document_type: DocumentType) -> None:
        assert refused(document_type, part_of(sold(), paid="other")) == []

    def test_payment_includes_the_tax_on_top(self) -> None:
        ipi = {"cst": "50", "rate": 10}
        part = part_of(sold(100, fiscal=MUG | {"ipi": ipi}))
        review = review_of(NFE, body_of(NFE, part).json, NORMAL)
        assert (review.problems, review.preview and review.preview.amount) == ((), Decimal("110.00"))


class TestShipping:
    def test_shipping_makes_the_presence_of_a_receipt_a_delivery(self) -> None:
        shipped = body_of(NFCE, part_of(sold(shipping=SHIPPED))).json
        assert (shipped["presence"], shipped["freight"]) == ("delivery", {"mode": "sender"})
        carried = body_of(NFCE, part_of(sold())).json
        assert (carried["presence"], carried.get("freight")) == ("inPerson", None)

    def test_shipping_is_hired_by_the_seller(self) -> None:
        shipped = body_of(NFE, part_of(sold(), sold(shipping=SHIPPED))).json
        assert (shipped["presence"], shipped["freight"]) == ("internet", {"mode": "sender"})
        assert "freight" not in body_of(NFE, part_of(sold())).json

    @pytest.mark.parametrize(
        ("customer", "problem"),
        [
            (STRANGER, ("787", "customer")),
            (replace(PERSON, address=None), ("788", "customer.address")),
        ],
        ids=["to nobody", "to nowhere"],
    )
    def test_shipping_of_a_receipt_requires_an_address(
        self, customer: CustomerFacts, problem: tuple[str, str]
    ) -> None:
        assert refused(NFCE, part_of(sold(shipping=SHIPPED), to=customer)) == [problem]


CUSTOMERS = {"CPF": PERSON, "CNPJ": FIRM, "CNPJ with letters": LETTERED, "of another state": FAR}
COMPANIES = {"simples": SIMPLES, "normal": NORMAL, "mei": MEI}


SALES = some.builds(
    lambda sold_lines, customer: part_of(*sold_lines, to=customer, by=SIMPLES),
    some.sampled_from([MUG, {**MUG, "cfop": "5101", "unit": "CX"}]).flatmap(lines),
    some.sampled_from(list(CUSTOMERS.values())),
)


def assert_costs_what_the_customer_pays(sale: SalePart, document_type: DocumentType) -> None:
    """Checks that the document of a sale may be issued, over the amount due to the cent."""
    body = body_of(document_type, sale)
    review = review_of(document_type, body.json)
    assert review.problems == ()
    assert review.preview
    assert review.preview.amount == due(sale)
    assert paths_outside_the_sale(body, FISCAL_NAMES) == set()


class TestSale:
    def test_sale_makes_a_document_that_can_be_issued(self, document_type: DocumentType) -> None:
        wrong = {}
        for (who, customer), (regime, by), discount, shipping in product(
            CUSTOMERS.items(), COMPANIES.items(), (Decimal(0), Decimal(3)), (Decimal(0), SHIPPED)
        ):
            own = MUG | {"cfop": "5102"}
            line = sold(discount=discount, shipping=shipping, fiscal=own)
            sale = part_of(line, sold(position=1, quantity=3), to=customer, by=by)
            review = review_of(document_type, body_of(document_type, sale).json, by)
            if review.problems or not review.preview or review.preview.amount != due(sale):
                wrong[f"{who}, {regime}, discount {discount}, shipping {shipping}"] = review
        assert wrong == {}

    @pytest.mark.parametrize("customer", [TOURIST, STRANGER, ABROAD], ids=["tourist", "nobody", "abroad"])
    def test_receipt_of_a_sale_in_the_shop_needs_no_known_buyer(self, customer: CustomerFacts) -> None:
        assert refused(NFCE, part_of(sold(), to=customer)) == []

    @pytest.mark.parametrize("company", [SIMPLES, NORMAL], ids=["simples", "normal"])
    def test_sale_abroad_makes_an_nfe_once_its_exit_place_is_given(self, company: Company) -> None:
        body = body_of(NFE, part_of(sold(fiscal=MUG | {"cfop": "5102"}), to=ABROAD, by=company))
        assert review_of(NFE, {**body.json, **EXIT}, company).problems == ()

    @given(sale=SALES, document_type=some.sampled_from([NFE, NFCE]))
    @settings(max_examples=30)
    def test_sale_costs_what_the_customer_pays_to_the_cent(
        self, sale: SalePart, document_type: DocumentType
    ) -> None:
        assert_costs_what_the_customer_pays(sale, document_type)

    def test_fields_of_the_document_are_mapped_to_fields_of_the_sale(
        self, document_type: DocumentType
    ) -> None:
        sale = part_of(sold(position=1), sold(position=3, discount=Decimal(1), shipping=SHIPPED))
        body = body_of(document_type, sale)
        places = {
            "items[0]": "products[1]",
            "items[1].description": "products[3].name",
            "items[1].unitValue": "products[3].price",
            "items[1].quantity": "products[3].quantity",
            "items[1].icms.cst": "products[3].icms.cst",
            "items[1].discount": "discount",
            "items[1].freight": "shipping",
            "recipient": "customer",
            "recipient.taxId": "customer.document",
            "recipient.address.zipcode": "customer.address.zipcode",
            "paymentMethod": "paymentMethod",
            "payments": "paymentMethod",
            "freight": "shipping",
            "freight.mode": "shipping",
            "presence": "productInvoiceType",
        }
        assert {path: body.path_in_sale(path) for path in places} == places


@pytest.mark.parametrize("document_type", [NFE, NFCE], ids=["nfe", "nfce"])
@pytest.mark.parametrize(("day", "is_taken"), [("2026-12-31", True), ("2027-01-01", False)])
def test_contributions_of_the_catalog_are_taken_up_to_their_last_day(
    document_type: DocumentType, day: str, is_taken: bool
) -> None:
    taxed = sold(fiscal=MUG | {"pis": {"cst": "01"}, "cofins": {"cst": "01"}})
    body = sold_parts.body_of(document_type, replace(part_of(taxed), day=date.fromisoformat(day)))
    assert ("pis" in body.json["items"][0], "cofins" in body.json["items"][0]) == (is_taken, is_taken)
