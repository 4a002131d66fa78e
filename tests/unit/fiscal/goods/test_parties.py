"""The parties of a sale around the buyer: company, places and readers."""

import dataclasses
from typing import Any

import pytest
from pydantic import ValidationError

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.json_form import path_of_tags
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, write
from carimbo.fiscal.signed_documents import SignedDocument
from support import CNPJ
from unit.fiscal.goods.support import (
    BUYER_CNPJ,
    CPF,
    RIO_DE_JANEIRO,
    buyer,
    company,
    issued_nfe,
    misformed,
    nfe,
    refused,
    text_at,
)


def issuer(path: str, *, recipient: dict[str, Any] | None = None, **changes: Any) -> str | None:
    return text_at(nfe(by=company(**changes), recipient=recipient or buyer()), f"emit/{path}")


class TestIssuer:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("CNPJ", CNPJ),
            ("xNome", "Loja Modelo Ltda"),
            ("xFant", None),
            ("IE", "111111110110"),
            ("IEST", None),
            ("IM", None),
            ("CRT", "1"),
            ("enderEmit/cMun", "3550308"),
            ("enderEmit/CEP", "01001000"),
            ("enderEmit/fone", None),
        ],
    )
    def test_issuer_is_the_company(self, path: str, value: str | None) -> None:
        assert issuer(path) == value

    @pytest.mark.parametrize(
        ("regime", "code"), [("simples", "1"), ("simplesExcess", "2"), ("normal", "3"), ("mei", "4")]
    )
    def test_issuer_has_the_code_of_the_tax_regime(self, regime: str, code: str) -> None:
        taxes = {"icms": {"cst": "40"}, "pis": {"cst": "07"}, "cofins": {"cst": "07"}}
        goods = {"description": "Caneca", "ncm": "69120000", "quantity": 1, "unitValue": 1}
        assert text_at(nfe(by=company(taxRegime=regime), items=[goods | taxes]), "emit/CRT") == code

    def test_issuer_with_letters_in_its_cnpj_is_accepted_by_the_xsd(self, signer: Signer) -> None:
        document = issued_nfe(signer, by=company(taxId="12.ABC.345/01DE-35"))
        assert isinstance(document, SignedDocument), document
        assert document.access_key[6:20] == BUYER_CNPJ

    def test_issuer_name_has_at_most_sixty_characters(self) -> None:
        assert issuer("xNome", legalName="A" * 59 + " " + "B" * 90) == "A" * 59
        assert issuer("xNome", legalName="Ã" * 150) == "Ã" * 60

    def test_issuer_name_loses_double_spaces_before_it_is_cut(self) -> None:
        assert issuer("xNome", legalName=f"A{' ' * 40}B{' ' * 40}C") == "A B C"

    def test_issuer_name_that_is_cut_still_fits_when_typographic_characters_grow(self) -> None:
        name = issuer("xNome", legalName="A" * 59 + "…")
        assert name
        assert len(name) <= 60

    def test_issuer_with_a_registration_in_the_buyers_state_is_the_substitute_there(self) -> None:
        both = [{"state": "SP", "number": "111111110110"}, {"state": "RJ", "number": "22222228"}]
        there = buyer(address=RIO_DE_JANEIRO)
        assert issuer("IEST", recipient=there, stateRegistrations=both) == "22222228"
        assert issuer("IE", recipient=there, stateRegistrations=both) == "111111110110"
        assert issuer("IEST", stateRegistrations=both) is None

    def test_issuer_has_its_activity_only_beside_the_municipal_registration(self) -> None:
        assert issuer("CNAE", cnaeCode="4751-2/01") is None
        assert issuer("CNAE", cnaeCode="4751-2/01", municipalRegistration="123") == "4751201"

    def test_issuer_without_a_registration_has_none_in_the_document(self, signer: Signer) -> None:
        unregistered = company(stateRegistrations=[], taxRegime="mei")
        document = issued_nfe(signer, by=unregistered)
        assert isinstance(document, SignedDocument), document
        assert b"</enderEmit><CRT>4</CRT></emit>" in document.xml

    def test_issuer_with_a_character_outside_the_layout_is_refused_at_the_companys_record(
        self, signer: Signer
    ) -> None:
        assert set(refused(issued_nfe(signer, by=company(legalName="Loja 🎉 Ltda")))) == {"company.legalName"}

    @pytest.mark.parametrize("field", ["state_registration", "st_state_registration"])
    def test_issuer_registration_that_cannot_be_written_is_refused_at_the_registrations(
        self, field: str
    ) -> None:
        invoice = nfe()
        wrong: dict[str, Any] = {field: "1" * 15}
        unwritable = dataclasses.replace(invoice, issuer=dataclasses.replace(invoice.issuer, **wrong))
        assert refused(write(unwritable)) == {
            "company.stateRegistrations": "O campo tem mais de 14 caracteres."
        }

    @pytest.mark.parametrize("tag", ["IE", "IEST"])
    def test_issuer_registration_that_the_xsd_refuses_is_reported_at_the_registrations(
        self, tag: str
    ) -> None:
        assert path_of_tags(Invoice, [("emit", 0), (tag, 0)]) == "company.stateRegistrations"

    def test_issuer_has_its_suframa_registration(self, signer: Signer) -> None:
        registered = company(suframaRegistration="123456789")
        document = issued_nfe(signer, by=registered)
        assert isinstance(document, SignedDocument), document
        assert text_at(nfe(by=registered), "emit/ISUFEmit") == "123456789"
        assert text_at(nfe(), "emit/ISUFEmit") is None

    @pytest.mark.parametrize("number", ["1234567", "1234567890", "12345678A"])
    def test_issuer_suframa_registration_has_eight_or_nine_digits(self, number: str) -> None:
        with pytest.raises(ValidationError) as raised:
            company(suframaRegistration=number)
        message = f"Formato inválido: informe 8 ou 9 dígitos, e não “{number}”."
        assert misformed(raised.value) == {"suframaRegistration": message}


