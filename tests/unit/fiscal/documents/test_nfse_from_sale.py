"""The NFS-e that a sale needs: one note of all its services, to its customer."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from carimbo.fiscal.catalog_sale import SalePart
from carimbo.fiscal.customer import CustomerFacts
from carimbo.fiscal.documents.nfse.catalog_item import ServiceFiscal
from carimbo.fiscal.documents.nfse.request import LONGEST_DESCRIPTION
from unit.fiscal.documents.nfse_sales import OWN, USUAL, body_of, json_of, service
from unit.fiscal.documents.nfse_support import MEI, NBS, NORMAL, RIO_CODE, SIMPLES, declared, reviewed, said
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
    strange_paths,
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
    def test_has_a_line_for_each_service(self) -> None:
        told = json_of(service(), service(name="Mentoria"))
        assert told["serviceDescription"] == "Curso\nMentoria"

    @pytest.mark.parametrize(
        ("quantity", "said_as"),
        [("2", "2 x Curso"), ("1.5000", "1,5 x Curso"), ("1200", "1.200 x Curso"), ("1.0000", "Curso")],
    )
    def test_tells_how_many_as_people_here_write_it(self, quantity: str, said_as: str) -> None:
        assert json_of(service(quantity=quantity))["serviceDescription"] == said_as

    def test_has_no_variables_in_names(self) -> None:
        assert json_of(service(name="Curso {valor}"))["serviceDescription"] == "Curso (valor)"

    def test_of_more_services_than_there_is_room_for_is_cut(self) -> None:
        told = json_of(*(service(name=f"Aula {number:04}") for number in range(300)))["serviceDescription"]
        assert len(told) == LONGEST_DESCRIPTION
        assert told.startswith("Aula 0000\nAula 0001\n")
        assert told.endswith("...")

    def test_is_the_sales_own_whose_variables_are_filled_in(self) -> None:
        told = json_of(service(), service(name="Mentoria"), discrimination="Acesso a {nomeProduto}")
        assert said(declared(told, settings=USUAL), "serv/cServ/xDescServ") == "Acesso a Curso"


class TestItem:
    def test_is_the_first_of_the_services(self) -> None:
        told = json_of(service(guarantee=7), service(name="Mentoria", sku="M", category="other"))
        names = ("name", "sku", "category", "guarantee")
        assert [told[name] for name in names] == ["Curso", "CURSO", "online_course", 7]

    def test_has_no_name_that_the_catalog_would_refuse(self) -> None:
        assert json_of(service(name="Ç" * 65))["name"] == "Ç" * 64
        assert "name" not in json_of(service(name="Ab"))

    def test_says_nothing_of_what_nobody_knows(self) -> None:
        assert set(json_of(service(category=None))) == {
            "serviceDescription",
            "name",
            "sku",
            "amount",
            "borrower",
        }


class TestPrice:
    def test_is_that_of_all_services_with_their_shipping(self) -> None:
        shipped = service(100, quantity=3, shipping=Decimal("12.5"))
        assert json_of(shipped, service("0.99"))["amount"] == Decimal("313.49")

    def test_has_the_discounts_taken_off_for_good(self) -> None:
        told = json_of(service(discount=Decimal(10)), service(discount=Decimal("0.5")))
        assert told["discounts"] == {"unconditional": Decimal("10.5")}
        assert "discounts" not in json_of(service())


class TestNote:
    def test_tells_when_and_where_the_service_was_given(self) -> None:
        told = json_of(service(), competence_date=date(2026, 11, 3), service_location="2", city_ibge=RIO_CODE)
        assert (told["issueDate"], told["serviceLocation"]) == ("2026-11-03", "2")
        note = declared(told, settings=USUAL)
        assert said(note, "dCompet") == "2026-11-03"
        assert said(note, "serv/locPrest/cLocPrestacao") == RIO_CODE

    def test_has_the_property_of_the_sale_beside_the_reform_group_of_the_item(self) -> None:
        estate = {"cibCode": "1A2B3C45"}
        reform = {"cst": "000", "property": {"cibCode": "00000000"}}
        assert json_of(service(), property=estate)["ibsCbs"] == {"property": estate}
        told = json_of(service(fiscal={"ibsCbs": reform}), property=estate)
        assert told["ibsCbs"] == {"cst": "000", "property": estate}

    def test_errors_of_the_property_are_found_in_the_sale(self) -> None:
        body = body_of(part_of(service(position=2), property={"cibCode": "1"}))
        assert body.path_in_sale("ibsCbs.property.cibCode") == "nfse.property.cibCode"
        assert body.path_in_sale("ibsCbs.cst") == "products[2].ibsCbs.cst"


class TestBorrower:
    def test_is_the_customer(self) -> None:
        assert json_of(service(), to=replace(FIRM, email="a@b.example", phone="1133334444"))["borrower"] == {
            "taxId": "66677788000183",
            "name": "Mercado Modelo S.A.",
            "municipalRegistration": "12345",
            "email": "a@b.example",
            "phone": "1133334444",
            "address": FIRM.address,
        }

    def test_has_no_mail_that_the_note_has_no_room_for(self) -> None:
        for length, is_told in ((80, True), (81, False)):
            customer = replace(PERSON, email="@b.example".rjust(length, "a"))
            assert ("email" in json_of(service(), to=customer)["borrower"]) is is_told

    def test_abroad_is_known_by_the_id_of_there(self) -> None:
        taker = json_of(service(), to=replace(ABROAD, document=PERSON.document))["borrower"]
        assert (taker["foreignId"], taker.get("taxId")) == ("EIN123456789", None)

    def test_here_is_known_by_the_document_of_here(self) -> None:
        taker = json_of(service(), to=replace(PERSON, foreign_id="P1234567"))["borrower"]
        assert (taker["taxId"], taker.get("foreignId")) == (PERSON.document, None)

    def test_from_abroad_with_an_address_here_is_known_by_nothing_else(self) -> None:
        resident = replace(ABROAD, address=PERSON.address)
        told = json_of(service(), to=resident)
        assert told["borrower"] == {"name": "Model Stores Inc.", "address": PERSON.address}
        assert "foreignTrade" not in told

    def test_of_here_with_an_address_abroad_is_known_by_the_document_alone(self) -> None:
        told = json_of(service(), to=replace(FIRM, address=ABROAD.address, municipal_registration=None))
        assert told["borrower"] == {"taxId": FIRM.document, "name": FIRM.name}
        assert "foreignTrade" not in told

    def test_abroad_whose_id_nobody_knows_is_said_to_need_none(self) -> None:
        unknown = replace(ABROAD, foreign_id=None, is_foreign=False)
        told = json_of(service(fiscal={"nbs": NBS}), to=unknown)
        assert said(declared(told, settings=USUAL), "toma/cNaoNIF") == "1"

    def test_abroad_without_an_address_is_refused_in_the_sales_names(self) -> None:
        body = body_of(part_of(service(fiscal={"nbs": NBS}), to=replace(ABROAD, address=None)))
        problems = reviewed(body.json, settings=USUAL).problems
        assert [(one.code, body.path_in_sale(one.path)) for one in problems] == [
            ("E0242", "customer.address")
        ]

    @pytest.mark.parametrize(
        "customer",
        [PERSON, STRANGER, replace(PERSON, is_foreign=True)],
        ids=["here", "nobody", "here after all"],
    )
    def test_here_buys_across_no_border(self, customer: CustomerFacts) -> None:
        assert "foreignTrade" not in json_of(service(), to=customer)

    def test_abroad_buys_in_reais_across_the_border(self) -> None:
        note = declared(json_of(service(fiscal={"nbs": NBS}), to=ABROAD), settings=USUAL)
        told = [said(note, f"serv/comExt/{tag}") for tag in ("mdPrestacao", "tpMoeda", "vServMoeda")]
        assert told == ["1", "790", "150.00"]


CUSTOMERS = {
    "CPF": PERSON,
    "CNPJ": FIRM,
    "CNPJ with letters": LETTERED,
    "of another state": FAR,
    "abroad": ABROAD,
    "nobody": STRANGER,
}
COMPANIES = {"simples": SIMPLES, "normal": NORMAL, "mei": MEI}


SALES = some.builds(
    lambda sold_lines, customer: part_of(*sold_lines, to=customer),
    some.sampled_from([{}, OWN, {"iss": {"rate": 3}}]).flatmap(lines),
    some.sampled_from([PERSON, FIRM, LETTERED, FAR, STRANGER]),
)


def assert_costs_what_the_customer_pays(sale: SalePart) -> None:
    """Checks that the note of a sale may be issued, over the amount due to the cent."""
    body = body_of(sale)
    review = reviewed(body.json, settings=USUAL)
    assert review.problems == ()
    assert review.preview
    assert review.preview.amount == due(sale)
    assert strange_paths(body, FISCAL_NAMES) == set()


class TestSale:
    def test_makes_a_note_that_may_be_issued(self) -> None:
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
    def test_costs_what_the_customer_pays_to_the_cent(self, sale: SalePart) -> None:
        assert_costs_what_the_customer_pays(sale)

    def test_knows_where_each_of_its_fields_stands(self) -> None:
        taxed = OWN | {"taxes": {"ir": {"rate": 1.5}}, "ibsCbs": {"cst": "000"}, "nbs": NBS}
        sale = part_of(
            service(position=4, guarantee=7, discount=Decimal(1), fiscal=taxed),
            to=ABROAD,
            competence_date=date(2026, 11, 3),
            service_location="2",
            city_ibge=RIO_CODE,
        )
        body = body_of(sale)
        found = {path: body.path_in_sale(path) for path in body.json}
        assert found == PATHS_IN_SALE
        assert body.path_in_sale("borrower.taxId") == "customer.document"
        assert body.path_in_sale("borrower.address.zipcode") == "customer.address.zipcode"
        assert body.path_in_sale("discounts.unconditional") == "discount"
