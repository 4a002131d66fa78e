"""The NFS-e that a sale needs: one note of all its services, to its customer."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from carimbo.fiscal.catalog.sale import SalePart
from carimbo.fiscal.documents.nfse.catalog_item import ServiceFiscal
from carimbo.fiscal.documents.nfse.request import MAX_DESCRIPTION_LENGTH
from carimbo.fiscal.parties.customer import CustomerFacts
from unit.fiscal.documents.nfse_sales import OWN, USUAL, body_of, json_of, service
from unit.fiscal.documents.nfse_support import (
    MEI,
    NBS,
    NORMAL,
    RIO_CODE,
    SIMPLES,
    declared,
    reviewed,
    text_at,
)
from unit.fiscal.sold_parts import (
    ABROAD,
    FAR,
    FIRM,
    LETTERED,
    PERSON,
    STRANGER,
    due,
    lines,
    part_of,
    paths_outside_the_sale,
)

FISCAL_NAMES = {field.alias or name for name, field in ServiceFiscal.model_fields.items()}
PATHS_IN_SALE = {
    "serviceDescription": "nfse.discrimination",
    "name": "products[4].name",
    "sku": "products[4].sku",
    "category": "products[4].category",
    "guarantee": "products[4].guarantee",
    "federalServiceCode": "products[4].serviceItemCode",
    "cityServiceCode": "products[4].cityServiceCode",
    "iss": "products[4].iss",
    "nbs": "products[4].nbs",
    "taxes": "products[4].taxes",
    "ibsCbs": "products[4].ibsCbs",
    "amount": "products",
    "discounts": "discount",
    "issueDate": "nfse.competenceDate",
    "serviceLocation": "nfse.serviceLocation",
    "serviceCityCode": "nfse.cityIbge",
    "borrower": "customer",
    "foreignTrade": "customer.foreign",
}


class TestDescription:
    def test_description_has_a_line_for_each_service(self) -> None:
        payload = json_of(service(), service(name="Mentoria"))
        assert payload["serviceDescription"] == "Curso\nMentoria"

    @pytest.mark.parametrize(
        ("quantity", "text"),
        [("2", "2 x Curso"), ("1.5000", "1,5 x Curso"), ("1200", "1.200 x Curso"), ("1.0000", "Curso")],
    )
    def test_description_writes_quantities_in_brazilian_format(self, quantity: str, text: str) -> None:
        assert json_of(service(quantity=quantity))["serviceDescription"] == text

    def test_names_cannot_insert_variables_into_the_description(self) -> None:
        assert json_of(service(name="Curso {valor}"))["serviceDescription"] == "Curso (valor)"

    def test_description_of_too_many_services_is_cut(self) -> None:
        payload = json_of(*(service(name=f"Aula {number:04}") for number in range(300)))["serviceDescription"]
        assert len(payload) == MAX_DESCRIPTION_LENGTH
        assert payload.startswith("Aula 0000\nAula 0001\n")
        assert payload.endswith("...")

    def test_description_of_the_sale_has_its_variables_filled_in(self) -> None:
        payload = json_of(service(), service(name="Mentoria"), discrimination="Acesso a {nomeProduto}")
        assert text_at(declared(payload, settings=USUAL), "serv/cServ/xDescServ") == "Acesso a Curso"


class TestItem:
    def test_item_fields_are_those_of_the_first_service(self) -> None:
        payload = json_of(service(guarantee=7), service(name="Mentoria", sku="M", category="other"))
        names = ("name", "sku", "category", "guarantee")
        assert [payload[name] for name in names] == ["Curso", "CURSO", "online_course", 7]

    def test_name_that_the_catalog_would_refuse_is_cut_or_left_out(self) -> None:
        assert json_of(service(name="Ç" * 65))["name"] == "Ç" * 64
        assert "name" not in json_of(service(name="Ab"))

    def test_missing_facts_are_left_out_of_the_body(self) -> None:
        assert set(json_of(service(category=None))) == {
            "serviceDescription",
            "name",
            "sku",
            "amount",
            "borrower",
        }


class TestPrice:
    def test_price_is_the_sum_of_all_services_with_their_shipping(self) -> None:
        shipped = service(100, quantity=3, shipping=Decimal("12.5"))
        assert json_of(shipped, service("0.99"))["amount"] == Decimal("313.49")

    def test_discounts_are_unconditional(self) -> None:
        payload = json_of(service(discount=Decimal(10)), service(discount=Decimal("0.5")))
        assert payload["discounts"] == {"unconditional": Decimal("10.5")}
        assert "discounts" not in json_of(service())


class TestNote:
    def test_competence_and_place_of_the_service_are_written(self) -> None:
        payload = json_of(
            service(), competence_date=date(2026, 11, 3), service_location="2", city_ibge=RIO_CODE
        )
        assert (payload["issueDate"], payload["serviceLocation"]) == ("2026-11-03", "2")
        note = declared(payload, settings=USUAL)
        assert text_at(note, "dCompet") == "2026-11-03"
        assert text_at(note, "serv/locPrest/cLocPrestacao") == RIO_CODE

    def test_property_of_the_sale_joins_the_reform_group_of_the_item(self) -> None:
        estate = {"cibCode": "1A2B3C45"}
        reform = {"cst": "000", "property": {"cibCode": "00000000"}}
        assert json_of(service(), property=estate)["ibsCbs"] == {"property": estate}
        payload = json_of(service(fiscal={"ibsCbs": reform}), property=estate)
        assert payload["ibsCbs"] == {"cst": "000", "property": estate}

    def test_problem_paths_of_the_property_point_into_the_sale(self) -> None:
        body = body_of(part_of(service(position=2), property={"cibCode": "1"}))
        assert body.path_in_sale("ibsCbs.property.cibCode") == "nfse.property.cibCode"
        assert body.path_in_sale("ibsCbs.cst") == "products[2].ibsCbs.cst"


class TestBorrower:
    def test_borrower_is_the_customer(self) -> None:
        assert json_of(service(), to=replace(FIRM, email="a@b.example", phone="1133334444"))["borrower"] == {
            "taxId": "66677788000183",
            "name": "Mercado Modelo S.A.",
            "municipalRegistration": "12345",
            "email": "a@b.example",
            "phone": "1133334444",
            "address": FIRM.address,
        }

    def test_email_longer_than_the_note_allows_is_left_out(self) -> None:
        for length, is_kept in ((80, True), (81, False)):
            customer = replace(PERSON, email="@b.example".rjust(length, "a"))
            assert ("email" in json_of(service(), to=customer)["borrower"]) is is_kept

    def test_borrower_abroad_is_identified_by_the_foreign_id(self) -> None:
        taker = json_of(service(), to=replace(ABROAD, document=PERSON.document))["borrower"]
        assert (taker["foreignId"], taker.get("taxId")) == ("EIN123456789", None)

    def test_borrower_in_brazil_is_identified_by_the_brazilian_document(self) -> None:
        taker = json_of(service(), to=replace(PERSON, foreign_id="P1234567"))["borrower"]
        assert (taker["taxId"], taker.get("foreignId")) == (PERSON.document, None)

    def test_foreigner_with_a_brazilian_address_has_no_foreign_id(self) -> None:
        resident = replace(ABROAD, address=PERSON.address)
        payload = json_of(service(), to=resident)
        assert payload["borrower"] == {"name": "Model Stores Inc.", "address": PERSON.address}
        assert "foreignTrade" not in payload

    def test_brazilian_with_an_address_abroad_has_no_address_in_the_note(self) -> None:
        payload = json_of(service(), to=replace(FIRM, address=ABROAD.address, municipal_registration=None))
        assert payload["borrower"] == {"taxId": FIRM.document, "name": FIRM.name}
        assert "foreignTrade" not in payload

    def test_borrower_abroad_without_an_id_is_declared_exempt_from_having_one(self) -> None:
        unknown = replace(ABROAD, foreign_id=None, is_foreign=False)
        payload = json_of(service(fiscal={"nbs": NBS}), to=unknown)
        assert text_at(declared(payload, settings=USUAL), "toma/cNaoNIF") == "1"

    def test_borrower_abroad_without_an_address_is_refused_by_the_sales_field(self) -> None:
        body = body_of(part_of(service(fiscal={"nbs": NBS}), to=replace(ABROAD, address=None)))
        problems = reviewed(body.json, settings=USUAL).problems
        assert [(problem.code, body.path_in_sale(problem.path)) for problem in problems] == [
            ("E0242", "customer.address")
        ]

    @pytest.mark.parametrize(
        "customer",
        [PERSON, STRANGER, replace(PERSON, is_foreign=True)],
        ids=["in Brazil", "anonymous", "foreigner in Brazil"],
    )
    def test_borrower_in_brazil_has_no_foreign_trade(self, customer: CustomerFacts) -> None:
        assert "foreignTrade" not in json_of(service(), to=customer)

    def test_borrower_abroad_has_foreign_trade_in_reais(self) -> None:
        note = declared(json_of(service(fiscal={"nbs": NBS}), to=ABROAD), settings=USUAL)
        texts = [text_at(note, f"serv/comExt/{tag}") for tag in ("mdPrestacao", "tpMoeda", "vServMoeda")]
        assert texts == ["1", "790", "150.00"]


CUSTOMERS = {
    "CPF": PERSON,
    "CNPJ": FIRM,
    "CNPJ with letters": LETTERED,
    "of another state": FAR,
    "abroad": ABROAD,
    "anonymous": STRANGER,
}
COMPANIES = {"simples": SIMPLES, "normal": NORMAL, "mei": MEI}


SALES = some.builds(
    lambda sold_lines, customer: part_of(*sold_lines, to=customer),
    some.sampled_from([{}, OWN, {"iss": {"rate": 3}}]).flatmap(lines),
    some.sampled_from([PERSON, FIRM, LETTERED, FAR, STRANGER]),
)


def assert_costs_what_the_customer_pays(sale: SalePart) -> None:
    """Checks that the note of a sale may be issued, for exactly the amount due."""
    body = body_of(sale)
    review = reviewed(body.json, settings=USUAL)
    assert review.problems == ()
    assert review.preview
    assert review.preview.amount == due(sale)
    assert paths_outside_the_sale(body, FISCAL_NAMES) == set()


class TestSale:
    def test_note_of_a_sale_may_be_issued_for_each_customer_and_company(self) -> None:
        wrong = {}
        for (who, customer), (regime, by), discount, shipping in product(
            CUSTOMERS.items(), COMPANIES.items(), ("0", "30"), ("0", "12.5")
        ):
            line = service(discount=Decimal(discount), shipping=Decimal(shipping), fiscal={"nbs": NBS})
            sale = part_of(line, to=customer)
            review = reviewed(body_of(sale).json, by=by, settings=USUAL)
            if review.problems or not review.preview or review.preview.amount != due(sale):
                wrong[f"{who}, {regime}, discount {discount}, shipping {shipping}"] = review
        assert wrong == {}

    @given(sale=SALES)
    @settings(max_examples=40)
    def test_note_amount_is_what_the_customer_pays_to_the_cent(self, sale: SalePart) -> None:
        assert_costs_what_the_customer_pays(sale)

    def test_every_field_has_its_path_in_the_sale(self) -> None:
        taxed = OWN | {"taxes": {"ir": {"rate": 1.5}}, "ibsCbs": {"cst": "000"}, "nbs": NBS}
        sale = part_of(
            service(position=4, guarantee=7, discount=Decimal(1), fiscal=taxed),
            to=ABROAD,
            competence_date=date(2026, 11, 3),
            service_location="2",
            city_ibge=RIO_CODE,
        )
        body = body_of(sale)
        paths = {path: body.path_in_sale(path) for path in body.json}
        assert paths == PATHS_IN_SALE
        assert body.path_in_sale("borrower.taxId") == "customer.document"
        assert body.path_in_sale("borrower.address.zipcode") == "customer.address.zipcode"
        assert body.path_in_sale("discounts.unconditional") == "discount"