class TestPlaces:
    @pytest.mark.parametrize(
        ("field", "tag"), [("pickupAddress", "retirada"), ("deliveryAddress", "entrega")]
    )
    def test_pickup_and_delivery_places_have_name_and_tax_id(
        self, signer: Signer, field: str, tag: str
    ) -> None:
        place: dict[str, Any] = RIO_DE_JANEIRO | {
            "taxId": BUYER_CNPJ,
            "name": "Depósito",
            "stateRegistration": "22222228",
            "phone": "2133334444",
            "email": "deposito@example.com",
        }
        changes: dict[str, Any] = {field: place}
        document = issued_nfe(signer, **changes)
        assert isinstance(document, SignedDocument), document
        assert f"<{tag}><CNPJ>{BUYER_CNPJ}</CNPJ><xNome>Depósito</xNome>" in document.xml.decode()

    def test_delivery_place_is_the_destination_of_the_sale(self) -> None:
        invoice = nfe(deliveryAddress=RIO_DE_JANEIRO | {"taxId": CPF})
        assert text_at(invoice, "ide/idDest") == "2"
        assert text_at(invoice, "det/prod/CFOP") == "6108"

    def test_pickup_place_is_not_the_destination_of_the_sale(self) -> None:
        assert text_at(nfe(pickupAddress=RIO_DE_JANEIRO | {"taxId": CPF}), "ide/idDest") == "1"


class TestReaders:
    def test_authorized_readers_are_companies_or_persons(self, signer: Signer) -> None:
        accountant = "11144477735"
        document = issued_nfe(signer, authorizedReaders=[{"taxId": BUYER_CNPJ}, {"taxId": accountant}])
        assert isinstance(document, SignedDocument), document
        allowed = f"<autXML><CNPJ>{BUYER_CNPJ}</CNPJ></autXML><autXML><CPF>{accountant}</CPF></autXML>"
        assert allowed in document.xml.decode()
