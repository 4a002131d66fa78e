"""Addresses of taker and intermediary in an NFS-e: left out if incomplete, unless a rule demands them."""

from typing import Any

import pytest

from unit.fiscal.documents.nfse_support import (
    FIRM,
    FOREIGNER,
    NBS,
    NEW_YORK,
    NORMAL,
    TRADE,
    body,
    composed,
    declared,
    refusals,
    text_at,
)
from unit.fiscal.goods.support import SAO_PAULO, without

ZIPCODE_ALONE = FIRM | {"address": {"zipcode": "01001-000"}}
WITHOUT_NUMBER = FIRM | {"address": without("number", SAO_PAULO)}
ABROAD = {"nbs": NBS, "foreignTrade": TRADE}
LEFT_OUT = "O endereço está incompleto e fica fora do documento; falta:"


class TestIncompleteAddress:
    def test_incomplete_address_is_left_out_with_a_warning_that_names_the_missing_fields(self) -> None:
        note = body(borrower=ZIPCODE_ALONE)
        assert text_at(declared(note), "toma/end/xLgr") is None
        warnings = [warning for warning in composed(note).warnings if "endereço" in warning]
        assert warnings == [
            f"borrower.address: {LEFT_OUT} o logradouro, o número, o bairro, o município, a UF."
        ]

    def test_incomplete_address_of_an_intermediary_is_left_out_with_a_warning(self) -> None:
        note = body(intermediary=WITHOUT_NUMBER)
        assert text_at(declared(note), "interm/xNome") == FIRM["name"]
        assert text_at(declared(note), "interm/end/xLgr") is None
        assert f"intermediary.address: {LEFT_OUT} o número." in composed(note).warnings

    def test_address_with_the_city_code_needs_neither_city_nor_state(self) -> None:
        address = {name: SAO_PAULO[name] for name in ("zipcode", "street", "number", "district")}
        note = declared(body(borrower=FIRM | {"address": address | {"cityCode": "3550308"}}))
        assert text_at(note, "toma/end/endNac/cMun") == "3550308"

    def test_incomplete_address_with_a_city_still_places_the_service(self) -> None:
        there = FIRM | {"address": {"city": "Rio de Janeiro", "state": "RJ"}}
        note = declared(body(borrower=there, serviceLocation="2", natureOfOperation="2"))
        assert text_at(note, "serv/locPrest/cLocPrestacao") == "3304557"


class TestDemandedAddress:
    @pytest.mark.parametrize(
        ("changes", "problems"),
        [
            (
                {"federalServiceCode": "17.05", "borrower": WITHOUT_NUMBER},
                {("E0234", "borrower.address.number")},
            ),
            (
                {"iss": {"rate": 2, "isWithheld": True}, "borrower": WITHOUT_NUMBER},
                {("E0237", "borrower.address.number")},
            ),
            (
                {"serviceLocation": "2", "borrower": FIRM | {"address": without("state", SAO_PAULO)}},
                {("MISSING", "borrower.address.state")},
            ),
            (
                ABROAD | {"borrower": FOREIGNER | {"address": {"countryCode": "US", "city": "New York"}}},
                {
                    ("E0242", f"borrower.address.{name}")
                    for name in ("street", "number", "district", "region", "postalCode")
                },
            ),
            (
                ABROAD | {"intermediary": FOREIGNER | {"address": without("region", NEW_YORK)}},
                {("E0298", "intermediary.address.region")},
            ),
        ],
        ids=["incidence", "withholding", "place", "foreign taker", "foreign intermediary"],
    )
    def test_problem_names_each_missing_field_of_a_required_address(
        self, changes: dict[str, Any], problems: set[tuple[str, str]]
    ) -> None:
        assert refusals(body(**changes)) == problems
        assert not any(LEFT_OUT in warning for warning in composed(body(**changes)).warnings)

    def test_operation_indicator_of_ibs_and_cbs_requires_every_address_field(self) -> None:
        payload = body(borrower=WITHOUT_NUMBER, nbs=NBS, ibsCbs={"operationIndicator": "100301"})
        assert ("E0234", "borrower.address.number") in refusals(payload, by=NORMAL)


class TestCountry:
    @pytest.mark.parametrize("code", ["us", "2496", 2496])
    def test_country_is_written_by_its_letters_however_it_was_sent(self, code: str | int) -> None:
        taker = FOREIGNER | {"address": NEW_YORK | {"countryCode": code}}
        note = declared(body(borrower=taker, resultCountryCode=code, **ABROAD))
        assert text_at(note, "toma/end/endExt/cPais") == "US"
        assert text_at(note, "valores/trib/tribMun/cPaisResult") == "US"

    def test_country_of_a_supplier_is_written_by_its_letters(self) -> None:
        place = {"countryCode": "2496", "postalCode": "10118", "city": "New York", "region": "NY"}
        address = {"foreign": place, "street": "5th Avenue", "number": "350", "district": "Manhattan"}
        supplier = {"foreignId": "123", "name": "Model Inc.", "address": address}
        paper = {
            "otherDocumentNumber": "7",
            "kind": "2",
            "issuedOn": "2026-11-01",
            "deductibleAmount": 10,
            "amount": 10,
            "supplier": supplier,
        }
        note = declared(body(deductions={"proof": {"documents": [paper]}}), by=NORMAL)
        assert text_at(note, "valores/vDedRed/documentos/docDedRed/fornec/end/endExt/cPais") == "US"
